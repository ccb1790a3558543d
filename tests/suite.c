/* suite.c — runs the tests of one of the files that were linked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static suite_file *files;

void
suite_enlist(suite_file *file)
{
  file->next = files;
  files = file;
}

void
suite_add(gconstpointer data, GTestDataFunc test, const char *path, ...)
{
  va_list args;
  va_start(args, path);
  g_autofree char *whole = g_strdup_vprintf(path, args);
  va_end(args);
  g_test_add_data_func(whole, data, test);
}

guint
suite_stride(guint quick, guint watched)
{
  if (g_test_slow())
    return 1;
  return suite_is_watched() ? watched : quick;
}

gboolean
suite_is_watched(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(SUITE_IS_EMULATED)
  return !g_test_slow();
#else
  return FALSE;
#endif
}

static suite_file *
find(const char *name)
{
  suite_file *file = files;
  for (g_autofree char *wanted = g_strdup_printf("test-%s.c", name); file; file = file->next)
    if (g_str_equal(file->name, wanted))
      break;
  return file;
}

int
main(int argc, char **argv)
{
  /* In a test that GLib runs in a process of its own the environment has the name. */
  const char *name = argc > 1 && *argv[1] != '-' ? argv[1] : g_getenv("REGARD_TEST");
  const suite_file *file = name ? find(name) : NULL;
  if (!file) {
    fprintf(stderr, "usage: %s NAME [OPTION of g_test_init()]\nnames:\n", argv[0]);
    for (file = files; file; file = file->next)
      fprintf(stderr, "  %.*s\n", (int) strlen(file->name) - 7, file->name + 5);
    return 2;
  }
  g_setenv("REGARD_TEST", name, TRUE);
  if (argc > 1 && *argv[1] != '-') {
    argv[1] = argv[0];
    argv++, argc--;
  }
  g_test_init(&argc, &argv, NULL);
  if (file->begin && !file->begin()) {
    puts("1..0 # SKIP no display");
    return 0;
  }
  file->list();
  const int status = g_test_run();
  if (file->end)
    file->end();
  return status;
}
