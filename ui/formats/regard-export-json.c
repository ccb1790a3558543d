/* regard-export-json.c — a figure's numbers and everything known about them as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * {"program", "caption", "matrices": [{"meta": {…}, "rows": [label…], "columns": [label…],
 * "values": [[…]…], "hidden_mass": […]}]}. A label has the text shown, the piece in the vocabulary,
 * the tokens it stands for and, for decoder rows, the other token of the step. Masked and
 * undefined cells are null. A figure that is no matrices has a document of its own.
 *
 * json-c writes it. A tree of a 512 x 512 matrix would take fifty times its memory, so matrices,
 * and the rows of each, are made one at a time while they are written.
 */
#include "figures/regard-figure-private.h"
#include "formats/regard-export-private.h"

#include <json.h>
#include <string.h>

#define FLAGS (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static json_object *
new_text(const char *text)
{
  if (!text)
    return NULL;
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  return json_object_new_string(valid);
}

static void
add_text_member(json_object *object, const char *name, const char *text)
{
  json_object_object_add(object, name, new_text(text));
}

/* An element of an array, in a line of its own. */
static void
put_line(struct printbuf *out, json_object *element, gboolean is_first, int flags)
{
  gsize n;
  const char *line = json_object_to_json_string_length(element, flags, &n);
  sprintbuf(out, is_first ? "\n" : ",\n");
  printbuf_memappend(out, line, (int) n);
}

/* Elements of an array one to a line. */
static int
put_lines(json_object *array, struct printbuf *out, int level, int flags)
{
  printbuf_strappend(out, "[");
  for (gsize i = 0; i < json_object_array_length(array); i++)
    put_line(out, json_object_array_get_idx(array, i), i == 0, flags);
  return printbuf_strappend(out, "]");
}

static json_object *
new_lines(void)
{
  json_object *array = json_object_new_array();
  json_object_set_serializer(array, put_lines, NULL, NULL);
  return array;
}

/* ---- What is known of a matrix --------------------------------------------------------------- */

typedef struct {
  RegardFacts parent;
  json_object *object;
} JsonFacts;

static void
add_text(RegardFacts *facts, const char *name, const char *value)
{
  add_text_member(((JsonFacts *) facts)->object, name, value);
}

static void
add_lines(RegardFacts *facts, const char *name, const char *text)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  json_object *array = json_object_new_array();
  for (char **line = lines; *line; line++)
    json_object_array_add(array, new_text(*line));
  json_object_object_add(((JsonFacts *) facts)->object, name, array);
}

static void
add_count(RegardFacts *facts, const char *name, gsize value)
{
  json_object_object_add(((JsonFacts *) facts)->object, name,
                         json_object_new_int64((int64_t) value));
}

static void
add_flag(RegardFacts *facts, const char *name, gboolean value)
{
  json_object_object_add(((JsonFacts *) facts)->object, name, json_object_new_boolean(value));
}

static json_object *
new_meta(const RegardMatrix *m, gboolean of_grid)
{
  json_object *meta = json_object_new_object(), *badges = json_object_new_array();
  add_text_member(meta, "sort", m->id);
  add_text_member(meta, "value", m->value_name);
  if (!of_grid) {
    add_text_member(meta, "title", m->title);
    add_text_member(meta, "rows_are", m->row_title);
    add_text_member(meta, "columns_are", m->col_title);
  }
  JsonFacts facts = {{add_text, add_lines, add_count, add_flag}, meta};
  if (m->origin_class && m->origin_class->tell)
    m->origin_class->tell(m, of_grid, &facts.parent);
  else
    add_text_member(meta, "model", m->model_name);
  for (guint i = 0; m->badges && m->badges[i]; i++)
    json_object_array_add(badges, new_text(m->badges[i]));
  json_object_object_add(meta, "badges", badges);
  return meta;
}

