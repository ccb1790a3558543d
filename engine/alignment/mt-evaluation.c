/* mt-evaluation.c — many recipes beside each other on the sentences of a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-alignable.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mt_evaluation {
  size_t n, n_layers, n_heads;
  mt_evaluated *ranked;  /* [n]; by their number until it is finished */
  mt_recipe *reverse;    /* [n] */
  mt_aer_counts *counts; /* [sentences][n] */
  size_t n_sentences, capacity;
  double *norms[2]; /* by row: [layers] */
};

mt_evaluation *
mt_evaluation_new(const mt_recipe *recipes, const mt_recipe *reverse_recipes, size_t n,
                  size_t n_layers, size_t n_heads, mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    if (!mt_recipe_check(&recipes[i], n_layers, n_heads, error))
      return NULL;
    if (recipes[i].n_heads == 0 && recipes[i].layer == MT_RECIPE_AUTO) {
      mt_fail(error, MT_ERROR_INPUT, "A recipe whose layer is open cannot be evaluated.");
      return NULL;
    }
  }
  mt_evaluation *e = mt_alloc(1, sizeof *e);
  if (e) {
    *e = (mt_evaluation){.n = n, .n_layers = n_layers, .n_heads = n_heads};
    e->ranked = mt_alloc(n, sizeof *e->ranked);
    e->reverse = mt_alloc(n, sizeof *e->reverse);
    for (int row = 0; row < 2; row++)
      e->norms[row] = mt_alloc(n_layers, sizeof *e->norms[row]);
  }
  if (!e || !e->ranked || !e->reverse || !e->norms[0] || !e->norms[1]) {
    mt_evaluation_free(e);
    mt_fail_no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    e->ranked[i] = (mt_evaluated){.recipe = recipes[i], .number = i};
    e->reverse[i] = reverse_recipes ? reverse_recipes[i] : recipes[i];
  }
  return e;
}

void
mt_evaluation_free(mt_evaluation *e)
{
  if (!e)
    return;
  mt_free(e->ranked);
  mt_free(e->reverse);
  mt_free(e->counts);
  mt_free(e->norms[0]);
  mt_free(e->norms[1]);
  mt_free(e);
}

static bool
make_room(mt_evaluation *e)
{
  if (e->n_sentences < e->capacity)
    return true;
  const size_t capacity = 2 * e->capacity + 16;
  size_t n;
  if (__builtin_mul_overflow(capacity, e->n, &n))
    return false;
  mt_aer_counts *more = mt_realloc(e->counts, n, sizeof *more);
  if (!more)
    return false;
  e->counts = more;
  e->capacity = capacity;
  return true;
}

bool
mt_evaluation_add(mt_evaluation *e, const mt_alignable *a, const mt_alignable *reverse,
                  const mt_gold_link *gold, size_t n_gold, mt_error *error)
{
  if (a->n_layers != e->n_layers || a->n_heads != e->n_heads)
    return mt_fail(error, MT_ERROR_INPUT, "The sentences are of different models.");
  if (!make_room(e))
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < e->n; i++) {
    size_t n;
    mt_link *links =
        mt_alignable_links(a, &e->ranked[i].recipe, reverse, &e->reverse[i], &n, error);
    if (!links)
      return false;
    e->counts[e->n_sentences * e->n + i] = mt_aer_count(links, n, gold, n_gold);
    mt_links_free(links);
  }
  size_t n_cells = 0;
  for (int row = 0; row < 2; row++)
    mt_alignable_add_norms(a, (mt_recipe_row) row, e->norms[row], &n_cells);
  e->n_sentences++;
  return true;
}

/* ---- The end --------------------------------------------------------------------------------- */

size_t
mt_evaluation_chosen_layer(const mt_evaluation *e, mt_recipe_row row)
{
  size_t best = 0;
  for (size_t l = 1; l < e->n_layers; l++)
    best = e->norms[row][l] > e->norms[row][best] ? l : best;
  return best;
}

/* The lowest first; what is of nothing last; else as they were given. */
static int
compare(const void *a, const void *b)
{
  const mt_evaluated *x = a, *y = b;
  if (isnan(x->aer) != isnan(y->aer))
    return isnan(x->aer) ? 1 : -1;
  if (!isnan(x->aer) && x->aer != y->aer)
    return x->aer < y->aer ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void
sum_up(const mt_evaluation *e, mt_evaluated *one)
{
  for (size_t s = 0; s < e->n_sentences; s++) {
    const mt_aer_counts *c = &e->counts[s * e->n + one->number];
    one->counts.n_links += c->n_links;
    one->counts.n_sure += c->n_sure;
    one->counts.n_links_sure += c->n_links_sure;
    one->counts.n_links_possible += c->n_links_possible;
  }
  one->aer = mt_aer(&one->counts);
  one->precision = mt_aer_precision(&one->counts);
  one->recall = mt_aer_recall(&one->counts);
  one->low = one->high = NAN;
  one->is_chosen = one->recipe.matrix == MT_RECIPE_NORMS && one->recipe.n_heads == 0 &&
                   (size_t) one->recipe.layer == mt_evaluation_chosen_layer(e, one->recipe.row);
}

bool
mt_evaluation_finish(mt_evaluation *e, const mt_bootstrap *bootstrap, size_t n_intervals,
                     mt_error *error)
{
  mt_aer_counts *own = mt_alloc(e->n_sentences, sizeof *own);
  if (!own)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < e->n; i++) {
    e->ranked[i].counts = (mt_aer_counts){0};
    sum_up(e, &e->ranked[i]);
  }
  if (e->n > 0)
    qsort(e->ranked, e->n, sizeof *e->ranked, compare);
  bool ok = true;
  for (size_t i = 0; ok && bootstrap && i < e->n && i < n_intervals; i++) {
    for (size_t s = 0; s < e->n_sentences; s++)
      own[s] = mt_evaluation_sentence(e, i, s);
    ok = mt_bootstrap_interval(bootstrap, own, e->n_sentences, &e->ranked[i].low,
                               &e->ranked[i].high, error);
  }
  mt_free(own);
  return ok;
}

size_t
mt_evaluation_count(const mt_evaluation *e)
{
  return e->n;
}

size_t
mt_evaluation_n_sentences(const mt_evaluation *e)
{
  return e->n_sentences;
}

const mt_evaluated *
mt_evaluation_at(const mt_evaluation *e, size_t rank)
{
  return &e->ranked[rank];
}

mt_aer_counts
mt_evaluation_sentence(const mt_evaluation *e, size_t rank, size_t sentence)
{
  return e->counts[sentence * e->n + e->ranked[rank].number];
}
