/* regard-sheet-file.c — a sheet as JSON, and its file: a zip archive of that, of captures, of
 * matrices and of drawings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read is a stranger's. Names and sizes are looked at before anything is inflated
 * (mt/files.h), and each capture is read as any from elsewhere. A panel that could not be drawn is
 * refused here, so that whoever draws need not ask.
 */
#include "export/regard-sheet-file.h"

#include "base/regard-autoptr.h"
#include "base/regard-error.h"
#include "base/regard-json.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-matrix-file.h"
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#define FORMAT  "regard-figure"
#define VERSION 2
/* What has neither matrices nor labels of texts is written so, for earlier programs. */
#define VERSION_DRAWN 1
/* Of JSON; of a capture; of all that is inflated. */
#define MOST_DEPTH     16
#define MOST_JSON      ((gsize) 1 << 20)
#define MOST_DRAWING   ((gsize) 64 << 20)
#define MOST_CAPTURE   ((gsize) 1 << 30)
#define MOST_BYTES     ((gsize) 2 << 30)
#define MOST_CAPTURES  (2 * REGARD_SHEET_MOST_PANELS)
#define MOST_FILES     (MOST_CAPTURES + 2 * REGARD_SHEET_MOST_PANELS)
#define MOST_SENTENCES 64
#define MOST_TEXT      4096
#define MOST_CELLS     65535

static const char description[] = "sheet.json";
/* The names of what else is in the archive, from 1. */
#define NAME_LENGTH 24
static void
name_capture(char name[NAME_LENGTH], guint i)
{
  g_snprintf(name, NAME_LENGTH, "capture-%02u.npz", i + 1);
}
static void
name_drawing(char name[NAME_LENGTH], guint i)
{
  g_snprintf(name, NAME_LENGTH, "drawing-%02u.json", i + 1);
}
static void
name_matrices(char name[NAME_LENGTH], guint i)
{
  g_snprintf(name, NAME_LENGTH, "matrices-%02u.json", i + 1);
}

gboolean
regard_sheet_has_ending(const char *path)
{
  return g_str_has_suffix(path, REGARD_SHEET_ENDING);
}

/* What a sheet holds, each once, in the order in which panels want it. */
typedef struct {
  GPtrArray *captures; /* mt_capture, borrowed; no differences */
  GPtrArray *drawings; /* RegardDrawing, borrowed */
  GPtrArray *matrices; /* lists of RegardMatrix, borrowed */
  gboolean has_labels; /* some text has one of its own */
} Contents;

static guint
add_once(GPtrArray *list, gconstpointer item)
{
  guint i;
  if (!g_ptr_array_find(list, item, &i)) {
    i = list->len;
    g_ptr_array_add(list, (gpointer) item);
  }
  return i;
}

/* Of the difference of two: what is subtracted. NULL: it is none. */
static const mt_capture *
reference_of(const RegardPanel *panel)
{
  return mt_capture_difference_a(panel->look.capture);
}

static const mt_capture *
capture_of(const RegardPanel *panel)
{
  const mt_capture *b = mt_capture_difference_b(panel->look.capture);
  return b ? b : panel->look.capture;
}

static void
list_contents(const RegardSheet *sheet, Contents *contents)
{
  contents->captures = g_ptr_array_new();
  contents->drawings = g_ptr_array_new();
  contents->matrices = g_ptr_array_new();
  for (guint i = 0; i < sheet->panels->len; i++) {
    const RegardPanel *panel = sheet->panels->pdata[i];
    contents->has_labels |= panel->sentence != NULL;
    if (!panel->is_attention) {
      add_once(panel->matrices ? contents->matrices : contents->drawings,
               panel->matrices ? (gpointer) panel->matrices : panel->drawing);
      continue;
    }
    add_once(contents->captures, capture_of(panel));
    if (reference_of(panel))
      add_once(contents->captures, reference_of(panel));
  }
}

static void
contents_clear(Contents *contents)
{
  g_ptr_array_unref(contents->captures);
  g_ptr_array_unref(contents->drawings);
  g_ptr_array_unref(contents->matrices);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Contents, contents_clear)

/* ---- Writing the description ----------------------------------------------------------------- */

static json_object *
text_or_null(const char *text)
{
  return text ? json_object_new_string(text) : NULL;
}

/* From 1 where a person reads it; null: none. */
static json_object *
counted(int index)
{
  return index >= 0 ? json_object_new_int(index + 1) : NULL;
}

/* The places of a set, from 1; null: there is no set. */
static json_object *
write_set(const guint8 *set, gsize n)
{
  json_object *list = set ? json_object_new_array() : NULL;
  for (gsize i = 0; set && i < n; i++)
    if (set[i])
      json_object_array_add(list, json_object_new_int64((gint64) i + 1));
  return list;
}