char *
regard_export_dup_meta(const RegardMatrix *m, gboolean of_grid)
{
  json_object *meta = new_meta(m, of_grid);
  char *text = g_strdup(json_object_to_json_string_ext(meta, FLAGS));
  json_object_put(meta);
  return text;
}

static json_object *
new_labels(const RegardLabel *labels, guint n)
{
  json_object *array = new_lines();
  for (guint i = 0; i < n; i++) {
    const RegardLabel *label = &labels[i];
    json_object *object = json_object_new_object();
    add_text_member(object, "text", label->text);
    add_text_member(object, "piece", label->piece);
    if (label->other)
      add_text_member(object, "other", label->other);
    json_object_object_add(object, "first_token", json_object_new_int64(label->first_token));
    json_object_object_add(object, "n_tokens", json_object_new_int64(label->n_tokens));
    json_object_object_add(object, "special", json_object_new_boolean(label->special));
    json_object_array_add(array, object);
  }
  return array;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static json_object *
new_number(float value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *text = regard_exact_number(number, value);
  return *text ? json_object_new_double_s((double) value, text) : NULL;
}

/* The values of a matrix, a row to a line. */
static int
put_values(json_object *values, struct printbuf *out, int level, int flags)
{
  const RegardMatrix *m = json_object_get_userdata(values);
  printbuf_strappend(out, "[");
  for (guint r = 0; r < m->rows; r++) {
    json_object *row = json_object_new_array();
    for (guint c = 0; c < m->cols; c++)
      json_object_array_add(row, regard_matrix_is_masked(m, r, c)
                                     ? NULL
                                     : new_number(regard_matrix_get(m, r, c)));
    put_line(out, row, r == 0, flags);
    json_object_put(row);
  }
  return printbuf_strappend(out, "]");
}

static json_object *
new_matrix(const RegardMatrix *m)
{
  json_object *object = json_object_new_object(), *values = json_object_new_array();
  json_object_object_add(object, "meta", new_meta(m, FALSE));
  json_object_object_add(object, "rows", new_labels(m->row_labels, m->rows));
  json_object_object_add(object, "columns", new_labels(m->col_labels, m->cols));
  json_object_set_serializer(values, put_values, (void *) m, NULL);
  json_object_object_add(object, "values", values);
  if (m->removed_mass) {
    json_object *mass = json_object_new_array();
    for (guint r = 0; r < m->rows; r++)
      json_object_array_add(mass, new_number(m->removed_mass[r]));
    json_object_object_add(object, "hidden_mass", mass);
  }
  return object;
}

/* The matrices of a figure, of which one lives at a time. */
static int
put_matrices(json_object *matrices, struct printbuf *out, int level, int flags)
{
  RegardFigure *figure = json_object_get_userdata(matrices);
  printbuf_strappend(out, "[");
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++) {
    json_object *matrix = new_matrix(regard_figure_matrix(figure, i));
    put_line(out, matrix, i == 0, flags);
    json_object_put(matrix);
  }
  return printbuf_strappend(out, "\n]");
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  if (figure->klass->to_json) {
    char *own = figure->klass->to_json(figure);
    return g_bytes_new_take(own, strlen(own));
  }
  if (!regard_export_check_text_cells(figure, error))
    return NULL;
  json_object *root = json_object_new_object(), *matrices = json_object_new_array();
  g_autofree char *caption = regard_figure_caption(figure);
  add_text_member(root, "program", "Regard " MT_VERSION);
  add_text_member(root, "caption", caption);
  json_object_set_serializer(matrices, put_matrices, figure, NULL);
  json_object_object_add(root, "matrices", matrices);
  GString *text = g_string_new(json_object_to_json_string_ext(root, FLAGS));
  json_object_put(root);
  g_string_append_c(text, '\n');
  return g_string_free_to_bytes(text);
}

const RegardExportFormat regard_export_json = {
    .id = "json",
    .name = "JSON data",
    .mime_type = "application/json",
    .is_picture = FALSE,
    .render = render,
};
