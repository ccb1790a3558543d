/* mt-scores.c — scores of translations: BLEU and chrF, and both for groups of sentences.
 *
 * BLEU is that of a corpus (Papineni et al. 2002), as sacreBLEU (Post 2018) computes it:
 *
 *   BLEU = 100 min(1, e^(1 − r/c)) (p₁ p₂ p₃ p₄)^¼
 *
 * where pₙ is the share of n-grams of all hypotheses that their references have too, c the length
 * of all hypotheses and r that of all references. Tokens are those of mteval-v13a, the script of
 * the WMT: punctuation is split off, but for periods and commas between digits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "base/mt-utf8.h"
#include "mt/train/scores.h"
#include "train/mt-ngrams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tokens of mteval-v13a ------------------------------------------------------------------- */

typedef struct {
  char *bytes;
  size_t n, capacity;
  bool failed; /* memory ran out */
} buffer;

static void
put(buffer *t, const char *bytes, size_t n)
{
  if (n == 0 || t->failed || (t->failed = !mt_grow(&t->bytes, t->n, n, &t->capacity, 1)))
    return;
  memcpy(t->bytes + t->n, bytes, n);
  t->n += n;
}

/* in, changed by a rule, into out. */
typedef void (*rule)(const buffer *in, buffer *out);

static void
replace_all(const buffer *in, buffer *out, const char *old, const char *new)
{
  size_t n_old = strlen(old), n_new = strlen(new);
  for (size_t i = 0; i < in->n;) {
    bool found = in->n - i >= n_old && memcmp(in->bytes + i, old, n_old) == 0;
    put(out, found ? new : in->bytes + i, found ? n_new : 1);
    i += found ? n_old : 1;
  }
}

static void
skipped(const buffer *in, buffer *out)
{
  replace_all(in, out, "<skipped>", "");
}

static void
quot(const buffer *in, buffer *out)
{
  replace_all(in, out, "&quot;", "\"");
}

static void
amp(const buffer *in, buffer *out)
{
  replace_all(in, out, "&amp;", "&");
}

static void
lt(const buffer *in, buffer *out)
{
  replace_all(in, out, "&lt;", "<");
}

static void
gt(const buffer *in, buffer *out)
{
  replace_all(in, out, "&gt;", ">");
}

static bool
is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool
is_point(char c)
{
  return c == '.' || c == ',';
}

/* ASCII signs but for apostrophe, comma, hyphen and period stand alone: [{-~[-` -&(-+:-@/]. */
static bool
stands_alone(char c)
{
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~') || c == '/';
}

static void
signs(const buffer *in, buffer *out)
{
  for (size_t i = 0; i < in->n; i++) {
    bool alone = stands_alone(in->bytes[i]);
    put(out, " ", alone);
    put(out, in->bytes + i, 1);
    put(out, " ", alone);
  }
}

/* The next three rewrite two characters at a time, from the left, without looking back at what was
 * rewritten; a character of several bytes may be taken for one of its bytes, none of which is
 * ASCII.
 */

/* ([^0-9])([.,]) → "\1 \2 " */
static void
points_after_no_digit(const buffer *in, buffer *out)
{
  for (size_t i = 0; i < in->n; i++) {
    put(out, in->bytes + i, 1);
    if (i + 1 < in->n && !is_digit(in->bytes[i]) && is_point(in->bytes[i + 1])) {
      put(out, " ", 1);
      put(out, in->bytes + ++i, 1);
      put(out, " ", 1);
    }
  }
}

/* ([.,])([^0-9]) → " \1 \2" */
static void
points_before_no_digit(const buffer *in, buffer *out)
{
  for (size_t i = 0; i < in->n; i++) {
    bool found = i + 1 < in->n && is_point(in->bytes[i]) && !is_digit(in->bytes[i + 1]);
    put(out, " ", found);
    put(out, in->bytes + i, 1);
    if (found) {
      put(out, " ", 1);
      put(out, in->bytes + ++i, 1);
    }
  }
}

/* ([0-9])(-) → "\1 \2 " */
static void
dashes_after_digit(const buffer *in, buffer *out)
{
  for (size_t i = 0; i < in->n; i++) {
    put(out, in->bytes + i, 1);
    if (i + 1 < in->n && is_digit(in->bytes[i]) && in->bytes[i + 1] == '-') {
      put(out, " ", 1);
      put(out, in->bytes + ++i, 1);
      put(out, " ", 1);
    }
  }
}

