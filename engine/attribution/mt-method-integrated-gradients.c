/* mt-method-integrated-gradients.c — gradients along a path from nothing to the sentence:
 *
 *     x_j · integral over a in 0..1 of d log p(y_t; a x) / d (a x_j)
 *
 * (Sundararajan et al. 2017, equation 1). All embeddings, of source and prefix, are 0 at the
 * beginning of the path and what they are at its end; positions stay. The integral is a sum over
 * points of Gauss and Legendre. Numbers of a row add up to log p less that at the beginning
 * ("completeness", proposition 1), but for what lies between the points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-backward.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>

#define STEPS 50

/* Point i of n on 0..1 and its weight: a zero of the Legendre polynomial P_n by Newton's method. */
static void
legendre(size_t i, size_t n, double *point, double *weight)
{
  double x = cos(acos(-1.0) * ((double) i + 0.75) / ((double) n + 0.5)), slope = 1;
  for (int step = 0; step < 100; step++) {
    double p = 1, before = 0;
    for (size_t k = 0; k < n; k++) {
      const double next = ((2 * (double) k + 1) * x * p - (double) k * before) / ((double) k + 1);
      before = p;
      p = next;
    }
    slope = (double) n * (x * p - before) / (x * x - 1);
    const double move = p / slope;
    x -= move;
    if (fabs(move) < 1e-15)
      break;
  }
  *point = (1 + x) / 2;
  *weight = 1 / ((1 - x * x) * slope * slope);
}

/* out [rows][stride], row r, += weight * x_j · gradient_j. x is that of the whole sentence. */
static void
add(const mt_attribution_work *work, const mt_backward *b, mt_stack stack, size_t n, double weight,
    double *out)
{
  const mt_attention_kind kind = mt_stack_kind(stack);
  mt_matrix x = mt_trace_get(work->trace, MT_SITE_EMBEDDING, kind, -1, -1);
  const float *gradient = mt_backward_embedding(b, stack);
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i < work->d; i++)
      sum += (double) gradient[j * work->d + i] * mt_matrix_at(&x, j, i);
    out[j] += weight * sum;
  }
}

static bool
add_point(mt_attribution_work *work, mt_backward *b, size_t i, size_t n, double *source,
          double *prefix, mt_error *error)
{
  double point, weight;
  legendre(i, n, &point, &weight);
  const mt_embedding_scale scale = {(float) point, 0, MT_STACK_ENCODER, SIZE_MAX};
  mt_trace *trace = mt_attribution_trace(work, &scale, error);
  bool ok = trace != NULL;
  for (size_t r = 0; ok && r < work->rows; r++) {
    const size_t t = work->first + r;
    ok = mt_attribution_goes_on(work, ((double) i + (double) r / (double) work->rows) / (double) n,
                                error);
    if (!ok)
      break;
    mt_backward_run(b, trace, t, MT_OF_LOGPROB, NULL, NULL);
    add(work, b, MT_STACK_ENCODER, work->n_source, weight, source + r * work->n_source);
    add(work, b, MT_STACK_DECODER, t + 1, weight, prefix + r * work->n_target);
  }
  mt_trace_unref(trace);
  return ok;
}

static bool
fill_differences(mt_attribution_work *work, float *out, mt_error *error)
{
  const mt_embedding_scale whole = {1, 1, MT_STACK_ENCODER, SIZE_MAX};
  const mt_embedding_scale nothing = {0, 0, MT_STACK_ENCODER, SIZE_MAX};
  float *one = mt_alloc(work->n_target, sizeof *one), *zero = mt_alloc(work->n_target, sizeof *one);
  bool ok = ((one && zero) || mt_fail_no_memory(error)) &&
            mt_attribution_score(work, &whole, one, error) &&
            mt_attribution_score(work, &nothing, zero, error);
  for (size_t r = 0; ok && r < work->rows; r++)
    out[r] = one[work->first + r] - zero[work->first + r];
  mt_free(one);
  mt_free(zero);
  return ok;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  const size_t n = work->params.n_steps ? work->params.n_steps : STEPS;
  const size_t n_source = work->rows * work->n_source, n_prefix = work->rows * work->n_target;
  double *sums = mt_alloc(n_source + n_prefix, sizeof *sums);
  mt_backward *b = mt_backward_new(work, error);
  bool ok = b && (sums || mt_fail_no_memory(error));
  for (size_t i = 0; ok && i < n; i++)
    ok = add_point(work, b, i, n, sums, sums + n_source, error);
  for (size_t i = 0; ok && i < n_source; i++)
    out->source[i] = (float) sums[i];
  for (size_t i = 0; ok && i < n_prefix; i++)
    out->prefix[i] = (float) sums[n_source + i];
  ok = ok && fill_differences(work, out->differences, error);
  mt_backward_free(b);
  mt_free(sums);
  return ok;
}

const mt_method mt_method_integrated_gradients = {
    .about = {.id = "integrated-gradients",
              .name = "Integrated gradients",
              .source = "Sundararajan et al. 2017, equation 1",
              .gives = "the token's part in log p of the word less that with all embeddings at 0, "
                       "in nats",
              .needs_gradient = true,
              .is_signed = true,
              .sum = MT_ATTRIBUTION_DIFFERENCE},
    .needs_all = true,
    .run = run,
};
