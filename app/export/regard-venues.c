/* regard-venues.c — venues and templates from their files, and panels from text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-venues.h"

#include "base/regard-autoptr.h"
#include "base/regard-locale.h"
#include "base/regard-paths.h"
#include "figures/regard-language.h"

#include <string.h>

static GKeyFile *
read_file(const char *name)
{
  g_autofree char *folder = regard_paths_figures();
  g_autofree char *path = g_build_filename(folder, name, NULL);
  GKeyFile *file = g_key_file_new();
  g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL);
  return file;
}

/* ---- Venues ----------------------------------------------------------------------------------
 */

static void
add_width(GPtrArray *venues, GKeyFile *file, const char *group, const char *key)
{
  g_autoptr(GError) error = NULL;
  const double mm = g_key_file_get_double(file, group, key, &error);
  const gboolean is_column = g_str_equal(key, "column");
  g_autofree char *name = g_key_file_get_string(file, group, "name", NULL);
  if (error || !name || mm < REGARD_SHEET_LEAST_WIDTH || mm > REGARD_SHEET_MOST_WIDTH)
    return;
  RegardVenue *venue = g_new0(RegardVenue, 1);
  venue->id = is_column ? g_strconcat(group, "/column", NULL) : g_strdup(group);
  venue->name = g_steal_pointer(&name);
  venue->mm = mm;
  venue->is_column = is_column;
  g_ptr_array_add(venues, venue);
}

const GPtrArray *
regard_venues(void)
{
  static GPtrArray *venues;
  if (venues)
    return venues;
  venues = g_ptr_array_new();
  g_autoptr(GKeyFile) file = read_file("venues.ini");
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  for (char **group = groups; *group; group++)
    add_width(venues, file, *group, "column");
  for (char **group = groups; *group; group++)
    add_width(venues, file, *group, "page");
  return venues;
}

const RegardVenue *
regard_venue_find(const char *id)
{
  const GPtrArray *venues = regard_venues();
  for (guint i = 0; i < venues->len; i++) {
    const RegardVenue *venue = venues->pdata[i];
    if (g_strcmp0(venue->id, id) == 0)
      return venue;
  }
  return NULL;
}

char *
regard_venue_describe(const RegardVenue *venue)
{
  g_autofree char *mm = regard_strdup_printf("%g", venue->mm);
  return venue->is_column
             /* Translators: a width in millimetres, and a journal or conference: "77", "ACL" */
             ? g_strdup_printf(_("%s mm: column, %s"), mm, venue->name)
             : g_strdup_printf(_("%s mm: page, %s"), mm, venue->name);
}

/* ---- Templates -------------------------------------------------------------------------------
 */

static RegardTemplateSheet *
read_template(GKeyFile *file, const char *group)
{
  RegardTemplateSheet *t = g_new0(RegardTemplateSheet, 1);
  t->id = g_strdup(group);
  t->name = g_key_file_get_string(file, group, "name", NULL);
  t->about = g_key_file_get_string(file, group, "about", NULL);
  t->mosaic = g_key_file_get_string(file, group, "mosaic", NULL);
  t->each = g_key_file_get_string(file, group, "each", NULL);
  t->heads = g_key_file_get_string(file, group, "heads", NULL);
  t->has_files_in_rows = g_key_file_get_boolean(file, group, "files-in-rows", NULL);
  for (char letter = 'A'; letter <= 'Z'; letter++) {
    const char key[] = {letter, '\0'};
    t->panels[letter - 'A'] = g_key_file_get_string(file, group, key, NULL);
  }
  return t;
}

const GPtrArray *
regard_sheet_templates(void)
{
  static GPtrArray *templates;
  if (templates)
    return templates;
  templates = g_ptr_array_new();
  g_autoptr(GKeyFile) file = read_file("templates.ini");
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  for (char **group = groups; *group; group++)
    if (g_key_file_has_key(file, *group, "name", NULL))
      g_ptr_array_add(templates, read_template(file, *group));
  return templates;
}

const RegardTemplateSheet *
regard_sheet_template_find(const char *id)
{
  const GPtrArray *templates = regard_sheet_templates();
  for (guint i = 0; i < templates->len; i++) {
    const RegardTemplateSheet *t = templates->pdata[i];
    if (g_str_equal(t->id, id))
      return t;
  }
  return NULL;
}

guint
regard_sheet_template_n_files(const RegardTemplateSheet *t)
{
  guint most = 1;
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++)
    if (t->panels[i])
      most = MAX(most, (guint) g_ascii_strtoull(t->panels[i], NULL, 10));
  return most;
}

gboolean
regard_sheet_template_wants_word(const RegardTemplateSheet *t)
{
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++)
    if (t->panels[i] && strstr(t->panels[i], "{word}"))
      return TRUE;
  return FALSE;
}

