/* regard-matrix-sentence.c — what a matrix shows, as a sentence for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-sentence.h"

#include "figures/regard-language.h"
#include "figures/regard-matrix-attention.h"

#include <math.h>

/* A label as one says it. Caller frees. */
static char *
say(const RegardLabel *label)
{
  char *text = g_strdup(label->text);
  regard_plain_text(&text);
  return text;
}

/* "56 %"; little is not nothing. Caller frees. */
static char *
percent(double weight)
{
  return weight > 0 && weight < 0.005 ? g_strdup(_("less than 1 %"))
                                      : g_strdup_printf(_("%.0f %%"), 100 * weight);
}

/* Whether a row shares out a whole, so that percent mean something. */
static gboolean
is_shared(const RegardMatrix *m)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  return from && !m->diverging && !mt_capture_difference_a(from->capture);
}

/* The largest of a row that is no column besides, -1: none. */
static int
find_largest(const RegardMatrix *m, guint row, int besides)
{
  int found = -1;
  for (guint c = 0; c < m->cols; c++)
    if ((int) c != besides && !regard_matrix_is_masked(m, row, c) &&
        (found < 0 || regard_matrix_get(m, row, c) > regard_matrix_get(m, row, (guint) found)))
      found = (int) c;
  return found;
}

static char *
say_cell(const RegardMatrix *m, guint row, guint col)
{
  if (!is_shared(m) || regard_matrix_is_masked(m, row, col))
    return regard_matrix_describe_cell(m, row, col);
  const int most = find_largest(m, row, -1);
  g_autofree char *query = say(&m->row_labels[row]), *key = say(&m->col_labels[col]);
  g_autofree char *weight = percent((double) regard_matrix_get(m, row, col));
  if (most < 0 || regard_matrix_get(m, row, (guint) most) <= regard_matrix_get(m, row, col))
    return g_strdup_printf(_("Row “%s”: looks most at “%s”, %s"), query, key, weight);
  g_autofree char *other = say(&m->col_labels[most]);
  g_autofree char *more = percent((double) regard_matrix_get(m, row, (guint) most));
  return g_strdup_printf(_("Row “%s”: looks at “%s”, %s; most at “%s”, %s"), query, key, weight,
                         other, more);
}

static char *
say_row(const RegardMatrix *m, guint row)
{
  const int first = find_largest(m, row, -1), second = find_largest(m, row, first);
  g_autofree char *query = say(&m->row_labels[row]);
  if (first < 0)
    return NULL;
  g_autofree char *key = say(&m->col_labels[first]);
  g_autofree char *weight = percent((double) regard_matrix_get(m, row, (guint) first));
  if (second < 0)
    return g_strdup_printf(_("Row “%s”: looks at “%s”, %s"), query, key, weight);
  g_autofree char *other = say(&m->col_labels[second]);
  g_autofree char *less = percent((double) regard_matrix_get(m, row, (guint) second));
  return g_strdup_printf(_("Row “%s”: looks most at “%s”, %s, and then at “%s”, %s"), query, key,
                         weight, other, less);
}

static char *
say_column(const RegardMatrix *m, guint col)
{
  int most = -1;
  double sum = 0;
  for (guint r = 0; r < m->rows; r++)
    if (!regard_matrix_is_masked(m, r, col)) {
      sum += (double) regard_matrix_get(m, r, col);
      if (most < 0 || regard_matrix_get(m, r, col) > regard_matrix_get(m, (guint) most, col))
        most = (int) r;
    }
  if (most < 0)
    return NULL;
  g_autofree char *key = say(&m->col_labels[col]), *query = say(&m->row_labels[most]);
  g_autofree char *weight = percent((double) regard_matrix_get(m, (guint) most, col));
  return regard_strdup_printf(
      _("Column “%s”: “%s” looks at it most, %s; all rows together give it %.2f"), key, query,
      weight, sum);
}

/* Cells of special tokens are the strongest in many heads, and say nothing of this sentence. */
static gboolean
find_strongest(const RegardMatrix *m, gboolean with_special, guint *row, guint *col)
{
  gboolean found = FALSE;
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++) {
      if ((!with_special && (m->row_labels[r].special || m->col_labels[c].special)) ||
          regard_matrix_is_masked(m, r, c) ||
          (found && fabsf(regard_matrix_get(m, r, c)) <= fabsf(regard_matrix_get(m, *row, *col))))
        continue;
      *row = r;
      *col = c;
      found = TRUE;
    }
  return found;
}

static char *
say_strongest(const RegardMatrix *m)
{
  guint row, col;
  if (!find_strongest(m, FALSE, &row, &col) && !find_strongest(m, TRUE, &row, &col))
    return NULL;
  g_autofree char *query = say(&m->row_labels[row]), *key = say(&m->col_labels[col]);
  if (!is_shared(m))
    return regard_strdup_printf(_("Largest here: row “%s”, column “%s”, %.3g"), query, key,
                                (double) regard_matrix_get(m, row, col));
  g_autofree char *weight = percent((double) regard_matrix_get(m, row, col));
  return g_strdup_printf(_("Strongest here: row “%s” looks at “%s”, %s"), query, key, weight);
}

char *
regard_matrix_sentence(const RegardMatrix *m, int row, int col)
{
  if (m->rows == 0 || m->cols == 0)
    return NULL;
  if (row >= 0 && col >= 0)
    return say_cell(m, (guint) row, (guint) col);
  if (row < 0 && col < 0)
    return say_strongest(m);
  if (!is_shared(m))
    return NULL;
  return row >= 0 ? say_row(m, (guint) row) : say_column(m, (guint) col);
}
