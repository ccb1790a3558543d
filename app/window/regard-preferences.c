/* regard-preferences.c — what is set once and left alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-preferences.h"

#include "base/regard-template.h"
#include "document/regard-folder-tasks.h"
#include "figures/regard-colormap.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-scale.h"
#include "parts/regard-combo-rows.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"
#include <adwaita.h>
#include <glib/gi18n.h>

/* ==== A combo row bound to a setting that is one of a list of ids ============================= */

static gboolean
id_to_index(GValue *value, GVariant *variant, gpointer data)
{
  char **ids = data;
  for (guint i = 0; ids[i]; i++)
    if (g_str_equal(ids[i], g_variant_get_string(variant, NULL))) {
      g_value_set_uint(value, i);
      return TRUE;
    }
  g_value_set_uint(value, 0);
  return TRUE;
}

static GVariant *
index_to_id(const GValue *value, const GVariantType *type, gpointer data)
{
  char **ids = data;
  guint i = g_value_get_uint(value);
  return i < g_strv_length(ids) ? g_variant_new_string(ids[i]) : NULL;
}

static void
free_ids(gpointer data)
{
  g_strfreev(data);
}

/* ids and names are NULL-terminated and copied; key is a string setting. */
static void
regard_combo_bind(AdwComboRow *row, GSettings *settings, const char *key, const char *const *ids,
                  const char *const *names)
{
  g_autoptr(GtkStringList) list = gtk_string_list_new(names);
  adw_combo_row_set_model(row, G_LIST_MODEL(list));
  g_settings_bind_with_mapping(settings, key, row, "selected", G_SETTINGS_BIND_DEFAULT, id_to_index,
                               index_to_id, g_strdupv((char **) ids), free_ids);
}

/* ==== The page ================================================================================ */

struct _RegardPreferences {
  AdwPreferencesPage parent_instance;
  AdwComboRow *style, *scale, *colormap, *precision, *gloss;
  AdwActionRow *caches;
  GtkWidget *remove_caches;
  GtkSwitch *merge_words, *hide_special, *remember_text, *cache_weights;
  GtkSpinButton *export_width, *export_font, *export_dpi, *capture_memory;
  RegardWork *looking; /* at the caches of rounded weights */
};

G_DEFINE_FINAL_TYPE(RegardPreferences, regard_preferences, ADW_TYPE_PREFERENCES_PAGE)

static void
bind_scales(RegardPreferences *self, GSettings *settings)
{
  const char *ids[REGARD_N_SCALES + 1] = {NULL}, *names[REGARD_N_SCALES + 1] = {NULL};
  for (int i = 0; i < REGARD_N_SCALES; i++) {
    ids[i] = regard_scale_info((RegardScale) i)->id;
    names[i] = _(regard_scale_info((RegardScale) i)->name);
  }
  regard_combo_bind(self->scale, settings, "scale", ids, names);
}

static void
bind_colormaps(RegardPreferences *self, GSettings *settings)
{
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  g_autoptr(GPtrArray) ids = g_ptr_array_new(), names = g_ptr_array_new();
  for (guint i = 0; i < n; i++)
    if (!maps[i]->diverging) {
      g_ptr_array_add(ids, (gpointer) maps[i]->id);
      g_ptr_array_add(names, (gpointer) _(maps[i]->name));
    }
  g_ptr_array_add(ids, NULL);
  g_ptr_array_add(names, NULL);
  regard_combo_bind(self->colormap, settings, "colormap", (const char *const *) ids->pdata,
                    (const char *const *) names->pdata);
}

static void
bind_precisions(RegardPreferences *self, GSettings *settings)
{
  const char *ids[MT_N_PRECISIONS + 1] = {NULL}, *names[MT_N_PRECISIONS + 1] = {NULL};
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    ids[p] = mt_precision_name(p);
    names[p] = p == MT_PRECISION_STORED ? _("F32, nothing rounded") : regard_naming_precision(p);
  }
  regard_combo_bind(self->precision, settings, "precision", ids, names);
}

/* ---- Caches of rounded weights -------------------------------------------------------------- */

static void look_at_caches(RegardPreferences *self, gboolean removes);

