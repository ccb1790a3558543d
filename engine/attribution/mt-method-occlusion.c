/* mt-method-occlusion.c — what is lost without a token:
 *
 *     log p(y_t) - log p(y_t, the embedding of the token 0)
 *
 * Its position stays, so that a token without a meaning is still there (Li, Monroe & Jurafsky 2016,
 * section 3.1, "representation erasure"). A copy of the sentence for each token, many in one pass.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

/* A copy of the sentence for each token, which differs by what enters the first layer in its row.
 */
static void
make_copies(const mt_attribution_work *work, const mt_trace *erased, mt_variant *variants,
            float *logprobs)
{
  const size_t s = work->n_source, last = work->first + work->rows;
  const mt_matrix rows[MT_N_STACKS] = {
      mt_trace_get(erased, MT_HOOK_STREAM, MT_ENCODER_SELF, -1, -1),
      mt_trace_get(erased, MT_HOOK_STREAM, MT_DECODER_SELF, -1, -1),
  };
  for (size_t i = 0; i < s + last; i++) {
    const mt_stack stack = i < s ? MT_STACK_ENCODER : MT_STACK_DECODER;
    const size_t token = i < s ? i : i - s;
    variants[i] = (mt_variant){.kind = i < s ? MT_ENCODER_SELF : MT_DECODER_SELF,
                               .patch = rows[stack].data + token * rows[stack].stride,
                               .token = token,
                               .logprobs = logprobs + i * last};
  }
}

/* Words before a token do not know of it. */
static void
subtract(const mt_attribution_work *work, const float *clean, const mt_variant *variants,
         const mt_attribution_rows *out)
{
  const size_t s = work->n_source;
  for (size_t r = 0; r < work->rows; r++) {
    const size_t t = work->first + r;
    for (size_t j = 0; j < s; j++)
      out->source[r * s + j] = clean[t] - variants[j].logprobs[t];
    for (size_t j = 0; j <= t; j++)
      out->prefix[r * work->n_target + j] = clean[t] - variants[s + j].logprobs[t];
  }
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  const size_t last = work->first + work->rows, n = work->n_source + last;
  const mt_embedding_scale all = {0, 0, MT_STACK_ENCODER, SIZE_MAX};
  mt_variant *variants = mt_alloc(n, sizeof *variants);
  float *logprobs = mt_alloc((n + 1) * last, sizeof *logprobs);
  bool ok = (variants && logprobs) || mt_fail_no_memory(error);
  mt_trace *erased = ok ? mt_attribution_trace(work, &all, error) : NULL;
  ok = erased != NULL;
  if (ok) {
    mt_variant clean = {.logprobs = logprobs + n * last};
    make_copies(work, erased, variants, logprobs);
    ok = mt_attribution_run_copies(work, &clean, variants, n, 0, 1, error);
  }
  if (ok)
    subtract(work, logprobs + n * last, variants, out);
  mt_trace_unref(erased);
  mt_free(logprobs);
  mt_free(variants);
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
