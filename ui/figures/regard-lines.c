/* regard-lines.c — the lines of a matrix: which of them are strong, and what is said of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-lines.h"
#include <math.h>
#include <string.h>

/* How many keys of a token are read aloud. */
#define MOST_SAID 4

const char *const regard_form_ids[REGARD_N_FORMS + 1] = {"matrix", "lines", NULL};

/* ---- The smallest set ------------------------------------------------------------------------ */

typedef struct {
  float size; /* absolute value */
  guint i;
} Item;

/* The larger first; of equal ones that with the smaller index. */
static inline gboolean
is_before(Item a, Item b)
{
  return a.size > b.size || (a.size == b.size && a.i < b.i);
}

static void
sink(Item *heap, guint n, guint at)
{
  for (guint child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && is_before(heap[child + 1], heap[child]))
      child++;
    if (!is_before(heap[child], heap[at]))
      return;
    Item other = heap[at];
    heap[at] = heap[child];
    heap[child] = other;
  }
}

static inline float
size_of(float value)
{
  return isfinite(value) ? fabsf(value) : 0;
}

/* A heap gives the largest ones first, and few of them are wanted: attention is peaked. */
guint
regard_lines_smallest_set(const float *values, guint n, double share, guint8 *kept)
{
  g_autofree Item *heap = g_new(Item, MAX(n, 1));
  double sum = 0, held = 0;
  guint n_heap = 0, n_kept = 0;
  memset(kept, 0, n);
  for (guint i = 0; i < n; i++)
    if (size_of(values[i]) > 0) {
      heap[n_heap++] = (Item){size_of(values[i]), i};
      sum += size_of(values[i]);
    }
  for (guint i = n_heap / 2; i-- > 0;)
    sink(heap, n_heap, i);
  /* A share of 1 is all of them, whatever rounding says. */
  const double wanted = share >= 1 ? INFINITY : share * sum * (1 - 1e-12);
  while (n_heap > 0 && held < wanted) {
    held += heap[0].size;
    kept[heap[0].i] = 1;
    n_kept++;
    heap[0] = heap[--n_heap];
    sink(heap, n_heap, 0);
  }
  return n_kept;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void
count(RegardLines *self)
{
  double all = 0, kept = 0;
  for (guint k = 0; k < self->n; k++) {
    const RegardMatrix *m = self->matrices[k];
    for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
      const double size = size_of(m->values[i]);
      self->n_lines += size > 0;
      self->n_kept += self->kept[k][i];
      all += size;
      kept += self->kept[k][i] ? size : 0;
    }
  }
  self->dimmed = all > 0 ? CLAMP(1 - kept / all, 0, 1) : 0;
  if (self->n_kept == self->n_lines)
    self->dimmed = 0;
}

static void
clear(gpointer subject)
{
  RegardLines *lines = subject;
  for (guint i = 0; i < lines->n; i++) {
    regard_matrix_unref(lines->matrices[i]);
    g_free(lines->names[i]);
    g_free(lines->kept[i]);
  }
  g_free(lines->matrices);
  g_free(lines->names);
  g_free(lines->kept);
}

RegardLines *
regard_lines_new(RegardMatrix *const *matrices, const char *const *names, guint n, double share)
{
  g_return_val_if_fail(matrices && n > 0, NULL);
  RegardLines *self = regard_subject_alloc(sizeof *self, clear);
  self->share = CLAMP(share, 0, 1);
  self->matrices = g_new0(RegardMatrix *, REGARD_MOST_LINES);
  self->names = g_new0(char *, REGARD_MOST_LINES + 1);
  self->kept = g_new0(guint8 *, REGARD_MOST_LINES);
  for (guint i = 0; i < n && self->n < REGARD_MOST_LINES; i++) {
    const guint rows = matrices[0]->rows, cols = matrices[0]->cols;
    if (matrices[i]->rows != rows || matrices[i]->cols != cols)
      continue;
    guint8 *kept = self->kept[self->n] = g_malloc0(MAX((gsize) rows * cols, 1));
    for (guint r = 0; r < rows; r++)
      regard_lines_smallest_set(matrices[i]->values + (gsize) r * cols, cols, self->share,
                                kept + (gsize) r * cols);
    self->lo = MIN(self->lo, matrices[i]->lo);
    self->hi = MAX(self->hi, matrices[i]->hi);
    self->names[self->n] = names ? g_strdup(names[i]) : NULL;
    self->matrices[self->n++] = regard_matrix_ref(matrices[i]);
  }
  count(self);
  return self;
}