static json_object *
write_chosen(const RegardAttentionLook *look)
{
  const guint8 *chosen = look->spec.chosen;
  const gsize heads = mt_capture_n_heads(look->capture, look->spec.kind),
              n = heads * mt_capture_n_layers(look->capture, look->spec.kind);
  json_object *list = chosen ? json_object_new_array() : NULL;
  for (gsize i = 0; chosen && i < n; i++) {
    if (!chosen[i])
      continue;
    json_object *pair = json_object_new_array();
    json_object_array_add(pair, json_object_new_int64((gint64) (i / heads) + 1));
    json_object_array_add(pair, json_object_new_int64((gint64) (i % heads) + 1));
    json_object_array_add(list, pair);
  }
  return list;
}

static const char *const orientation_ids[] = {"upright", "level", NULL};

static void
write_attention(json_object *o, const RegardPanel *panel, const Contents *contents)
{
  const RegardAttentionLook *look = &panel->look;
  const RegardMatrixSpec *spec = &look->spec;
  const mt_capture *reference = reference_of(panel);
  const guint capture = add_once(contents->captures, capture_of(panel));
  regard_json_add(
      o, {"capture", json_object_new_int((int) capture + 1)},
      {"reference",
       reference ? json_object_new_int((int) add_once(contents->captures, reference) + 1) : NULL},
      {"what", json_object_new_string(regard_scopes[look->scope].id)},
      {"form", json_object_new_string(regard_form_ids[look->form])},
      {"lines_share", regard_json_double(look->lines_share)},
      {"lines", json_object_new_string(orientation_ids[look->orientation])},
      {"lines_of_rows", write_set(look->rows, look->n_rows)},
      {"lines_of_columns", write_set(look->cols, look->n_cols)},
      {"kind", json_object_new_string(regard_kind_id(spec->kind))},
      {"layer", json_object_new_int64((gint64) spec->layer + 1)},
      {"head", json_object_new_int64((gint64) spec->head + 1)},
      {"combine", json_object_new_string(regard_combine_ids[spec->combine])},
      {"chosen", write_chosen(look)}, {"merge_words", json_object_new_boolean(spec->merge_words)},
      {"hide_special", json_object_new_boolean(spec->hide_special)},
      {"label_by", json_object_new_string(regard_label_by_ids[spec->label_by])},
      {"plain_labels", json_object_new_boolean(spec->is_plain)},
      {"received", json_object_new_boolean(look->has_received)});
}

static void
write_colours(json_object *o, const RegardPanel *panel)
{
  regard_json_add(o, {"scale", json_object_new_string(regard_scale_info(panel->scale)->id)},
                  {"colormap", text_or_null(panel->colormap ? panel->colormap->id : NULL)},
                  {"row", counted(panel->pinned_row)}, {"column", counted(panel->pinned_col)});
}

static json_object *
write_panel(const RegardPanel *panel, const Contents *contents)
{
  const char letter[] = {panel->letter, '\0'};
  json_object *o = regard_json_object({"letter", json_object_new_string(letter)},
                                      {"title", text_or_null(panel->title)});
  if (panel->sentence)
    regard_json_add(o, {"sentence", json_object_new_string(panel->sentence)});
  if (panel->is_attention) {
    write_attention(o, panel, contents);
    write_colours(o, panel);
    return o;
  }
  json_object *caption = json_object_new_array();
  for (char **at = panel->caption; at && *at; at++)
    json_object_array_add(caption, json_object_new_string(*at));
  if (panel->matrices)
    regard_json_add(o, {"matrices", json_object_new_int(
                                        (int) add_once(contents->matrices, panel->matrices) + 1)});
  else
    regard_json_add(o, {"drawing", json_object_new_int(
                                       (int) add_once(contents->drawings, panel->drawing) + 1)});
  regard_json_add(o, {"name", json_object_new_string(panel->name)},
                  {"model", text_or_null(panel->model)}, {"caption", caption});
  if (panel->matrices || panel->colormap)
    write_colours(o, panel);
  return o;
}

static json_object *
write_sizes(const double *sizes, guint n)
{
  json_object *list = json_object_new_array();
  for (guint i = 0; i < n; i++)
    json_object_array_add(list, regard_json_double(sizes[i]));
  return list;
}

static json_object *
is_drawn(const RegardSheet *sheet, RegardFigureElements part)
{
  return json_object_new_boolean(!(sheet->left_out & part));
}

