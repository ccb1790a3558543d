/* mt-method-rollout.c — attention rollout: weights of all layers multiplied, where half of each
 * layer is the token itself, the residual connection:
 *
 *     C = 1/2 mean_h A^h + 1/2 I
 *
 * (Abnar & Zuidema 2020, section 3). In the decoder cross-attention is one half, what came down the
 * stream the other, and mt-compose.c multiplies. It leans to the first tokens there: they are in
 * every row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

static void
add_heads(const mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *values)
{
  const size_t n_heads = work->model->config.n_heads[mt_kind_stack(kind)];
  for (size_t h = 0; h < n_heads; h++) {
    mt_matrix a = mt_trace_get(work->trace, MT_SITE_WEIGHTS, kind, (int) layer, (int) h);
    for (size_t i = 0; i < a.rows; i++)
      for (size_t j = 0; j < a.cols; j++)
        values[i * a.cols + j] += 0.5f * mt_matrix_at(&a, i, j) / (float) n_heads;
  }
}

static bool
layer_shares(mt_attribution_work *work, mt_stack stack, size_t layer, const mt_layer_shares *shares,
             mt_error *error)
{
  const mt_attention_kind kind = mt_stack_kind(stack);
  const size_t n = mt_attribution_n_queries(work, kind);
  add_heads(work, kind, layer, shares->self);
  for (size_t i = 0; i < n; i++)
    shares->self[i * n + i] += 0.5f;
  if (stack == MT_STACK_ENCODER)
    return true;
  add_heads(work, MT_CROSS, layer, shares->cross);
  for (size_t i = 0; i < n; i++)
    shares->kept[i] = 0.5f;
  return true;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return mt_attribution_compose(work, out, layer_shares, error);
}

const mt_method mt_method_rollout = {
    .about = {.id = "rollout",
              .name = "Rollout",
              .source = "Abnar & Zuidema 2020, section 3",
              .gives = "share of the token, by weights of all layers multiplied, each with half of "
                       "the identity; it leans to the first tokens of the decoder",
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_BOTH_ONE},
    .run = run,
};
