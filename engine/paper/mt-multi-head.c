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

#include <assert.h>
#include <string.h>

/* Show a tensor [rows][d] head by head. */
static void
show_heads(const mt_pass *pass, mt_site site, const mt_place *place, float *data)
{
  if (!mt_sites_want(&pass->sites, site))
    return;
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  if (site != MT_SITE_VALUE)
    mt_changes_copy_heads(pass->sites.changes[1], place->kind, place->layer, data,
                          pass->groups->n_rows, d, d_head);
  for (size_t h = 0; h < place->n_heads; h++) {
    mt_tensor tensor = {.site = site,
                        .kind = place->kind,
                        .layer = place->layer,
                        .head = (int) h,
                        .n = pass->groups->n_rows,
                        .data = data + h * d_head,
                        .cols = d_head,
                        .stride = d};
    mt_sites_reach(&pass->sites, pass->groups, &tensor);
  }
}

/* Where new keys or values go whose rows of the pool follow each other, as those of one sentence
 * do. */
static float *
pool_place(const mt_pass *pass, const mt_place *place, float *from, const uint32_t *rows)
{
  const mt_kv_pool *pool = pass->groups->pool;
  return mt_kv_pool_layer(pool, from, (size_t) place->layer) + rows[0] * pool->d;
}

/* Copy rows [n][width] of buffers->k and v, rows of both d apart, to rows of the pool. */
static void
copy_to_pool(const mt_pass *pass, const mt_place *place, size_t first, const uint32_t *rows,
             size_t n, size_t column, size_t width)
{
  const mt_kv_pool *pool = pass->groups->pool;
  size_t d = pool->d;
  float *k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer) + column;
  float *v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer) + column;
  for (size_t r = 0; r < n; r++) {
    size_t to = rows[r] * d, from = (first + r) * d + column;
    memcpy(k + to, pass->buffers->k + from, width * sizeof *k);
    memcpy(v + to, pass->buffers->v + from, width * sizeof *v);
  }
}

void
mt_multi_head_keys(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   const float *x)
{
  const mt_groups *groups = pass->groups;
  const mt_kv_sentence *only = groups->n == 1 ? groups->groups[0].kv : NULL;
  bool in_place = only && only->is_source_straight;
  float *k = pass->buffers->k, *v = pass->buffers->v;
  if (in_place) {
    k = pool_place(pass, place, groups->pool->k, only->source);
    v = pool_place(pass, place, groups->pool->v, only->source);
  }
  mt_ops_linears(pass->ops, (float *const[]){k, v}, x, groups->n_rows,
                 (const mt_linear *const[]){&weights->k, &weights->v}, 2);
  show_heads(pass, MT_SITE_KEY, place, k);
  show_heads(pass, MT_SITE_VALUE, place, v);
  for (size_t g = 0; !in_place && g < groups->n; g++) {
    const mt_group *group = &groups->groups[g];
    copy_to_pool(pass, place, group->first, group->kv->source, group->n, 0, groups->pool->d);
  }
}

/* Keys and values that were computed in this pass, or that are in the pool. */
static bool
is_in_pool(const mt_place *place, const mt_group *group)
{
  return place->kind == MT_CROSS || group->n_beams > 0;
}

/* The keys and values that the rows of a group see. */
static mt_keys
group_keys(const mt_pass *pass, const mt_place *place, const mt_group *group)
{
  const mt_kv_pool *pool = pass->groups->pool;
  const mt_kv_sentence *kv = group->kv;
  size_t d = pass->model->config.d_model;
  if (!is_in_pool(place, group))
    return (mt_keys){.k = pass->buffers->k + group->first * d,
                     .v = pass->buffers->v + group->first * d,
                     .n = group->n,
                     .is_causal = place->kind == MT_DECODER_SELF};
  mt_keys keys = {.k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer),
                  .v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer)};
  if (place->kind == MT_DECODER_SELF) {
    keys.n = kv->length;
    keys.n_beams = group->n_beams;
    keys.index = kv->past;
    keys.index_stride = kv->max_length;
    return keys;
  }
  keys.n = kv->n_source;
  /* A matrix product wants rows that follow each other. */
  assert(kv->is_source_straight || group->n_beams > 0);
  if (kv->is_source_straight) {
    keys.k += kv->source[0] * d;
    keys.v += kv->source[0] * d;
  } else {
    keys.index = kv->source;
  }
  return keys;
}

typedef struct {
  const mt_pass *pass;
  const mt_place *place;
  size_t d_head;
  bool keeps; /* new keys and values go to the pool, head by head */
} heads_work;