gboolean
regard_lines_is_isolated(const RegardLines *lines, const RegardLinesMarks *marks)
{
  const RegardMatrix *m = lines->matrices[0];
  return (marks->rows && memchr(marks->rows, 1, m->rows)) ||
         (marks->cols && memchr(marks->cols, 1, m->cols));
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void
append_number(GString *text, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(number, sizeof number, fabs(value) >= 0.1 || value == 0 ? "%.2f" : "%.3f", value);
  g_string_append(text, number);
}

/* The largest of a token's lines, as many as are read aloud. */
static void
append_largest(GString *text, const RegardMatrix *m, RegardLinesSide side, guint i)
{
  const guint n = side == REGARD_LINES_ROWS ? m->cols : m->rows;
  const RegardLabel *labels = side == REGARD_LINES_ROWS ? m->col_labels : m->row_labels;
  g_autofree float *values = g_new(float, MAX(n, 1));
  for (guint j = 0; j < n; j++)
    values[j] = side == REGARD_LINES_ROWS ? regard_matrix_get(m, i, j) : regard_matrix_get(m, j, i);
  for (guint said = 0; said < MOST_SAID; said++) {
    guint best = n;
    for (guint j = 0; j < n; j++)
      if (size_of(values[j]) > 0 && (best == n || size_of(values[j]) > size_of(values[best])))
        best = j;
    if (best == n)
      break;
    g_string_append_printf(text, "%s%s ", said > 0 ? ", " : "",
                           regard_matrix_spoken(labels[best].text));
    append_number(text, values[best]);
    values[best] = 0;
  }
}

/* What of a row is strong, and what is not. */
static void
append_kept(GString *text, const RegardLines *lines, guint k, guint row)
{
  const RegardMatrix *m = lines->matrices[k];
  const guint8 *kept = lines->kept[k] + (gsize) row * m->cols;
  double sum = 0, held = 0;
  guint n = 0, n_lines = 0;
  for (guint c = 0; c < m->cols; c++) {
    const double size = size_of(regard_matrix_get(m, row, c));
    sum += size;
    held += kept[c] ? size : 0;
    n += kept[c];
    n_lines += size > 0;
  }
  g_string_append_printf(text, "; %u of %u %s ", n, n_lines, n == 1 ? "holds" : "hold");
  append_number(text, held);
  if (n < n_lines) {
    g_string_append(text, ", the other ");
    append_number(text, sum - held);
    g_string_append(text, " is dimmed");
  }
}

char *
regard_lines_describe_token(const RegardLines *lines, RegardLinesSide side, guint i)
{
  const RegardMatrix *first = lines->matrices[0];
  const gboolean is_row = side == REGARD_LINES_ROWS;
  g_return_val_if_fail(i < (is_row ? first->rows : first->cols), NULL);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s %s", is_row ? first->row_noun : first->col_noun,
                         regard_matrix_spoken(is_row ? first->row_labels[i].text
                                                     : first->col_labels[i].text));
  for (guint k = 0; k < lines->n; k++) {
    g_string_append(text, k == 0 ? ": " : "; ");
    if (lines->n > 1)
      g_string_append_printf(text, "%s: ", lines->names[k]);
    append_largest(text, lines->matrices[k], side, i);
    if (is_row)
      append_kept(text, lines, k, i);
  }
  return g_string_free(text, FALSE);
}

char *
regard_lines_describe_line(const RegardLines *lines, guint matrix, guint row, guint col)
{
  g_return_val_if_fail(matrix < lines->n, NULL);
  const RegardMatrix *m = lines->matrices[matrix];
  g_autofree char *cell = regard_matrix_describe_cell(m, row, col);
  const char *dimmed = lines->kept[matrix][(gsize) row * m->cols + col] ||
                               size_of(regard_matrix_get(m, row, col)) == 0
                           ? ""
                           : ", dimmed";
  return lines->n > 1 ? g_strdup_printf("%s: %s%s", lines->names[matrix], cell, dimmed)
                      : g_strconcat(cell, dimmed, NULL);
}

char *
regard_lines_describe(const RegardLines *lines)
{
  if (lines->n_kept == lines->n_lines)
    return g_strdup_printf("all %" G_GSIZE_FORMAT " lines", lines->n_lines);
  /* Rounded so that what is there is never called nothing. */
  const double percent = lines->dimmed * 100;
  g_autofree char *dimmed =
      percent < 1 ? g_strdup("less than 1") : g_strdup_printf("%.0f", percent);
  return g_strdup_printf("lines of the fewest keys that hold %.0f %% of each row; the other %s %% "
                         "is dimmed",
                         lines->share * 100, dimmed);
}
