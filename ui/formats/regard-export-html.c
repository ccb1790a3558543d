/* regard-export-html.c — attention as a page for a browser: one file, which asks nobody for
 * anything.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page is put together from page/page.html, .css and .js. Its content security policy lets run
 * and look only what has the hashes of these two, so that no text of a model can become a script.
 * Weights are numbers of 16 bits, {0 … 65534} between the ends of the head's range.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-attention.h"
#include "formats/regard-export-private.h"

#include "regard-page-resources.h"

#include <json.h>
#include <math.h>
#include <string.h>

#define NO_WEIGHT  65535
#define MOST_STEPS (NO_WEIGHT - 1)

/* ---- Axes and heads -------------------------------------------------------------------------- */

static void
add_text(json_object *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
  json_object_object_add(object, name, json_object_new_string(valid));
}

/* [{"t": text, "p": grey before it, "s": grey behind it, "x": true of special tokens}] */
static json_object *
new_labels(const RegardLabel *labels, guint n)
{
  json_object *array = json_object_new_array();
  for (guint i = 0; i < n; i++) {
    json_object *label = json_object_new_object();
    add_text(label, "t", labels[i].text);
    if (labels[i].prefix)
      add_text(label, "p", labels[i].prefix);
    if (labels[i].suffix)
      add_text(label, "s", labels[i].suffix);
    if (labels[i].special)
      json_object_object_add(label, "x", json_object_new_boolean(TRUE));
    json_object_array_add(array, label);
  }
  return array;
}

static json_object *
new_axis(const RegardMatrix *m)
{
  json_object *axis = json_object_new_object();
  add_text(axis, "rowTitle", m->row_title);
  add_text(axis, "colTitle", m->col_title);
  json_object_object_add(axis, "rows", new_labels(m->row_labels, m->rows));
  json_object_object_add(axis, "cols", new_labels(m->col_labels, m->cols));
  return axis;
}

/* Steps of the range, as little-endian bytes. */
static void
append_weights(GByteArray *weights, const RegardMatrix *m)
{
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++) {
      const double value = (double) regard_matrix_get(m, r, c);
      const double share = ((double) value - (double) m->lo) / ((double) m->hi - (double) m->lo);
      const guint16 step = regard_matrix_is_masked(m, r, c) || isnan(share)
                               ? NO_WEIGHT
                               : (guint16) lround(CLAMP(share, 0, 1) * MOST_STEPS);
      const guint16 bytes = GUINT16_TO_LE(step);
      g_byte_array_append(weights, (const guint8 *) &bytes, sizeof bytes);
    }
}

/* Everything that the heads of a figure say. */
typedef struct {
  json_object *axes, *heads;
  GByteArray *weights;
  double error; /* of a number, at most */
  guint first;  /* the head that is shown first */
} Heads;

static void
add_head(Heads *all, const RegardMatrix *m, mt_attention_kind *kind)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  const RegardMatrixSpec *spec = &from->spec;
  json_object *head = json_object_new_object();
  /* Heads of a kind have their labels in common. */
  if (json_object_array_length(all->heads) == 0 || spec->kind != *kind)
    json_object_array_add(all->axes, new_axis(m));
  *kind = spec->kind;
  /* Where one looks first for which word became which: the last layer but one, as in the program.
   */
  if (spec->kind == MT_CROSS && spec->head == 0 &&
      spec->layer + 2 <= mt_capture_n_layers(from->capture, MT_CROSS))
    all->first = (guint) json_object_array_length(all->heads);
  add_text(head, "title", m->title);
  add_text(head, "kind", regard_naming_kind(from->capture, spec->kind));
  json_object_object_add(head, "layer",
                         json_object_new_int64(
                             regard_naming_layer(from->capture, spec->kind, spec->layer)));
  json_object_object_add(head, "head",
                         json_object_new_int64(
                             regard_naming_head_number(from->capture, spec->kind, spec->head)));
  json_object_object_add(head, "axis",
                         json_object_new_int64((int64_t) json_object_array_length(all->axes) - 1));
  json_object_object_add(head, "lo", json_object_new_double((double) m->lo));
  json_object_object_add(head, "hi", json_object_new_double((double) m->hi));
  json_object_object_add(head, "at", json_object_new_int64(all->weights->len / sizeof(guint16)));
  json_object_array_add(all->heads, head);
  append_weights(all->weights, m);
  all->error = MAX(all->error, ((double) m->hi - (double) m->lo) / MOST_STEPS / 2);
}

static char *
dup_colors(const RegardColormap *map)
{
  GString *colors = g_string_sized_new(256 * 6);
  for (guint i = 0; i < 256; i++)
    g_string_append_printf(colors, "%02x%02x%02x", map->rgb[i][0], map->rgb[i][1], map->rgb[i][2]);
  return g_string_free(colors, FALSE);
}

static json_object *
new_words(void)
{
  json_object *words = json_object_new_object();
  add_text(words, "point",
           _("Point at a cell or a token to read its weights; click keeps a cell."));
  /* Translators: the names in braces stay as they are. */
  add_text(words, "cell",
           _("row “{row}”, column “{column}”: {value}, number {rank} of {n} in its row"));
  add_text(words, "masked", _("row “{row}”, column “{column}”: masked"));
  add_text(words, "row", _("row “{name}” looks most at {list}"));
  add_text(words, "column", _("column “{name}” gets most from {list}"));
  /* Translators: between the parts of a list. */
  add_text(words, "comma", _(", "));
  return words;
}

static char *
dup_language(const RegardFigure *figure)
{
  char *tag = regard_language_dup_tag(figure->language);
  return tag ? tag : g_strdup("en");
}

