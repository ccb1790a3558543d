/* mt-attention.c — scaled dot-product attention, the paper, section 3.2.1, equation 1:
 *
 *     Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
 *
 * for one head. Scores and weights stand in the same place, first one, then the other: where
 * somebody who looks wants them, so that a matrix is never copied, else in scratch memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

#include <math.h>

/* Below this many query rows, one by one is faster than a matrix product. */
#define FEW_QUERIES 8

static const uint32_t *
key_rows(const mt_keys *keys, size_t query)
{
  return keys->index ? keys->index + query * keys->index_stride : NULL;
}

/* How many keys a query sees, of n; the mask of a parallel pass is not counted. */
static size_t
count_keys(const mt_keys *keys, size_t rows, size_t query)
{
  return keys->n_beams ? keys->n - (rows - 1 - query) / keys->n_beams : keys->n;
}

/* 1 / |x|, or 0 for a vector that has no direction. */
static float
inverse_length(const float *x, size_t n)
{
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum > 0 ? 1 / sqrtf(sum) : 0;
}

/* Dot products become cosines. */
static void
divide_by_lengths(float *scores, const float *q, const mt_keys *keys, size_t rows, size_t d,
                  size_t d_head)
{
  for (size_t r = 0; r < rows; r++) {
    const uint32_t *index = key_rows(keys, r);
    float of_query = inverse_length(q + r * d, d_head);
    for (size_t i = 0; i < count_keys(keys, rows, r); i++)
      scores[r * keys->n + i] *=
          of_query * inverse_length(keys->k + (index ? index[i] : i) * d, d_head);
  }
}

/* scores [rows][n] = q k^T * scale, or what changes say that it is instead, -INFINITY where the
 * mask forbids it. */
static void
compute_scores(const mt_pass *pass, float *scores, const float *q, const mt_keys *keys, size_t rows,
               size_t d_head, bool one_by_one, mt_similarity similarity)
{
  size_t d = pass->model->config.d_model;
  float scale = similarity == MT_SIMILARITY_SCALED ? 1 / sqrtf((float) d_head) : 1;
  if (one_by_one)
    for (size_t r = 0; r < rows; r++)
      pass->ops->kernels->dots(scores + r * keys->n, q + r * d, keys->k, d, key_rows(keys, r),
                               count_keys(keys, rows, r), d_head, scale);
  else
    mt_ops_query_key(pass->ops, scores, q, d, keys->k, d, rows, keys->n, d_head, scale);
  if (similarity == MT_SIMILARITY_COSINE)
    divide_by_lengths(scores, q, keys, rows, d, d_head);
  if (keys->is_causal)
    for (size_t r = 0; r < rows; r++)
      for (size_t i = r + 1; i < keys->n; i++)
        scores[r * keys->n + i] = -INFINITY;
}

/* Show what one head of a group has; data [rows][cols]. */
static inline void
show(const mt_pass *pass, mt_site site, const mt_place *place, const mt_group *group, size_t head,
     float *data, size_t cols, size_t stride, float *row_lse)
{
  if (!mt_sites_want(&pass->sites, site))
    return;
  mt_tensor tensor = {.site = site,
                      .kind = place->kind,
                      .layer = place->layer,
                      .head = (int) head,
                      .first = group->first,
                      .n = group->n,
                      .data = data,
                      .cols = cols,
                      .stride = stride,
                      .row_lse = row_lse};
  mt_sites_reach_group(&pass->sites, group, 0, group->n, &tensor, data);
}

void
mt_attention(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
             float *context, const float *q, const mt_keys *keys, float *scratch)
{
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  size_t rows = group->n, n = keys->n;
  bool one_by_one = group->n_beams > 0 || rows < FEW_QUERIES;
  float *matrix = NULL, *lse = scratch + rows * n; /* [rows][n], [rows] */
  if (group->n_beams == 0)
    matrix = mt_sites_place(&pass->sites, place->kind, (size_t) place->layer, head);
  if (!matrix)
    matrix = scratch;

  compute_scores(pass, matrix, q, keys, rows, d_head, one_by_one,
                 mt_sites_similarity(&pass->sites, place->kind, place->layer, (int) head));
  show(pass, MT_SITE_SCORES, place, group, head, matrix, n, n, NULL);
  for (size_t r = 0; r < rows; r++)
    lse[r] = pass->ops->kernels->softmax(matrix + r * n, count_keys(keys, rows, r));
  show(pass, MT_SITE_WEIGHTS, place, group, head, matrix, n, n, lse);

  if (one_by_one)
    for (size_t r = 0; r < rows; r++)
      pass->ops->kernels->weighted_sum(context + r * d, matrix + r * n, keys->v, d,
                                       key_rows(keys, r), count_keys(keys, rows, r), d_head);
  else
    mt_ops_weights_value(pass->ops, context, d, matrix, keys->v, d, rows, n, d_head);
  show(pass, MT_SITE_CONTEXT, place, group, head, context, d_head, d, NULL);
}