/* "2:cross:5.5:minus=1" of the captures by their numbers; NULL: they do not have it. */
static RegardPanel *
make_panel(const char *text, GPtrArray *captures, const char *word)
{
  g_autoptr(GString) filled = g_string_new(text);
  const char *problem = NULL;
  mt_error error = {0};
  if (word)
    g_string_replace(filled, "{word}", word, 0);
  g_auto(GStrv) parts = g_strsplit(filled->str, ":", -1);
  const guint64 number = g_ascii_strtoull(parts[0], NULL, 10);
  g_autoptr(mt_capture) capture = mt_capture_ref(captures->pdata[number - 1]);
  for (char **part = parts; *part; part++) {
    if (!g_str_has_prefix(*part, "minus="))
      continue;
    const guint64 from = g_ascii_strtoull(*part + strlen("minus="), NULL, 10);
    mt_capture *difference =
        mt_capture_difference_aligned(captures->pdata[from - 1], capture, &error);
    mt_capture_unref(capture);
    capture = difference;
    if (!capture)
      return NULL;
  }
  return regard_panel_parse(capture, (const char *const *) parts + 1, &problem);
}

char *
regard_sheet_template_panel(const RegardTemplateSheet *t, guint i, guint n_files)
{
  if (t->each)
    return i < n_files ? g_strdup_printf("%u%s%s", i + 1, *t->each ? ":" : "", t->each) : NULL;
  return i < REGARD_SHEET_MOST_PANELS ? g_strdup(t->panels[i]) : NULL;
}

/* Three beside each other, so that they can be read. */
char *
regard_sheet_template_mosaic(const RegardTemplateSheet *t, guint n_panels)
{
  RegardMosaic mosaic = {.cols = MIN(n_panels, 3), .rows = (n_panels + 2) / 3};
  if (t->mosaic)
    return g_strdup(t->mosaic);
  for (guint i = 0; i < mosaic.rows * mosaic.cols; i++)
    mosaic.at[i / 3][i % 3] = i < n_panels ? (char) ('A' + i) : REGARD_MOSAIC_HOLE;
  return regard_mosaic_dup_text(&mosaic);
}

gboolean
regard_sheet_fill_template(RegardSheet *sheet, const RegardTemplateSheet *t, GPtrArray *captures,
                           const char *word, char **reason)
{
  const guint wanted = regard_sheet_template_n_files(t), n = MIN(captures->len, 26);
  const char *name = regard_locale_text(t->name);
  RegardMosaic mosaic = {0};
  if (t->heads)
    return regard_sheet_arrange(sheet, t->has_files_in_rows, reason);
  if (captures->len < wanted) {
    *reason = g_strdup_printf(ngettext("“%s” wants the attention of %u translation: add it first.",
                                       "“%s” wants the attention of %u translations, in their "
                                       "order: add them first.",
                                       wanted),
                              name, wanted);
    return FALSE;
  }
  g_autoptr(GPtrArray) panels = g_ptr_array_new_with_free_func((GDestroyNotify) regard_panel_free);
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++) {
    g_autofree char *text = regard_sheet_template_panel(t, i, n);
    RegardPanel *panel = text ? make_panel(text, captures, word) : NULL;
    if (!text)
      continue;
    if (!panel) {
      *reason = g_strdup_printf(_("“%s” wants what these captures do not have: %s."), name,
                                t->each ? t->each : text);
      return FALSE;
    }
    panel->letter = (char) ('A' + i);
    g_ptr_array_add(panels, panel);
  }
  g_autofree char *letters = regard_sheet_template_mosaic(t, panels->len);
  regard_mosaic_parse(letters, &mosaic, reason);
  g_ptr_array_unref(sheet->panels);
  sheet->panels = g_steal_pointer(&panels);
  regard_sheet_set_mosaic(sheet, &mosaic);
  return TRUE;
}

/* ---- Panels as they are typed ----------------------------------------------------------------
 */

/* A number from 1 to n, of the model, or "last", as the place that it has in a capture. */
static gboolean
find_place(const char *text, gsize first, gsize n, guint *place)
{
  guint64 number = first + n;
  if (n == 0 || (!g_str_equal(text, "last") &&
                 !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &number, NULL)))
    return FALSE;
  *place = (guint) (number - first - 1);
  return number > first && number <= first + n;
}

/* "5.5", "5.mean", "5.max", "5" for the heads of a layer, "all"; several heads with commas between.
 * FALSE: it is none of these, or the capture does not have it. */
