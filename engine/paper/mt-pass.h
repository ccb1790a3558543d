/* mt-pass.h — one forward pass: what its layers share, and running them. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PASS_H
#define MT_PASS_H

#include "kernels/mt-ops.h"
#include "model/mt-model.h"
#include "paper/mt-hook-points.h"

/* Scratch tensors, laid out by the session for at least `rows` rows before a pass begins. */
typedef struct {
  float *x;         /* [rows][d]     the residual stream */
  float *sub_layer; /* [rows][d]     what a sub-layer adds to it */
  float *normed;    /* [rows][d]     input of a pre-norm sub-layer */
  float *positions; /* [rows][d]     position encoding about to be added */
  float *q;         /* [rows][inner] all heads side by side, as in the next three */
  float *k;         /* [rows][inner] */
  float *v;         /* [rows][inner] */
  float *context;   /* [rows][inner] */
  float *hidden;    /* [rows][d_ffn] */
  float *gate;      /* [rows][d_ffn] of gated networks */
  float *scores;    /* [n_scores][scores_stride], each [rows][keys + 1] of one head */
  size_t n_scores;  /* heads at once */
  size_t scores_stride;
  float *logits; /* [logit_rows][target vocabulary] */
  size_t logit_rows;
} mt_buffers;

/* One run through (part of) the model. */
typedef struct {
  const mt_model *model;
  const mt_ops *ops;
  const mt_buffers *buffers;
  const mt_groups *groups;
  mt_hook_points hook_points;
  bool (*should_stop)(void *user); /* or NULL */
  void *stop_user;
  mt_error *error;
} mt_pass;

/* True if should_stop says so; then *error is MT_ERROR_CANCELLED. */
bool mt_pass_is_stopped(const mt_pass *pass);

/* ---- Stacks, the paper 3.1 ------------------------------------------------------------------- */

/* buffers->x [rows][d] = sqrt(d) E[ids] + PE, and the layer norm after it in models that have one.
 * ids [rows], all inside the vocabulary, of all groups. */
void mt_embed(const mt_pass *pass, mt_stack stack, const int32_t *ids);

/* buffers->x [rows][d], the stream before layer `first`, through layers [first, end) of a stack.
 * False: cancelled. */
bool mt_stack_layers(const mt_pass *pass, mt_stack stack, size_t first, size_t end);

/* The last norm, in models that have one; of the decoder before there can be logits. */
void mt_stack_finish(const mt_pass *pass, mt_stack stack);

/* buffers->x [rows][d] = the encoder's output for ids [rows], of all groups. False: cancelled. */
bool mt_encoder_run(const mt_pass *pass, const int32_t *ids);

/* Keys and values of the encoder's output, in buffers->x [rows][d], for every layer's
 * cross-attention, in the rows of the pool that the groups have as their sources. False: cancelled.
 */
bool mt_decoder_begin(const mt_pass *pass);

/* buffers->x [rows][d] = what the layers make of ids [rows] of all groups: decoding steps, or whole
 * sequences in parallel (teacher forcing), as the groups say. A row is the same, bit for bit,
 * whatever is beside it; steps of one sequence whose tokens were guessed are, as long as there are
 * at most MT_KERNELS_ROWS. False: cancelled. */
bool mt_decoder_run(const mt_pass *pass, const int32_t *ids);

/* ---- Logits, the paper 3.4 ------------------------------------------------------------------- */

/* logits [n][vocab] of what comes after rows [first, first + n) of buffers->x: s x W_out^T + b,
 * with s of mt_config's output_scale. A word that has no probability has -INFINITY, but not where
 * hooks look. */
void mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits);
/* The same with what the model says of such words, for searches, whose rules may know them. */
void mt_decoder_all_logits(const mt_pass *pass, size_t first, size_t n, float *logits);

/* Log-probabilities [rows] of targets [rows] after a parallel pass, for which there is room for
 * logits in blocks. False: cancelled. */
bool mt_decoder_score(const mt_pass *pass, const int32_t *targets, float *logprobs);

#endif
