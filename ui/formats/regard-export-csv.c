/* regard-export-csv.c — the numbers of a figure as comma-separated values (RFC 4180, UTF-8, CRLF).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One matrix: a table. The first line names the columns, the first field of every other line its
 * row, both as "index:token" so that equal tokens stay distinct; masked cells are empty; a last
 * column "hidden" holds the mass of hidden special tokens, if any were hidden.
 *
 * Several matrices: the long form, one cell a line, which every statistics program reads:
 * which matrix it is of, for heads kind,layer,head, and then
 * query_index,query,key_index,key,weight. Layers and heads count from 1, tokens from 0; masked
 * cells have no line. Matrices that are different things have a line for each cell too:
 * matrix,row_index,row,column_index,column,value.
 */
#include "figures/regard-figure-private.h"
#include "formats/regard-export-private.h"
#include <string.h>

static void
append_field(GString *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    g_string_append(out, text);
    return;
  }
  g_string_append_c(out, '"');
  for (const char *p = text; *p; p++) {
    if (*p == '"')
      g_string_append_c(out, '"');
    g_string_append_c(out, *p);
  }
  g_string_append_c(out, '"');
}

static void
append_indexed(GString *out, const RegardLabel *label)
{
  g_autofree char *text = g_strdup_printf("%u:%s", label->first_token, label->piece);
  append_field(out, text);
}

static void
append_table(GString *out, const RegardMatrix *m)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *corner = g_strdup_printf("%s \\ %s", m->row_title, m->col_title);
  append_field(out, corner);
  for (guint c = 0; c < m->cols; c++) {
    g_string_append_c(out, ',');
    append_indexed(out, &m->col_labels[c]);
  }
  g_string_append(out, m->removed_mass ? ",hidden\r\n" : "\r\n");
  for (guint r = 0; r < m->rows; r++) {
    append_indexed(out, &m->row_labels[r]);
    for (guint c = 0; c < m->cols; c++) {
      g_string_append_c(out, ',');
      if (!regard_matrix_is_masked(m, r, c))
        g_string_append(out, regard_exact_number(number, regard_matrix_get(m, r, c)));
    }
    if (m->removed_mass) {
      g_string_append_c(out, ',');
      g_string_append(out, regard_exact_number(number, m->removed_mass[r]));
    }
    g_string_append(out, "\r\n");
  }
}

static void
append_long(GString *out, const char *place, const RegardMatrix *m)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++) {
      if (regard_matrix_is_masked(m, r, c))
        continue;
      const RegardLabel *query = &m->row_labels[r], *key = &m->col_labels[c];
      g_string_append_printf(out, "%s,%u,", place, query->first_token);
      append_field(out, query->piece);
      g_string_append_printf(out, ",%u,", key->first_token);
      append_field(out, key->piece);
      g_string_append_c(out, ',');
      g_string_append(out, regard_exact_number(number, regard_matrix_get(m, r, c)));
      g_string_append(out, "\r\n");
    }
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  if (!regard_export_check_text_cells(figure, error))
    return NULL;
  guint n = regard_figure_n_matrices(figure);
  GString *out = g_string_new(NULL);
  if (n == 1)
    append_table(out, regard_figure_matrix(figure, 0));
  else {
    const gboolean has_parts = figure->klass->has_parts;
    if (has_parts)
      g_string_append(out, "matrix,row_index,row,column_index,column,value\r\n");
    else
      g_string_append_printf(out, "%s,query_index,query,key_index,key,weight\r\n",
                             figure->klass->place_names);
    for (guint i = 0; i < n; i++) {
      g_autoptr(GString) place = g_string_new(NULL);
      if (has_parts)
        g_string_append(place, regard_figure_matrix(figure, i)->id);
      else
        figure->klass->append_place(figure, i, place);
      append_long(out, place->str, regard_figure_matrix(figure, i));
    }
  }
  return g_string_free_to_bytes(out);
}

const RegardExportFormat regard_export_csv = {
    .id = "csv",
    .name = "CSV table",
    .mime_type = "text/csv",
    .is_picture = FALSE,
    .render = render,
};
