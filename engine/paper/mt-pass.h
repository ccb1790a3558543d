/* mt-pass.h — what every layer of one forward pass shares. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PASS_H
#define MT_PASS_H

#include "kernels/mt-ops.h"
#include "model/mt-model.h"
#include "paper/mt-hooks.h"
#include "paper/mt-kv-pool.h"
#include "paper/mt-recording.h"

/* Scratch tensors, laid out by the session for at least `rows` rows before a pass begins. */
typedef struct {
  float *x;         /* [rows][d]     the residual stream */
  float *sub_layer; /* [rows][d]     what a sub-layer adds to it */
  float *normed;    /* [rows][d]     input of a pre-norm sub-layer */
  float *positions; /* [rows][d]     position encoding about to be added */
  float *q;         /* [rows][d] */
  float *k;         /* [rows][d] */
  float *v;         /* [rows][d] */
  float *context;   /* [rows][d]     all heads side by side */
  float *hidden;    /* [rows][d_ffn] */
  float *scores;    /* [n_scores][scores_stride], each [rows][keys] of one head */
  size_t n_scores;  /* heads at once */
  size_t scores_stride;
  float *logits; /* [logit_rows][target vocabulary] */
  size_t logit_rows;
} mt_buffers;

/* The rows of one sentence, among those of several that go through a pass together. */
typedef struct {
  size_t first, n; /* rows of the pass */
  /* In the decoder, as rows of the pool: */
  const uint32_t *source; /* [n_source] keys of cross-attention */
  size_t n_source;
  const uint32_t *past; /* row r's keys of self-attention, its own the last: [length] from
                           past + r * past_stride on */
  size_t past_stride, length;
} mt_group;

/* Several sentences in one pass. Their rows stand one after the other without anything between:
 * maps, norms and feed-forward treat all rows alike, and only attention knows whose they are. */
typedef struct {
  mt_group *groups;
  size_t n;
  uint32_t *positions; /* [rows] of each row in its sentence */
  const mt_kv_pool *pool;
} mt_groups;

/* One run through (part of) the model. */
typedef struct {
  const mt_model *model;
  const mt_ops *ops;
  const mt_hooks *hooks; /* never NULL */
  const mt_buffers *buffers;
  mt_capture *capture;           /* under construction, filled along the way; or NULL */
  const mt_recording *recording; /* of a search; or NULL */
  const mt_groups *groups;       /* NULL: all rows are of one sentence */
  mt_error *error;
} mt_pass;

/* ---- Embedding, the paper 3.4 and 3.5 -------------------------------------------------------- */

/* x [rows.n][d] = sqrt(d) E[ids] + PE, and the layer norm after it in models that have one.
 * ids [rows.n], all inside the vocabulary; positions as rows says, all below max_positions. */
void mt_embed(const mt_pass *pass, mt_stack stack, float *x, const int32_t *ids, mt_rows rows);

/* ---- Layer norm and residuals, the paper 3.1 and 5.4 ------------------------------------------
 */

/* out [rows][d] = LayerNorm(x); out may be x. */
void mt_layer_norm(const mt_pass *pass, float *out, const float *x, size_t rows,
                   const mt_norm_weights *norm);

/* What a sub-layer reads: x itself, or in a pre-norm model LayerNorm(x), in buffers->normed. */
const float *mt_sub_layer_input(const mt_pass *pass, const float *x, size_t rows,
                                const mt_norm_weights *norm);

/* x = LayerNorm(x + y), the paper; or x + y in a pre-norm model. */
void mt_sub_layer_output(const mt_pass *pass, float *x, const float *y, size_t rows,
                         const mt_norm_weights *norm);

/* ---- Feed-forward, the paper 3.3 ---------------------------------------------------------------
 */

/* out [rows.n][d] = f(x W1 + b1) W2 + b2; kind says which stack, for the hooks. */
void mt_feed_forward(const mt_pass *pass, mt_attention_kind kind, int layer,
                     const mt_ffn_weights *weights, float *out, const float *x, mt_rows rows);

/* A layer's last half: the feed-forward sub-layer on x, with its residual, norm and hooks. */
void mt_feed_forward_sub_layer(const mt_pass *pass, mt_attention_kind kind, int layer,
                               const mt_layer_weights *weights, float *x, mt_rows rows);

/* ---- Attention, the paper 3.2 ------------------------------------------------------------------
 */

/* Which attention is computed, and for which query rows. */
typedef struct {
  mt_attention_kind kind;
  int layer;
  size_t n_heads;
  mt_rows rows;
} mt_place;

/* The keys and values that query rows see. Row i of keys starts at k + i * d, all heads side by
 * side. */
typedef struct {
  const float *k, *v;
  size_t n;              /* keys for each query; in decoding steps for the last one */
  size_t n_beams;        /* not 0: queries n_beams further back see one key less */
  const uint32_t *index; /* NULL: key i is row i; else query r finds it in row
                            index[r * index_stride + i] (the beams share one cache) */
  size_t index_stride;
  bool is_causal; /* query r must not see keys after r */
} mt_keys;

/* Attention(Q, K, V) = softmax(Q K^T / sqrt(d_head)) V, equation 1, for one head.
 * context, q, keys->k and keys->v point at that head's columns of tensors with d columns.
 * scratch [rows][keys] is used if there is no capture. May be called for several heads at once. */
void mt_attention(const mt_pass *pass, const mt_place *place, size_t head, float *context,
                  const float *q, const mt_keys *keys, float *scratch);

/* k, v [rows.n][d] = projections of x, shown to the hooks per head. */
void mt_multi_head_keys(const mt_pass *pass, const mt_place *place,
                        const mt_attention_weights *weights, float *k, float *v, const float *x);

/* out [rows.n][d] = MultiHead(x, keys): queries from x, attention per head, output projection. In a
 * pass of several sentences keys is not used: each group has its own. */
void mt_multi_head(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *out, const float *x, const mt_keys *keys);

/* Self-attention: queries, keys and values from x; k and v [rows.n][d] receive the new keys and
 * values; keys says where the queries then find them (and those of earlier steps). */
void mt_multi_head_self(const mt_pass *pass, const mt_place *place,
                        const mt_attention_weights *weights, float *out, const float *x, float *k,
                        float *v, const mt_keys *keys);

/* ---- Encoder ------------------------------------------------------------------------------------
 */

/* buffers->x [n][d] = the encoder's output for ids [n], of one sentence or of all groups. False:
 * cancelled. */
bool mt_encoder_run(const mt_pass *pass, const int32_t *ids, size_t n);

/* The last tensor of a stack: LayerNorm(x) in models with a final norm. */
void mt_stack_finish(const mt_pass *pass, mt_stack stack, float *x, size_t rows);

#endif
