/* fuzz-files.c — a folder of which one file is the input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-files.h"

typedef struct {
  char *path, *bytes;
  gsize n;
} kept_file;

static GArray *kept;

static void
clear(gpointer file)
{
  kept_file *f = file;
  g_free(f->path);
  g_free(f->bytes);
}

void
fuzz_files_keep(const char *folder, const char *const *names)
{
  kept = g_array_new(FALSE, TRUE, sizeof(kept_file));
  g_array_set_clear_func(kept, clear);
  for (guint i = 0; names[i]; i++) {
    kept_file f = {.path = g_build_filename(folder, names[i], NULL)};
    g_assert_true(g_file_get_contents(f.path, &f.bytes, &f.n, NULL));
    g_array_append_val(kept, f);
  }
}

guint
fuzz_files_choose(guint8 first)
{
  return first % kept->len;
}

void
fuzz_files_put(guint i, const void *bytes, gsize n)
{
  const char *path = g_array_index(kept, kept_file, i).path;
  g_assert_true(g_file_set_contents(path, bytes, (gssize) n, NULL));
}

void
fuzz_files_restore(guint i)
{
  const kept_file *f = &g_array_index(kept, kept_file, i);
  fuzz_files_put(i, f->bytes, f->n);
}

void
fuzz_files_clear(void)
{
  g_array_unref(kept);
}
