/* test-settings.c — settings without an installed schema and without a desktop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "base/regard-settings.h"

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

int
main(int argc, char **argv)
{
  g_autofree char *folder = app_test_folder();
  g_setenv("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv("XDG_RUNTIME_DIR", folder, TRUE);
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_unsetenv("GSETTINGS_BACKEND");
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/settings/key-file", test_key_file);
  g_test_add_func("/settings/lists", test_lists);
  int result = g_test_run();
  app_test_remove(folder);
  return result;
}
