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
    const uint32_t *index = keys->index ? keys->index + r * keys->index_stride : NULL;
    float of_query = inverse_length(q + r * d, d_head);
    for (size_t i = 0; i < count_keys(keys, rows, r); i++)
      scores[r * keys->n + i] *=
          of_query * inverse_length(keys->k + (index ? index[i] : i) * d, d_head);
  }
}

static float
scale_of(mt_similarity similarity, size_t d_head)
{
  return similarity == MT_SIMILARITY_SCALED ? 1 / sqrtf((float) d_head) : 1;
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

/* Rows from r on that see as many keys: the hypotheses of one step. */
static size_t
count_rows(const mt_group *group, size_t r)
{
  return group->n - r < group->n_beams ? group->n - r : group->n_beams;
}

/* The rows of keys, or of values, that rows from r on see. */
static mt_seen_rows
seen_by(const mt_keys *keys, const float *matrix, size_t d, size_t rows, size_t r)
{
  return (mt_seen_rows){.matrix = matrix,
                        .stride = d,
                        .n = count_keys(keys, rows, r),
                        .index = keys->index ? keys->index + r * keys->index_stride : NULL,
                        .index_stride = keys->index_stride};
}

bool
mt_attention_goes_together(const mt_pass *pass, const mt_group *group)
{
  return group->n_beams > 0 && !mt_sites_want(&pass->sites, MT_SITE_SCORES) &&
         !mt_sites_want(&pass->sites, MT_SITE_WEIGHTS) &&
         !mt_sites_want(&pass->sites, MT_SITE_CONTEXT);
}

void
mt_attention_step(const mt_pass *pass, const mt_group *group, size_t n_heads, size_t d_head,
                  float *context, const float *q, const mt_keys *keys, float *scratch)
{
  const mt_kernels_attention *kernels = pass->ops->attention;
  const size_t d = pass->model->config.d_model;
  const float scale = scale_of(MT_SIMILARITY_SCALED, d_head);
  for (size_t r = 0, rows; r < group->n; r += rows) {
    rows = count_rows(group, r);
    const mt_seen_rows k = seen_by(keys, keys->k, d, group->n, r);
    const mt_seen_rows v = seen_by(keys, keys->v, d, group->n, r);
    kernels->scores(scratch, q + r * d, d, &k, rows, n_heads, d_head, scale);
    for (size_t i = 0; i < rows; i++)
      kernels->softmax(scratch + i * k.n * n_heads, k.n, n_heads, NULL);
    kernels->context(context + r * d, d, scratch, &v, rows, n_heads, d_head);
  }
}

/* One head of a step, row by row; what is in between is shown whole. */
static void
attend_step(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
            float *context, const float *q, const mt_keys *keys, float *matrix, float *lse)
{
  const mt_kernels_attention *kernels = pass->ops->attention;
  const size_t d = pass->model->config.d_model, d_head = d / place->n_heads, n = keys->n;
  const mt_similarity similarity =
      mt_sites_similarity(&pass->sites, place->kind, place->layer, (int) head);
  for (size_t r = 0; r < group->n; r++) {
    const mt_seen_rows k = seen_by(keys, keys->k, d, group->n, r);
    kernels->scores(matrix + r * n, q + r * d, d, &k, 1, 1, d_head, scale_of(similarity, d_head));
  }
  if (similarity == MT_SIMILARITY_COSINE)
    divide_by_lengths(matrix, q, keys, group->n, d, d_head);
  show(pass, MT_SITE_SCORES, place, group, head, matrix, n, n, NULL);
  for (size_t r = 0; r < group->n; r++)
    kernels->softmax(matrix + r * n, count_keys(keys, group->n, r), 1, &lse[r]);
  show(pass, MT_SITE_WEIGHTS, place, group, head, matrix, n, n, lse);
  for (size_t r = 0; r < group->n; r++) {
    const mt_seen_rows v = seen_by(keys, keys->v, d, group->n, r);
    kernels->context(context + r * d, d, matrix + r * n, &v, 1, 1, d_head);
  }
}

/* One head of a sequence, all rows at once. */
static void
attend_all(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
           float *context, const float *q, const mt_keys *keys, float *matrix, float *lse)
{
  const size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  const size_t rows = group->n, n = keys->n;
  const mt_similarity similarity =
      mt_sites_similarity(&pass->sites, place->kind, place->layer, (int) head);
  mt_ops_query_key(pass->ops, matrix, q, d, keys->k, d, rows, n, d_head,
                   scale_of(similarity, d_head));
  if (similarity == MT_SIMILARITY_COSINE)
    divide_by_lengths(matrix, q, keys, rows, d, d_head);
  if (keys->is_causal)
    for (size_t r = 0; r < rows; r++)
      for (size_t i = r + 1; i < n; i++)
        matrix[r * n + i] = -INFINITY;
  show(pass, MT_SITE_SCORES, place, group, head, matrix, n, n, NULL);
  for (size_t r = 0; r < rows; r++)
    lse[r] = pass->ops->kernels->softmax(matrix + r * n, n);
  show(pass, MT_SITE_WEIGHTS, place, group, head, matrix, n, n, lse);
  mt_ops_weights_value(pass->ops, context, d, matrix, keys->v, d, rows, n, d_head);
}

void
mt_attention(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
             float *context, const float *q, const mt_keys *keys, float *scratch)
{
  size_t d = pass->model->config.d_model, rows = group->n, n = keys->n;
  float *matrix = NULL, *lse = scratch + rows * n; /* [rows][n], [rows] */
  if (group->n_beams > 0) {
    attend_step(pass, place, group, head, context, q, keys, scratch, lse);
  } else {
    matrix = mt_sites_place(&pass->sites, place->kind, (size_t) place->layer, head);
    attend_all(pass, place, group, head, context, q, keys, matrix ? matrix : scratch, lse);
  }
  show(pass, MT_SITE_CONTEXT, place, group, head, context, d / place->n_heads, d, NULL);
}