static gboolean
read_head(RegardAttentionLook *look, const char *text)
{
  RegardMatrixSpec *spec = &look->spec;
  const mt_capture *capture = look->capture;
  const gsize layers = mt_capture_n_layers(capture, spec->kind),
              heads = mt_capture_n_heads(capture, spec->kind),
              first_layer = mt_capture_first_layer(capture, spec->kind),
              first_head = mt_capture_first_head(capture, spec->kind);
  g_auto(GStrv) all = g_strsplit(text, ",", -1);
  const guint n = g_strv_length(all);
  g_autofree guint8 *chosen = g_new0(guint8, MAX(layers * heads, 1));
  spec->combine = REGARD_COMBINE_HEAD;
  if (g_str_equal(text, "all")) {
    look->scope = REGARD_SCOPE_KIND;
    return TRUE;
  }
  for (guint i = 0; i < n; i++) {
    g_auto(GStrv) parts = g_strsplit(all[i], ".", -1);
    const guint n_parts = g_strv_length(parts);
    if (n_parts < 1 || n_parts > 2 || !find_place(parts[0], first_layer, layers, &spec->layer) ||
        (n > 1 && n_parts == 1))
      return FALSE;
    if (n_parts == 1)
      look->scope = REGARD_SCOPE_LAYER;
    else if (g_str_equal(parts[1], "mean") && n == 1)
      spec->combine = REGARD_COMBINE_MEAN;
    else if (g_str_equal(parts[1], "max") && n == 1)
      spec->combine = REGARD_COMBINE_MAX;
    else if (find_place(parts[1], first_head, heads, &spec->head))
      chosen[spec->layer * heads + spec->head] = 1;
    else
      return FALSE;
  }
  if (n > 1) {
    look->scope = REGARD_SCOPE_CHOSEN;
    g_free((guint8 *) spec->chosen);
    spec->chosen = g_steal_pointer(&chosen);
  }
  return n > 0;
}

/* Tokens whose lines are seen, from 1, or by their text. FALSE: there are no such. */
static gboolean
read_rows(RegardAttentionLook *look, const char *text)
{
  RegardMatrixSpec spec = look->spec;
  spec.combine = REGARD_COMBINE_HEAD;
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(look->capture, &spec);
  if (!m)
    return FALSE;
  g_free(look->rows);
  look->n_rows = m->rows;
  look->rows = g_new0(guint8, m->rows + 1);
  g_autofree char *missing = regard_sum_parse(m, REGARD_SUM_QUERIES, text, look->rows);
  return !missing;
}

static gboolean
read_option(RegardPanel *panel, const char *text)
{
  RegardAttentionLook *look = &panel->look;
  if (g_str_equal(text, "lines"))
    look->form = REGARD_FORM_LINES;
  else if (g_str_equal(text, "level-lines")) {
    look->form = REGARD_FORM_LINES;
    look->orientation = REGARD_LINES_LEVEL;
  } else if (g_str_equal(text, "words"))
    look->spec.merge_words = TRUE;
  else if (g_str_equal(text, "hide-special"))
    look->spec.hide_special = TRUE;
  else if (g_str_equal(text, "received"))
    look->has_received = TRUE;
  else if (g_str_has_prefix(text, "of="))
    return read_rows(look, text + strlen("of="));
  else if (g_str_has_prefix(text, "title=")) {
    g_free(panel->title);
    panel->title = g_utf8_make_valid(text + strlen("title="), -1);
  } else if (g_str_has_prefix(text, "label=")) {
    g_free(panel->sentence);
    panel->sentence = g_utf8_make_valid(text + strlen("label="), -1);
  } else
    return regard_scale_from_id(text, &panel->scale) || read_head(look, text);
  return TRUE;
}

/* The first kind that a capture has, cross-attention first. */
static mt_attention_kind
first_kind(const mt_capture *capture)
{
  static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};
  guint i = 0;
  while (i + 1 < G_N_ELEMENTS(order) && mt_capture_n_layers(capture, order[i]) == 0)
    i++;
  return order[i];
}

static gboolean
find_kind(const char *word, mt_attention_kind *kind)
{
  for (guint i = 0; regard_kind_ids[i]; i++)
    if (g_str_equal(regard_kind_ids[i], word)) {
      *kind = (mt_attention_kind) i;
      return TRUE;
    }
  return FALSE;
}

RegardPanel *
regard_panel_parse(mt_capture *capture, const char *const *parts, const char **problem)
{
  mt_attention_kind kind = first_kind(capture);
  guint first = 0;
  if (parts[0] && find_kind(parts[0], &kind))
    first = 1;
  const gsize layers = mt_capture_n_layers(capture, kind);
  RegardPanel *panel = regard_panel_new_attention(capture, kind);
  RegardAttentionLook *look = &panel->look;
  look->spec.combine = REGARD_COMBINE_MEAN;
  look->spec.layer = layers > 1 ? (guint) layers - 2 : 0;
  *problem = layers == 0 && first ? parts[0] : NULL;
  for (guint i = first; !*problem && parts[i]; i++)
    if (!g_str_has_prefix(parts[i], "minus=") && !read_option(panel, parts[i]))
      *problem = parts[i];
  if (!*problem && look->form == REGARD_FORM_LINES && look->scope != REGARD_SCOPE_HEAD &&
      look->scope != REGARD_SCOPE_CHOSEN)
    *problem = "lines"; /* of one head, or of some */
  if (!*problem)
    return panel;
  regard_panel_free(panel);
  return NULL;
}
