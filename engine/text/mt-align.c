/* mt-align.c — which tokens of two lists are the same ones.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt.h"

#include <stdint.h>
#include <string.h>

typedef struct {
  const mt_tokens *a, *b;
  size_t n_a, n_b;
  uint32_t *longest; /* [n_a + 1][n_b + 1]: of what is left from (i, j) on */
} lists;

static int
compare(const lists *l, size_t i, size_t j)
{
  return strcmp(mt_tokens_get(l->a, i)->piece, mt_tokens_get(l->b, j)->piece);
}

static uint32_t *
longest_from(const lists *l, size_t i, size_t j)
{
  return &l->longest[i * (l->n_b + 1) + j];
}

/* From the end, so that it can be read from the beginning. */
static void
fill(const lists *l)
{
  for (size_t i = l->n_a; i-- > 0;)
    for (size_t j = l->n_b; j-- > 0;) {
      const uint32_t x = *longest_from(l, i + 1, j), y = *longest_from(l, i, j + 1);
      *longest_from(l, i, j) = compare(l, i, j) == 0 ? *longest_from(l, i + 1, j + 1) + 1
                               : x > y               ? x
                                                     : y;
    }
}

/* The next pair at or after (*i, *j), or the ends. Of two ways that are as long the one that leaves
 * out the lesser piece is taken, whichever side it is on: so that (b, a) has the pairs of (a, b).
 */
static void
find_next(const lists *l, size_t *i, size_t *j)
{
  while (*i < l->n_a && *j < l->n_b) {
    const int order = compare(l, *i, *j);
    const uint32_t x = *longest_from(l, *i + 1, *j), y = *longest_from(l, *i, *j + 1);
    if (order == 0)
      return;
    if (x > y || (x == y && order < 0))
      ++*i;
    else
      ++*j;
  }
  *i = l->n_a;
  *j = l->n_b;
}

size_t
mt_tokens_align(const mt_tokens *a, const mt_tokens *b, mt_pair *pairs, mt_error *error)
{
  lists l = {.a = a, .b = b, .n_a = mt_tokens_count(a), .n_b = mt_tokens_count(b)};
  l.longest = mt_alloc(l.n_a + 1, (l.n_b + 1) * sizeof *l.longest);
  if (!l.longest) {
    mt_fail_no_memory(error);
    return 0;
  }
  fill(&l);
  size_t n = 0;
  for (size_t i = 0, j = 0, next_i, next_j; i < l.n_a || j < l.n_b;
       i = next_i + 1, j = next_j + 1) {
    next_i = i, next_j = j;
    find_next(&l, &next_i, &next_j);
    for (; i < next_i; i++)
      pairs[n++] = (mt_pair){i, MT_NO_TOKEN};
    for (; j < next_j; j++)
      pairs[n++] = (mt_pair){MT_NO_TOKEN, j};
    if (next_i == l.n_a || next_j == l.n_b)
      break;
    pairs[n++] = (mt_pair){next_i, next_j};
  }
  mt_free(l.longest);
  return n;
}
