/* mt-bleu.c — corpus BLEU (Papineni et al. 2002) as sacreBLEU (Post 2018) computes it.
 *
 *   BLEU = 100 min(1, e^(1 − r/c)) (p₁ p₂ p₃ p₄)^¼
 *
 * where pₙ is the share of n-grams of all hypotheses that their references have too, c the length
 * of all hypotheses and r that of all references. Tokens are those of mteval-v13a, the script of
 * the WMT: punctuation is split off, but for periods and commas between digits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/bleu.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "train/mt-ngrams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tokens of mteval-v13a ------------------------------------------------------------------- */

typedef struct {
  char *bytes;
  size_t n, capacity;
  bool failed; /* memory ran out */
} text;

static void
put(text *t, const char *bytes, size_t n)
{
  if (t->failed || n == 0)
    return;
  if (n > t->capacity - t->n) {
    size_t capacity = 2 * (t->n + n) + 64; /* of texts in memory: no overflow */
    char *grown = mt_realloc(t->bytes, capacity, 1);
    if (!grown) {
      t->failed = true;
      return;
    }
    t->bytes = grown;
    t->capacity = capacity;
  }
  memcpy(t->bytes + t->n, bytes, n);
  t->n += n;
}

/* in, changed by a rule, into out. */
typedef void (*rule)(const text *in, text *out);

static void
replace_all(const text *in, text *out, const char *old, const char *new)
{
  size_t n_old = strlen(old), n_new = strlen(new);
  for (size_t i = 0; i < in->n;) {
    bool found = in->n - i >= n_old && memcmp(in->bytes + i, old, n_old) == 0;
    put(out, found ? new : in->bytes + i, found ? n_new : 1);
    i += found ? n_old : 1;
  }
}

static void
skipped(const text *in, text *out)
{
  replace_all(in, out, "<skipped>", "");
}

static void
quot(const text *in, text *out)
{
  replace_all(in, out, "&quot;", "\"");
}

static void
amp(const text *in, text *out)
{
  replace_all(in, out, "&amp;", "&");
}

static void
lt(const text *in, text *out)
{
  replace_all(in, out, "&lt;", "<");
}

static void
gt(const text *in, text *out)
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
signs(const text *in, text *out)
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
points_after_no_digit(const text *in, text *out)
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
points_before_no_digit(const text *in, text *out)
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
dashes_after_digit(const text *in, text *out)
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
tokenize(const char *bytes, size_t n, text *result, mt_error *error)
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
  text current = {0};
  put(&current, " ", 1);
  put(&current, bytes, n);
  put(&current, " ", 1);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    text next = {.failed = current.failed};
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
split(const text *t, token *out)
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
  text h = {0}, r = {0};
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
