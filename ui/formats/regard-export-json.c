/* regard-export-json.c — a figure's numbers and everything known about them as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * {"program", "caption", "matrices": [{"meta": {…}, "rows": [label…], "columns": [label…],
 * "values": [[…]…], "hidden_mass": […]}]}. A label has the text shown, the piece in the vocabulary,
 * the tokens it stands for and, for decoder rows, the other token of the step. Masked and
 * undefined cells are null. Written straight to text: a tree of a 512 x 512 matrix would take
 * fifty times its memory.
 */
#include "formats/regard-export-private.h"

void
regard_export_append_json_string(GString *json, const char *text)
{
  if (!text) {
    g_string_append(json, "null");
    return;
  }
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_string_append_c(json, '"');
  for (const char *p = valid; *p; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c(json, '\\');
    if ((guchar) *p < 0x20)
      g_string_append_printf(json, "\\u%04x", (guchar) *p);
    else
      g_string_append_c(json, *p);
  }
  g_string_append_c(json, '"');
}

static void
append_member(GString *json, const char *name, const char *text)
{
  g_string_append_printf(json, ",\"%s\":", name);
  regard_export_append_json_string(json, text);
}

typedef struct {
  RegardFacts parent;
  GString *json;
} JsonFacts;

static void
append_text(RegardFacts *facts, const char *name, const char *value)
{
  append_member(((JsonFacts *) facts)->json, name, value);
}

static void
append_lines(RegardFacts *facts, const char *name, const char *text)
{
  GString *json = ((JsonFacts *) facts)->json;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_string_append_printf(json, ",\"%s\":[", name);
  for (char **line = lines; *line; line++) {
    g_string_append(json, line > lines ? "," : "");
    regard_export_append_json_string(json, *line);
  }
  g_string_append_c(json, ']');
}

static void
append_count(RegardFacts *facts, const char *name, gsize value)
{
  g_string_append_printf(((JsonFacts *) facts)->json, ",\"%s\":%zu", name, value);
}

static void
append_flag(RegardFacts *facts, const char *name, gboolean value)
{
  g_string_append_printf(((JsonFacts *) facts)->json, ",\"%s\":%s", name, value ? "true" : "false");
}

void
regard_export_append_meta(GString *json, const RegardMatrix *m, gboolean of_grid)
{
  g_string_append_printf(json, "{\"sort\":\"%s\"", m->id);
  append_member(json, "value", m->value_name);
  if (!of_grid) {
    append_member(json, "title", m->title);
    append_member(json, "rows_are", m->row_title);
    append_member(json, "columns_are", m->col_title);
  }
  JsonFacts facts = {{append_text, append_lines, append_count, append_flag}, json};
  if (m->origin_class && m->origin_class->tell)
    m->origin_class->tell(m, of_grid, &facts.parent);
  else
    append_member(json, "model", m->model_name);
  g_string_append(json, ",\"badges\":[");
  for (guint i = 0; m->badges && m->badges[i]; i++) {
    g_string_append(json, i ? "," : "");
    regard_export_append_json_string(json, m->badges[i]);
  }
  g_string_append(json, "]}");
}

static void
append_labels(GString *json, const char *name, const RegardLabel *labels, guint n)
{
  g_string_append_printf(json, ",\n\"%s\":[", name);
  for (guint i = 0; i < n; i++) {
    const RegardLabel *label = &labels[i];
    g_string_append(json, i ? ",\n{\"text\":" : "\n{\"text\":");
    regard_export_append_json_string(json, label->text);
    append_member(json, "piece", label->piece);
    if (label->other)
      append_member(json, "other", label->other);
    g_string_append_printf(json, ",\"first_token\":%u,\"n_tokens\":%u,\"special\":%s}",
                           label->first_token, label->n_tokens, label->special ? "true" : "false");
  }
  g_string_append_c(json, ']');
}

static void
append_number(GString *json, float value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *text = regard_export_number(number, value);
  g_string_append(json, *text ? text : "null");
}

static void
append_matrix(GString *json, const RegardMatrix *m)
{
  g_string_append(json, "{\"meta\":");
  regard_export_append_meta(json, m, FALSE);
  append_labels(json, "rows", m->row_labels, m->rows);
  append_labels(json, "columns", m->col_labels, m->cols);
  g_string_append(json, ",\n\"values\":[");
  for (guint r = 0; r < m->rows; r++) {
    g_string_append(json, r ? ",\n[" : "\n[");
    for (guint c = 0; c < m->cols; c++) {
      g_string_append(json, c ? "," : "");
      if (regard_matrix_is_masked(m, r, c))
        g_string_append(json, "null");
      else
        append_number(json, regard_matrix_get(m, r, c));
    }
    g_string_append_c(json, ']');
  }
  g_string_append_c(json, ']');
  if (m->removed_mass) {
    g_string_append(json, ",\n\"hidden_mass\":[");
    for (guint r = 0; r < m->rows; r++) {
      g_string_append(json, r ? "," : "");
      append_number(json, m->removed_mass[r]);
    }
    g_string_append_c(json, ']');
  }
  g_string_append_c(json, '}');
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  if (!regard_export_check_text_cells(figure, error))
    return NULL;
  GString *json = g_string_new("{\"program\":\"Regard " MT_VERSION "\"");
  g_autofree char *caption = regard_figure_caption(figure);
  append_member(json, "caption", caption);
  g_string_append(json, ",\n\"matrices\":[\n");
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++) {
    g_string_append(json, i ? ",\n" : "");
    append_matrix(json, regard_figure_matrix(figure, i));
  }
  g_string_append(json, "\n]}\n");
  return g_string_free_to_bytes(json);
}

const RegardExportFormat regard_export_json = {
    .id = "json",
    .name = "JSON data",
    .mime_type = "application/json",
    .is_picture = FALSE,
    .render = render,
};