/* The text with a space between all tokens. False: no memory. */
static bool
tokenize(const char *bytes, size_t n, buffer *result, mt_error *error)
{
  static const rule rules[] = {
      skipped,
      quot,
      amp,
      lt,
      gt,
      signs,
      points_after_no_digit,
      points_before_no_digit,
      dashes_after_digit,
  };
  /* A point at either end has a space beside it. */
  buffer current = {0};
  put(&current, " ", 1);
  put(&current, bytes, n);
  put(&current, " ", 1);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    buffer next = {.failed = current.failed};
    if (!current.failed)
      rules[i](&current, &next);
    mt_free(current.bytes);
    current = next;
  }
  *result = current;
  return !current.failed || mt_fail_no_memory(error);
}

/* ---- Tokens to numbers ----------------------------------------------------------------------- */

typedef struct {
  const char *bytes;
  size_t n;
} token;

static size_t
split(const buffer *t, token *out)
{
  size_t count = 0;
  bool inside = false;
  for (size_t i = 0; i < t->n;) {
    size_t length = mt_utf8_length_at(t->bytes + i, t->n - i);
    bool space = length > 0 && mt_ngrams_is_space(t->bytes + i, length);
    length += length == 0;
    if (!space && !inside)
      out[count++] = (token){.bytes = t->bytes + i};
    if (!space)
      out[count - 1].n += length;
    inside = !space;
    i += length;
  }
  return count;
}

static int
compare_tokens(const void *a, const void *b, void *user)
{
  const token *tokens = user;
  const token *x = &tokens[*(const size_t *) a], *y = &tokens[*(const size_t *) b];
  int order = memcmp(x->bytes, y->bytes, x->n < y->n ? x->n : y->n);
  return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Equal tokens get equal numbers: their rank. order [n] is used for sorting. */
static void
number(token *tokens, size_t n, size_t *order, uint32_t *numbers)
{
  uint32_t rank = 0;
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  qsort_r(order, n, sizeof *order, compare_tokens, tokens);
  for (size_t i = 0; i < n; i++) {
    rank += i > 0 && compare_tokens(&order[i - 1], &order[i], tokens) != 0;
    numbers[order[i]] = rank;
  }
}

bool
mt_bleu_add(mt_bleu *bleu, const char *hypothesis, size_t n_hypothesis, const char *reference,
            size_t n_reference, mt_error *error)
{
  buffer h = {0}, r = {0};
  uint64_t matches[MT_NGRAMS_MAX_ORDER];
  bool ok =
      tokenize(hypothesis, n_hypothesis, &h, error) && tokenize(reference, n_reference, &r, error);
  size_t room = ok ? h.n + r.n : 0;
  token *tokens = mt_alloc(room, sizeof *tokens);
  size_t *order = mt_alloc(room, sizeof *order);
  uint32_t *numbers = mt_alloc(room, sizeof *numbers);
  if (ok && !(tokens && order && numbers))
    ok = mt_fail_no_memory(error);
  if (ok) {
    size_t n_h = split(&h, tokens);
    size_t n_r = split(&r, tokens + n_h);
    number(tokens, n_h + n_r, order, numbers);
    ok = mt_ngrams_match(numbers, n_h, numbers + n_h, n_r, MT_BLEU_ORDER, matches, error);
    for (size_t n = 1; ok && n <= MT_BLEU_ORDER; n++) {
      bleu->n_matches[n - 1] += matches[n - 1];
      bleu->n_ngrams[n - 1] += mt_ngrams_count(n_h, n);
    }
    bleu->n_hypothesis += ok ? n_h : 0;
    bleu->n_reference += ok ? n_r : 0;
  }
  mt_free(numbers);
  mt_free(order);
  mt_free(tokens);
  mt_free(h.bytes);
  mt_free(r.bytes);
  return ok;
}

/* ---- The score ------------------------------------------------------------------------------- */

double
mt_bleu_precision(const mt_bleu *bleu, size_t n)
{
  double smoothing = 1;
  for (size_t k = 0; k <= n; k++) {
    if (bleu->n_ngrams[k] == 0)
      return 0;
    if (bleu->n_matches[k] == 0)
      smoothing *= 2;
  }
  double matches = bleu->n_matches[n] ? (double) bleu->n_matches[n] : 1 / smoothing;
  return 100 * matches / (double) bleu->n_ngrams[n];
}

double
mt_bleu_brevity(const mt_bleu *bleu)
{
  if (bleu->n_hypothesis >= bleu->n_reference)
    return 1;
  if (bleu->n_hypothesis == 0)
    return 0;
  return exp(1 - (double) bleu->n_reference / (double) bleu->n_hypothesis);
}

double
mt_bleu_score(const mt_bleu *bleu)
{
  double sum = 0;
  uint64_t n_matches = 0;
  for (size_t n = 0; n < MT_BLEU_ORDER; n++) {
    double precision = mt_bleu_precision(bleu, n);
    if (precision == 0)
      return 0;
    sum += log(precision);
    n_matches += bleu->n_matches[n];
  }
  return n_matches ? mt_bleu_brevity(bleu) * exp(sum / MT_BLEU_ORDER) : 0;
}

/* ---- chrF ------------------------------------------------------------------------------------ */

/* ChrF2 (Popović 2015) as sacreBLEU (Post 2018) computes it.
 *
 *   chrF_β = 100 (1 + β²) P R / (β² P + R)
 *
 * where P and R are means over the orders 1 … 6 of the shares of character n-grams of the
 * hypotheses, and of the references, that are matched in the whole corpus. */

#define NO_CHARACTER 0x110000u /* a byte that is not UTF-8 is this and the byte */

/* Code points of a text without white space, into out [n]. Returns how many. */
static size_t
decode(const char *text, size_t n, uint32_t *out)
{
  size_t count = 0;
  for (size_t i = 0; i < n;) {
    const unsigned char *s = (const unsigned char *) text + i;
    size_t length = mt_utf8_length_at(text + i, n - i);
    if (length == 0) {
      out[count++] = NO_CHARACTER + *s;
      i++;
      continue;
    }
    uint32_t code = length == 1 ? *s : *s & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; k++)
      code = code << 6 | (s[k] & 0x3f);
    if (!mt_ngrams_is_space(text + i, length))
      out[count++] = code;
    i += length;
  }
  return count;
}