/* JSON that can stand in an element of HTML: "<" is written as an escape, so nothing ends it. */
static char *
dup_data(RegardFigure *figure, double *error)
{
  Heads all = {json_object_new_array(), json_object_new_array(), g_byte_array_new(), 0, 0};
  mt_attention_kind kind = MT_N_KINDS;
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++)
    add_head(&all, regard_figure_matrix(figure, i), &kind);
  json_object *data = json_object_new_object();
  g_autofree char *colors = dup_colors(figure->style.colormap);
  g_autofree char *weights = g_base64_encode(all.weights->data, all.weights->len);
  g_autofree char *language = dup_language(figure);
  add_text(data, "language", language);
  json_object_object_add(data, "words", new_words());
  add_text(data, "scale", regard_scale_info(figure->style.scale)->id);
  add_text(data, "colors", colors);
  json_object_object_add(data, "first", json_object_new_int64(all.first));
  json_object_object_add(data, "axes", all.axes);
  json_object_object_add(data, "heads", all.heads);
  add_text(data, "weights", weights);
  g_byte_array_unref(all.weights);
  *error = all.error;
  const char *text = json_object_to_json_string_ext(data, JSON_C_TO_STRING_PLAIN);
  g_auto(GStrv) parts = g_strsplit(text, "<", -1);
  json_object_put(data);
  return g_strjoinv("\\u003c", parts);
}

/* ---- The page -------------------------------------------------------------------------------- */

static GBytes *
look_up(const char *name)
{
  g_autofree char *path = g_strconcat("/io/github/regard/page/", name, NULL);
  return g_resource_lookup_data(regard_page_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                NULL);
}

static char *
dup_part(const char *name)
{
  g_autoptr(GBytes) bytes = look_up(name);
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  return g_strndup(text, size);
}

/* As a content security policy names it. */
static char *
dup_hash(const char *text)
{
  guint8 digest[32];
  gsize n = sizeof digest;
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(sum, (const guchar *) text, -1);
  g_checksum_get_digest(sum, digest, &n);
  return g_base64_encode(digest, n);
}

/* Takes the value, and escapes it if it is text. */
static void
set(GHashTable *values, const char *name, char *value, gboolean is_text)
{
  g_autofree char *valid = g_utf8_make_valid(value, -1);
  g_hash_table_replace(values, (gpointer) name,
                       is_text ? g_markup_escape_text(valid, -1) : g_steal_pointer(&valid));
  g_free(value);
}

/* The template with each {name} replaced, in one pass: what is put in is not looked at again. */
static GBytes *
fill(const char *template, GHashTable *values)
{
  GString *page = g_string_new(NULL);
  const char *open, *close;
  while ((open = strchr(template, '{')) && (close = strchr(open, '}'))) {
    g_autofree char *name = g_strndup(open + 1, (gsize) (close - open - 1));
    const char *value = g_hash_table_lookup(values, name);
    g_string_append_len(page, template, open - template);
    g_assert(value); /* the template is ours */
    g_string_append(page, value);
    template = close + 1;
  }
  g_string_append(page, template);
  return g_string_free_to_bytes(page);
}

static gboolean
is_of_attention(const RegardFigure *figure)
{
  RegardFigure *self = (RegardFigure *) figure; /* keeps the matrix that it makes */
  return !figure->klass->has_parts && regard_figure_n_matrices(self) > 0 &&
         regard_matrix_get_attention(regard_figure_matrix(self, 0));
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  if (!is_of_attention(figure)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                _("This picture is not of attention, which is what a page shows."));
    return NULL;
  }
  if (!regard_export_check_text_cells(figure, error))
    return NULL;
  REGARD_IN_LANGUAGE(figure->language);
  g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  g_autofree char *template = dup_part("page.html");
  char number[G_ASCII_DTOSTR_BUF_SIZE], *style = dup_part("page.css"),
                                        *script = dup_part("page.js");
  double rounding;
  set(values, "data", dup_data(figure, &rounding), FALSE);
  set(values, "style-hash", dup_hash(style), FALSE);
  set(values, "script-hash", dup_hash(script), FALSE);
  set(values, "style", style, FALSE);
  set(values, "script", script, FALSE);
  set(values, "language", dup_language(figure), TRUE);
  set(values, "program", g_strdup("Regard " MT_VERSION), TRUE);
  set(values, "title", regard_export_title(figure), TRUE);
  set(values, "caption", regard_figure_caption(figure), TRUE);
  set(values, "theme", g_strdup(_("Light or Dark")), TRUE);
  set(values, "heads", g_strdup(_("Heads")), TRUE);
  set(values, "matrix", g_strdup(_("Matrix")), TRUE);
  set(values, "lines", g_strdup(_("Lines")), TRUE);
  set(values, "table", g_strdup(_("Table")), TRUE);
  set(values, "scale", g_strdup(_(regard_scale_info(figure->style.scale)->axis)), TRUE);
  set(values, "keys",
      g_strdup(_(
          "Keys: [ and ] change the head, Page Up and Page Down the layer, arrows the cell of the "
          "picture that has the focus; M, L and T show matrix, lines or table; Escape lets go.")),
      TRUE);
  regard_formatd(number, sizeof number, "%.1g", rounding);
  /* Translators: %s is a number such as 8e-06. */
  set(values, "precision",
      g_strdup_printf(
          _("The weights in this page are rounded to 16 bits, which changes them by at most %s."),
          number),
      TRUE);
  return fill(template, values);
}

const RegardExportFormat regard_export_html = {
    .id = "html",
    .name = N_("Interactive page"),
    .mime_type = "text/html",
    .is_picture = FALSE,
    .fits = is_of_attention,
    .render = render,
};
