/* mt-ngrams.c — how many n-grams two sequences share.
 *
 * The places of a sequence, sorted by the symbols that follow, have equal n-grams side by side, for
 * every n at once. Two sorted lists are merged once for each n.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-ngrams.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <stdlib.h>

size_t
mt_ngrams_count(size_t n_symbols, size_t n)
{
  return n_symbols >= n ? n_symbols - n + 1 : 0;
}

bool
mt_ngrams_is_space(const char *text, size_t length)
{
  return (length == 1 && *text >= 0x1c && *text <= 0x1f) || mt_utf8_is_space(text, length);
}

typedef struct {
  const uint32_t *symbols;
  size_t n, order;
} sequence;

/* The first `order` symbols at two places; what ends sooner comes first. */
static int
compare(const sequence *a, size_t at_a, const sequence *b, size_t at_b, size_t order)
{
  for (size_t k = 0; k < order; k++) {
    bool a_ends = at_a + k >= a->n, b_ends = at_b + k >= b->n;
    if (a_ends || b_ends)
      return a_ends && b_ends ? 0 : a_ends ? -1 : 1;
    uint32_t x = a->symbols[at_a + k], y = b->symbols[at_b + k];
    if (x != y)
      return x < y ? -1 : 1;
  }
  return 0;
}

static int
compare_places(const void *x, const void *y, void *user)
{
  const sequence *s = user;
  return compare(s, *(const size_t *) x, s, *(const size_t *) y, s->order);
}

static size_t *
sort_places(sequence *s)
{
  size_t *places = mt_alloc(s->n, sizeof *places);
  if (!places)
    return NULL;
  for (size_t i = 0; i < s->n; i++)
    places[i] = i;
  qsort_r(places, s->n, sizeof *places, compare_places, s);
  return places;
}

/* Move on to a place with n symbols. */
static size_t
skip_short(const sequence *s, const size_t *places, size_t i, size_t n)
{
  while (i < s->n && s->n - places[i] < n)
    i++;
  return i;
}

/* One n-gram for one: in sorted lists that pairs off each with as many as there are of it. */
static uint64_t
merge(const sequence *a, const size_t *places_a, const sequence *b, const size_t *places_b,
      size_t n)
{
  uint64_t matches = 0;
  size_t i = skip_short(a, places_a, 0, n), k = skip_short(b, places_b, 0, n);
  while (i < a->n && k < b->n) {
    int order = compare(a, places_a[i], b, places_b[k], n);
    matches += order == 0;
    if (order <= 0)
      i = skip_short(a, places_a, i + 1, n);
    if (order >= 0)
      k = skip_short(b, places_b, k + 1, n);
  }
  return matches;
}

bool
mt_ngrams_match(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t max_order,
                uint64_t matches[MT_NGRAMS_MAX_ORDER], mt_error *error)
{
  sequence first = {a, n_a, max_order}, second = {b, n_b, max_order};
  size_t *places_a = sort_places(&first);
  size_t *places_b = places_a ? sort_places(&second) : NULL;
  for (size_t n = 1; places_b && n <= max_order; n++)
    matches[n - 1] = merge(&first, places_a, &second, places_b, n);
  bool ok = places_b != NULL || mt_fail_no_memory(error);
  mt_free(places_a);
  mt_free(places_b);
  return ok;
}
