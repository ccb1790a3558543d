/* mt-multi-head.c — multi-head attention, the paper, section 3.2.2:
 *
 *     MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O
 *     head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
 *
 * The projections of all heads are one matrix; head i is d_head columns of its result, so that
 * splitting and concatenating cost nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-pass.h"

/* Show a tensor [rows.n][d] head by head. */
static void
show_heads(const mt_pass *pass, mt_site site, const mt_place *place, float *data)
{
  if (!mt_hooks_want(pass->hooks, site))
    return;
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  for (size_t h = 0; h < place->n_heads; h++)
    mt_hooks_show(pass->hooks, site, place->kind, place->layer, (int) h, place->rows,
                  data + h * d_head, d_head, d);
}

void
mt_multi_head_keys(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *k, float *v, const float *x)
{
  mt_ops_linears(pass->ops, (float *const[]){k, v}, x, place->rows.n,
                 (const mt_linear *const[]){&weights->k, &weights->v}, 2);
  show_heads(pass, MT_SITE_KEY, place, k);
  show_heads(pass, MT_SITE_VALUE, place, v);
}

typedef struct {
  const mt_pass *pass;
  const mt_place *place;
  const mt_keys *keys;
} heads_work;

/* Some of the heads. */
static void
heads_part(void *user, size_t i, size_t n_parts)
{
  const heads_work *w = user;
  const mt_buffers *buffers = w->pass->buffers;
  size_t d_head = w->pass->model->config.d_model / w->place->n_heads;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->place->n_heads, 1);
  for (size_t h = mt_ops_part_begin(i, n_parts, w->place->n_heads, 1); h < end; h++) {
    mt_keys keys = *w->keys;
    keys.k += h * d_head;
    keys.v += h * d_head;
    mt_attention(w->pass, w->place, h, buffers->context + h * d_head, buffers->q + h * d_head,
                 &keys, buffers->scores + i * buffers->scores_stride);
  }
}

/* Into how many parts the heads are divided. Hooks see one head after the other. */
static size_t
count_head_parts(const mt_pass *pass, const mt_place *place, const mt_keys *keys)
{
  if (mt_hooks_want(pass->hooks, MT_SITE_SCORES) || mt_hooks_want(pass->hooks, MT_SITE_WEIGHTS) ||
      mt_hooks_want(pass->hooks, MT_SITE_CONTEXT))
    return 1;
  size_t n = mt_ops_parts(pass->ops, 2.0 * (double) place->rows.n * (double) keys->n *
                                         (double) pass->model->config.d_model);
  return n < pass->buffers->n_scores ? n : pass->buffers->n_scores;
}

/* Attention of every head on the projected queries, then W^O. */
static void
attend(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights, float *out,
       const mt_keys *keys)
{
  size_t d = pass->model->config.d_model;
  heads_work work = {pass, place, keys};
  mt_pool_run(pass->ops->pool, count_head_parts(pass, place, keys), heads_part, &work);
  mt_ops_linear(pass->ops, out, pass->buffers->context, place->rows.n, &weights->out);
  mt_hooks_probe(pass->hooks, MT_SITE_ATTENTION_OUTPUT, place->kind, place->layer, -1, place->rows,
                 out, d, d);
}

void
mt_multi_head(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
              float *out, const float *x, const mt_keys *keys)
{
  float *q = pass->buffers->q;
  mt_ops_linear(pass->ops, q, x, place->rows.n, &weights->q);
  show_heads(pass, MT_SITE_QUERY, place, q);
  attend(pass, place, weights, out, keys);
}

void
mt_multi_head_self(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *out, const float *x, float *k, float *v, const mt_keys *keys)
{
  float *q = pass->buffers->q;
  mt_ops_linears(pass->ops, (float *const[]){q, k, v}, x, place->rows.n,
                 (const mt_linear *const[]){&weights->q, &weights->k, &weights->v}, 3);
  show_heads(pass, MT_SITE_QUERY, place, q);
  show_heads(pass, MT_SITE_KEY, place, k);
  show_heads(pass, MT_SITE_VALUE, place, v);
  attend(pass, place, weights, out, keys);
}
