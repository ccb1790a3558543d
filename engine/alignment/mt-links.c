/* mt-links.c — a recipe followed: pieces become words, of each row something is chosen, and links
 * of both directions become one set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-alignment-input.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt.h"

#include <stdlib.h>
#include <string.h>

/* ---- From pieces to words -------------------------------------------------------------------- */

/* A cell of tokens, as the mean over the places of the recipe. */
static double
read_cell(const mt_alignment_input *a, const mt_recipe *recipe, size_t row, size_t j)
{
  const size_t n = a->rows * a->keys, cell = row * a->keys + j;
  double sum = 0;
  if (recipe->n_heads == 0)
    return (double) a->layers[recipe->matrix][(size_t) recipe->layer * n + cell];
  for (size_t h = 0; h < recipe->n_heads; h++) {
    const size_t at = recipe->heads[h].layer * a->n_heads + recipe->heads[h].head;
    sum += (double) a->heads[recipe->matrix][at * n + cell] / (double) recipe->n_heads;
  }
  return sum;
}

static void
read_row(const mt_alignment_input *a, const mt_recipe *recipe, size_t row, double *out)
{
  for (size_t j = 0; j < a->keys; j++)
    out[j] = read_cell(a, recipe, row, j);
}

/* Source pieces into words [n], and what special tokens have. n_pieces [n]: how many a word has. */
static double
merge_columns(const mt_alignment_input *a, const mt_recipe *recipe, const double *row,
              const size_t *n_pieces, double *out)
{
  const mt_words *words = &a->words[MT_STACK_ENCODER];
  double special = 0;
  memset(out, 0, words->n * sizeof *out);
  for (size_t j = 0; j < a->keys; j++) {
    if (mt_tokens_get(a->tokens[MT_STACK_ENCODER], j)->is_special)
      special += row[j];
    for (size_t w = words->pieces[j].begin; w < words->pieces[j].end; w++)
      out[w] += row[j];
  }
  if (recipe->source == MT_RECIPE_MEAN)
    for (size_t w = 0; w < words->n; w++)
      out[w] /= n_pieces[w] ? (double) n_pieces[w] : 1;
  return recipe->special == MT_RECIPE_KEEP ? special : 0;
}

static void
count_pieces(const mt_alignment_input *a, size_t *n_pieces)
{
  const mt_words *words = &a->words[MT_STACK_ENCODER];
  memset(n_pieces, 0, words->n * sizeof *n_pieces);
  for (size_t j = 0; j < a->keys; j++)
    for (size_t w = words->pieces[j].begin; w < words->pieces[j].end; w++)
      n_pieces[w]++;
}

/* Add the row of each output token to its words; the mean is over pieces that have a row. */
static void
merge_rows(mt_word_matrix *m, const mt_alignment_input *a, const mt_recipe *recipe, double *row,
           double *merged, size_t *n_pieces, size_t *n_rows)
{
  const mt_words *words = &a->words[MT_STACK_DECODER];
  count_pieces(a, n_pieces);
  for (size_t t = 0; t < a->rows; t++) {
    const size_t r = mt_alignment_input_row(a, recipe->row, t);
    if (r == SIZE_MAX || words->pieces[t].begin == words->pieces[t].end)
      continue;
    read_row(a, recipe, r, row);
    const double special = merge_columns(a, recipe, row, n_pieces, merged);
    for (size_t w = words->pieces[t].begin; w < words->pieces[t].end; w++) {
      for (size_t s = 0; s < m->cols; s++)
        m->values[w * m->cols + s] += merged[s];
      m->special[w] += special;
      n_rows[w]++;
    }
  }
  for (size_t w = 0; recipe->target == MT_RECIPE_MEAN && w < m->rows; w++) {
    const double n = n_rows[w] ? (double) n_rows[w] : 1;
    for (size_t s = 0; s < m->cols; s++)
      m->values[w * m->cols + s] /= n;
    m->special[w] /= n;
  }
}

