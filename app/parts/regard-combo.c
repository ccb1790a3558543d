/* regard-combo.c — a combo row bound to a setting that is one of a list of ids.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-combo.h"

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

void
regard_combo_bind(AdwComboRow *row, GSettings *settings, const char *key, const char *const *ids,
                  const char *const *names)
{
  g_autoptr(GtkStringList) list = gtk_string_list_new(names);
  adw_combo_row_set_model(row, G_LIST_MODEL(list));
  g_settings_bind_with_mapping(settings, key, row, "selected", G_SETTINGS_BIND_DEFAULT, id_to_index,
                               index_to_id, g_strdupv((char **) ids), free_ids);
}