static char *
to_json(const RegardSheet *sheet, const Contents *contents)
{
  json_object *panels = json_object_new_array(), *files = json_object_new_array();
  g_autofree char *mosaic = regard_mosaic_dup_text(&sheet->mosaic);
  for (guint i = 0; i < sheet->panels->len; i++)
    json_object_array_add(panels, write_panel(sheet->panels->pdata[i], contents));
  for (guint i = 0; i < contents->captures->len; i++)
    json_object_array_add(files, json_object_new_string(
                                     mt_capture_file_name(contents->captures->pdata[i])));
  json_object *root = regard_json_object(
      {"format", json_object_new_string(FORMAT)},
      {"version", json_object_new_int(
                      contents->matrices->len || contents->has_labels ? VERSION : VERSION_DRAWN)},
      {"program", json_object_new_string("regard " MT_VERSION)},
      {"mosaic", json_object_new_string(mosaic)}, {"width", regard_json_double(sheet->width_mm)},
      {"font", regard_json_double(sheet->font_pt)},
      {"columns", write_sizes(sheet->columns, sheet->mosaic.cols)},
      {"rows", write_sizes(sheet->rows, sheet->mosaic.rows)},
      {"letters", json_object_new_string(regard_letters_ids[sheet->letters])},
      {"letters_at", json_object_new_string(regard_letters_at_ids[sheet->letters_at])},
      {"bold", json_object_new_boolean(sheet->bold)},
      {"one_colour_bar", json_object_new_boolean(sheet->one_bar)},
      {"equal_cells", json_object_new_boolean(sheet->equal)},
      {"dark", json_object_new_boolean(sheet->dark)},
      {"english", json_object_new_boolean(sheet->is_english)},
      {"titles", is_drawn(sheet, REGARD_PART_TITLE)},
      {"numbers", is_drawn(sheet, REGARD_PART_NUMBERS)},
      {"model_name", is_drawn(sheet, REGARD_PART_MODEL)}, {"venue", text_or_null(sheet->venue)},
      {"captures", files}, {"panels", panels});
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_SPACED |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

char *
regard_sheet_to_json(const RegardSheet *sheet)
{
  g_auto(Contents) contents = {0};
  list_contents(sheet, &contents);
  return to_json(sheet, &contents);
}

/* ---- Reading the description ----------------------------------------------------------------- */

/* What the archive gave, as panels name it: from 1. */
typedef struct {
  mt_capture *captures[MOST_CAPTURES];
  RegardDrawing *drawings[REGARD_SHEET_MOST_PANELS];
  GPtrArray *matrices[REGARD_SHEET_MOST_PANELS];
  /* Differences that were made, by their two numbers. */
  mt_capture *differences[REGARD_SHEET_MOST_PANELS];
  guint pairs[REGARD_SHEET_MOST_PANELS][2], n_differences;
} Given;

static void
unref_matrix(gpointer matrix)
{
  regard_matrix_unref(matrix);
}

static void
given_clear(Given *given)
{
  for (guint i = 0; i < MOST_CAPTURES; i++)
    mt_capture_unref(given->captures[i]);
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++) {
    regard_drawing_unref(given->drawings[i]);
    g_clear_pointer(&given->matrices[i], g_ptr_array_unref);
    mt_capture_unref(given->differences[i]);
  }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_clear)

static gboolean
get_choice(json_object *object, const char *key, const char *const *ids, int *index, GError **error)
{
  const char *word = NULL;
  return regard_json_get_string(object, key, FALSE, &word, error) &&
         regard_json_find_choice(word, key, ids, index, error);
}

/* From 1, or null. */
static gboolean
get_index(json_object *object, const char *key, gint64 most, int *index, GError **error)
{
  json_object *found = NULL;
  gint64 n = 0;
  *index = -1;
  if (json_object_object_get_ex(object, key, &found) && !found)
    return TRUE;
  if (!regard_json_get_whole(object, key, 1, most, &n, error))
    return FALSE;
  *index = (int) n - 1;
  return TRUE;
}

/* A text of at most so many bytes, copied; null where it may be that. */
static gboolean
dup_text(json_object *object, const char *key, gboolean has_null, char **text, GError **error)
{
  const char *found = NULL;
  if (!regard_json_get_string(object, key, has_null, &found, error))
    return FALSE;
  if (found && strlen(found) > MOST_TEXT)
    return regard_json_refuse(error, key, _("a text of at most 4096 bytes"));
  *text = g_strdup(found);
  return TRUE;
}

/* Numbers from 1 to n as a set; null: none. */
static gboolean
read_set(json_object *object, const char *key, guint8 **set, guint *length, GError **error)
{
  json_object *list = NULL;
  guint most = 0;
  if (!json_object_object_get_ex(object, key, &list) || !list)
    return TRUE;
  if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) > MOST_CELLS)
    return regard_json_refuse(error, key, _("whole numbers from 1, or null"));
  const gsize n = json_object_array_length(list);
  for (int pass = 0; pass < 2; pass++) {
    for (gsize i = 0; i < n; i++) {
      json_object *item = json_object_array_get_idx(list, i);
      const gint64 at = json_object_is_type(item, json_type_int) ? json_object_get_int64(item) : 0;
      if (at < 1 || at > MOST_CELLS)
        return regard_json_refuse(error, key, _("whole numbers from 1, or null"));
      most = MAX(most, (guint) at);
      if (pass == 1)
        (*set)[at - 1] = 1;
    }
    if (pass == 0)
      *set = g_new0(guint8, MAX(*length, MAX(most, 1)));
  }
  *length = MAX(*length, most);
  return TRUE;
}

/* How many rows and columns the picture has that lines are isolated in, so that the sets are as
 * long. */
