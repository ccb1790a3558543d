/* mt-attention.c — scaled dot-product attention, the paper, section 3.2.1, equation 1:
 *
 *     Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
 *
 * for one head. Scores and weights stand in the same place, first one, then the other: in the
 * capture if there is one, so that a matrix is never copied, else in scratch memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-window.h"
#include "paper/mt-pass.h"

#include <math.h>
#include <string.h>

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

/* Restricted self-attention, the paper, section 4: nothing further than the window. */
static void
mask_far_keys(const mt_pass *pass, const mt_place *place, const mt_group *group,
              const mt_keys *keys, float *scores)
{
  size_t window = pass->model->config.attention_window;
  if (window == 0 || place->kind == MT_CROSS)
    return;
  for (size_t r = 0; r < group->n; r++) {
    size_t at = mt_group_position(group, r);
    for (size_t i = 0; i < keys->n; i++)
      if (mt_is_beyond_window(window, at, i))
        scores[r * keys->n + i] = -INFINITY;
  }
}

/* scores [rows][n] = q k^T * scale, -INFINITY where the mask forbids it. */
static void
compute_scores(const mt_pass *pass, float *scores, const float *q, const mt_keys *keys, size_t rows,
               size_t d_head, bool one_by_one)
{
  size_t d = pass->model->config.d_model;
  float scale = 1 / sqrtf((float) d_head);
  if (one_by_one)
    for (size_t r = 0; r < rows; r++)
      pass->ops->kernels->dots(scores + r * keys->n, q + r * d, keys->k, d, key_rows(keys, r),
                               count_keys(keys, rows, r), d_head, scale);
  else
    mt_ops_query_key(pass->ops, scores, q, d, keys->k, d, rows, keys->n, d_head, scale);
  if (keys->is_causal)
    for (size_t r = 0; r < rows; r++)
      for (size_t i = r + 1; i < keys->n; i++)
        scores[r * keys->n + i] = -INFINITY;
}

/* Show what one head of a group has; data [rows][cols]. */
static inline void
show(const mt_pass *pass, mt_site site, const mt_place *place, const mt_group *group, size_t head,
     float *data, size_t cols, size_t stride)
{
  if (!mt_sites_want(&pass->sites, site))
    return;
  mt_tensor tensor = {site,     place->kind, place->layer, (int) head, group->first,
                      group->n, data,        cols,         stride};
  mt_sites_reach_group(&pass->sites, group, 0, group->n, &tensor, data);
}

void
mt_attention(const mt_pass *pass, const mt_place *place, const mt_group *group, size_t head,
             float *context, const float *q, const mt_keys *keys, float *scratch)
{
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  size_t layer = (size_t) place->layer, rows = group->n, n = keys->n;
  bool one_by_one = group->n_beams > 0 || rows < FEW_QUERIES;
  mt_capture *capture = pass->capture;
  float *matrix = capture ? mt_capture_fill_weights(capture, place->kind, layer, head)
                          : scratch; /* [rows][n] */

  compute_scores(pass, matrix, q, keys, rows, d_head, one_by_one);
  mask_far_keys(pass, place, group, keys, matrix);
  show(pass, MT_SITE_SCORES, place, group, head, matrix, n, n);
  if (capture && mt_capture_has_scores(capture))
    memcpy(mt_capture_fill_scores(capture, place->kind, layer, head), matrix,
           rows * n * sizeof *matrix);

  float *lse = capture ? mt_capture_fill_row_lse(capture, place->kind, layer, head) : NULL;
  for (size_t r = 0; r < rows; r++) {
    float row_lse = pass->ops->kernels->softmax(matrix + r * n, count_keys(keys, rows, r));
    if (lse)
      lse[r] = row_lse;
    if (pass->recording)
      mt_recording_keep(pass->recording, place->kind, layer, head, group, r, matrix + r * n,
                        count_keys(keys, rows, r), row_lse);
  }
  show(pass, MT_SITE_WEIGHTS, place, group, head, matrix, n, n);

  if (one_by_one)
    for (size_t r = 0; r < rows; r++)
      pass->ops->kernels->weighted_sum(context + r * d, matrix + r * n, keys->v, d,
                                       key_rows(keys, r), count_keys(keys, rows, r), d_head);
  else
    mt_ops_weights_value(pass->ops, context, d, matrix, keys->v, d, rows, n, d_head);
  show(pass, MT_SITE_CONTEXT, place, group, head, context, d_head, d);
}
