/* regard-settings.c — what is remembered between sessions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * g_settings_new() ends the program when its schema is not installed, which is no way to greet
 * somebody who runs Regard from a build folder; so the schema is looked up step by step. dconf
 * needs a session bus to write; where there is none, a key file keeps the settings instead.
 */
#include "base/regard-settings.h"

#include "base/regard-paths.h"
#include <glib/gstdio.h>

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>

#define SCHEMA_PATH     "/io/github/regard/Regard/"
#define SCHEMA_RESOURCE SCHEMA_PATH "gschemas.compiled"

static GSettingsSchema *
schema_in_folder(const char *folder)
{
  g_autoptr(GSettingsSchemaSource) source =
      g_settings_schema_source_new_from_directory(folder, g_settings_schema_source_get_default(),
                                                  TRUE, NULL);
  return source ? g_settings_schema_source_lookup(source, REGARD_SCHEMA, FALSE) : NULL;
}

/* GSettings reads schemas from folders only, so the copy inside the program passes through one. */
static GSettingsSchema *
schema_in_program(void)
{
  g_autoptr(GBytes) bytes =
      g_resources_lookup_data(SCHEMA_RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autofree char *folder = bytes ? g_dir_make_tmp("regard-XXXXXX", NULL) : NULL;
  if (!folder)
    return NULL;
  g_autofree char *path = g_build_filename(folder, "gschemas.compiled", NULL);
  gsize length = 0;
  const char *data = g_bytes_get_data(bytes, &length);
  GSettingsSchema *schema = NULL;
  if (g_file_set_contents(path, data, (gssize) length, NULL))
    schema = schema_in_folder(folder);
  g_unlink(path);
  g_rmdir(folder);
  return schema;
}

static GSettingsSchema *
find_schema(void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default();
  GSettingsSchema *schema =
      installed ? g_settings_schema_source_lookup(installed, REGARD_SCHEMA, TRUE) : NULL;
  g_autofree char *build = schema ? NULL : regard_paths_build_schemas();
  if (build)
    schema = schema_in_folder(build);
  return schema ? schema : schema_in_program();
}

static gboolean
has_session_bus(void)
{
  const char *address = g_getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address && *address)
    return TRUE;
  g_autofree char *path = g_build_filename(g_get_user_runtime_dir(), "bus", NULL);
  return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* The desktop's store if it lasts, else a key file; GSETTINGS_BACKEND always has the last word. */
static GSettingsBackend *
find_backend(void)
{
  GSettingsBackend *backend = g_settings_backend_get_default();
  if (g_getenv("GSETTINGS_BACKEND"))
    return backend;
  const char *type = G_OBJECT_TYPE_NAME(backend);
  gboolean lasts = !g_str_equal(type, "GMemorySettingsBackend") &&
                   (!g_str_equal(type, "DConfSettingsBackend") || has_session_bus());
  if (lasts)
    return backend;
  g_object_unref(backend);
  g_autofree char *path = g_build_filename(g_get_user_config_dir(), "regard", "settings.ini", NULL);
  return g_keyfile_settings_backend_new(path, SCHEMA_PATH, "Settings");
}

GSettings *
regard_settings_new_if_there(void)
{
  g_autoptr(GSettingsSchema) schema = find_schema();
  if (!schema)
    return NULL;
  g_autoptr(GSettingsBackend) backend = find_backend();
  return g_settings_new_full(schema, backend, NULL);
}

GSettings *
regard_settings_new(void)
{
  GSettings *settings = regard_settings_new_if_there();
  /* Only a program built without its resources, on a machine without a temporary folder, gets
   * here. */
  if (!settings)
    g_error("the settings schema %s is not installed and could not be unpacked", REGARD_SCHEMA);
  return settings;
}

gboolean
regard_settings_begin(GSettings *settings)
{
  g_autoptr(GSettingsBackend) backend = NULL;
  g_autoptr(GSettingsSchema) schema = NULL;
  g_object_get(settings, "backend", &backend, "settings-schema", &schema, NULL);
  if (g_str_equal(G_OBJECT_TYPE_NAME(backend), "GMemorySettingsBackend"))
    return FALSE;
  g_auto(GStrv) keys = g_settings_schema_list_keys(schema);
  for (guint i = 0; keys[i]; i++) {
    g_autoptr(GVariant) stored = g_settings_get_user_value(settings, keys[i]);
    if (stored)
      return FALSE;
  }
  g_settings_set_boolean(settings, "simple", TRUE);
  return TRUE;
}

/* ---- A further window ------------------------------------------------------------------------ */

/* Two windows must not follow each other's looks, nor write over each other's texts. */
static const char *const own_keys[] = {
    "window-width",
    "window-height",
    "window-maximized",
    "text-height",
    "text-split",
    "show-heads",
    "show-details",
    "show-tokens",
    "show-trust",
    "show-received",
    "view",
    "kind",
    "layer",
    "head",
    "combine",
    "scale",
    "colormap",
    "form",
    "lines-share",
    "merge-words",
    "hide-special",
    "label-by",
    "text",
    "beam-size",
    "length-penalty",
    "max-length",
    "precision",
    "model",
    "simple",
    "learn-width",
    NULL,
};

static void
copy_key(GSettings *from, GSettings *to, const char *key)
{
  g_autoptr(GVariant) value = g_settings_get_value(from, key);
  g_autoptr(GVariant) before = g_settings_get_value(to, key);
  if (!g_variant_equal(value, before))
    g_settings_set_value(to, key, value);
}

static void
on_changed(GSettings *settings, const char *key, GSettings *other)
{
  if (!g_strv_contains(own_keys, key))
    copy_key(settings, other, key);
}

GSettings *
regard_settings_new_beside(GSettings *settings)
{
  g_autoptr(GSettingsSchema) schema = NULL;
  g_object_get(settings, "settings-schema", &schema, NULL);
  g_autoptr(GSettingsBackend) memory = g_memory_settings_backend_new();
  g_auto(GStrv) keys = g_settings_schema_list_keys(schema);
  GSettings *beside = g_settings_new_full(schema, memory, NULL);
  for (guint i = 0; keys[i]; i++)
    copy_key(settings, beside, keys[i]);
  g_signal_connect_object(settings, "changed", G_CALLBACK(on_changed), beside, 0);
  g_signal_connect_object(beside, "changed", G_CALLBACK(on_changed), settings, 0);
  g_object_set_data_full(G_OBJECT(beside), "regard-settings", g_object_ref(settings),
                         g_object_unref);
  return beside;
}

void
regard_settings_keep(GSettings *beside)
{
  GSettings *settings = g_object_get_data(G_OBJECT(beside), "regard-settings");
  for (guint i = 0; settings && own_keys[i]; i++)
    copy_key(beside, settings, own_keys[i]);
}

void
regard_settings_push(GSettings *settings, const char *key, const char *path, guint most)
{
  g_auto(GStrv) old = g_settings_get_strv(settings, key);
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  g_ptr_array_add(list, (gpointer) path);
  for (guint i = 0; old[i] && list->len < most; i++)
    if (!g_str_equal(old[i], path))
      g_ptr_array_add(list, old[i]);
  g_ptr_array_add(list, NULL);
  g_settings_set_strv(settings, key, (const char *const *) list->pdata);
}

void
regard_settings_drop(GSettings *settings, const char *key, const char *path)
{
  g_auto(GStrv) old = g_settings_get_strv(settings, key);
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  for (guint i = 0; old[i]; i++)
    if (!g_str_equal(old[i], path))
      g_ptr_array_add(list, old[i]);
  g_ptr_array_add(list, NULL);
  g_settings_set_strv(settings, key, (const char *const *) list->pdata);
}

void
regard_settings_keep_of_model(GSettings *settings, const char *key, const char *model,
                              GVariant *value)
{
  g_autoptr(GVariant) own = g_variant_ref_sink(value);
  g_autoptr(GVariant) all = g_settings_get_value(settings, key);
  g_auto(GStrv) recent = g_settings_get_strv(settings, "recent-models");
  GVariantBuilder builder;
  g_variant_builder_init(&builder, g_variant_get_type(all));
  for (gsize i = 0; i < g_variant_n_children(all); i++) {
    g_autoptr(GVariant) entry = g_variant_get_child_value(all, i);
    g_autoptr(GVariant) name = g_variant_get_child_value(entry, 0);
    const char *other = g_variant_get_string(name, NULL);
    if (!g_str_equal(other, model) &&
        (!*other || g_strv_contains((const char *const *) recent, other)))
      g_variant_builder_add_value(&builder, entry);
  }
  g_variant_builder_add_value(&builder, g_variant_new_dict_entry(g_variant_new_string(model), own));
  g_settings_set_value(settings, key, g_variant_builder_end(&builder));
}

/* ==== What a search is asked for, as the settings keep it ===================================== */

char *
regard_request_dup_key(gsize row)
{
  return g_strdelimit(g_strdup(mt_search_field_at(row)->key), "_", '-');
}

gboolean
regard_request_is_key(const char *key)
{
  g_autofree char *name = g_strdelimit(g_strdup(key), "-", '_');
  gsize row;
  return mt_search_find_field(name, &row) && mt_search_field_at(row)->label;
}

/* A whole number, of which 0 is one, is kept with a sign. */
static double
get(GSettings *settings, const char *key, const mt_search_field *field)
{
  if (field->type == MT_SEARCH_NUMBER)
    return g_settings_get_double(settings, key);
  if (field->shown.least < 1)
    return g_settings_get_int(settings, key);
  return g_settings_get_uint(settings, key);
}

gboolean
regard_request_get_kept(GSettings *settings, gsize row, double *value)
{
  const mt_search_field *field = mt_search_field_at(row);
  g_autofree char *key = regard_request_dup_key(row);
  double kept = get(settings, key, field);
  if (kept < field->shown.least)
    return FALSE;
  *value = kept;
  return TRUE;
}

void
regard_request_keep(GSettings *settings, gsize row, const double *value)
{
  const mt_search_field *field = mt_search_field_at(row);
  g_autofree char *key = regard_request_dup_key(row);
  if (!value)
    g_settings_reset(settings, key);
  else if (field->type == MT_SEARCH_NUMBER)
    g_settings_set_double(settings, key, *value);
  else if (field->shown.least < 1)
    g_settings_set_int(settings, key, (int) *value);
  else
    g_settings_set_uint(settings, key, (guint) *value);
}

void
regard_request_load(GSettings *settings, mt_request *request)
{
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    double value;
    if (!mt_search_field_at(i)->label)
      continue;
    /* The schema's ranges are within those of the rows, so nothing that is kept is refused. */
    if (!regard_request_get_kept(settings, i, &value) || !mt_request_set(request, i, value, NULL))
      mt_request_unset(request, i);
  }
}
