/* mt-method-norms.c — how long the vector is that a token gives:
 *
 *     |sum_h A^h_ij f^h(x_j)|,   f^h(x) = W_O^h (W_V^h x + b_V^h)       Euclidean
 *
 * (Kobayashi et al. 2020, equation 3; of one head its own term). A token with much weight and a
 * small value gives little.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "explain/mt-values.h"

static bool
layer_norms(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *out,
            mt_error *error)
{
  const mt_ops *ops = &work->session->ops;
  mt_values values;
  const bool ok = mt_values_begin(&values, ops, work->model, work->trace, kind, layer,
                                  work->params.head, error) &&
                  mt_values_norms(&values, out, error);
  mt_values_end(&values);
  return ok;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return mt_attribution_mean_of_layers(work, out, layer_norms, error);
}

const mt_method mt_method_norms = {
    .about = {.id = "norms",
              .name = "Norms",
              .source = "Kobayashi et al. 2020, equation 3",
              .gives = "Euclidean length of what the token gave in cross-attention and in the "
                       "decoder's, all heads together",
              .has_layers = true,
              .has_heads = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_FREE},
    .run = run,
};
