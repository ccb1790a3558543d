/* mt-corpus-sums.c — exact sums of a head over a text, what they say, and the strongest examples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-sums.h"

#include "base/mt-alloc.h"

#include <math.h>
#include <string.h>

/* The greatest that 2^30 sentences can add up to. */
#define MOST_SUM   ((mt_exact) MT_FIXED_LIMIT << 30)
#define MOST_POWER ((mt_exact) 1 << 126)

mt_fixed
mt_fixed_of(double value)
{
  if (isnan(value))
    return 0;
  value *= (double) MT_FIXED_ONE;
  value = fmax(fmin(value, (double) MT_FIXED_LIMIT), -(double) MT_FIXED_LIMIT);
  return (mt_fixed) llrint(value);
}

double
mt_fixed_value(mt_fixed fixed)
{
  return (double) fixed / (double) MT_FIXED_ONE;
}

/* x / 2^bits to the nearest, of equals the greater one. */
static mt_exact
shift(mt_exact x, unsigned bits)
{
  return (x + ((mt_exact) 1 << (bits - 1))) >> bits;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static size_t
bin_of(mt_corpus_measure measure, mt_attention_kind kind, double value)
{
  const mt_head_statistic *info = mt_corpus_measure_about(measure);
  const double low = info->low[kind], high = info->high[kind];
  const double at = floor((value - low) / (high - low) * MT_CORPUS_BINS);
  return at < 0 ? 0 : at >= MT_CORPUS_BINS ? MT_CORPUS_BINS - 1 : (size_t) at;
}

static void
add_measure(mt_corpus_measure_sums *sums, size_t bin, mt_fixed q)
{
  const mt_exact square = (mt_exact) q * q, rounded = shift(square, 30);
  sums->least = sums->n == 0 || q < sums->least ? q : sums->least;
  sums->most = sums->n == 0 || q > sums->most ? q : sums->most;
  sums->n++;
  sums->sums[0] += q;
  sums->sums[1] += square;
  sums->sums[2] += shift(square * q, 30);
  sums->sums[3] += shift(rounded * square, 30);
  sums->bins[bin]++;
}

void
mt_corpus_sums_add(mt_corpus_sums *sums, mt_attention_kind kind, const mt_corpus_values *values)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    if (values->measures & 1u << m) {
      const mt_fixed q = values->measured[m].value;
      add_measure(&sums->measures[m], bin_of(m, kind, mt_fixed_value(q)), q);
    }
  for (size_t r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (values->roles & 1u << r) {
      const mt_fixed q = values->role_values[r];
      sums->roles[r].n++;
      sums->roles[r].sum += q;
      sums->roles[r].square += (mt_exact) q * q;
      sums->roles[r].share += values->role_shares[r];
    }
  for (size_t i = 0; i < MT_CORPUS_N_OFFSETS; i++) {
    sums->hits[i] += values->hits[i];
    sums->rows[i] += values->rows[i];
  }
}

void
mt_corpus_sums_merge(mt_corpus_sums *sums, const mt_corpus_sums *others)
{
  for (size_t m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_measure_sums *to = &sums->measures[m];
    const mt_corpus_measure_sums *from = &others->measures[m];
    if (from->n == 0)
      continue;
    to->least = to->n == 0 || from->least < to->least ? from->least : to->least;
    to->most = to->n == 0 || from->most > to->most ? from->most : to->most;
    to->n += from->n;
    for (size_t i = 0; i < 4; i++)
      to->sums[i] += from->sums[i];
    for (size_t i = 0; i < MT_CORPUS_BINS; i++)
      to->bins[i] += from->bins[i];
  }
  for (size_t r = 0; r < MT_N_CORPUS_ROLES; r++) {
    sums->roles[r].n += others->roles[r].n;
    sums->roles[r].sum += others->roles[r].sum;
    sums->roles[r].square += others->roles[r].square;
    sums->roles[r].share += others->roles[r].share;
  }
  for (size_t i = 0; i < MT_CORPUS_N_OFFSETS; i++) {
    sums->hits[i] += others->hits[i];
    sums->rows[i] += others->rows[i];
  }
}

/* ---- As bytes -------------------------------------------------------------------------------- */

void
mt_corpus_sums_put(const mt_corpus_sums *sums, mt_packed *bytes)
{
  for (size_t m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    const mt_corpus_measure_sums *from = &sums->measures[m];
    mt_packed_put_whole(bytes, from->n);
    if (from->n == 0)
      continue;
    for (size_t i = 0; i < 4; i++)
      mt_packed_put_signed(bytes, from->sums[i]);
    mt_packed_put_signed(bytes, from->least);
    mt_packed_put_signed(bytes, from->most);
    for (size_t i = 0; i < MT_CORPUS_BINS; i++)
      mt_packed_put_whole(bytes, from->bins[i]);
  }
  for (size_t r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_packed_put_whole(bytes, sums->roles[r].n);
    mt_packed_put_signed(bytes, sums->roles[r].sum);
    mt_packed_put_signed(bytes, sums->roles[r].square);
    mt_packed_put_signed(bytes, sums->roles[r].share);
  }
  for (size_t i = 0; i < MT_CORPUS_N_OFFSETS; i++) {
    mt_packed_put_whole(bytes, sums->hits[i]);
    mt_packed_put_whole(bytes, sums->rows[i]);
  }
}

static bool
get_measure(mt_corpus_measure_sums *sums, mt_packed_in *in, uint64_t most)
{
  uint64_t n = 0;
  *sums = (mt_corpus_measure_sums){.n = mt_packed_get_whole(in, most)};
  if (sums->n == 0)
    return !in->failed;
  for (size_t i = 0; i < 4; i++)
    sums->sums[i] = mt_packed_get_signed(in, i == 0 ? MOST_SUM : MOST_POWER);
  sums->least = (mt_fixed) mt_packed_get_signed(in, MT_FIXED_LIMIT);
  sums->most = (mt_fixed) mt_packed_get_signed(in, MT_FIXED_LIMIT);
  for (size_t i = 0; i < MT_CORPUS_BINS; i++)
    n += sums->bins[i] = mt_packed_get_whole(in, sums->n);
  const mt_exact count = (mt_exact) sums->n;
  return !in->failed && n == sums->n && sums->least <= sums->most &&
         sums->sums[0] >= count * sums->least && sums->sums[0] <= count * sums->most &&
         sums->sums[1] >= 0 && sums->sums[3] >= 0;
}

bool
mt_corpus_sums_get(mt_corpus_sums *sums, mt_packed_in *in, uint64_t most)
{
  bool ok = true;
  *sums = (mt_corpus_sums){0};
  for (size_t m = 0; ok && m < MT_N_CORPUS_MEASURES; m++)
    ok = get_measure(&sums->measures[m], in, most);
  for (size_t r = 0; ok && r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_sums *to = &sums->roles[r];
    to->n = mt_packed_get_whole(in, most);
    to->sum = mt_packed_get_signed(in, MOST_SUM);
    to->square = mt_packed_get_signed(in, MOST_POWER);
    to->share = mt_packed_get_signed(in, MOST_SUM);
    ok = !in->failed && to->square >= 0;
  }
  for (size_t i = 0; ok && i < MT_CORPUS_N_OFFSETS; i++) {
    sums->hits[i] = mt_packed_get_whole(in, UINT64_MAX >> 8);
    sums->rows[i] = mt_packed_get_whole(in, UINT64_MAX >> 8);
    ok = !in->failed && sums->hits[i] <= sums->rows[i];
  }
  return ok;
}

/* ---- What they say --------------------------------------------------------------------------- */

void
mt_corpus_sums_statistics(const mt_corpus_measure_sums *sums, mt_corpus_statistics *out)
{
  *out = (mt_corpus_statistics){.n = sums->n,
                                .mean = NAN,
                                .sd = NAN,
                                .skewness = NAN,
                                .kurtosis = NAN,
                                .least = NAN,
                                .most = NAN,
                                .low = out->low,
                                .high = out->high};
  memcpy(out->bins, sums->bins, sizeof out->bins);
  if (sums->n == 0)
    return;
  long double raw[4];
  const long double n = (long double) sums->n;
  for (int i = 0; i < 4; i++)
    raw[i] = ldexpl((long double) sums->sums[i], i == 0 ? -30 : -60) / n;
  const long double mean = raw[0], variance = fmaxl(raw[1] - mean * mean, 0);
  out->mean = (double) mean;
  out->least = mt_fixed_value(sums->least);
  out->most = mt_fixed_value(sums->most);
  out->sd = sums->least < sums->most ? (double) sqrtl(variance) : 0;
  if (out->sd > 0) {
    const long double third = raw[2] - 3 * mean * raw[1] + 2 * mean * mean * mean;
    const long double fourth =
        raw[3] - 4 * mean * raw[2] + 6 * mean * mean * raw[1] - 3 * mean * mean * mean * mean;
    out->skewness = (double) (third / (variance * sqrtl(variance)));
    out->kurtosis = (double) (fourth / (variance * variance) - 3);
  }
}

void
mt_corpus_sums_role(const mt_corpus_role_sums *sums, size_t n_heads, mt_corpus_role_value *out)
{
  *out = (mt_corpus_role_value){.n = sums->n, .value = NAN, .sd = NAN, .share = NAN, .p = 1};
  if (sums->n == 0)
    return;
  const long double n = (long double) sums->n;
  const long double mean = ldexpl((long double) sums->sum, -30) / n;
  const long double variance = fmaxl(ldexpl((long double) sums->square, -60) / n - mean * mean, 0);
  out->value = (double) mean;
  out->sd = (double) sqrtl(variance);
  out->share = (double) (ldexpl((long double) sums->share, -30) / n);
  /* All alike: there is nothing to estimate, and two sentences are no text. */
  if (sums->n < 3)
    return;
  const double error = sqrt((double) variance / ((double) n - 1));
  if (error > 0)
    out->p = mt_student_tail((out->value - MT_CORPUS_ROLE_BIAS) / error, (double) n - 1);
  else
    out->p = out->value > MT_CORPUS_ROLE_BIAS ? 0 : 1;
  out->holds = out->p < MT_CORPUS_ROLE_P / (double) (n_heads ? n_heads : 1);
}

void
mt_corpus_sums_offsets(const mt_corpus_sums *sums, mt_corpus_offsets *out)
{
  *out = (mt_corpus_offsets){.best_share = NAN};
  memcpy(out->hits, sums->hits, sizeof out->hits);
  memcpy(out->rows, sums->rows, sizeof out->rows);
  for (int i = 0; i < MT_CORPUS_N_OFFSETS; i++) {
    const int offset = (i + 1) / 2 * (i % 2 ? -1 : 1); /* 0, -1, 1, -2, … */
    const size_t at = (size_t) (offset + MT_CORPUS_REACH);
    if (out->rows[at] == 0 || 2 * out->rows[at] < out->rows[MT_CORPUS_REACH])
      continue;
    const double share = (double) out->hits[at] / (double) out->rows[at];
    if (!(share <= out->best_share)) {
      out->best_share = share;
      out->best = offset;
    }
  }
}

unsigned char
mt_corpus_quantize(mt_corpus_measure measure, mt_attention_kind kind, double value)
{
  const mt_head_statistic *info = mt_corpus_measure_about(measure);
  const double low = info->low[kind], high = info->high[kind];
  const double at = rint((value - low) / (high - low) * 255);
  return at > 255 ? 255 : at > 0 ? (unsigned char) at : 0;
}

double
mt_corpus_dequantize(mt_corpus_measure measure, mt_attention_kind kind, unsigned char byte)
{
  const mt_head_statistic *info = mt_corpus_measure_about(measure);
  const double low = info->low[kind], high = info->high[kind];
  return low + (high - low) * byte / 255;
}

/* ---- Tails of distributions ------------------------------------------------------------------ */

/* How likely a mean is by chance: the tails of two distributions.
 *
 * P(T >= t) = I_x(f/2, 1/2) / 2 for t >= 0, with x = f / (f + t²) and the regularised incomplete
 * beta function I, by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated as Lentz 1976
 * does). */

static double
not_zero(double x)
{
  return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The fraction behind I_x(a, b); x < (a + 1) / (a + b + 2), where it converges fast. */
static double
fraction(double a, double b, double x)
{
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int i = 1; i < 10000; i++) {
    const double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    value *= d * c;
    if (fabs(d * c - 1) < 1e-15)
      break;
  }
  return value;
}

/* I_x(a, b); y = 1 - x, which the caller knows better. */
static double
beta(double a, double b, double x, double y)
{
  if (x <= 0 || y <= 0)
    return x <= 0 ? 0 : 1;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                   : 1 - front * fraction(b, a, y) / b;
}

double
mt_student_tail(double t, double freedom)
{
  const double all = freedom + t * t;
  const double tail = isinf(t) ? 0 : beta(freedom / 2, 0.5, freedom / all, t * t / all) / 2;
  return t >= 0 ? tail : 1 - tail;
}

double
mt_normal_tail(double z)
{
  return erfc(z / sqrt(2)) / 2;
}

/* ---- The strongest examples ------------------------------------------------------------------ */

/* Positions of a model. */
#define MOST_KEYS ((uint64_t) 1 << 20)

void
mt_corpus_top_clear(mt_corpus_top *top)
{
  for (size_t i = 0; i < top->n; i++)
    mt_free(top->items[i].weights);
  *top = (mt_corpus_top){0};
}

static bool
is_before(mt_fixed value_a, uint64_t hash_a, mt_fixed value_b, uint64_t hash_b)
{
  return value_a != value_b ? value_a > value_b : hash_a < hash_b;
}

bool
mt_corpus_top_wants(const mt_corpus_top *top, mt_fixed value, uint64_t hash)
{
  const mt_corpus_top_item *last = &top->items[MT_CORPUS_STRONGEST - 1];
  if (top->n == MT_CORPUS_STRONGEST && !is_before(value, hash, last->value, last->hash))
    return false;
  for (size_t i = 0; i < top->n; i++)
    if (top->items[i].hash == hash)
      return false;
  return true;
}

bool
mt_corpus_top_add(mt_corpus_top *top, const mt_corpus_top_item *item)
{
  if (!mt_corpus_top_wants(top, item->value, item->hash))
    return true;
  unsigned char *weights = mt_alloc(item->n, 1);
  if (!weights)
    return false;
  memcpy(weights, item->weights, item->n);
  if (top->n == MT_CORPUS_STRONGEST)
    mt_free(top->items[--top->n].weights);
  size_t at = top->n++;
  for (; at > 0 &&
         is_before(item->value, item->hash, top->items[at - 1].value, top->items[at - 1].hash);
       at--)
    top->items[at] = top->items[at - 1];
  top->items[at] = *item;
  top->items[at].weights = weights;
  top->is_changed = true;
  return true;
}

void
mt_corpus_top_put(const mt_corpus_top *top, mt_packed *packed)
{
  mt_packed_put_whole(packed, top->n);
  for (size_t i = 0; i < top->n; i++) {
    const mt_corpus_top_item *item = &top->items[i];
    mt_packed_put_signed(packed, item->value);
    mt_packed_put_whole(packed, item->hash);
    mt_packed_put_whole(packed, item->sentence);
    mt_packed_put_whole(packed, item->query);
    mt_packed_put_whole(packed, item->key);
    mt_packed_put_whole(packed, item->n);
    mt_packed_put(packed, item->weights, item->n);
  }
}

bool
mt_corpus_top_get(mt_corpus_top *top, mt_packed_in *in, uint64_t n_sentences, bool *no_memory)
{
  const size_t n = mt_packed_get_whole(in, MT_CORPUS_STRONGEST);
  *top = (mt_corpus_top){0};
  for (size_t i = 0; i < n; i++) {
    mt_corpus_top_item item = {
        .value = (mt_fixed) mt_packed_get_signed(in, MT_FIXED_LIMIT),
        .hash = mt_packed_get_whole(in, UINT64_MAX),
        .sentence = mt_packed_get_whole(in, n_sentences),
        .query = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
        .key = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
        .n = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
    };
    item.weights = (unsigned char *) mt_packed_get(in, item.n);
    if (in->failed || item.sentence == 0 || item.key >= item.n)
      return false;
    const size_t before = top->n;
    *no_memory = !mt_corpus_top_add(top, &item);
    /* In order, and each once. */
    if (*no_memory || top->n != before + 1 || top->items[before].hash != item.hash)
      return false;
  }
  top->is_changed = false;
  return !in->failed;
}
