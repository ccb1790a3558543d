/* app-test.c — what the tests of the application share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"

#include <glib/gstdio.h>
#include <unistd.h>

/* Microseconds that a condition is waited for. */
#define MOST_WAITING (180 * G_USEC_PER_SEC)

const char *
app_test_model_dir(void)
{
  const char *dir = g_getenv("REGARD_TEST_MODEL");
  g_assert_nonnull(dir);
  return dir;
}

char *
app_test_checkpoint(const char *name)
{
  const char *data = g_getenv("REGARD_TEST_DATA");
  g_assert_nonnull(data);
  return g_build_filename(data, "checkpoints", name, NULL);
}

mt_model *
app_test_open(const char *dir)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(dir, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  return model;
}

static gboolean
on_timeout(gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Whatever happens first, or some seconds in which nothing does. */
void
app_test_go_on(gint64 waiting_since)
{
  gboolean is_over = FALSE;
  guint timeout = g_timeout_add_seconds(5, on_timeout, &is_over);
  g_main_context_iteration(NULL, TRUE);
  if (!is_over)
    g_source_remove(timeout);
  g_assert_cmpint(g_get_monotonic_time() - waiting_since, <, MOST_WAITING);
}

void
app_test_wait(AppTestCondition condition, gpointer data)
{
  app_test_until(condition(data));
}

void
app_test_run_for(guint milliseconds)
{
  gboolean is_over = FALSE;
  g_timeout_add(milliseconds, on_timeout, &is_over);
  while (!is_over)
    g_main_context_iteration(NULL, TRUE);
}

char *
app_test_folder(void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp("regard-app-XXXXXX", &error);
  g_assert_no_error(error);
  return folder;
}

void
app_test_remove(const char *folder)
{
  g_chmod(folder, 0700);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
      app_test_remove(path);
    else
      g_unlink(path);
  }
  g_rmdir(folder);
}

char *
app_test_broken_model(const char *parent, const char *file, const char *text)
{
  g_autofree char *good = app_test_checkpoint("post-norm-relu");
  g_autofree char *name = g_strdup_printf("broken-%s", file);
  char *folder = g_build_filename(parent, name, NULL);
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  g_autoptr(GDir) dir = g_dir_open(good, 0, NULL);
  g_assert_nonnull(dir);
  while ((name = (g_free(name), g_strdup(g_dir_read_name(dir))))) {
    g_autofree char *from = g_build_filename(good, name, NULL);
    g_autofree char *to = g_build_filename(folder, name, NULL);
    if (!g_str_equal(name, file))
      g_assert_cmpint(symlink(from, to), ==, 0);
    else if (text)
      g_assert_true(g_file_set_contents(to, text, -1, NULL));
  }
  return folder;
}