void
mt_alignment_input_add_token(const mt_alignment_input *a, const mt_recipe *recipe, size_t t,
                             double *pieces, double *words)
{
  const mt_words *source = &a->words[MT_STACK_ENCODER];
  const size_t row = mt_alignment_input_row(a, recipe->row, t);
  for (size_t j = 0; j < a->keys; j++) {
    const double here = read_cell(a, recipe, row == SIZE_MAX ? t : row, j);
    pieces[j] += here;
    for (size_t w = source->pieces[j].begin; w < source->pieces[j].end; w++)
      words[w] += here;
  }
}

static void
apply_punctuation(mt_word_matrix *m, const mt_alignment_input *a)
{
  const bool *source = a->words[MT_STACK_ENCODER].is_punctuation;
  const bool *target = a->words[MT_STACK_DECODER].is_punctuation;
  for (size_t w = 0; w < m->rows; w++)
    for (size_t s = 0; s < m->cols; s++)
      if (source[s] != target[w])
        m->values[w * m->cols + s] = 0;
}

/* The place of the recipe is checked, and no longer open. word_matrix_end in any case. False: no
 * memory. */
static bool
word_matrix_begin(mt_word_matrix *m, const mt_alignment_input *a, const mt_recipe *recipe)
{
  *m = (mt_word_matrix){.rows = a->words[MT_STACK_DECODER].n, .cols = a->words[MT_STACK_ENCODER].n};
  m->values = mt_alloc(m->rows, m->cols * sizeof *m->values);
  m->special = mt_alloc(m->rows, sizeof *m->special);
  double *row = mt_alloc(a->keys + m->cols, sizeof *row);
  size_t *counts = mt_alloc(m->cols + m->rows, sizeof *counts);
  const bool ok = m->values && m->special && row && counts;
  if (ok) {
    merge_rows(m, a, recipe, row, row + a->keys, counts, counts + m->cols);
    if (recipe->punctuation == MT_RECIPE_ON)
      apply_punctuation(m, a);
  }
  mt_free(row);
  mt_free(counts);
  return ok;
}

static void
word_matrix_end(mt_word_matrix *m)
{
  mt_free(m->values);
  mt_free(m->special);
}

/* ---- From rows to links ---------------------------------------------------------------------- */

/* Links of one direction, at most rows * cols of them; returns how many. */
static size_t
word_matrix_links(const mt_word_matrix *m, const mt_recipe *recipe, mt_link *links)
{
  size_t n = 0;
  for (size_t w = 0; w < m->rows; w++) {
    const double *row = m->values + w * m->cols;
    double sum = m->special[w];
    size_t best = 0;
    for (size_t s = 0; s < m->cols; s++) {
      sum += row[s];
      best = row[s] > row[best] ? s : best;
    }
    for (size_t s = 0; sum > 0 && s < m->cols; s++) {
      const bool is_chosen = recipe->choose == MT_RECIPE_THRESHOLD
                                 ? row[s] >= recipe->threshold * sum
                                 : s == best && row[s] >= m->special[w];
      if (is_chosen && row[s] > 0)
        links[n++] = (mt_link){(uint32_t) s, (uint32_t) w, (float) (row[s] / sum)};
    }
  }
  return n;
}

static bool
check(const mt_alignment_input *a, const mt_recipe *recipe, mt_recipe *with_layer, mt_error *error)
{
  if (!mt_recipe_check(recipe, a->n_layers, a->n_heads, error))
    return false;
  *with_layer = *recipe;
  if (recipe->n_heads > 0 || recipe->layer != MT_RECIPE_AUTO)
    return true;
  double *sums = mt_alloc(a->n_layers, sizeof *sums);
  size_t n = 0;
  if (!sums)
    return mt_fail_no_memory(error);
  mt_alignment_input_add_norms(a, recipe->row, sums, &n);
  mt_recipe_choose_layer(with_layer, sums, a->n_layers);
  mt_free(sums);
  return true;
}

