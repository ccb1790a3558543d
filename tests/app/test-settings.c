/* test-settings.c — settings without an installed schema and without a desktop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "base/regard-settings.h"
#include "suite.h"

#include <string.h>

/* The schema comes out of the program itself; the values end in a key file. */
static void
test_key_file(void)
{
  g_autofree char *path = g_build_filename(g_get_user_config_dir(), "regard", "settings.ini", NULL);
  {
    g_autoptr(GSettings) settings = regard_settings_new();
    g_settings_set_string(settings, "scale", "log");
    g_settings_set_uint(settings, "beam-size", 7);
    g_settings_sync();
  }
  g_autofree char *content = NULL;
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_nonnull(strstr(content, "log"));

  g_autoptr(GSettings) again = regard_settings_new();
  g_autofree char *scale = g_settings_get_string(again, "scale");
  g_assert_cmpstr(scale, ==, "log");
  g_assert_cmpuint(g_settings_get_uint(again, "beam-size"), ==, 7);
  g_assert_cmpuint(g_settings_get_uint(again, "max-length"), ==, 0);
}

/* Few controls at the very first start, and never for who has anything stored, or settings that do
 * not last. */
static void
test_first_start(void)
{
  g_autofree char *path = g_build_filename(g_get_user_config_dir(), "regard", "settings.ini", NULL);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  {
    g_autoptr(GSettings) settings = regard_settings_new();
    g_assert_false(g_settings_get_boolean(settings, "simple"));
    g_assert_true(regard_settings_begin(settings));
    g_assert_true(g_settings_get_boolean(settings, "simple"));
    g_assert_false(regard_settings_begin(settings)); /* that is stored now */
    g_settings_reset(settings, "simple");
    g_settings_set_int(settings, "window-width", 1440); /* the default, but it was stored */
    g_assert_false(regard_settings_begin(settings));
    g_assert_false(g_settings_get_boolean(settings, "simple"));
    g_autoptr(GSettings) memory = regard_settings_new_beside(settings);
    g_assert_false(regard_settings_begin(memory));
    g_assert_false(g_settings_get_boolean(memory, "simple"));
    g_settings_reset(settings, "window-width");
    g_settings_sync();
  }
}

static void
test_lists(void)
{
  g_autoptr(GSettings) settings = regard_settings_new();
  const char *key = "recent-models";
  g_settings_reset(settings, key);
  regard_settings_push(settings, key, "/a", 3);
  regard_settings_push(settings, key, "/b", 3);
  regard_settings_push(settings, key, "/c", 3);
  regard_settings_push(settings, key, "/a", 3);
  regard_settings_push(settings, key, "/d", 3);
  g_auto(GStrv) list = g_settings_get_strv(settings, key);
  g_autofree char *joined = g_strjoinv(" ", list);
  g_assert_cmpstr(joined, ==, "/d /a /c");
  regard_settings_drop(settings, key, "/a");
  regard_settings_drop(settings, key, "/never");
  g_auto(GStrv) rest = g_settings_get_strv(settings, key);
  g_autofree char *left = g_strjoinv(" ", rest);
  g_assert_cmpstr(left, ==, "/d /c");
}

static double
number(GVariant *value)
{
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE))
    return g_variant_get_double(value);
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_INT32))
    return g_variant_get_int32(value);
  return g_variant_get_uint32(value);
}

/* Each setting of a search that the window shows has a key of the right type: its default is the
 * least of its range and below what is shown, so that the model decides; its most is the most
 * shown. */
static void
test_search(void)
{
  g_autoptr(GSettings) settings = regard_settings_new();
  g_autoptr(GSettingsSchema) schema = NULL;
  g_object_get(settings, "settings-schema", &schema, NULL);
  guint places = 0, n_shown = 0;
  g_assert_false(regard_request_is_key("scale"));
  g_assert_false(regard_request_is_key("n-best"));
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    g_autofree char *key = regard_request_dup_key(i);
    g_assert_true(regard_request_is_key(key) == (field->label != NULL));
    if (!field->label)
      continue;
    g_assert_cmpint(field->type, !=, MT_SEARCH_CHOICE);
    g_assert_true(g_settings_schema_has_key(schema, key));
    g_autoptr(GSettingsSchemaKey) row = g_settings_schema_get_key(schema, key);
    g_autoptr(GVariant) usual = g_settings_schema_key_get_default_value(row);
    g_autoptr(GVariant) range = g_settings_schema_key_get_range(row);
    g_autoptr(GVariant) ends = NULL;
    const char *kind;
    g_variant_get(range, "(&sv)", &kind, &ends);
    g_assert_cmpstr(kind, ==, "range");
    g_autoptr(GVariant) least = g_variant_get_child_value(ends, 0);
    g_autoptr(GVariant) most = g_variant_get_child_value(ends, 1);
    g_assert_cmpstr(g_variant_get_type_string(usual), ==,
                    field->type == MT_SEARCH_NUMBER ? "d"
                    : field->shown.least < 1        ? "i"
                                                    : "u");
    g_assert_cmpfloat(number(least), ==, number(usual));
    g_assert_cmpfloat(number(usual), <, field->shown.least);
    g_assert_cmpfloat(number(most), ==, field->shown.most);
    g_assert_true((places & 1u << field->place) == 0);
    places |= 1u << field->place;
    n_shown++;

    /* Kept and forgotten again. */
    double value = field->shown.most, kept = 0;
    mt_request request = {0};
    regard_request_keep(settings, i, &value);
    g_assert_true(regard_request_get_kept(settings, i, &kept));
    g_assert_cmpfloat(kept, ==, value);
    regard_request_load(settings, &request);
    g_assert_true(mt_request_get(&request, i, &kept));
    g_assert_cmpfloat(kept, ==, value);
    value = field->shown.least;
    regard_request_keep(settings, i, &value);
    g_assert_true(regard_request_get_kept(settings, i, &kept));
    g_assert_cmpfloat(kept, ==, value);
    regard_request_keep(settings, i, NULL);
    g_assert_false(regard_request_get_kept(settings, i, &kept));
    regard_request_load(settings, &request);
    g_assert_false(mt_request_get(&request, i, NULL));
  }
  g_assert_cmpuint(n_shown, >=, 3);
  g_assert_cmpuint(places, ==, (1u << n_shown) - 1);
}

static char *folder;

static void
tear_down(void)
{
  app_test_remove(folder);
  g_free(folder);
}

TESTS(.end = tear_down)
{
  folder = app_test_folder();
  g_setenv("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv("XDG_RUNTIME_DIR", folder, TRUE);
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_unsetenv("GSETTINGS_BACKEND");
  g_test_add_func("/settings/first-start", test_first_start);
  g_test_add_func("/settings/key-file", test_key_file);
  g_test_add_func("/settings/lists", test_lists);
  g_test_add_func("/settings/search", test_search);
}
