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

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "explain/mt-values.h"

#include <math.h>

typedef struct {
  const mt_values *values;
  float *out, *room; /* [queries][keys]; [n_parts][queries][d] */
} norms_work;

static void
norms_part(void *user, size_t i, size_t n_parts)
{
  const norms_work *w = user;
  const mt_values *v = w->values;
  float *t = w->room + i * v->rows * v->d;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, v->keys, 1);
  for (size_t j = mt_ops_part_begin(i, n_parts, v->keys, 1); j < end; j++) {
    for (size_t r = mt_values_given(v, j, t); r < v->rows; r++) {
      double square = 0;
      for (size_t c = 0; c < v->d; c++)
        square += (double) t[r * v->d + c] * t[r * v->d + c];
      w->out[r * v->keys + j] = (float) sqrt(square);
    }
  }
}

static bool
layer_norms(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *out,
            mt_error *error)
{
  const mt_ops *ops = &work->session->ops;
  mt_values values;
  bool ok = mt_values_begin(&values, ops, work->model, work->trace, kind, layer, work->params.head,
                            error);
  if (ok) {
    const size_t n_parts = mt_values_parts(&values, ops);
    norms_work w = {&values, out, mt_alloc(n_parts * values.rows * values.d, sizeof(float))};
    ok = w.room || mt_fail_no_memory(error);
    if (ok)
      mt_pool_run(ops->pool, n_parts, norms_part, &w);
    mt_free(w.room);
  }
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
