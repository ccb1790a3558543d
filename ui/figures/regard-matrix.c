/* regard-matrix.c — the matrix object: life, cells, labels, a cell in words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How matrices are made from captures is in regard-matrix-attention.c, from position tables in
 * regard-matrix-positions.c.
 */
#include "figures/regard-matrix-private.h"
#include <math.h>
#include <string.h>

G_DEFINE_BOXED_TYPE(RegardMatrix, regard_matrix, regard_matrix_ref, regard_matrix_unref)

RegardMatrix *
regard_matrix_alloc(RegardMatrixSort sort, guint rows, guint cols)
{
  RegardMatrix *m = g_new0(RegardMatrix, 1);
  g_atomic_ref_count_init(&m->ref_count);
  m->sort = sort;
  m->rows = rows;
  m->cols = cols;
  m->values = g_new0(float, MAX((gsize) rows * cols, 1));
  m->row_labels = g_new0(RegardLabel, MAX(rows, 1));
  m->col_labels = g_new0(RegardLabel, MAX(cols, 1));
  m->hi = 1;
  return m;
}

static void
labels_free(RegardLabel *labels, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_free(labels[i].text);
    g_free(labels[i].piece);
    g_free(labels[i].other);
    g_free(labels[i].prefix);
    g_free(labels[i].suffix);
  }
  g_free(labels);
}

RegardMatrix *
regard_matrix_ref(RegardMatrix *matrix)
{
  g_atomic_ref_count_inc(&matrix->ref_count);
  return matrix;
}

void
regard_matrix_unref(RegardMatrix *matrix)
{
  if (!matrix || !g_atomic_ref_count_dec(&matrix->ref_count))
    return;
  labels_free(matrix->row_labels, matrix->rows);
  labels_free(matrix->col_labels, matrix->cols);
  g_free(matrix->values);
  g_free(matrix->row_title);
  g_free(matrix->col_title);
  g_free(matrix->title);
  g_free(matrix->value_name);
  g_strfreev(matrix->badges);
  g_free(matrix->removed_mass);
  mt_capture_unref(matrix->capture);
  g_free(matrix->model_name);
  g_free(matrix);
}

void
regard_matrix_set_range_from_values(RegardMatrix *matrix)
{
  float max = 0;
  for (gsize i = 0; i < (gsize) matrix->rows * matrix->cols; i++)
    if (isfinite(matrix->values[i]) && fabsf(matrix->values[i]) > max)
      max = fabsf(matrix->values[i]);
  matrix->hi = max > 0 ? max : 1;
  matrix->lo = matrix->diverging ? -matrix->hi : 0;
}

static void
fill_plain_labels(RegardLabel *labels, guint n, const char *const *texts)
{
  for (guint i = 0; i < n; i++) {
    labels[i].text = texts ? g_strdup(texts[i]) : g_strdup_printf("%u", i);
    labels[i].piece = g_strdup(labels[i].text);
    labels[i].first_token = i;
    labels[i].n_tokens = 1;
  }
}

RegardMatrix *
regard_matrix_new(const float *values, guint rows, guint cols, const char *const *row_labels,
                  const char *const *col_labels)
{
  RegardMatrix *m = regard_matrix_alloc(REGARD_MATRIX_ATTENTION, rows, cols);
  gsize n = (gsize) rows * cols;
  if (n > 0)
    memcpy(m->values, values, n * sizeof *values);
  fill_plain_labels(m->row_labels, rows, row_labels);
  fill_plain_labels(m->col_labels, cols, col_labels);
  m->title = g_strdup("Matrix");
  m->row_title = g_strdup("rows");
  m->col_title = g_strdup("columns");
  m->value_name = g_strdup("value");
  m->badges = g_new0(char *, 1);

  for (gsize i = 0; i < n && !m->diverging; i++)
    m->diverging = values[i] < 0;
  regard_matrix_set_range_from_values(m);
  if (!m->diverging && m->hi <= 1)
    m->hi = 1; /* shares and probabilities: the whole range, so that pictures compare */
  m->rows_are_distributions = rows > 0 && !m->diverging;
  for (guint r = 0; r < rows && m->rows_are_distributions; r++)
    m->rows_are_distributions = fabs(regard_matrix_row_sum(m, r) - 1) <= 1e-4;
  return m;
}

static gboolean
is_block_hidden(const RegardMatrix *matrix, mt_attention_mask mask, guint row, guint row_end,
                guint col, guint col_end)
{
  const RegardLabel *rows = matrix->row_labels, *cols = matrix->col_labels;
  return mt_attention_mask_hides(mask, rows[row].first_token,
                                 rows[row_end - 1].first_token + rows[row_end - 1].n_tokens,
                                 cols[col].first_token,
                                 cols[col_end - 1].first_token + cols[col_end - 1].n_tokens);
}