static void
on_caches(gpointer owner, RegardRun *run)
{
  RegardPreferences *self = owner;
  const RegardCaches *caches = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  if (!regard_run_finish(run, &error)) {
    g_autofree char *markup = g_markup_escape_text(error->message, -1);
    adw_action_row_set_subtitle(self->caches, markup);
    return;
  }
  if (caches->removes) {
    look_at_caches(self, FALSE); /* whatever has come meanwhile */
    return;
  }
  g_autofree char *size = regard_format_size(caches->n_bytes);
  /* Translators: of rounded weights that are kept in files: none, or how many bytes. */
  g_autofree char *text =
      caches->n_files == 0
          ? g_strdup(_("None"))
          : g_strdup_printf(ngettext("%s in %zu file", "%s in %zu files", caches->n_files), size,
                            caches->n_files);
  adw_action_row_set_subtitle(self->caches, text);
  gtk_widget_set_sensitive(self->remove_caches, caches->n_files > 0);
}

static void
look_at_caches(RegardPreferences *self, gboolean removes)
{
  const RegardCaches wanted = {.removes = removes};
  regard_work_run(self->looking, &regard_caches_task, NULL, &wanted, on_caches);
}

static void
on_remove_caches(RegardPreferences *self)
{
  gtk_widget_set_sensitive(self->remove_caches, FALSE);
  look_at_caches(self, TRUE);
}

static void
regard_preferences_dispose(GObject *object)
{
  RegardPreferences *self = REGARD_PREFERENCES(object);
  regard_work_drop(self->looking);
  g_clear_object(&self->looking);
  G_OBJECT_CLASS(regard_preferences_parent_class)->dispose(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardPreferences, name)

static void
regard_preferences_class_init(RegardPreferencesClass *klass)
{
  static const RegardTemplateChild children[] = {
      CHILD(style),       CHILD(scale),         CHILD(colormap),       CHILD(gloss),
      CHILD(precision),   CHILD(cache_weights), CHILD(caches),         CHILD(remove_caches),
      CHILD(merge_words), CHILD(hide_special),  CHILD(remember_text),  CHILD(export_width),
      CHILD(export_font), CHILD(export_dpi),    CHILD(capture_memory), {NULL, 0}};
  G_OBJECT_CLASS(klass)->dispose = regard_preferences_dispose;
  regard_set_template(klass, "regard-preferences.ui", children);
}

static void
regard_preferences_init(RegardPreferences *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  regard_combo_rows_say_choice(GTK_WIDGET(self));
  regard_spin_take_comma(self->export_font);
  self->looking = regard_work_new(self);
  g_signal_connect_swapped(self->remove_caches, "clicked", G_CALLBACK(on_remove_caches), self);
}

RegardPreferences *
regard_preferences_new(GSettings *settings)
{
  RegardPreferences *self = g_object_new(REGARD_TYPE_PREFERENCES, NULL);
  const char *const styles[] = {"default", "light", "dark", NULL};
  const char *const style_names[] = {_("Like the desktop"), _("Light"), _("Dark"), NULL};
  regard_combo_bind(self->style, settings, "style", styles, style_names);
  const char *const glosses[] = {"auto", "on", "off", NULL};
  const char *const gloss_names[] = {_("Unless in English"), _("Always"), _("Never"), NULL};
  regard_combo_bind(self->gloss, settings, "gloss", glosses, gloss_names);
  bind_scales(self, settings);
  bind_colormaps(self, settings);
  bind_precisions(self, settings);
  const struct {
    const char *key;
    gpointer widget;
    const char *property;
  } bindings[] = {
      {"merge-words", self->merge_words, "active"},
      {"hide-special", self->hide_special, "active"},
      {"cache-weights", self->cache_weights, "active"},
      {"remember-text", self->remember_text, "active"},
      {"export-width", self->export_width, "value"},
      {"export-font", self->export_font, "value"},
      {"export-dpi", self->export_dpi, "value"},
      {"capture-memory", self->capture_memory, "value"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(bindings); i++)
    g_settings_bind(settings, bindings[i].key, bindings[i].widget, bindings[i].property,
                    G_SETTINGS_BIND_DEFAULT);
  look_at_caches(self, FALSE);
  return self;
}
