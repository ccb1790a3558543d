/* toy-model.h — small models with random weights, made in memory, for tests of the numerics.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TOY_MODEL_H
#define TOY_MODEL_H

#include "model/mt-model.h"

typedef struct {
  size_t d_model, d_ffn, n_heads, n_layers, vocab_size, max_positions;
  size_t d_head[MT_N_STACKS]; /* 0: d_model / n_heads */
  mt_activation activation;
  mt_position_kind position_kind;
  mt_norm_kind norm_kind;
  mt_feed_forward_kind feed_forward_kind;
  double score_divisor; /* 0: sqrt(d_head) */
  float output_scale;   /* 0: 1 */
  bool has_no_bias;
  bool bias_each_layer; /* of relative positions: 8 buckets, up to a distance of 20 */
  bool normalize_before, normalize_embedding, add_final_layer_norm;
  unsigned seed;
} toy_spec;

/* 2 layers, 4 heads, d 32, post-norm, ReLU, 41 words (0 is </s>, 40 is <pad> and begins the
 * output), 64 positions. */
toy_spec toy_spec_default(void);

/* A model with those shapes; it has no tokenizer. */
mt_model *toy_model_new(const toy_spec *spec);
void toy_model_free(mt_model *model);

/* Random weights of those shapes instead of the ones that a model was opened with; it keeps its
 * words, of which source and target have as many, whatever the spec says. */
void toy_model_replace(mt_model *model, toy_spec spec);
/* As T5 from release 1.1 on: relative positions, RMS norms before sub-layers, gated networks, heads
 * of another width in all than d, scores without a divisor, a scaled output, no biases. */
toy_spec toy_spec_like_t5(void);

/* A list of tokens with the given ids and made-up pieces. */
mt_tokens *toy_tokens(const int32_t *ids, size_t n);

/* n ids that the toy vocabulary has, the last </s>; deterministic. */
void toy_ids(int32_t *ids, size_t n, size_t vocab_size, unsigned seed);

/* Uniform in -1 … 1, deterministic; *state is changed. */
float toy_random(uint32_t *state);

#endif
