/* mt-network.h — the Transformer that is trained: its shape and its parameters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All parameters lie in one block of numbers and all gradients in another of the same layout, so
 * that an optimiser, a checkpoint or a sum over machines works on flat arrays; a table says which
 * tensor lies where. Tensors have the names of Hugging Face's MarianMTModel.
 *
 * One embedding table [V][d] serves the encoder, the decoder and, unless it has a matrix of its
 * own, the output layer (the paper, section 3.4), which adds a bias, final_logits_bias [V].
 */
#ifndef MT_NETWORK_H
#define MT_NETWORK_H

#include "mt/train/network.h"
#include "train/mt-real.h"

/* What a tensor is, for optimisers that treat them differently and for beginnings. */
typedef enum {
  MT_PARAMETER_TABLE,  /* [V][d], [max_positions][d]: rows of the residual stream's width */
  MT_PARAMETER_MATRIX, /* [n_out][n_in] */
  MT_PARAMETER_BIAS,   /* [n] */
  MT_PARAMETER_GAIN,   /* [d], of a norm */
} mt_parameter_kind;

/* One tensor: numbers offset … offset + count - 1 of the blocks, row-major. */
typedef struct {
  char name[96];
  mt_parameter_kind kind;
  size_t n_dims, shape[2]; /* as in the file: final_logits_bias is [1][V] */
  size_t offset, count;
  /* The file has factor * parameter: 1 / a for what DeepNorm adds to a x (out_proj and fc2), since
   * LN(a x + f) = LN(x + f / a), which is an ordinary post-norm layer; else 1. */
  double save_factor;
  double init_deviation; /* of the normal distribution it begins with; 0: a constant, 1 for gains */
} mt_parameter;

typedef struct {
  mt_network_config config;
  mt_real *parameters; /* [n_flat] */
  mt_real *gradients;  /* [n_flat] */
  /* Every tensor begins at a cache line, or right after another one that is multiplied with it;
   * what lies between is 0 in both blocks and stays so. */
  size_t n_flat;
  size_t n_parameters; /* without what lies between */
  mt_parameter *table; /* [n_tensors], by offset, no two of them overlapping */
  size_t n_tensors;
  struct mt_network_layout *layout; /* offsets by their use: private to the passes */
} mt_network;

/* All zeros; then mt_network_init or mt_network_load. config is checked and copied. NULL:
 * MT_ERROR_INPUT, MT_ERROR_NO_MEMORY. */
mt_network *mt_network_new(const mt_network_config *config, mt_error *error);
void mt_network_free(mt_network *network);

/* Random parameters; gradients become 0. The same seed gives the same bits on every machine. */
void mt_network_init(mt_network *network, uint64_t seed);

/* The parameters of a model of the same shape (mt_network_config_of_model), divided by save_factor,
 * also that of <pad>; gradients become 0. MT_ERROR_INPUT if the shapes differ. */
bool mt_network_load(mt_network *network, const mt_model *model, mt_error *error);

/* The numbers of a tensor as the file has them: out [parameter->count]. from: a block of n_flat
 * numbers, network->parameters or an average of several of them. */
void mt_network_export(const mt_network *network, const mt_parameter *parameter,
                       const mt_real *from, float *out);

/* Set the embedding of <pad> to 0 in `block` [n_flat] (parameters, gradients, or what an optimiser
 * remembers of them), if the network has zero_pad. Whether it was something else. */
bool mt_network_hold_pad(const mt_network *network, mt_real *block);

/* The first tensor with a number in `block` [n_flat] that is not finite, or NULL. */
const mt_parameter *mt_network_find_not_finite(const mt_network *network, const mt_real *block);

/* ---- Where tensors lie ----------------------------------------------------------------------- */

/* Where the tensors of a network lie, by their use.
 *
 * Queries, keys and values of self-attention are one matrix [3d][d], keys and values of
 * cross-attention one matrix [2d][d], so that each is one product. The block begins with what every
 * sentence begins with and ends with what it ends with; a layer is one stretch of it, so the
 * backward pass finishes the gradients from the end to the beginning. */

/* Offsets into the blocks. */
typedef struct {
  size_t weight, bias;
} mt_linear_at;

typedef struct {
  size_t gain, bias;
} mt_norm_at;

typedef struct {
  mt_linear_at self_qkv; /* [3d][d], [3d] */
  mt_linear_at self_out; /* [d][d], [d] */
  mt_norm_at self_norm;
  /* Decoder only. */
  mt_linear_at cross_q;  /* [d][d], [d] */
  mt_linear_at cross_kv; /* [2d][d], [2d] */
  mt_linear_at cross_out;
  mt_norm_at cross_norm;
  mt_linear_at fc1; /* [d_ffn][d], [d_ffn] */
  mt_linear_at fc2; /* [d][d_ffn], [d] */
  mt_norm_at ffn_norm;
  size_t begin, end; /* of the layer */
} mt_layer_at;

typedef struct mt_network_layout {
  size_t embedding;              /* [V][d] */
  size_t positions[MT_N_STACKS]; /* [max_positions][d], if learned */
  size_t first_end;              /* embeddings and positions are 0 … first_end - 1 */
  mt_layer_at *layers[MT_N_STACKS];
  mt_norm_at final_norm[MT_N_STACKS]; /* if pre-norm */
  size_t final_begin[MT_N_STACKS], final_end[MT_N_STACKS];
  size_t output;      /* [V][d]: the embedding, or in the decoder's final stretch */
  size_t output_bias; /* [V], in the decoder's final stretch */
} mt_network_layout;

/* 1 / a of DeepNorm for what a stack's sub-layers add; 1 for Xavier. Wang et al. 2022, table 2. */
double mt_network_residual_factor(const mt_network_config *config, mt_stack stack);

#endif
