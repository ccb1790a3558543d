/* mt-network.h — the Transformer that is trained: its shape and its parameters.
 *
 * All parameters lie in one block of numbers and all gradients in another of the same layout, so
 * that an optimiser, a checkpoint or a sum over machines works on flat arrays; a table says which
 * tensor lies where. Tensors have the names of Hugging Face's MarianMTModel.
 *
 * One embedding table [V][d] serves the encoder, the decoder and, unless it has a matrix of its
 * own, the output layer (the paper, section 3.4), which adds a bias, final_logits_bias [V].
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NETWORK_H
#define MT_NETWORK_H

#include "train/mt-real.h"

#include <mt.h>

/* How parameters begin, and how a sub-layer f is added to the residual stream x of a post-norm
 * layer. */
typedef enum {
  MT_INIT_XAVIER,   /* LN(x + f(x)); Glorot and Bengio 2010, normal distribution */
  MT_INIT_DEEPNORM, /* LN(a x + f(x)) with smaller beginnings: Wang et al. 2022, table 2 */
} mt_init;

/* What the large products are made of: mt-bf16.h. */
typedef enum { MT_PRODUCTS_F32, MT_PRODUCTS_BF16 } mt_products_of;

typedef struct {
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads; /* divides d_model */
  size_t d_ffn;
  size_t vocab_size;
  size_t max_positions; /* tokens of the longest sentence */
  mt_activation activation;
  bool normalize_before;  /* pre-norm, with a norm at the end of each stack */
  bool untied_output;     /* the output layer has a matrix of its own, lm_head */
  bool learned_positions; /* a table each for encoder and decoder, else sinusoidal (halves) */
  size_t
      attention_window; /* self-attention sees |query - key| <= r, the paper, section 4; 0: all */
  double dropout;       /* of embeddings + positions, and of what each sub-layer adds; 5.4 */
  double activation_dropout; /* inside the feed-forward network, after the activation */
  double label_smoothing;    /* epsilon of the paper, section 5.4 */
  /* alpha of R-Drop, Wu et al. 2021: two passes with different dropout are to say the same. Batches
   * to train on then have each sentence twice (mt-sampler.h). 0: no R-Drop. */
  double r_drop;
  /* The embedding of <pad>, with which the decoder starts, is 0 and stays 0, as in every model that
   * Marian trained: what reads such models (CTranslate2 among them) starts with zeros whatever the
   * file has. Row pad_id of the table; of the output layer's own matrix it is trained, as the
   * others. */
  bool zero_pad;
  int32_t pad_id;
  mt_init init;
  mt_products_of products;
} mt_network_config;

#define MT_NETWORK_MAX_LAYERS 64

/* The bundled model's shape: d 256, 6 + 6 layers, 8 heads, d_ffn 1024, ReLU, post-norm, DeepNorm,
 * dropout and label smoothing 0.1, 512 positions; vocab_size is 0 and must be set. */
mt_network_config mt_network_config_default(void);

/* MT_ERROR_INPUT with a sentence that names the field, its bounds and what was found. */
bool mt_network_config_check(const mt_network_config *config, mt_error *error);

/* The shape of a model that was opened; dropout, smoothing, window and init as in the default (init
 * MT_INIT_XAVIER if pre-norm), zero_pad false. MT_ERROR_UNSUPPORTED, naming the model, for what is
 * not trained here: separate embeddings, a norm after the embedding, heads or widths that differ
 * between the stacks, positions that alternate sine and cosine, unscaled embeddings. */
bool mt_network_config_of_model(mt_network_config *config, const mt_model *model, mt_error *error);

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

#endif