static void
fit_sets(RegardAttentionLook *look)
{
  RegardMatrixSpec spec = look->spec;
  if (look->scope == REGARD_SCOPE_CHOSEN)
    spec.combine = REGARD_COMBINE_HEAD;
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(look->capture, &spec);
  guint8 **sets[] = {&look->rows, &look->cols};
  guint *lengths[] = {&look->n_rows, &look->n_cols};
  const guint wanted[] = {m ? m->rows : 0, m ? m->cols : 0};
  for (guint i = 0; i < 2; i++) {
    if (!*sets[i])
      continue;
    guint8 *fitting = g_new0(guint8, MAX(wanted[i], 1));
    memcpy(fitting, *sets[i], MIN(wanted[i], *lengths[i]));
    g_free(*sets[i]);
    *sets[i] = fitting;
    *lengths[i] = wanted[i];
  }
}

static gboolean
read_chosen(json_object *object, RegardAttentionLook *look, GError **error)
{
  json_object *list = NULL;
  const gsize heads = mt_capture_n_heads(look->capture, look->spec.kind),
              layers = mt_capture_n_layers(look->capture, look->spec.kind);
  const char *expected = _("pairs of layer and head of the capture, from 1, or null");
  if (!json_object_object_get_ex(object, "chosen", &list) || !list)
    return TRUE;
  if (!json_object_is_type(list, json_type_array) ||
      json_object_array_length(list) > heads * layers)
    return regard_json_refuse(error, "chosen", expected);
  guint8 *chosen = g_new0(guint8, MAX(heads * layers, 1));
  look->spec.chosen = chosen;
  for (gsize i = 0; i < json_object_array_length(list); i++) {
    json_object *pair = json_object_array_get_idx(list, i);
    gint64 at[2] = {0, 0};
    for (gsize k = 0;
         k < 2 && json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2;
         k++) {
      json_object *number = json_object_array_get_idx(pair, k);
      at[k] = json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : 0;
    }
    if (at[0] < 1 || at[0] > (gint64) layers || at[1] < 1 || at[1] > (gint64) heads)
      return regard_json_refuse(error, "chosen", expected);
    chosen[(gsize) (at[0] - 1) * heads + (gsize) (at[1] - 1)] = 1;
  }
  return TRUE;
}

/* The capture, or the difference of two, which is made once for each pair. */
static gboolean
find_capture(json_object *object, Given *given, RegardAttentionLook *look, GError **error)
{
  int capture = -1, reference = -1;
  mt_error failure = {0};
  if (!get_index(object, "capture", MOST_CAPTURES, &capture, error) ||
      !get_index(object, "reference", MOST_CAPTURES, &reference, error))
    return FALSE;
  if (capture < 0 || !given->captures[capture])
    return regard_json_refuse(error, "capture", _("the number of a capture of this file"));
  if (reference < 0) {
    look->capture = mt_capture_ref(given->captures[capture]);
    return TRUE;
  }
  if (!given->captures[reference])
    return regard_json_refuse(error, "reference", _("the number of a capture of this file"));
  for (guint i = 0; i < given->n_differences; i++)
    if (given->pairs[i][0] == (guint) reference && given->pairs[i][1] == (guint) capture) {
      look->capture = mt_capture_ref(given->differences[i]);
      return TRUE;
    }
  look->capture =
      mt_capture_difference_aligned(given->captures[reference], given->captures[capture], &failure);
  if (!look->capture)
    return regard_error_set_from_mt(error, &failure);
  const guint i = given->n_differences++; /* at most one for each panel */
  given->pairs[i][0] = (guint) reference;
  given->pairs[i][1] = (guint) capture;
  given->differences[i] = mt_capture_ref(look->capture);
  return TRUE;
}

static gboolean
read_colours(json_object *object, RegardPanel *panel, GError **error)
{
  const char *scale = NULL, *colormap = NULL;
  if (!regard_json_get_string(object, "scale", FALSE, &scale, error) ||
      !regard_json_get_string(object, "colormap", TRUE, &colormap, error))
    return FALSE;
  if (!regard_scale_from_id(scale, &panel->scale))
    return regard_json_refuse(error, "scale", _("the name of a colour scale"));
  panel->colormap = colormap ? regard_colormap_find(colormap) : NULL;
  if (colormap && !panel->colormap)
    return regard_json_refuse(error, "colormap", _("the name of a colour map"));
  return get_index(object, "row", MOST_CELLS, &panel->pinned_row, error) &&
         get_index(object, "column", MOST_CELLS, &panel->pinned_col, error);
}