/* Those of one direction. */
static mt_link *
one_direction(const mt_alignment_input *a, const mt_recipe *recipe, size_t *n, mt_error *error)
{
  mt_recipe own;
  mt_word_matrix m = {0};
  mt_link *links = NULL;
  if (!check(a, recipe, &own, error))
    return NULL;
  const bool ok = word_matrix_begin(&m, a, &own);
  links = ok ? mt_alloc(m.rows * m.cols, sizeof *links) : NULL;
  if (links)
    *n = word_matrix_links(&m, &own, links);
  else
    mt_fail_no_memory(error);
  word_matrix_end(&m);
  return links;
}

/* Words are the same if their letters are. */
static bool
has_same_words(const mt_alignment_input *a, mt_stack side, const mt_alignment_input *b,
               mt_stack other)
{
  const mt_words *x = &a->words[side], *y = &b->words[other];
  bool same = x->n == y->n;
  for (size_t i = 0; same && i < x->n; i++) {
    const size_t n = x->words[i].end - x->words[i].begin;
    same = n == y->words[i].end - y->words[i].begin &&
           memcmp(x->text + x->words[i].begin, y->text + y->words[i].begin, n) == 0;
  }
  return same;
}

mt_link *
mt_alignment_input_links(const mt_alignment_input *a, const mt_recipe *recipe,
                         const mt_alignment_input *reverse, const mt_recipe *reverse_recipe,
                         size_t *n, mt_error *error)
{
  const bool joins = recipe->symmetry != MT_RECIPE_ONE_DIRECTION;
  *n = 0;
  if (joins && !reverse) {
    mt_fail(error, MT_ERROR_INPUT,
            "The links of both directions want a second model of the other direction.");
    return NULL;
  }
  if (joins && !(has_same_words(a, MT_STACK_ENCODER, reverse, MT_STACK_DECODER) &&
                 has_same_words(a, MT_STACK_DECODER, reverse, MT_STACK_ENCODER)))
    return mt_fail(error, MT_ERROR_INPUT, "The other direction is of other words."), NULL;

  size_t n_own = 0, n_other = 0;
  mt_link *own = one_direction(a, recipe, &n_own, error);
  if (!own || !joins) {
    *n = n_own;
    return own;
  }
  mt_link *other =
      one_direction(reverse, reverse_recipe ? reverse_recipe : recipe, &n_other, error);
  mt_link *out = other ? mt_alloc(n_own + n_other, sizeof *out) : NULL;
  mt_error own_error = {0};
  if (out) {
    for (size_t i = 0; i < n_other; i++)
      other[i] = (mt_link){other[i].target, other[i].source, other[i].weight};
    *n = mt_links_join(own, n_own, other, n_other, recipe->symmetry, out, &own_error);
  } else if (other) {
    mt_fail_no_memory(error);
  }
  if (own_error.code) {
    mt_fail(error, own_error.code, "%s", own_error.message);
    mt_free(out);
    out = NULL;
  }
  mt_free(own);
  mt_free(other);
  return out;
}

void
mt_links_free(mt_link *links)
{
  mt_free(links);
}

float *
mt_alignment_input_matrix(const mt_alignment_input *a, const mt_recipe *recipe, mt_error *error)
{
  mt_recipe own;
  mt_word_matrix m = {0};
  float *values = NULL;
  if (!check(a, recipe, &own, error))
    return NULL;
  if (word_matrix_begin(&m, a, &own))
    values = mt_alloc(m.rows * m.cols, sizeof *values);
  for (size_t i = 0; values && i < m.rows * m.cols; i++)
    values[i] = (float) m.values[i];
  if (!values)
    mt_fail_no_memory(error);
  word_matrix_end(&m);
  return values;
}

void
mt_links_free_matrix(float *matrix)
{
  mt_free(matrix);
}

/* ---- Symmetry -------------------------------------------------------------------------------- */

/* Links of both directions become one set: intersection, union, and
 * grow-diag-final (Koehn, Och & Marcu 2003, Statistical Phrase-Based Translation, section 2). */

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
