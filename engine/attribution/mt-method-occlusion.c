/* mt-method-occlusion.c — what is lost without a token:
 *
 *     log p(y_t) - log p(y_t, the embedding of the token 0)
 *
 * Its position stays, so that a token without a meaning is still there (Li, Monroe & Jurafsky 2016,
 * section 3.1, "representation erasure"). One pass for each token.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

static bool
erase(mt_attribution_work *work, const float *clean, float *erased, mt_stack stack, size_t token,
      float *out, size_t stride, mt_error *error)
{
  const mt_embedding_scale scale = {1, 0, stack, token};
  if (!mt_attribution_score(work, &scale, erased, error))
    return false;
  for (size_t r = 0; r < work->rows; r++)
    /* Words before the token do not know of it. */
    out[r * stride + token] = stack == MT_STACK_DECODER && token > work->first + r
                                  ? 0
                                  : clean[work->first + r] - erased[work->first + r];
  return true;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  const size_t s = work->n_source, last = work->first + work->rows, n = s + last;
  float *clean = mt_alloc(work->n_target, sizeof *clean);
  float *erased = mt_alloc(work->n_target, sizeof *erased);
  const mt_embedding_scale none = {1, 1, MT_STACK_ENCODER, SIZE_MAX};
  bool ok = ((clean && erased) || mt_fail_no_memory(error)) &&
            mt_attribution_score(work, &none, clean, error);
  for (size_t i = 0; ok && i < n; i++)
    ok = mt_attribution_goes_on(work, (double) i / (double) n, error) &&
         (i < s ? erase(work, clean, erased, MT_STACK_ENCODER, i, out->source, s, error)
                : erase(work, clean, erased, MT_STACK_DECODER, i - s, out->prefix, work->n_target,
                        error));
  mt_free(clean);
  mt_free(erased);
  return ok;
}

const mt_method mt_method_occlusion = {
    .about = {.id = "occlusion",
              .name = "Occlusion",
              .source = "Li, Monroe & Jurafsky 2016, section 3.1",
              .gives = "nats of log p that the word loses when the token's embedding is 0",
              .is_signed = true,
              .sum = MT_ATTRIBUTION_FREE},
    .run = run,
};