/* Whether there is something to be drawn: a capture need not have every kind. */
static gboolean
check_look(const RegardAttentionLook *look, GError **error)
{
  const mt_attention_kind kind = look->spec.kind;
  const gsize n =
      mt_capture_n_layers(look->capture, kind) * mt_capture_n_heads(look->capture, kind);
  gboolean is_chosen = FALSE;
  for (gsize i = 0; look->spec.chosen && i < n; i++)
    is_chosen |= look->spec.chosen[i];
  if (n == 0)
    return regard_json_refuse(error, "kind", _("a kind of attention that the capture has"));
  if (look->form == REGARD_FORM_LINES && look->scope != REGARD_SCOPE_HEAD &&
      look->scope != REGARD_SCOPE_CHOSEN)
    return regard_json_refuse(error, "form", _("a matrix, of what are many heads"));
  return look->scope != REGARD_SCOPE_CHOSEN || is_chosen ||
         regard_json_refuse(error, "chosen", _("a head at least"));
}

static gboolean
read_attention(json_object *o, Given *given, RegardPanel *panel, GError **error)
{
  const char *scopes[REGARD_N_SCOPES + 1] = {NULL};
  RegardAttentionLook *look = &panel->look;
  RegardMatrixSpec *spec = &look->spec;
  int scope = 0, form = 0, lines = 0, kind = 0, combine = 0, label_by = 0;
  gint64 layer = 1, head = 1;
  for (guint i = 0; i < REGARD_N_SCOPES; i++)
    scopes[i] = regard_scopes[i].id;
  panel->is_attention = TRUE;
  if (!find_capture(o, given, look, error)) {
    panel->is_attention = FALSE; /* it has nothing to be released */
    return FALSE;
  }
  if (!get_choice(o, "what", scopes, &scope, error) ||
      !get_choice(o, "form", regard_form_ids, &form, error) ||
      !regard_json_get_number(o, "lines_share", 0, 1, &look->lines_share, error) ||
      !get_choice(o, "lines", orientation_ids, &lines, error) ||
      !get_choice(o, "kind", regard_kind_ids, &kind, error))
    return FALSE;
  look->scope = (RegardScope) scope;
  look->form = (RegardForm) form;
  look->orientation = (RegardLinesOrientation) lines;
  spec->kind = (mt_attention_kind) kind;
  const gint64 layers = MAX((gint64) mt_capture_n_layers(look->capture, spec->kind), 1),
               heads = MAX((gint64) mt_capture_n_heads(look->capture, spec->kind), 1);
  if (!regard_json_get_whole(o, "layer", 1, layers, &layer, error) ||
      !regard_json_get_whole(o, "head", 1, heads, &head, error) ||
      !get_choice(o, "combine", regard_combine_ids, &combine, error) ||
      !read_chosen(o, look, error) ||
      !regard_json_get_boolean(o, "merge_words", &spec->merge_words, error) ||
      !regard_json_get_boolean(o, "hide_special", &spec->hide_special, error) ||
      !get_choice(o, "label_by", regard_label_by_ids, &label_by, error) ||
      !regard_json_get_boolean(o, "plain_labels", &spec->is_plain, error) ||
      !regard_json_get_boolean(o, "received", &look->has_received, error) ||
      !read_set(o, "lines_of_rows", &look->rows, &look->n_rows, error) ||
      !read_set(o, "lines_of_columns", &look->cols, &look->n_cols, error) ||
      !read_colours(o, panel, error))
    return FALSE;
  spec->layer = (guint) layer - 1;
  spec->head = (guint) head - 1;
  spec->combine = (RegardCombine) combine;
  spec->label_by = (RegardLabelBy) label_by;
  fit_sets(look);
  return check_look(look, error);
}

/* What is no attention: matrices, or a drawing. */
static gboolean
read_drawn(json_object *o, const Given *given, RegardPanel *panel, GError **error)
{
  int drawing = -1, matrices = -1;
  json_object *caption = NULL;
  const gboolean has_matrices = json_object_object_get_ex(o, "matrices", NULL);
  json_object_object_get_ex(o, "caption", &caption);
  panel->pinned_row = panel->pinned_col = -1;
  if (has_matrices || json_object_object_get_ex(o, "scale", NULL)) {
    if (!read_colours(o, panel, error))
      return FALSE;
  }
  if (!(has_matrices ? get_index(o, "matrices", REGARD_SHEET_MOST_PANELS, &matrices, error)
                     : get_index(o, "drawing", REGARD_SHEET_MOST_PANELS, &drawing, error)) ||
      !dup_text(o, "name", FALSE, &panel->name, error) ||
      !dup_text(o, "model", TRUE, &panel->model, error))
    return FALSE;
  if (has_matrices && (matrices < 0 || !given->matrices[matrices]))
    return regard_json_refuse(error, "matrices",
                              _("the number of a list of matrices of this file"));
  if (!has_matrices && (drawing < 0 || !given->drawings[drawing]))
    return regard_json_refuse(error, "drawing", _("the number of a drawing of this file"));
  if (!json_object_is_type(caption, json_type_array) ||
      json_object_array_length(caption) > MOST_SENTENCES)
    return regard_json_refuse(error, "caption", _("a list of at most 64 sentences"));
  if (has_matrices)
    panel->matrices = g_ptr_array_ref(given->matrices[matrices]);
  else
    panel->drawing = regard_drawing_ref(given->drawings[drawing]);
  panel->caption = g_new0(char *, json_object_array_length(caption) + 1);
  for (gsize i = 0; i < json_object_array_length(caption); i++) {
    const char *text = regard_json_text(json_object_array_get_idx(caption, i));
    if (!text || strlen(text) > MOST_TEXT * 4)
      return regard_json_refuse(error, "caption", _("a list of at most 64 sentences"));
    panel->caption[i] = g_strdup(text);
  }
  return TRUE;
}

