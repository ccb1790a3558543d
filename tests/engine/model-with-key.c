/* model-with-key.c — a model of the source tree as a configuration makes another of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model-with-key.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

mt_model *
model_with_key(const char *dir, const char *key)
{
  static const char *const files[] = {"generation_config.json", "model.safetensors", "source.spm",
                                      "target.spm", "vocab.json"};
  g_autofree char *folder = g_dir_make_tmp("regard-model-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *from = g_build_filename(REGARD_SOURCE_ROOT, dir, files[i], NULL);
    g_autofree char *to = g_build_filename(folder, files[i], NULL);
    g_assert_cmpint(symlink(from, to), ==, 0);
  }
  g_autofree char *path = g_build_filename(folder, "config.json", NULL);
  g_autofree char *before = g_build_filename(REGARD_SOURCE_ROOT, dir, "config.json", NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(before, &text, NULL, NULL));
  *strrchr(text, '}') = 0;
  g_autofree char *whole = g_strdup_printf("%s, %s}", text, key);
  g_assert_true(g_file_set_contents(path, whole, -1, NULL));
  mt_error error = {0};
  mt_model *model = mt_model_open(folder, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_unlink(path);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *to = g_build_filename(folder, files[i], NULL);
    g_unlink(to);
  }
  g_rmdir(folder);
  return model;
}
