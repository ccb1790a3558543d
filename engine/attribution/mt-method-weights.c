/* mt-method-weights.c — attention weights, one head's or the mean over heads: where the model
 * looks, which need not be what it uses (Jain & Wallace 2019).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

static bool
layer_weights(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *values,
              mt_error *error)
{
  const size_t n_heads = work->model->config.n_heads[mt_kind_stack(kind)];
  const size_t first = work->params.head >= 0 ? (size_t) work->params.head : 0;
  const size_t end = work->params.head >= 0 ? first + 1 : n_heads;
  for (size_t h = first; h < end; h++) {
    mt_matrix a = mt_trace_get(work->trace, MT_SITE_WEIGHTS, kind, (int) layer, (int) h);
    for (size_t i = 0; i < a.rows; i++)
      for (size_t j = 0; j < a.cols; j++)
        values[i * a.cols + j] += mt_matrix_at(&a, i, j) / (float) (end - first);
  }
  return true;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return mt_attribution_mean_of_layers(work, out, layer_weights, error);
}

const mt_method mt_method_weights = {
    .about = {.id = "weights",
              .name = "Weights",
              .source = "Bahdanau et al. 2015",
              .gives = "attention weight of cross-attention and of the decoder's, mean over heads",
              .has_layers = true,
              .has_heads = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_EACH_ONE},
    .run = run,
};
