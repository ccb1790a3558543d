/* regard-export-numbers.c — the formats of numbers: CSV, JSON, NPZ, and DOT for trees.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-attention.h"
#include "formats/regard-export-private.h"

#include <json.h>
#include <string.h>

/* What programs read is in one language, with one way to write numbers, whatever the window's is:
 * the figure that is shown, and the rest of the block, in English. Errors are said before. */
#define IN_ENGLISH(figure, shown)                                                                 \
  g_autoptr(RegardFigure) figure = regard_figure_new_in_language(shown, REGARD_LANGUAGE_ENGLISH); \
  REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH)

/* ---- Comma-separated values (RFC 4180, UTF-8, CRLF) -------------------------------------------
 */

/* One matrix: a table. The first line names the columns, the first field of every other line its
 * row, both as "index:token" so that equal tokens stay distinct; masked cells are empty; a last
 * column "hidden" holds the mass of hidden special tokens, if any were hidden.
 *
 * Several matrices, and chosen heads however many: the long form, one cell a line, which every
 * statistics program reads:
 * which matrix it is of, for heads kind,layer,head, and then
 * query_index,query,key_index,key,weight. Layers and heads count from 1, tokens from 0; masked
 * cells have no line. Matrices that are different things have a line for each cell too:
 * matrix,row_index,row,column_index,column,value. */

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
  if (!m->received)
    return;
  append_field(out, "received, mean");
  for (guint c = 0; c < m->cols; c++) {
    g_string_append_c(out, ',');
    g_string_append(out, regard_exact_number(number, m->received[c]));
  }
  g_string_append(out, m->removed_mass ? ",\r\n" : "\r\n");
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
render(RegardFigure *shown, const RegardExportOptions *options, GError **error)
{
  if (!regard_export_check_text_cells(shown, error))
    return NULL;
  IN_ENGLISH(figure, shown);
  guint n = regard_figure_n_matrices(figure);
  GString *out = g_string_new(NULL);
  RegardFigureGroup group;
  regard_figure_group(figure, 0, &group);
  if (n == 1 && !group.is_choice)
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
    .name = N_("CSV table"),
    .mime_type = "text/csv",
    .is_picture = FALSE,
    .render = render,
};

/* ---- A figure's numbers and everything known about them as JSON ------------------------- */

/* {"program", "caption", "matrices": [{"meta": {…}, "rows": [label…], "columns": [label…],
 * "values": [[…]…], "hidden_mass": […]}]}. A label has the text shown, the piece in the vocabulary,
 * the tokens it stands for and, for decoder rows, the other token of the step. Masked and
 * undefined cells are null. A figure that is no matrices has a document of its own.
 *
 * json-c writes it. A tree of a 512 x 512 matrix would take fifty times its memory, so matrices,
 * and the rows of each, are made one at a time while they are written. */

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

/* Settings of a matrix as a JSON object, for NPZ; of_grid: only what holds for every matrix of the
 * grid that it is from. Caller frees. */
