/* locale-test.c — see locale-test.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "locale-test.h"

#include "figures/regard-language.h"
#include <glib/gstdio.h>
#include <stdlib.h>

const char *const locale_test_names[LOCALE_TEST_N] = {"de_DE.UTF-8", "fr_FR.UTF-8", "zh_CN.UTF-8",
                                                      "ar_EG.UTF-8"};
static char *folder; /* for all tests of a program, whose end removes it */

/* Only what is looked at: all of a locale would take seconds. localedef warns of what lacks, and
 * its status says so. */
static void
make(const char *name)
{
  g_autofree char *plain = g_strndup(name, 5);
  g_autofree char *source = g_build_filename(folder, plain, NULL);
  g_autofree char *target = g_build_filename(folder, name, NULL);
  g_autofree char *text = g_strdup_printf("LC_NUMERIC\ncopy \"%s\"\nEND LC_NUMERIC\n"
                                          "LC_MESSAGES\ncopy \"%s\"\nEND LC_MESSAGES\n",
                                          plain, plain);
  g_assert_true(g_file_set_contents(source, text, -1, NULL));
  const char *const command[] = {"localedef", "--quiet", "-c",           "-i",   source,
                                 "-f",        "UTF-8",   "--no-archive", target, NULL};
  g_spawn_sync(NULL, (char **) command, NULL,
               G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
               NULL, NULL, NULL, NULL, NULL);
  g_unlink(source);
}

static void
remove_all(void)
{
  for (int i = 0; i < LOCALE_TEST_N; i++) {
    g_autofree char *locale = g_build_filename(folder, locale_test_names[i], NULL);
    g_autofree char *messages = g_build_filename(locale, "LC_MESSAGES", NULL);
    const char *const folders[] = {messages, locale};
    for (gsize f = 0; f < G_N_ELEMENTS(folders); f++) {
      g_autoptr(GDir) dir = g_dir_open(folders[f], 0, NULL);
      for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folders[f], name, NULL);
        g_unlink(path);
      }
      g_rmdir(folders[f]);
    }
  }
  g_rmdir(folder);
  g_clear_pointer(&folder, g_free);
}

gboolean
locale_test_begin(void)
{
  gboolean are_there = TRUE;
  if (!folder) {
    folder = g_dir_make_tmp("regard-locale-XXXXXX", NULL);
    g_assert_nonnull(folder);
    atexit(remove_all);
    for (int i = 0; i < LOCALE_TEST_N; i++)
      make(locale_test_names[i]);
  }
  g_setenv("LOCPATH", folder, TRUE);
  for (int i = 0; i < LOCALE_TEST_N && are_there; i++) {
    locale_t made = newlocale(LC_NUMERIC_MASK, locale_test_names[i], (locale_t) 0);
    are_there = made != (locale_t) 0;
    if (made)
      freelocale(made);
  }
  if (!are_there) {
    locale_test_end();
    g_test_skip("localedef, or the sources of locales that it reads, are not installed");
  }
  return are_there;
}

void
locale_test_end(void)
{
  regard_language_set_numbers("C");
  g_unsetenv("LOCPATH");
}