static gboolean
read_panel(json_object *o, RegardSheet *sheet, Given *given, GError **error)
{
  RegardPanel *panel = g_new0(RegardPanel, 1);
  RegardMosaicPlace place;
  const char *letter = NULL;
  gboolean is_good = json_object_is_type(o, json_type_object) ||
                     regard_json_refuse(error, "panels", _("a list of objects"));
  is_good = is_good && regard_json_get_string(o, "letter", FALSE, &letter, error);
  if (is_good && (!g_ascii_isupper(letter[0]) || letter[1] ||
                  !regard_mosaic_find(&sheet->mosaic, letter[0], &place) ||
                  regard_sheet_find(sheet, letter[0])))
    is_good = regard_json_refuse(error, "letter", _("a letter of the mosaic, each once"));
  is_good = is_good && dup_text(o, "title", TRUE, &panel->title, error) &&
            (!json_object_object_get_ex(o, "sentence", NULL) ||
             dup_text(o, "sentence", TRUE, &panel->sentence, error)) &&
            (json_object_object_get_ex(o, "drawing", NULL) ||
                     json_object_object_get_ex(o, "matrices", NULL)
                 ? read_drawn(o, given, panel, error)
                 : read_attention(o, given, panel, error));
  if (is_good)
    regard_sheet_set(sheet, letter[0], panel);
  else
    regard_panel_free(panel);
  return is_good;
}

/* As many as there are columns, or rows. */
static gboolean
read_sizes(json_object *root, const char *key, guint n, double *sizes, GError **error)
{
  json_object *list = NULL;
  json_object_object_get_ex(root, key, &list);
  gboolean is_good =
      json_object_is_type(list, json_type_array) && json_object_array_length(list) == n;
  for (guint i = 0; is_good && i < n; i++) {
    json_object *size = json_object_array_get_idx(list, i);
    is_good =
        json_object_is_type(size, json_type_double) || json_object_is_type(size, json_type_int);
    sizes[i] = is_good ? json_object_get_double(size) : 0;
    is_good = is_good && (sizes[i] == 0 || (sizes[i] >= 0.001 && sizes[i] <= 2000));
  }
  return is_good || regard_json_refuse(error, key, _("0 or a size for each"));
}

static gboolean
read_look(json_object *root, RegardSheet *sheet, GError **error)
{
  static const struct {
    const char *key;
    RegardFigureElements part;
  } parts[] = {{"titles", REGARD_PART_TITLE},
               {"numbers", REGARD_PART_NUMBERS},
               {"model_name", REGARD_PART_MODEL}};
  const char *mosaic = NULL;
  int letters = 0, at = 0;
  g_autofree char *reason = NULL;
  if (!regard_json_get_string(root, "mosaic", FALSE, &mosaic, error))
    return FALSE;
  /* One of an empty sheet is empty. */
  if (*mosaic && !regard_mosaic_parse(mosaic, &sheet->mosaic, &reason))
    return regard_json_refuse(error, "mosaic", reason);
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
    gboolean is_drawn = TRUE;
    if (!regard_json_get_boolean(root, parts[i].key, &is_drawn, error))
      return FALSE;
    sheet->left_out |= is_drawn ? 0 : parts[i].part;
  }
  if (!regard_json_get_number(root, "width", REGARD_SHEET_LEAST_WIDTH, REGARD_SHEET_MOST_WIDTH,
                              &sheet->width_mm, error) ||
      !regard_json_get_number(root, "font", REGARD_SHEET_LEAST_FONT, REGARD_SHEET_MOST_FONT,
                              &sheet->font_pt, error) ||
      !read_sizes(root, "columns", sheet->mosaic.cols, sheet->columns, error) ||
      !read_sizes(root, "rows", sheet->mosaic.rows, sheet->rows, error) ||
      !get_choice(root, "letters", regard_letters_ids, &letters, error) ||
      !get_choice(root, "letters_at", regard_letters_at_ids, &at, error) ||
      !regard_json_get_boolean(root, "bold", &sheet->bold, error) ||
      !regard_json_get_boolean(root, "one_colour_bar", &sheet->one_bar, error) ||
      !regard_json_get_boolean(root, "equal_cells", &sheet->equal, error) ||
      !regard_json_get_boolean(root, "dark", &sheet->dark, error) ||
      !regard_json_get_boolean(root, "english", &sheet->is_english, error) ||
      !dup_text(root, "venue", TRUE, &sheet->venue, error))
    return FALSE;
  sheet->letters = (RegardLetters) letters;
  sheet->letters_at = (RegardLettersAt) at;
  return TRUE;
}

