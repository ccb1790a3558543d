/* regard-matrix-positions.c — matrices of positional encodings: the table itself, its similarity
 * PE · PE^T, and the linear map that shifts it (the paper, section 3.5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-private.h"
#include <math.h>

/* Label "12", or "▁cat" with the position in grey after it: beside the cells, so that numbers line
 * up. */
static void
fill_position_label(RegardLabel *label, guint position, const mt_tokens *tokens)
{
  label->first_token = position;
  label->n_tokens = 1;
  if (tokens && position < mt_tokens_count(tokens)) {
    const mt_token *token = mt_tokens_get(tokens, position);
    label->text = regard_token_display(tokens, position, position == 0);
    label->piece = g_strdup(token->piece ? token->piece : "");
    label->suffix = g_strdup_printf("  %u", position);
    label->special = token->is_special;
  } else {
    label->text = g_strdup_printf("%u", position);
    label->piece = g_strdup(label->text);
  }
}

static void
fill_index_labels(RegardLabel *labels, guint n)
{
  for (guint i = 0; i < n; i++) {
    labels[i].text = g_strdup_printf("%u", i);
    labels[i].piece = g_strdup(labels[i].text);
    labels[i].first_token = i;
    labels[i].n_tokens = 1;
  }
}

static RegardMatrix *
alloc_signed(RegardMatrixSort sort, guint rows, guint cols, const char *title,
             const char *row_title, const char *col_title, const char *value_name,
             const char *model_name)
{
  RegardMatrix *m = regard_matrix_alloc(sort, rows, cols);
  m->title = g_strdup(title);
  m->row_title = g_strdup(row_title);
  m->col_title = g_strdup(col_title);
  m->value_name = g_strdup(value_name);
  m->model_name = g_strdup(model_name);
  m->badges = g_new0(char *, 1);
  m->diverging = TRUE;
  return m;
}

RegardMatrix *
regard_matrix_new_positions(mt_matrix table, guint n, const mt_tokens *tokens,
                            const char *model_name)
{
  if (!table.data || table.rows == 0 || table.cols == 0 || n == 0)
    return NULL;
  guint rows = (guint) MIN(n, table.rows), cols = (guint) table.cols;
  RegardMatrix *m = alloc_signed(REGARD_MATRIX_POSITIONS, rows, cols, "Positional encoding",
                                 "position", "dimension", "encoding", model_name);
  for (guint r = 0; r < rows; r++) {
    fill_position_label(&m->row_labels[r], r, tokens);
    for (guint c = 0; c < cols; c++)
      m->values[(gsize) r * cols + c] = mt_matrix_at(&table, r, c);
  }
  fill_index_labels(m->col_labels, cols);
  regard_matrix_set_range_from_values(m);
  return m;
}

RegardMatrix *
regard_matrix_new_similarity(mt_matrix table, guint n, const mt_tokens *tokens,
                             const char *model_name)
{
  if (!table.data || table.rows == 0 || table.cols == 0 || n == 0)
    return NULL;
  n = (guint) MIN(n, table.rows);
  RegardMatrix *m =
      alloc_signed(REGARD_MATRIX_SIMILARITY, n, n, "Similarity of positions · PE · PEᵀ", "position",
                   "position", "similarity", model_name);
  for (guint r = 0; r < n; r++) {
    fill_position_label(&m->row_labels[r], r, tokens);
    fill_position_label(&m->col_labels[r], r, tokens);
    for (guint c = 0; c <= r; c++) {
      /* Four partial sums, so that the compiler may keep them in one vector. */
      const float *a = table.data + r * table.stride, *b = table.data + c * table.stride;
      float s[4] = {0};
      gsize i = 0;
      for (; i + 4 <= table.cols; i += 4)
        for (gsize k = 0; k < 4; k++)
          s[k] += a[i + k] * b[i + k];
      for (; i < table.cols; i++)
        s[0] += a[i] * b[i];
      m->values[(gsize) r * n + c] = m->values[(gsize) c * n + r] = s[0] + s[1] + s[2] + s[3];
    }
  }
  /* Sinusoids have no negative products at small offsets: then half a signed range would be void.
   */
  m->diverging = FALSE;
  for (gsize i = 0; i < (gsize) n * n && !m->diverging; i++)
    m->diverging = m->values[i] < 0;
  regard_matrix_set_range_from_values(m);
  return m;
}

RegardMatrix *
regard_matrix_new_shift(guint d_model, int k, mt_position_kind kind, const char *model_name)
{
  if (d_model == 0 || d_model % 2 != 0 || kind == MT_POSITIONS_LEARNED)
    return NULL;
  g_autofree char *title = g_strdup_printf("Shift by %s%d · PE(p %s %d) = M · PE(p)",
                                           k < 0 ? "−" : "", ABS(k), k < 0 ? "−" : "+", ABS(k));
  RegardMatrix *m =
      alloc_signed(REGARD_MATRIX_SHIFT, d_model, d_model, title, "dimension of PE(p + k)",
                   "dimension of PE(p)", "coefficient", model_name);
  mt_positions_shift(m->values, d_model, k, kind);
  fill_index_labels(m->row_labels, d_model);
  fill_index_labels(m->col_labels, d_model);
  regard_matrix_set_range_from_values(m);
  return m;
}
