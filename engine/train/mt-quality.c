/* mt-quality.c — scores of groups of sentences, with intervals by paired bootstrap (Koehn 2004).
 *
 * BLEU and chrF are no means over sentences, so what is drawn anew are the counts of sentences,
 * which are then summed and scored.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/quality.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt/train/bleu.h"
#include "mt/train/chrf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is counted of one translation, as one row of numbers, so that sums are one loop. */
typedef union {
  struct {
    mt_bleu bleu;
    mt_chrf chrf;
  };
  uint64_t numbers[(sizeof(mt_bleu) + sizeof(mt_chrf)) / sizeof(uint64_t)];
} counts;
_Static_assert(sizeof(counts) == sizeof(mt_bleu) + sizeof(mt_chrf), "counts have no gaps");

typedef struct {
  size_t group;
  counts systems[2];
} sentence;

struct mt_quality {
  size_t n_systems, n, capacity;
  sentence *sentences;
};

mt_quality *
mt_quality_new(size_t n_systems, mt_error *error)
{
  mt_quality *self = mt_alloc(1, sizeof *self);
  if (self)
    self->n_systems = n_systems;
  else
    mt_fail_no_memory(error);
  return self;
}

void
mt_quality_free(mt_quality *quality)
{
  if (!quality)
    return;
  mt_free(quality->sentences);
  mt_free(quality);
}

static bool
make_room(mt_quality *self, mt_error *error)
{
  if (self->n < self->capacity)
    return true;
  const size_t capacity = self->capacity ? 2 * self->capacity : 64;
  sentence *larger = self->sentences ? mt_realloc(self->sentences, capacity, sizeof *larger)
                                     : mt_alloc(capacity, sizeof *larger);
  if (!larger)
    return mt_fail_no_memory(error);
  self->sentences = larger;
  self->capacity = capacity;
  return true;
}

bool
mt_quality_add(mt_quality *quality, size_t group, const char *const *translations,
               const char *reference, mt_error *error)
{
  if (!make_room(quality, error))
    return false;
  sentence *s = &quality->sentences[quality->n];
  *s = (sentence){.group = group};
  for (size_t i = 0; i < quality->n_systems; i++) {
    const char *said = translations[i];
    if (!mt_bleu_add(&s->systems[i].bleu, said, strlen(said), reference, strlen(reference),
                     error) ||
        !mt_chrf_add(&s->systems[i].chrf, said, strlen(said), reference, strlen(reference), error))
      return false;
  }
  quality->n++;
  return true;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static void
add_counts(counts *sum, const counts *one)
{
  for (size_t i = 0; i < sizeof sum->numbers / sizeof *sum->numbers; i++)
    sum->numbers[i] += one->numbers[i];
}

/* A's BLEU, B's BLEU, B - A; the same of chrF. */
enum { N_COLUMNS = 3 * MT_N_QUALITIES };

static void
score(const counts *sums, size_t n_systems, double *out)
{
  for (size_t i = 0; i < n_systems; i++) {
    out[3 * MT_QUALITY_BLEU + i] = mt_bleu_score(&sums[i].bleu);
    out[3 * MT_QUALITY_CHRF + i] = mt_chrf_score(&sums[i].chrf);
  }
  for (size_t m = 0; m < MT_N_QUALITIES; m++)
    out[3 * m + 2] = n_systems > 1 ? out[3 * m + 1] - out[3 * m] : (double) NAN;
}

/* SplitMix64 (Steele et al. 2014). */
static uint64_t
draw(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

/* The middle 95 % of n sorted numbers, between neighbours in proportion. */
static double
quantile(const double *sorted, size_t n, double share)
{
  const double place = share * (double) (n - 1);
  const size_t below = (size_t) place, above = below + 1 < n ? below + 1 : below;
  return sorted[below] + (place - (double) below) * (sorted[above] - sorted[below]);
}

static mt_interval
interval(double value, double *drawn, size_t n_draws)
{
  if (n_draws == 0 || isnan(value))
    return (mt_interval){value, value, value};
  qsort(drawn, n_draws, sizeof *drawn, compare);
  return (mt_interval){value, quantile(drawn, n_draws, 0.025), quantile(drawn, n_draws, 0.975)};
}

/* drawn [N_COLUMNS][n_draws] */
static bool
draw_all(const mt_quality *q, const size_t *members, size_t n, size_t n_draws, double *drawn,
         bool (*should_stop)(void *user), void *user)
{
  uint64_t state = n;
  for (size_t d = 0; d < n_draws; d++) {
    counts sums[2] = {0};
    double columns[N_COLUMNS];
    if (should_stop && should_stop(user))
      return false;
    for (size_t k = 0; k < n; k++) {
      const sentence *s = &q->sentences[members[draw(&state) % n]];
      for (size_t i = 0; i < q->n_systems; i++)
        add_counts(&sums[i], &s->systems[i]);
    }
    score(sums, q->n_systems, columns);
    for (size_t c = 0; c < N_COLUMNS; c++)
      drawn[c * n_draws + d] = columns[c];
  }
  return true;
}

bool
mt_quality_compute(const mt_quality *quality, size_t group, size_t n_draws,
                   bool (*should_stop)(void *user), void *user, mt_quality_scores *scores,
                   mt_error *error)
{
  counts sums[2] = {0};
  double columns[N_COLUMNS];
  size_t *members = mt_alloc(quality->n, sizeof *members), n = 0;
  double *drawn = mt_alloc(N_COLUMNS * n_draws, sizeof *drawn);
  bool ok = (members && drawn) || mt_fail_no_memory(error);
  for (size_t i = 0; ok && i < quality->n; i++)
    if (group == MT_QUALITY_ALL || quality->sentences[i].group == group) {
      members[n++] = i;
      for (size_t s = 0; s < quality->n_systems; s++)
        add_counts(&sums[s], &quality->sentences[i].systems[s]);
    }
  for (size_t c = 0; c < N_COLUMNS; c++)
    columns[c] = (double) NAN;
  if (n > 0)
    score(sums, quality->n_systems, columns);
  if (ok && n > 0 && !draw_all(quality, members, n, n_draws, drawn, should_stop, user))
    ok = mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
  if (ok) {
    scores->n = n;
    for (size_t m = 0; m < MT_N_QUALITIES; m++) {
      for (size_t s = 0; s < 2; s++)
        scores->scores[s][m] = interval(s < quality->n_systems ? columns[3 * m + s] : (double) NAN,
                                        drawn + (3 * m + s) * n_draws, n_draws);
      scores->differences[m] = interval(columns[3 * m + 2], drawn + (3 * m + 2) * n_draws, n_draws);
    }
  }
  mt_free(members);
  mt_free(drawn);
  return ok;
}
