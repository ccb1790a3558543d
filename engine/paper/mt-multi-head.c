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
#include "paper/mt-pass.h"

#include <string.h>

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

/* The keys and values that the rows of a group see. */
static mt_keys
group_keys(const mt_pass *pass, const mt_place *place, const mt_group *group)
{
  const mt_kv_pool *pool = pass->groups->pool;
  size_t d = pass->model->config.d_model;
  if (place->kind == MT_ENCODER_SELF)
    return (mt_keys){.k = pass->buffers->k + group->first * d,
                     .v = pass->buffers->v + group->first * d,
                     .n = group->n};
  mt_keys keys = {.k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer),
                  .v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer)};
  keys.index = place->kind == MT_CROSS ? group->source : group->past;
  keys.index_stride = place->kind == MT_CROSS ? 0 : group->past_stride;
  keys.n = place->kind == MT_CROSS ? group->n_source : group->length;
  return keys;
}

/* The new keys and values of one head go where later steps find them. */
static void
keep_keys(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head)
{
  const mt_kv_pool *pool = pass->groups->pool;
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  float *k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer) + head * d_head;
  float *v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer) + head * d_head;
  for (size_t r = 0; r < group->n; r++) {
    size_t to = group->past[r * group->past_stride + group->length - 1] * d;
    size_t from = (group->first + r) * d + head * d_head;
    memcpy(k + to, pass->buffers->k + from, d_head * sizeof *k);
    memcpy(v + to, pass->buffers->v + from, d_head * sizeof *v);
  }
}

/* Some of the heads of all groups. */
static void
group_heads_part(void *user, size_t i, size_t n_parts)
{
  const heads_work *w = user;
  const mt_groups *groups = w->pass->groups;
  const mt_buffers *buffers = w->pass->buffers;
  size_t d = w->pass->model->config.d_model, n_heads = w->place->n_heads, d_head = d / n_heads;
  size_t end = mt_ops_part_begin(i + 1, n_parts, groups->n * n_heads, 1);
  for (size_t at = mt_ops_part_begin(i, n_parts, groups->n * n_heads, 1); at < end; at++) {
    const mt_group *group = &groups->groups[at / n_heads];
    size_t h = at % n_heads, first = group->first * d + h * d_head;
    if (w->place->kind == MT_DECODER_SELF)
      keep_keys(w->pass, w->place, group, h);
    mt_place place = *w->place;
    place.rows = (mt_rows){.n = group->n};
    place.rows.n_beams = place.kind == MT_ENCODER_SELF ? 0 : group->n;
    mt_keys keys = group_keys(w->pass, w->place, group);
    keys.k += h * d_head;
    keys.v += h * d_head;
    mt_attention(w->pass, &place, h, buffers->context + first, buffers->q + first, &keys,
                 buffers->scores + i * buffers->scores_stride);
  }
}

/* Into how many parts the heads of groups are divided. */
static size_t
count_group_parts(const mt_pass *pass, const mt_place *place)
{
  double n_products = 0;
  for (size_t g = 0; g < pass->groups->n; g++)
    n_products += (double) pass->groups->groups[g].n *
                  (double) group_keys(pass, place, &pass->groups->groups[g]).n;
  size_t n = mt_ops_parts(pass->ops, 2 * n_products * (double) pass->model->config.d_model);
  return n < pass->buffers->n_scores ? n : pass->buffers->n_scores;
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
  if (pass->groups)
    mt_pool_run(pass->ops->pool, count_group_parts(pass, place), group_heads_part, &work);
  else
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
