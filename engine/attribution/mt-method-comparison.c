/* mt-method-comparison.c — all methods of attribution for one word, and how far they agree with
 * each other and with what happens when tokens are hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How much of the time methods take; the rest is for curves. */
#define METHODS_SHARE 0.6

/* ---- Ranks ----------------------------------------------------------------------------------- */

static float
value(const mt_method_comparison *b, size_t method, size_t i)
{
  mt_matrix source = b->attributions[method]->source;
  mt_matrix prefix = b->attributions[method]->prefix;
  return i < b->n_source ? mt_matrix_at(&source, 0, i) : mt_matrix_at(&prefix, 0, i - b->n_source);
}

/* Rank from 1; those of equal values are their mean. */
static double
rank(const mt_method_comparison *b, size_t method, size_t i)
{
  const float own = value(b, method, i);
  size_t less = 0, same = 0;
  for (size_t k = 0; k < b->n_source + b->n_prefix; k++) {
    const float other = value(b, method, k);
    less += other < own;
    same += other == own;
  }
  return (double) less + ((double) same + 1) / 2;
}

/* Pearson's correlation of ranks. */
static double
correlate(const double *x, const double *y, size_t n)
{
  const double mean = ((double) n + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < n; i++) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static bool
fill_spearman(mt_method_comparison *b, mt_error *error)
{
  const size_t n = b->n_source + b->n_prefix;
  double *ranks = mt_alloc(b->n_methods * n, sizeof *ranks);
  if (!ranks)
    return mt_fail_no_memory(error);
  for (size_t m = 0; m < b->n_methods; m++)
    for (size_t i = 0; i < n; i++)
      ranks[m * n + i] = rank(b, m, i);
  for (size_t m = 0; m < b->n_methods; m++)
    for (size_t k = 0; k < b->n_methods; k++)
      b->spearman[m * b->n_methods + k] = correlate(ranks + m * n, ranks + k * n, n);
  mt_free(ranks);
  return true;
}

/* ---- Deletion -------------------------------------------------------------------------------- */

/* Source tokens, the largest number first, of equal ones the first. */
static void
fill_order(mt_method_comparison *b, size_t method)
{
  size_t *order = b->order + method * b->n_source;
  for (size_t i = 0; i < b->n_source; i++) {
    size_t at = i;
    for (; at > 0 && value(b, method, order[at - 1]) < value(b, method, i); at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

/* So many tokens hidden, beside the changes that are there. */
static mt_interventions *
hide(const size_t *order, size_t n, mt_error *error)
{
  static const char line[] = "source 18446744073709551615 hide\n";
  const size_t size = n * sizeof line + 1;
  char *text = mt_alloc(size, 1);
  if (!text)
    return mt_fail_no_memory(error), NULL;

  size_t length = 0;
  for (size_t i = 0; i < n; i++)
    length += (size_t) snprintf(text + length, size - length, "source %zu hide\n", order[i] + 1);
  mt_interventions *result = mt_interventions_parse(NULL, text, error);
  mt_free(text);
  return result;
}

/* Points of the curves, each set of hidden tokens once: [n_methods][n_source + 1] which copy it is,
 * 0: the clean sentence, k: variants[k - 1]. */
typedef struct {
  size_t *copies;
  mt_variant *variants;
  size_t n;
} curves;

/* The copy of an earlier curve that hid the same tokens at this step; 0: there is none. */
static size_t
find_same(const mt_method_comparison *b, const curves *c, size_t method, size_t n)
{
  const size_t s = b->n_source;
  for (size_t m = 0; m < method; m++) {
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        same += b->order[method * s + i] == b->order[m * s + k];
    if (same == n)
      return c->copies[m * (s + 1) + n];
  }
  return 0;
}

static bool
make_copies(const mt_method_comparison *b, curves *c, float *logprobs, size_t n_target,
            mt_error *error)
{
  const size_t s = b->n_source;
  for (size_t m = 0; m < b->n_methods; m++)
    for (size_t n = 1; n <= s; n++) {
      size_t *copy = c->copies + m * (s + 1) + n;
      *copy = find_same(b, c, m, n);
      if (*copy > 0)
        continue;
      mt_variant *variant = &c->variants[c->n];
      *variant = (mt_variant){.kind = MT_ENCODER_SELF,
                              .interventions = hide(b->order + m * s, n, error),
                              .logprobs = logprobs + (c->n + 1) * n_target};
      *copy = ++c->n;
      if (!variant->interventions)
        return false;
    }
  return true;
}

static bool
fill_deletion(mt_method_comparison *b, mt_attribution_work *work, mt_error *error)
{
  const size_t n_target = work->first + work->rows, n_points = b->n_methods * (b->n_source + 1);
  curves c = {.copies = mt_alloc(n_points, sizeof *c.copies),
              .variants = mt_alloc(n_points, sizeof *c.variants)};
  float *logprobs = mt_alloc(n_points + 1, n_target * sizeof *logprobs);
  b->order = mt_alloc(b->n_methods * b->n_source, sizeof *b->order);
  bool ok = (b->order && c.copies && c.variants && logprobs) || mt_fail_no_memory(error);
  for (size_t m = 0; ok && m < b->n_methods; m++)
    fill_order(b, m);
  ok = ok && make_copies(b, &c, logprobs, n_target, error);
  if (ok) {
    mt_variant clean = {.logprobs = logprobs};
    work->done = METHODS_SHARE;
    work->share = 1 - METHODS_SHARE;
    ok = mt_attribution_run_copies(work, &clean, c.variants, c.n, 0, 1, error);
  }
  for (size_t i = 0; ok && i < n_points; i++)
    b->deletion[i] = logprobs[c.copies[i] * n_target + work->first];
  for (size_t i = 0; i < c.n; i++)
    mt_interventions_unref(c.variants[i].interventions);
  mt_free(logprobs);
  mt_free(c.variants);
  mt_free(c.copies);
  return ok;
}

/* ---- The bench ------------------------------------------------------------------------------- */

static mt_method_comparison *
new_bench(size_t n_source, size_t n_prefix, mt_error *error)
{
  mt_method_comparison *b = mt_alloc(1, sizeof *b);
  if (!b)
    return mt_fail_no_memory(error), NULL;

  b->n_methods = mt_attribution_count();
  b->n_source = n_source;
  b->n_prefix = n_prefix;
  b->attributions = mt_alloc(b->n_methods, sizeof *b->attributions);
  b->spearman = mt_alloc(b->n_methods * b->n_methods, sizeof *b->spearman);
  b->deletion = mt_alloc(b->n_methods * (b->n_source + 1), sizeof *b->deletion);
  if (b->attributions && b->spearman && b->deletion)
    return b;
  mt_method_comparison_free(b);
  mt_fail_no_memory(error);
  return NULL;
}

static bool
fill(mt_method_comparison *b, mt_attribution_work *work, mt_error *error)
{
  for (size_t m = 0; m < b->n_methods; m++) {
    work->done = METHODS_SHARE * (double) m / (double) b->n_methods;
    work->share = METHODS_SHARE / (double) b->n_methods;
    b->attributions[m] = mt_attribution_run(work, m, error);
    if (!b->attributions[m])
      return false;
  }
  return fill_spearman(b, error) && fill_deletion(b, work, error) &&
         mt_model_check_files(work->model, error);
}

mt_method_comparison *
mt_method_comparison_new(mt_session *session, const mt_translation *translation, size_t index,
                         const mt_attribution_params *params, const mt_hooks *hooks,
                         mt_error *error)
{
  mt_attribution_work work;
  mt_method_comparison *bench = NULL;
  if (params->token < 0)
    return mt_fail(error, MT_ERROR_INPUT, "A bench is of one output token; none was named."), NULL;

  bool ok = mt_attribution_begin(&work, session, translation, index, params, hooks, true, error) &&
            (bench = new_bench(work.n_source, work.first + 1, error)) && fill(bench, &work, error);
  mt_attribution_end(&work);
  if (ok)
    return bench;
  mt_method_comparison_free(bench);
  return NULL;
}

mt_method_comparison *
mt_method_comparison_difference(const mt_method_comparison *b, const mt_method_comparison *a,
                                mt_error *error)
{
  mt_method_comparison *d = new_bench(b->n_source, b->n_prefix, error);
  bool ok = d != NULL;
  for (size_t m = 0; ok && m < d->n_methods; m++)
    ok = (d->attributions[m] =
              mt_attribution_difference(b->attributions[m], a->attributions[m], error)) != NULL;
  for (size_t i = 0; ok && i < d->n_methods * (d->n_source + 1); i++)
    d->deletion[i] = b->deletion[i] - a->deletion[i];
  if (ok && fill_spearman(d, error))
    return d;
  mt_method_comparison_free(d);
  return NULL;
}

void
mt_method_comparison_free(mt_method_comparison *b)
{
  if (!b)
    return;
  for (size_t m = 0; b->attributions && m < b->n_methods; m++)
    mt_attribution_unref(b->attributions[m]);
  mt_free(b->attributions);
  mt_free(b->spearman);
  mt_free(b->order);
  mt_free(b->deletion);
  mt_free(b);
}

double
mt_method_comparison_area(const mt_method_comparison *b, size_t method)
{
  const float *curve = b->deletion + method * (b->n_source + 1);
  double sum = 0;
  for (size_t i = 0; i < b->n_source; i++)
    sum += curve[0] - ((double) curve[i] + curve[i + 1]) / 2;
  return sum / (double) b->n_source;
}
