/* mt-network-layout.h — where the tensors of a network lie, by their use. Private to the trainer.
 *
 * Queries, keys and values of self-attention are one matrix [3d][d], keys and values of
 * cross-attention one matrix [2d][d], so that each is one product. The block begins with what every
 * sentence begins with and ends with what it ends with; a layer is one stretch of it, so the
 * backward pass finishes the gradients from the end to the beginning.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NETWORK_LAYOUT_H
#define MT_NETWORK_LAYOUT_H

#include "train/mt-network.h"

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