bool
mt_chrf_add(mt_chrf *chrf, const char *hypothesis, size_t n_hypothesis, const char *reference,
            size_t n_reference, mt_error *error)
{
  uint64_t matches[MT_NGRAMS_MAX_ORDER];
  uint32_t *h = mt_alloc(n_hypothesis, sizeof *h);
  uint32_t *r = mt_alloc(n_reference, sizeof *r);
  bool ok = (h && r) || mt_fail_no_memory(error);
  if (ok) {
    size_t n_h = decode(hypothesis, n_hypothesis, h);
    size_t n_r = decode(reference, n_reference, r);
    ok = mt_ngrams_match(h, n_h, r, n_r, MT_CHRF_ORDER, matches, error);
    for (size_t n = 1; ok && n <= MT_CHRF_ORDER; n++) {
      size_t of_reference = mt_ngrams_count(n_r, n);
      /* sacreBLEU: n-grams that no reference could have do not count. */
      chrf->n_hypothesis[n - 1] += of_reference ? mt_ngrams_count(n_h, n) : 0;
      chrf->n_reference[n - 1] += of_reference;
      chrf->n_matches[n - 1] += matches[n - 1];
    }
  }
  mt_free(h);
  mt_free(r);
  return ok;
}

double
mt_chrf_score(const mt_chrf *chrf)
{
  const double factor = MT_CHRF_BETA * MT_CHRF_BETA;
  double precision = 0, recall = 0;
  int n_orders = 0;
  for (int n = 0; n < MT_CHRF_ORDER; n++) {
    if (chrf->n_hypothesis[n] == 0 || chrf->n_reference[n] == 0)
      continue;
    precision += (double) chrf->n_matches[n] / (double) chrf->n_hypothesis[n];
    recall += (double) chrf->n_matches[n] / (double) chrf->n_reference[n];
    n_orders++;
  }
  if (n_orders == 0 || precision + recall == 0)
    return 0;
  precision /= n_orders;
  recall /= n_orders;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

/* ---- Groups of sentences --------------------------------------------------------------------- */

/* Scores of groups of sentences, with intervals by paired bootstrap (Koehn 2004).
 *
 * BLEU and chrF are no means over sentences, so what is drawn anew are the counts of sentences,
 * which are then summed and scored. */

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

bool
mt_quality_add(mt_quality *quality, size_t group, const char *const *translations,
               const char *reference, mt_error *error)
{
  if (!mt_grow(&quality->sentences, quality->n, 1, &quality->capacity, sizeof *quality->sentences))
    return mt_fail_no_memory(error);
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
      const sentence *s = &q->sentences[members[mt_mix_next(&state) % n]];
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
