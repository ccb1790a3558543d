/* mt-method-gradient-input.c — gradient times input: the derivative of log p of the word by the
 * embedding of a token, times the embedding (Denil et al. 2014; Shrikumar et al. 2017). What log p
 * would lose without the token if it were linear.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-backward.h"

static void
fill(const mt_attribution_work *work, const mt_backward *b, mt_stack stack, size_t n, float *out)
{
  const mt_attention_kind kind = mt_stack_kind(stack);
  mt_matrix x = mt_trace_get(work->trace, MT_SITE_EMBEDDING, kind, -1, -1);
  const float *gradient = mt_backward_embedding(b, stack);
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i < work->d; i++)
      sum += (double) gradient[j * work->d + i] * mt_matrix_at(&x, j, i);
    out[j] = (float) sum;
  }
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  mt_backward *b = mt_backward_new(work, error);
  bool ok = b != NULL;
  for (size_t r = 0; ok && r < work->rows; r++) {
    const size_t t = work->first + r;
    ok = mt_attribution_goes_on(work, (double) r / (double) work->rows, error);
    if (!ok)
      break;
    mt_backward_run(b, work->trace, t, MT_OF_LOGPROB, NULL, NULL);
    fill(work, b, MT_STACK_ENCODER, work->n_source, out->source + r * work->n_source);
    fill(work, b, MT_STACK_DECODER, t + 1, out->prefix + r * work->n_target);
  }
  mt_backward_free(b);
  return ok;
}

const mt_method mt_method_gradient_input = {
    .about = {.id = "gradient-input",
              .name = "Gradient × input",
              .source = "Denil et al. 2014; Shrikumar et al. 2017",
              .gives =
                  "derivative of log p of the word by the token's embedding, times it, in nats",
              .needs_gradient = true,
              .is_signed = true,
              .sum = MT_ATTRIBUTION_FREE},
    .needs_all = true,
    .run = run,
};
