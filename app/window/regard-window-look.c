/* regard-window-look.c — how it is translated and what is looked at is remembered: document,
 * selection and settings follow each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Menus and preferences write settings, the views write the selection; each change is handed to
 * the other side, where setting what is already there does nothing.
 */
#include "window/regard-window-private.h"

#include "base/regard-request.h"

/* Where the setting is among the ids, which end with NULL; 0 if it is not. */
static guint
get_index(GSettings *settings, const char *key, const char *const *ids)
{
  g_autofree char *id = g_settings_get_string(settings, key);
  for (guint i = 0; ids[i]; i++)
    if (g_str_equal(id, ids[i]))
      return i;
  return 0;
}

/* GSettings announces even what does not change, and dconf would write it. */
static void
set_string(GSettings *settings, const char *key, const char *value)
{
  g_autofree char *old = g_settings_get_string(settings, key);
  if (!g_str_equal(old, value))
    g_settings_set_string(settings, key, value);
}

static void
set_uint(GSettings *settings, const char *key, guint value)
{
  if (g_settings_get_uint(settings, key) != value)
    g_settings_set_uint(settings, key, value);
}

static void
set_double(GSettings *settings, const char *key, double value)
{
  if (g_settings_get_double(settings, key) != value)
    g_settings_set_double(settings, key, value);
}

static void
set_boolean(GSettings *settings, const char *key, gboolean value)
{
  if (g_settings_get_boolean(settings, key) != value)
    g_settings_set_boolean(settings, key, value);
}

/* ---- Settings → selection ------------------------------------------------------------------ */

static void
apply_place(RegardWindow *self)
{
  guint kind = get_index(self->settings, "kind", regard_kind_ids);
  guint layer = g_settings_get_uint(self->settings, "layer");
  guint head = g_settings_get_uint(self->settings, "head");
  regard_document_set_place(self->document,
                            (RegardPlace){(mt_attention_kind) kind, layer ? layer - 1 : 0,
                                          head ? head - 1 : 0});
}

static void
apply_look(RegardWindow *self)
{
  g_autofree char *scale_id = g_settings_get_string(self->settings, "scale");
  g_autofree char *colormap = g_settings_get_string(self->settings, "colormap");
  RegardScale scale = REGARD_SCALE_LINEAR;
  if (regard_scale_from_id(scale_id, &scale))
    regard_selection_set_scale(self->selection, scale);
  if (regard_colormap_find(colormap) && !self->is_presenting)
    regard_selection_set_colormap(self->selection, colormap);
  regard_selection_set_combine(self->selection, (RegardCombine) get_index(self->settings, "combine",
                                                                          regard_combine_ids));
  regard_selection_set_label_by(self->selection,
                                (RegardLabelBy) get_index(self->settings, "label-by",
                                                          regard_label_by_ids));
  regard_selection_set_merge_words(self->selection,
                                   g_settings_get_boolean(self->settings, "merge-words"));
  regard_selection_set_hide_special(self->selection,
                                    g_settings_get_boolean(self->settings, "hide-special"));
  regard_selection_set_form(self->selection,
                            (RegardForm) get_index(self->settings, "form", regard_form_ids));
  regard_selection_set_lines_share(self->selection,
                                   g_settings_get_double(self->settings, "lines-share"));
}

static void
apply_search(RegardWindow *self)
{
  mt_request search = {0};
  regard_request_load(self->settings, &search);
  regard_document_set_search(self->document, &search);
  mt_request_clear(&search);
}

static void
apply_copies(RegardWindow *self)
{
  regard_document_set_copy_unknown(self->document,
                                   g_settings_get_boolean(self->settings, "copy-unknown"));
}

static void
apply_precision(RegardWindow *self)
{
  g_autofree char *name = g_settings_get_string(self->settings, "precision");
  mt_precision precision = MT_PRECISION_STORED;
  mt_precision_find(name, &precision);
  regard_document_set_precision(self->document, precision);
}

static void
on_setting(GSettings *settings, const char *key, RegardWindow *self)
{
  static const char *const place[] = {"kind", "layer", "head", NULL};
  static const char *const look[] = {"scale",    "colormap",    "combine",
                                     "label-by", "merge-words", "hide-special",
                                     "form",     "lines-share", NULL};
  if (g_strv_contains(place, key)) {
    /* Half of a move is no place to go to. */
    if (!self->is_placing)
      apply_place(self);
  } else if (g_strv_contains(look, key))
    apply_look(self);
  else if (regard_request_is_key(key)) {
    if (!self->is_placing)
      apply_search(self);
  } else if (g_str_equal(key, "copy-unknown"))
    apply_copies(self);
  else if (g_str_equal(key, "precision"))
    apply_precision(self);
}

/* ---- Document and selection → settings ----------------------------------------------------- */

static void
on_place(RegardWindow *self)
{
  const RegardPlace *place = regard_document_get_place(self->document);
  self->is_placing = TRUE;
  set_string(self->settings, "kind", regard_kind_id(place->kind));
  set_uint(self->settings, "layer", place->layer + 1);
  set_uint(self->settings, "head", place->head + 1);
  self->is_placing = FALSE;
}

/* What was undone is what is kept. */
static void
on_search(RegardWindow *self)
{
  const mt_request *search = regard_document_get_search(self->document);
  self->is_placing = TRUE;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    double value = 0, kept = 0;
    if (!mt_search_field_at(i)->label)
      continue;
    gboolean is_asked = mt_request_get(search, i, &value);
    gboolean is_kept = regard_request_get_kept(self->settings, i, &kept);
    if (is_asked != is_kept || (is_asked && value != kept))
      regard_request_keep(self->settings, i, is_asked ? &value : NULL);
  }
  self->is_placing = FALSE;
}

static void
on_selection(RegardSelection *selection, GParamSpec *pspec, RegardWindow *self)
{
  const char *name = pspec->name;
  if (g_str_equal(name, "combine"))
    set_string(self->settings, "combine",
               regard_combine_ids[regard_selection_get_combine(selection)]);
  else if (g_str_equal(name, "label-by"))
    set_string(self->settings, "label-by",
               regard_label_by_ids[regard_selection_get_label_by(selection)]);
  else if (g_str_equal(name, "merge-words"))
    set_boolean(self->settings, "merge-words", regard_selection_get_merge_words(selection));
  else if (g_str_equal(name, "hide-special"))
    set_boolean(self->settings, "hide-special", regard_selection_get_hide_special(selection));
  else if (g_str_equal(name, "form"))
    set_string(self->settings, "form", regard_form_ids[regard_selection_get_form(selection)]);
  else if (g_str_equal(name, "lines-share"))
    set_double(self->settings, "lines-share", regard_selection_get_lines_share(selection));
  else if (g_str_equal(name, "scale"))
    set_string(self->settings, "scale",
               regard_scale_info(regard_selection_get_scale(selection))->id);
  else if (g_str_equal(name, "colormap") && !self->is_presenting)
    set_string(self->settings, "colormap", regard_selection_get_colormap(selection)->id);
}

void
regard_window_observe_look(RegardWindow *self)
{
  apply_look(self);
  apply_place(self);
  apply_search(self);
  apply_copies(self);
  apply_precision(self);
  g_signal_connect_object(self->settings, "changed", G_CALLBACK(on_setting), self, 0);
  g_signal_connect_object(self->document, "changed::place", G_CALLBACK(on_place), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "changed::search", G_CALLBACK(on_search), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify", G_CALLBACK(on_selection), self, 0);
}
