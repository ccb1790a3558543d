/* mt-pass.h — what every layer of one forward pass shares. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PASS_H
#define MT_PASS_H

#include "kernels/mt-ops.h"
#include "model/mt-model.h"
#include "paper/mt-sites.h"

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
  mt_sites sites;
  bool (*should_stop)(void *user); /* or NULL */
  void *stop_user;
  mt_error *error;
} mt_pass;

/* True if should_stop says so; then *error is MT_ERROR_CANCELLED. */
bool mt_pass_is_stopped(const mt_pass *pass);

/* A tensor of all rows that is not per head; data [rows][cols]. Costs one branch when nobody wants
 * it. */
void mt_pass_show_all(const mt_pass *pass, mt_site site, mt_attention_kind kind, int layer,
                      float *data, size_t cols);
static inline void
mt_pass_show(const mt_pass *pass, mt_site site, mt_attention_kind kind, int layer, float *data,
             size_t cols)
{
  if (mt_sites_want(&pass->sites, site))
    mt_pass_show_all(pass, site, kind, layer, data, cols);
}

/* What computes at a place of a stack: the layer of that number, but for changes. */
static inline const mt_layer_weights *
mt_pass_layer(const mt_pass *pass, mt_stack stack, int layer)
{
  return &pass->model->stacks[stack].layers[mt_sites_layer(&pass->sites, stack, (size_t) layer)];
}

/* ---- Embedding, the paper 3.4 and 3.5 -------------------------------------------------------- */

/* x [rows][d] = sqrt(d) E[ids] + PE, and the layer norm after it in models that have one.
 * ids [rows], all inside the vocabulary, of all groups. */
void mt_embed(const mt_pass *pass, mt_stack stack, float *x, const int32_t *ids);

/* ---- Layer norm and residuals, the paper 3.1 and 5.4 ------------------------------------------
 */

/* out [rows][d] = LayerNorm(x); out may be x. */
void mt_layer_norm(const mt_pass *pass, float *out, const float *x, size_t rows,
                   const mt_norm_weights *norm);

/* The layer norm of a sub-layer, for those who look at what it reads. */
typedef struct {
  mt_site site; /* MT_SITE_NORM_INPUT, or that of the feed-forward network */
  mt_attention_kind kind;
  int layer;
  const mt_norm_weights *weights;
} mt_norm;

/* What a sub-layer reads: x itself, or in a pre-norm model LayerNorm(x), in buffers->normed. */
const float *mt_sub_layer_input(const mt_pass *pass, const mt_norm *norm, float *x, size_t rows);

/* x = LayerNorm(x + y), the paper; or x + y in a pre-norm model. */
void mt_sub_layer_output(const mt_pass *pass, const mt_norm *norm, float *x, const float *y,
                         size_t rows);

/* ---- Feed-forward, the paper 3.3 ---------------------------------------------------------------
 */

/* A layer's last half: the feed-forward sub-layer on x, with its residual, norm and sites. */
void mt_feed_forward_sub_layer(const mt_pass *pass, mt_attention_kind kind, int layer,
                               const mt_layer_weights *weights, float *x);

/* ---- Attention, the paper 3.2 ------------------------------------------------------------------
 */

/* Which attention is computed. */
typedef struct {
  mt_attention_kind kind;
  int layer;
  size_t n_heads;
} mt_place;

/* The keys and values that the query rows of a group see. Row i of keys starts at k + i * d, all
 * heads side by side. */
typedef struct {
  const float *k, *v;
  size_t n;              /* keys for each query; in decoding steps for the last one */
  size_t n_beams;        /* not 0: queries n_beams further back see one key less */
  const uint32_t *index; /* NULL: key i is row i; else query r finds it in row
                            index[r * index_stride + i] */
  size_t index_stride;
  bool is_causal; /* query r must not see keys after r */
} mt_keys;

/* Attention(Q, K, V) = softmax(Q K^T / sqrt(d_head)) V, equation 1, for one head of one group.
 * context, q, keys->k and keys->v point at that head's columns of tensors with d columns.
 * scratch [rows][keys + 1] has scores, then weights, unless somebody who looks has a place for
 * them. May be called for several heads at once. */
void mt_attention(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
                  float *context, const float *q, const mt_keys *keys, float *scratch);

/* Several heads of a step at once: the same numbers, bit for bit, but nobody can see what is in
 * between. Pointers are at the columns of the first of n_heads; scratch [beams][keys][n_heads]. */
void mt_attention_step(const mt_pass *pass, const mt_group *group, size_t n_heads, size_t d_head,
                       float *context, const float *q, const mt_keys *keys, float *scratch);

/* Whether heads of the group may be computed so: it is a step, and nobody looks. */
bool mt_attention_goes_together(const mt_pass *pass, const mt_group *group);

/* The keys and values of cross-attention: projections of x [rows][d], the encoder's output, go to
 * the rows of the pool that each group has as its source. */
void mt_multi_head_keys(const mt_pass *pass, const mt_place *place,
                        const mt_attention_weights *weights, const float *x);

/* out [rows][d] = MultiHead(x, keys), cross-attention: queries from x, attention per head, output
 * projection. */
void mt_multi_head_cross(const mt_pass *pass, const mt_place *place,
                         const mt_attention_weights *weights, float *out, const float *x);

/* Self-attention: queries, keys and values from x. In decoding steps the new keys and values go to
 * the pool, where the queries find them beside those of earlier steps. */
void mt_multi_head_self(const mt_pass *pass, const mt_place *place,
                        const mt_attention_weights *weights, float *out, const float *x);

/* ---- Encoder ------------------------------------------------------------------------------------
 */

/* buffers->x [rows][d] = the encoder's output for ids [rows], of all groups. False: cancelled. */
bool mt_encoder_run(const mt_pass *pass, const int32_t *ids);

/* buffers->x [rows][d], the stream before layer `first`, through layers [first, end) of the
 * encoder. False: cancelled. */
bool mt_encoder_layers(const mt_pass *pass, size_t first, size_t end);

/* The last tensor of a stack: LayerNorm(x) in models with a final norm. */
void mt_stack_finish(const mt_pass *pass, mt_stack stack, float *x, size_t rows);

#endif