static gboolean
check_format(json_object *root, GError **error)
{
  const char *format = NULL, *program = NULL;
  gint64 version = 0;
  if (!json_object_is_type(root, json_type_object))
    return regard_json_refuse(error, "format", "\"" FORMAT "\"");
  if (!regard_json_get_string(root, "format", FALSE, &format, error))
    return FALSE;
  if (!g_str_equal(format, FORMAT))
    return regard_json_refuse(error, "format", "\"" FORMAT "\"");
  if (!regard_json_get_whole(root, "version", 1, G_MAXINT64, &version, error))
    return FALSE;
  if (version <= VERSION)
    return TRUE;
  if (!regard_json_get_string(root, "program", FALSE, &program, error))
    return FALSE;
  g_autofree char *shown = regard_visible(program);
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_UNSUPPORTED,
              _("expected version %d of the format, which is the newest that regard %s knows; "
                "found %" PRId64 ", written by %s."),
              VERSION, MT_VERSION, version, shown);
  return FALSE;
}

/* n bytes of JSON; NULL with an error. */
static json_object *
parse(const char *name, const unsigned char *bytes, gsize n, GError **error)
{
  const char *reason = NULL;
  g_autofree char *json = g_strndup((const char *) bytes, n);
  json_object *root = regard_json_parse(json, n, MOST_DEPTH, &reason, NULL);
  if (!reason && regard_json_has_each_key_once(root, json))
    return root;
  json_object_put(root);
  if (reason)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("%s: expected JSON, found: %s."), name,
                reason);
  else
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT,
                _("%s: expected each key once in its object, found one twice."), name);
  return NULL;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* What the captures came from, as captions say it; "": a model. */
static const char *
origin_of(json_object *root, guint i)
{
  json_object *list = NULL;
  if (!json_object_object_get_ex(root, "captures", &list) ||
      !json_object_is_type(list, json_type_array) || i >= json_object_array_length(list))
    return "";
  const char *name = regard_json_text(json_object_array_get_idx(list, i));
  return name && strlen(name) <= 255 && !strchr(name, '/') ? name : "";
}

/* The matrices of a panel, which have one colour bar. */
static GPtrArray *
read_matrices(json_object *list, const char **expected)
{
  g_autoptr(GPtrArray) read = g_ptr_array_new_with_free_func(unref_matrix);
  const gsize n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
  *expected = _("a list of 1 to 8 matrices on one scale");
  if (n == 0 || n > REGARD_PANEL_MOST_MATRICES)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    RegardMatrix *m = regard_matrix_read(json_object_array_get_idx(list, i), expected);
    if (!m)
      return NULL;
    g_ptr_array_add(read, m);
  }
  const RegardMatrix *first = read->pdata[0];
  for (gsize i = 0; i < n; i++) {
    const RegardMatrix *m = read->pdata[i];
    *expected = _("a list of 1 to 8 matrices on one scale");
    if (m->lo != first->lo || m->hi != first->hi || !g_str_equal(m->value_name, first->value_name))
      return NULL;
  }
  return g_steal_pointer(&read);
}