static char *
export_dup_meta(const RegardMatrix *m, gboolean of_grid)
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
    if (label->is_task)
      json_object_object_add(object, "prefix", json_object_new_boolean(TRUE));
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
  if (m->received) {
    json_object *received = json_object_new_array();
    for (guint c = 0; c < m->cols; c++)
      json_object_array_add(received, new_number(m->received[c]));
    json_object_object_add(object, "received", received);
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
render_json(RegardFigure *shown, const RegardExportOptions *options, GError **error)
{
  if (!shown->klass->to_json && !regard_export_check_text_cells(shown, error))
    return NULL;
  IN_ENGLISH(figure, shown);
  if (figure->klass->to_json) {
    char *own = figure->klass->to_json(figure);
    return g_bytes_new_take(own, strlen(own));
  }
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
    .name = N_("JSON data"),
    .mime_type = "application/json",
    .is_picture = FALSE,
    .render = render_json,
};

/* ---- A figure's numbers as NumPy arrays ------------------------------------------------- */

/* One matrix: values [rows][cols], row_labels, column_labels, hidden_mass [rows] if special tokens
 * were hidden, meta (JSON). A grid: per kind encoder_…, decoder_… or cross_…: attentions
 * [layers][heads][rows][cols], row_labels, column_labels, hidden_mass [layers][heads][rows]; and
 * meta of what they share. Matrices that are different things: of each ID [rows][cols], ID_rows,
 * ID_columns; and meta. All three kinds with nothing merged or hidden are the capture itself,
 * with its token ids and positions: mt_capture_write_npz. */

/* Arrays under way; all storage belongs to it. */
typedef struct {
  GArray *arrays; /* of mt_npz_array */
  GPtrArray *owned;
} Bundle;

static void *
own(Bundle *bundle, void *memory)
{
  g_ptr_array_add(bundle->owned, memory);
  return memory;
}

static void
add_labels(Bundle *bundle, const char *prefix, const char *name, const RegardLabel *labels, guint n)
{
  const char **strings = own(bundle, g_new0(const char *, MAX(n, 1)));
  for (guint i = 0; i < n; i++)
    strings[i] = own(bundle, g_strdup(labels[i].piece));
  mt_npz_array array = {.name = own(bundle, g_strconcat(prefix, name, NULL)),
                        .n_dims = 1,
                        .shape = {n},
                        .strings = strings};
  g_array_append_val(bundle->arrays, array);
}

/* "4.1" for each matrix of a group of any heads. */
static void
add_heads(Bundle *bundle, RegardFigure *figure, guint first, const RegardFigureGroup *group)
{
  const char **strings = own(bundle, g_new0(const char *, group->n));
  for (guint i = 0; i < group->n; i++) {
    g_autoptr(GString) place = g_string_new(NULL);
    figure->klass->append_place(figure, first + i, place); /* "cross,4,1" */
    strings[i] = own(bundle, g_strdelimit(g_strdup(strchr(place->str, ',') + 1), ",", '.'));
  }
  mt_npz_array array = {.name = own(bundle, g_strconcat(group->prefix, "heads", NULL)),
                        .n_dims = 1,
                        .shape = {group->n},
                        .strings = strings};
  g_array_append_val(bundle->arrays, array);
}

/* The matrices of a group from first on, stacked. */
static void
add_matrices(Bundle *bundle, RegardFigure *figure, guint first, const RegardFigureGroup *group)
{
  RegardMatrix *m = regard_figure_matrix(figure, first);
  const char *prefix = group->prefix;
  const gboolean stacked = group->shape[0] > 0;
  const gsize n = group->n, rows = m->rows, cols = m->cols;
  float *values = own(bundle, g_new0(float, MAX(n * rows * cols, 1)));
  float *mass = m->removed_mass ? own(bundle, g_new0(float, MAX(n * rows, 1))) : NULL;
  add_labels(bundle, prefix, "row_labels", m->row_labels, m->rows);
  add_labels(bundle, prefix, "column_labels", m->col_labels, m->cols);
  for (guint i = 0; i < n; i++) {
    m = regard_figure_matrix(figure, first + i);
    memcpy(values + i * rows * cols, m->values, rows * cols * sizeof *values);
    if (mass)
      memcpy(mass + i * rows, m->removed_mass, rows * sizeof *mass);
  }
  mt_npz_array array = {.name = own(bundle,
                                    g_strconcat(prefix, stacked ? "attentions" : "values", NULL)),
                        .f32 = values};
  mt_npz_array hidden = {.name = own(bundle, g_strconcat(prefix, "hidden_mass", NULL)),
                         .f32 = mass};
  gsize dims = 0;
  if (stacked)
    for (; dims < 2; dims++)
      array.shape[dims] = hidden.shape[dims] = group->shape[dims];
  array.shape[dims] = hidden.shape[dims] = rows;
  array.shape[dims + 1] = cols;
  hidden.n_dims = dims + 1;
  array.n_dims = dims + 2;
  g_array_append_val(bundle->arrays, array);
  if (mass)
    g_array_append_val(bundle->arrays, hidden);
  if (m->received && n == 1) {
    mt_npz_array received = {.name = own(bundle, g_strconcat(prefix, "received", NULL)),
                             .f32 = own(bundle,
                                        g_memdup2(m->received, MAX(cols, 1) * sizeof *m->received)),
                             .n_dims = 1,
                             .shape = {cols}};
    g_array_append_val(bundle->arrays, received);
  }
}

/* A matrix of a figure of different things. */
static void
add_part(Bundle *bundle, const RegardMatrix *m)
{
  mt_npz_array array = {.name = m->id, .n_dims = 2, .shape = {m->rows, m->cols}};
  array.f32 = own(bundle, g_memdup2(m->values, (gsize) m->rows * m->cols * sizeof *m->values));
  g_array_append_val(bundle->arrays, array);
  add_labels(bundle, m->id, "_rows", m->row_labels, m->rows);
  add_labels(bundle, m->id, "_columns", m->col_labels, m->cols);
}

static gboolean
make_arrays(RegardFigure *figure, const char *meta, mt_bytes *bytes, mt_error *error)
{
  Bundle bundle = {g_array_new(FALSE, TRUE, sizeof(mt_npz_array)),
                   g_ptr_array_new_with_free_func(g_free)};
  RegardFigureGroup group;
  for (guint i = 0; figure->klass->has_parts && i < regard_figure_n_matrices(figure); i++)
    add_part(&bundle, regard_figure_matrix(figure, i));
  for (guint first = 0; !figure->klass->has_parts && first < regard_figure_n_matrices(figure);
       first += group.n) {
    regard_figure_group(figure, first, &group);
    add_matrices(&bundle, figure, first, &group);
    if (group.is_list)
      add_heads(&bundle, figure, first, &group);
  }
  const RegardAttention *from = regard_matrix_get_attention(regard_figure_matrix(figure, 0));
  const char *interventions =
      from ? mt_interventions_text(mt_capture_interventions(from->capture)) : "";
  mt_npz_array changed = {.name = "interventions", .n_dims = 0, .strings = &interventions};
  if (*interventions)
    g_array_append_val(bundle.arrays, changed);
  mt_npz_array array = {.name = "meta", .n_dims = 0, .strings = &meta};
  g_array_append_val(bundle.arrays, array);
  gboolean ok = mt_npz_make((const mt_npz_array *) (void *) bundle.arrays->data, bundle.arrays->len,
                            bytes, error);
  g_array_unref(bundle.arrays);
  g_ptr_array_unref(bundle.owned);
  return ok;
}

static void
free_bytes(gpointer data)
{
  mt_bytes *bytes = data;
  mt_bytes_clear(bytes);
  g_free(bytes);
}

static GBytes *
render_npz(RegardFigure *shown, const RegardExportOptions *options, GError **error)
{
  IN_ENGLISH(figure, shown);
  RegardFigureGroup group;
  regard_figure_group(figure, 0, &group);
  g_autofree char *meta = export_dup_meta(regard_figure_matrix(figure, 0), group.shape[0] > 0);
  const mt_capture *capture = regard_figure_whole_capture(figure);
  mt_error cause = {0};
  mt_bytes bytes;
  if (!(capture ? mt_capture_make_npz(capture, meta, &bytes, &cause)
                : make_arrays(figure, meta, &bytes, &cause))) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, cause.message);
    return NULL;
  }
  return g_bytes_new_with_free_func(bytes.data, bytes.size, free_bytes,
                                    g_memdup2(&bytes, sizeof bytes));
}

const RegardExportFormat regard_export_npz = {
    .id = "npz",
    .name = N_("NumPy arrays"),
    .mime_type = "application/x-npz",
    .is_picture = FALSE,
    .render = render_npz,
};

/* ---- A tree as a graph in the language of Graphviz -------------------------------------- */

static gboolean
fits(const RegardFigure *figure)
{
  return figure->klass->to_dot != NULL;
}

static GBytes *
render_dot(RegardFigure *shown, const RegardExportOptions *options, GError **error)
{
  if (!fits(shown)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                _("This picture is no graph; choose another format"));
    return NULL;
  }
  IN_ENGLISH(figure, shown);
  char *text = figure->klass->to_dot(figure);
  return g_bytes_new_take(text, strlen(text));
}

const RegardExportFormat regard_export_dot = {
    .id = "dot",
    .name = N_("Graphviz graph"),
    .mime_type = "text/vnd.graphviz",
    .is_picture = FALSE,
    .fits = fits,
    .render = render_dot,
};
