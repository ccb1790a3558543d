/* mt-symmetry.c — links of both directions become one set: intersection, union, and
 * grow-diag-final (Koehn, Och & Marcu 2003, Statistical Phrase-Based Translation, section 2).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt.h"

#include <stdlib.h>

enum { IN_A = 1, IN_B = 2, TAKEN = 4 };

typedef struct {
  size_t n_source, n_target;
  unsigned char *cells;  /* [n_target][n_source] */
  float *weights;        /* of a where it is there, else of b */
  bool *source, *target; /* words that have a link */
} grid;

static unsigned char *
at(const grid *g, size_t source, size_t target)
{
  return &g->cells[target * g->n_source + source];
}

static void
put(grid *g, const mt_link *links, size_t n, unsigned char bit)
{
  for (size_t i = 0; i < n; i++) {
    unsigned char *cell = at(g, links[i].source, links[i].target);
    if (!(*cell & IN_A))
      g->weights[links[i].target * g->n_source + links[i].source] = links[i].weight;
    *cell |= bit;
  }
}

static void
take(grid *g, size_t source, size_t target)
{
  *at(g, source, target) |= TAKEN;
  g->source[source] = g->target[target] = true;
}

static void
take_all(grid *g, unsigned char all, unsigned char any)
{
  for (size_t t = 0; t < g->n_target; t++)
    for (size_t s = 0; s < g->n_source; s++)
      if ((*at(g, s, t) & all) == all && *at(g, s, t) & any)
        take(g, s, t);
}

/* The order of words in both loops, and of neighbours, is that of the published pseudo-code, with
 * the target as its English. */
static bool
grow_beside(grid *g, size_t source, size_t target)
{
  static const int beside[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                   {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  bool has_grown = false;
  for (size_t i = 0; i < 8; i++) {
    const size_t t = target + (size_t) beside[i][0], s = source + (size_t) beside[i][1];
    if (t >= g->n_target || s >= g->n_source || (g->target[t] && g->source[s]))
      continue;
    if (*at(g, s, t) & (IN_A | IN_B)) {
      take(g, s, t);
      has_grown = true;
    }
  }
  return has_grown;
}

static void
grow(grid *g)
{
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (size_t t = 0; t < g->n_target; t++)
      for (size_t s = 0; s < g->n_source; s++)
        if (*at(g, s, t) & TAKEN && grow_beside(g, s, t))
          has_grown = true;
  }
}

static void
finish(grid *g, unsigned char of)
{
  for (size_t t = 0; t < g->n_target; t++)
    for (size_t s = 0; s < g->n_source; s++)
      if (*at(g, s, t) & of && !(g->target[t] && g->source[s]))
        take(g, s, t);
}

static void
measure(grid *g, const mt_link *links, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    g->n_source = links[i].source >= g->n_source ? links[i].source + (size_t) 1 : g->n_source;
    g->n_target = links[i].target >= g->n_target ? links[i].target + (size_t) 1 : g->n_target;
  }
}

size_t
mt_links_join(const mt_link *a, size_t n_a, const mt_link *b, size_t n_b,
              mt_recipe_symmetry symmetry, mt_link *out, mt_error *error)
{
  grid g = {0};
  size_t n = 0;
  measure(&g, a, n_a);
  measure(&g, b, n_b);
  g.cells = mt_alloc(g.n_target, g.n_source);
  g.weights = mt_alloc(g.n_target, g.n_source * sizeof *g.weights);
  g.source = mt_alloc(g.n_source, sizeof *g.source);
  g.target = mt_alloc(g.n_target, sizeof *g.target);
  if (g.cells && g.weights && g.source && g.target) {
    put(&g, a, n_a, IN_A);
    put(&g, b, n_b, IN_B);
    switch (symmetry) {
    case MT_RECIPE_ONE_DIRECTION:
      take_all(&g, IN_A, IN_A);
      break;
    case MT_RECIPE_UNION:
      take_all(&g, 0, IN_A | IN_B);
      break;
    case MT_RECIPE_INTERSECTION:
    case MT_RECIPE_GROW_DIAG_FINAL:
      take_all(&g, IN_A | IN_B, IN_A);
      break;
    }
    if (symmetry == MT_RECIPE_GROW_DIAG_FINAL) {
      grow(&g);
      finish(&g, IN_A);
      finish(&g, IN_B);
    }
    for (size_t t = 0; t < g.n_target; t++)
      for (size_t s = 0; s < g.n_source; s++)
        if (*at(&g, s, t) & TAKEN)
          out[n++] = (mt_link){(uint32_t) s, (uint32_t) t, g.weights[t * g.n_source + s]};
  } else {
    mt_fail_no_memory(error);
  }
  mt_free(g.cells);
  mt_free(g.weights);
  mt_free(g.source);
  mt_free(g.target);
  return n;
}