static gboolean
read_given(json_object *root, const mt_archive *archive, const char *file, Given *given,
           GError **error)
{
  char name[NAME_LENGTH];
  mt_error failure = {0};
  gsize n;
  for (guint i = 0; i < MOST_CAPTURES; i++) {
    name_capture(name, i);
    const unsigned char *bytes = mt_archive_get(archive, name, &n);
    if (!bytes)
      continue;
    given->captures[i] = mt_capture_parse_npz(bytes, n, origin_of(root, i), NULL, &failure);
    if (!given->captures[i]) {
      regard_error_set_from_mt(error, &failure);
      g_prefix_error(error, "%s/%s: ", file, name);
      return FALSE;
    }
  }
  for (guint k = 0; k < 2 * REGARD_SHEET_MOST_PANELS; k++) {
    const char *expected = NULL;
    const gboolean is_drawing = k < REGARD_SHEET_MOST_PANELS;
    const guint i = k % REGARD_SHEET_MOST_PANELS;
    (is_drawing ? name_drawing : name_matrices)(name, i);
    const unsigned char *bytes = mt_archive_get(archive, name, &n);
    if (!bytes)
      continue;
    json_object *read = parse(name, bytes, n, error);
    if (!read)
      return FALSE;
    if (is_drawing)
      given->drawings[i] = regard_drawing_read(read, &expected);
    else
      given->matrices[i] = read_matrices(read, &expected);
    json_object_put(read);
    if (is_drawing ? !given->drawings[i] : !given->matrices[i]) {
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("%s/%s: expected %s."), file, name,
                  expected);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
fill(RegardSheet *sheet, json_object *root, const mt_archive *archive, const char *file,
     GError **error)
{
  g_auto(Given) given = {0};
  json_object *panels = NULL;
  g_autofree char *prefix = g_strdup_printf("%s/%s: ", file, description);
  if (!check_format(root, error) || !read_look(root, sheet, error)) {
    g_prefix_error(error, "%s", prefix);
    return FALSE;
  }
  if (!read_given(root, archive, file, &given, error))
    return FALSE;
  gboolean is_good = json_object_object_get_ex(root, "panels", &panels) &&
                     json_object_is_type(panels, json_type_array) &&
                     json_object_array_length(panels) <= REGARD_SHEET_MOST_PANELS;
  if (!is_good)
    regard_json_refuse(error, "panels", _("a list of at most 26 panels"));
  for (gsize i = 0; is_good && i < json_object_array_length(panels); i++)
    is_good = read_panel(json_object_array_get_idx(panels, i), sheet, &given, error);
  if (!is_good)
    g_prefix_error(error, "%s", prefix);
  return is_good;
}

RegardSheet *
regard_sheet_read(const char *path, GError **error)
{
  char names[MOST_FILES][NAME_LENGTH];
  mt_archive_rule rules[1 + G_N_ELEMENTS(names)] = {{description, MOST_JSON}};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    const gboolean is_capture = i < MOST_CAPTURES;
    if (is_capture)
      name_capture(names[i], i);
    else if (i - MOST_CAPTURES < REGARD_SHEET_MOST_PANELS)
      name_drawing(names[i], i - MOST_CAPTURES);
    else
      name_matrices(names[i], i - MOST_CAPTURES - REGARD_SHEET_MOST_PANELS);
    rules[1 + i] = (mt_archive_rule){names[i], is_capture ? MOST_CAPTURE : MOST_DRAWING};
  }
  mt_error failure = {0};
  g_autoptr(mt_archive) archive =
      mt_archive_read(path, "a figure of Regard", rules, G_N_ELEMENTS(rules), MOST_BYTES, &failure);
  if (!archive) {
    regard_error_set_from_mt(error, &failure);
    return NULL;
  }
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *file = g_utf8_make_valid(base, -1);
  gsize n;
  const unsigned char *bytes = mt_archive_get(archive, description, &n);
  json_object *root = parse(description, bytes, n, error);
  if (!root) {
    g_prefix_error(error, "%s/", file);
    return NULL;
  }
  g_autoptr(RegardSheet) sheet = regard_sheet_new();
  const gboolean is_good = fill(sheet, root, archive, file, error);
  json_object_put(root);
  return is_good ? g_steal_pointer(&sheet) : NULL;
}

static json_object *
write_matrices(const GPtrArray *matrices)
{
  json_object *list = json_object_new_array();
  for (guint i = 0; i < matrices->len; i++)
    json_object_array_add(list, regard_matrix_write(matrices->pdata[i]));
  return list;
}

gboolean
regard_sheet_write(const RegardSheet *sheet, const char *path, GError **error)
{
  g_auto(Contents) contents = {0};
  list_contents(sheet, &contents);
  const guint n_captures = contents.captures->len, n_drawings = contents.drawings->len,
              n_texts = n_drawings + contents.matrices->len;
  g_autofree char *json = to_json(sheet, &contents);
  g_autofree mt_archive_file *files = g_new0(mt_archive_file, 1 + n_captures + n_texts);
  g_autofree mt_bytes *captures = g_new0(mt_bytes, n_captures + 1);
  char names[MOST_FILES][NAME_LENGTH];
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  mt_error failure = {0};
  gsize n = 1;
  bool ok = true;
  files[0] =
      (mt_archive_file){.name = description, .data = json, .size = strlen(json), .deflate = true};
  for (guint i = 0; i < n_captures && ok; i++) {
    ok = mt_capture_make_npz(contents.captures->pdata[i], NULL, &captures[i], &failure);
    name_capture(names[n - 1], i);
    files[n] =
        (mt_archive_file){.name = names[n - 1], .data = captures[i].data, .size = captures[i].size};
    n++;
  }
  for (guint i = 0; i < n_texts && ok; i++) {
    const gboolean is_drawing = i < n_drawings;
    json_object *written = is_drawing ? regard_drawing_write(contents.drawings->pdata[i])
                                      : write_matrices(contents.matrices->pdata[i - n_drawings]);
    char *text =
        g_strdup(json_object_to_json_string_ext(written, JSON_C_TO_STRING_PLAIN |
                                                             JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(written);
    g_ptr_array_add(texts, text);
    (is_drawing ? name_drawing : name_matrices)(names[n - 1], is_drawing ? i : i - n_drawings);
    files[n] = (mt_archive_file){.name = names[n - 1],
                                 .data = text,
                                 .size = strlen(text),
                                 .deflate = true};
    n++;
  }
  ok = ok && mt_archive_write(path, files, n, &failure);
  for (guint i = 0; i < n_captures; i++)
    mt_bytes_clear(&captures[i]);
  return ok || regard_error_set_from_mt(error, &failure);
}