/* How many heads of a group, at most `most`, there is room for at once, if nobody looks. */
static size_t
heads_at_once(const mt_pass *pass, const mt_group *group, const mt_keys *keys, size_t most)
{
  if (!mt_attention_goes_together(pass, group))
    return 1;
  const size_t room = pass->buffers->scores_stride / (group->n_beams * keys->n);
  most = most < MT_ATTENTION_HEADS ? most : MT_ATTENTION_HEADS;
  return room < 1 ? 1 : room < most ? room : most;
}

/* Some of the heads of all groups. */
static void
heads_part(void *user, size_t i, size_t n_parts)
{
  const heads_work *w = user;
  const mt_groups *groups = w->pass->groups;
  const mt_buffers *buffers = w->pass->buffers;
  size_t d = w->pass->model->config.d_model, n_heads = w->place->n_heads, d_head = w->d_head;
  size_t at = mt_ops_part_begin(i, n_parts, groups->n * n_heads, 1);
  size_t end = mt_ops_part_begin(i + 1, n_parts, groups->n * n_heads, 1);
  float *scratch = buffers->scores + i * buffers->scores_stride;
  for (size_t n; at < end; at += n) {
    const mt_group *group = &groups->groups[at / n_heads];
    const size_t h = at % n_heads, first = group->first * d + h * d_head;
    mt_keys keys = group_keys(w->pass, w->place, group);
    n = heads_at_once(w->pass, group, &keys, n_heads - h < end - at ? n_heads - h : end - at);
    if (w->keeps && group->n_beams > 0)
      copy_to_pool(w->pass, w->place, group->first, group->kv->fresh, group->n, h * d_head,
                   n * d_head);
    keys.k += h * d_head;
    keys.v += h * d_head;
    if (n > 1)
      mt_attention_step(w->pass, group, n, d_head, buffers->context + first, buffers->q + first,
                        &keys, scratch);
    else
      mt_attention(w->pass, w->place, group, h, buffers->context + first, buffers->q + first, &keys,
                   scratch);
  }
}

/* Into how many parts the heads of all groups are divided. */
static size_t
count_parts(const mt_pass *pass, const mt_place *place)
{
  if (mt_sites_are_serial(&pass->sites, place->kind, place->layer))
    return 1;
  double n_products = 0;
  for (size_t g = 0; g < pass->groups->n; g++)
    n_products += (double) pass->groups->groups[g].n *
                  (double) group_keys(pass, place, &pass->groups->groups[g]).n;
  size_t n = mt_ops_parts(pass->ops, 2 * n_products * (double) pass->model->config.d_model);
  return n < pass->buffers->n_scores ? n : pass->buffers->n_scores;
}

/* Attention of every head on the projected queries, then W^O. */
static void
attend(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights, float *out,
       bool keeps)
{
  heads_work work = {pass, place, pass->model->config.d_model / place->n_heads, keeps};
  mt_pool_run(pass->ops->pool, count_parts(pass, place), heads_part, &work);
  mt_ops_linear(pass->ops, out, pass->buffers->context, pass->groups->n_rows, &weights->out);
  mt_pass_show(pass, MT_SITE_ATTENTION_OUTPUT, place->kind, place->layer, out,
               pass->model->config.d_model);
}

void
mt_multi_head_cross(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                    float *out, const float *x)
{
  float *q = pass->buffers->q;
  mt_ops_linear(pass->ops, q, x, pass->groups->n_rows, &weights->q);
  show_heads(pass, MT_SITE_QUERY, place, q);
  attend(pass, place, weights, out, false);
}

void
mt_multi_head_self(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *out, const float *x)
{
  const mt_groups *groups = pass->groups;
  float *q = pass->buffers->q, *k = pass->buffers->k, *v = pass->buffers->v;
  bool in_place =
      groups->n == 1 && groups->groups[0].n_beams > 0 && groups->groups[0].kv->is_fresh_straight;
  if (in_place) {
    k = pool_place(pass, place, groups->pool->k, groups->groups[0].kv->fresh);
    v = pool_place(pass, place, groups->pool->v, groups->groups[0].kv->fresh);
  }
  mt_ops_linears(pass->ops, (float *const[]){q, k, v}, x, pass->groups->n_rows,
                 (const mt_linear *const[]){&weights->q, &weights->k, &weights->v}, 3);
  show_heads(pass, MT_SITE_QUERY, place, q);
  show_heads(pass, MT_SITE_KEY, place, k);
  show_heads(pass, MT_SITE_VALUE, place, v);
  attend(pass, place, weights, out, place->kind == MT_DECODER_SELF && !in_place);
}
