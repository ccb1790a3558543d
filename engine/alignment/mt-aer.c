/* mt-aer.c — alignment error rate (Och & Ney 2003, section 6), and how far it would vary over other
 * sentences of the kind (Efron 1979).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_SAMPLES 1000
#define MOST_SAMPLES    1000000
#define DEFAULT_LEVEL   0.95

/* Both are by target and source. */
mt_aer_counts
mt_aer_count(const mt_link *links, size_t n, const mt_gold_link *gold, size_t n_gold)
{
  mt_aer_counts counts = {.n_links = (uint32_t) n};
  for (size_t g = 0, l = 0; g < n_gold; g++) {
    counts.n_sure += gold[g].is_sure;
    while (l < n && (links[l].target < gold[g].target ||
                     (links[l].target == gold[g].target && links[l].source < gold[g].source)))
      l++;
    if (l < n && links[l].target == gold[g].target && links[l].source == gold[g].source) {
      counts.n_links_possible++;
      counts.n_links_sure += gold[g].is_sure;
    }
  }
  return counts;
}

static double
share(size_t part, size_t of)
{
  return of ? (double) part / (double) of : NAN;
}

double
mt_aer(const mt_aer_counts *c)
{
  return 1 - share((size_t) c->n_links_sure + c->n_links_possible, (size_t) c->n_links + c->n_sure);
}

double
mt_aer_precision(const mt_aer_counts *c)
{
  return share(c->n_links_possible, c->n_links);
}

double
mt_aer_recall(const mt_aer_counts *c)
{
  return share(c->n_links_sure, c->n_sure);
}

/* ---- Bootstrap ------------------------------------------------------------------------------- */

/* The finaliser of SplitMix64 (Steele, Lea & Flood 2014); draws are numbered, so that each can be
 * made by itself. */
static uint64_t
mix(uint64_t state)
{
  state += UINT64_C(0x9e3779b97f4a7c15);
  state = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  state = (state ^ (state >> 27)) * UINT64_C(0x94d049bb133111eb);
  return state ^ (state >> 31);
}

size_t
mt_bootstrap_draw(uint64_t seed, size_t sample, size_t draw, size_t n)
{
  return (size_t) (mix(mix(mix(seed) + sample) + draw) % n);
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* As numpy.quantile has it. */
static double
quantile_of(const double *sorted, size_t n, double quantile)
{
  const double at = quantile * (double) (n - 1);
  const size_t below = (size_t) at, above = below + 1 < n ? below + 1 : below;
  return sorted[below] + (at - (double) below) * (sorted[above] - sorted[below]);
}

static mt_aer_counts
draw_sample(uint64_t seed, size_t sample, const mt_aer_counts *sentences, size_t n)
{
  mt_aer_counts sum = {0};
  for (size_t d = 0; d < n; d++) {
    const mt_aer_counts *one = &sentences[mt_bootstrap_draw(seed, sample, d, n)];
    sum.n_links += one->n_links;
    sum.n_sure += one->n_sure;
    sum.n_links_sure += one->n_links_sure;
    sum.n_links_possible += one->n_links_possible;
  }
  return sum;
}

bool
mt_bootstrap_interval(const mt_bootstrap *bootstrap, const mt_aer_counts *sentences, size_t n,
                      double *low, double *high, mt_error *error)
{
  const size_t n_samples = bootstrap->n_samples ? bootstrap->n_samples : DEFAULT_SAMPLES;
  const double level = bootstrap->level > 0 ? bootstrap->level : DEFAULT_LEVEL;
  size_t n_rates = 0;
  *low = *high = NAN;
  if (n_samples > MOST_SAMPLES || !(level < 1))
    return mt_fail(error, MT_ERROR_INPUT,
                   "An interval is of 1 to %d samples, and of a level below 1; found %zu and %g.",
                   MOST_SAMPLES, n_samples, level);
  double *rates = mt_alloc(n_samples, sizeof *rates);
  if (!rates)
    return mt_fail_no_memory(error);
  for (size_t s = 0; n > 0 && s < n_samples; s++) {
    const mt_aer_counts sum = draw_sample(bootstrap->seed, s, sentences, n);
    const double rate = mt_aer(&sum);
    if (!isnan(rate))
      rates[n_rates++] = rate;
  }
  if (n_rates > 0) {
    qsort(rates, n_rates, sizeof *rates, compare);
    *low = quantile_of(rates, n_rates, (1 - level) / 2);
    *high = quantile_of(rates, n_rates, (1 + level) / 2);
  }
  mt_free(rates);
  return true;
}