gboolean
regard_matrix_is_block_masked(const RegardMatrix *matrix, guint row, guint row_end, guint col,
                              guint col_end)
{
  if (mt_attention_mask_is_empty(matrix->mask))
    return FALSE;
  return is_block_hidden(matrix, matrix->mask, row, row_end, col, col_end);
}

gboolean
regard_matrix_is_masked(const RegardMatrix *matrix, guint row, guint col)
{
  return regard_matrix_is_block_masked(matrix, row, row + 1, col, col + 1);
}

double
regard_matrix_row_sum(const RegardMatrix *matrix, guint row)
{
  double sum = 0;
  for (guint c = 0; c < matrix->cols; c++)
    sum += regard_matrix_get(matrix, row, c);
  return sum;
}

double
regard_matrix_row_max(const RegardMatrix *matrix, guint row)
{
  float max = 0;
  for (guint c = 0; c < matrix->cols; c++)
    max = MAX(max, fabsf(regard_matrix_get(matrix, row, c)));
  return max;
}

float
regard_matrix_score(const RegardMatrix *matrix, guint row, guint col)
{
  if (!matrix->capture || matrix->spec.combine != REGARD_COMBINE_HEAD || row >= matrix->rows ||
      col >= matrix->cols)
    return NAN;
  const RegardLabel *r = &matrix->row_labels[row], *c = &matrix->col_labels[col];
  if (r->n_tokens != 1 || c->n_tokens != 1)
    return NAN;
  return mt_capture_score_at(matrix->capture, matrix->spec.kind, matrix->spec.layer,
                             matrix->spec.head, r->first_token, c->first_token);
}

static int
label_of_token(const RegardLabel *labels, guint n, guint token)
{
  for (guint i = 0; i < n; i++)
    if (token >= labels[i].first_token && token - labels[i].first_token < labels[i].n_tokens)
      return (int) i;
  return -1;
}

int
regard_matrix_row_of_token(const RegardMatrix *matrix, guint token)
{
  return label_of_token(matrix->row_labels, matrix->rows, token);
}

int
regard_matrix_col_of_token(const RegardMatrix *matrix, guint token)
{
  return label_of_token(matrix->col_labels, matrix->cols, token);
}

/* Without the mark of a word's beginning, which a screen reader would spell out. */
const char *
regard_matrix_spoken(const char *text)
{
  if (strcmp(text, "⏎") == 0)
    return "end of sentence";
  if (g_str_has_prefix(text, "▁") && text[strlen("▁")])
    return text + strlen("▁");
  return text;
}

char *
regard_matrix_describe_cell(const RegardMatrix *matrix, guint row, guint col)
{
  g_return_val_if_fail(row < matrix->rows && col < matrix->cols, NULL);
  const char *row_text = regard_matrix_spoken(matrix->row_labels[row].text);
  const char *col_text = regard_matrix_spoken(matrix->col_labels[col].text);
  if (regard_matrix_is_masked(matrix, row, col)) {
    if (matrix->mask.is_causal &&
        matrix->col_labels[col].first_token > matrix->row_labels[row].first_token)
      return g_strdup_printf("row %s, column %s, masked: the row cannot see later tokens", row_text,
                             col_text);
    mt_attention_mask of_model = matrix->mask;
    of_model.changes = NULL;
    if (!is_block_hidden(matrix, of_model, row, row + 1, col, col + 1))
      return g_strdup_printf("row %s, column %s, masked: hidden by a change", row_text, col_text);
    return g_strdup_printf("row %s, column %s, masked: the row can see %zu tokens to each side",
                           row_text, col_text, matrix->mask.window);
  }

  float value = regard_matrix_get(matrix, row, col);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(number, sizeof number, fabsf(value) >= 0.1f ? "%.2f" : "%.3f", value);
  if (matrix->sort != REGARD_MATRIX_ATTENTION || matrix->diverging)
    return g_strdup_printf("row %s, column %s, %s", row_text, col_text, number);

  guint rank = 1, n = 0;
  for (guint c = 0; c < matrix->cols; c++)
    if (!regard_matrix_is_masked(matrix, row, c)) {
      n++;
      rank += regard_matrix_get(matrix, row, c) > value;
    }
  if (rank == 1)
    return g_strdup_printf("row %s, column %s, %s, highest of %u", row_text, col_text, number, n);
  return g_strdup_printf("row %s, column %s, %s, rank %u of %u", row_text, col_text, number, rank,
                         n);
}
