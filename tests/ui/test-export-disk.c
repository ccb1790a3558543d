/* test-export-disk.c — a full disk, a folder that cannot be written, a path that is something else:
 * in every format the earlier file is still there, and nothing lies beside it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/follow-sync.h"
#include "disk-full.h"
#include "export-test.h"
#include "suite.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const char earlier[] = "the earlier file";

/* A folder of its own with one file in it, which every format is written over. */
typedef struct {
  char *folder, *path;
  const RegardExportFormat *format;
} Target;

static Target
target_new(const RegardExportFormat *format)
{
  g_autofree char *name = g_strconcat("figure.", format->id, NULL);
  Target t = {.folder = in_directory(format->id), .format = format};
  g_assert_cmpint(g_mkdir(t.folder, 0755), ==, 0);
  t.path = g_build_filename(t.folder, name, NULL);
  g_assert_true(g_file_set_contents(t.path, earlier, -1, NULL));
  return t;
}

static void
assert_untouched(const Target *t)
{
  g_autofree char *contents = NULL;
  g_assert_true(g_file_get_contents(t->path, &contents, NULL, NULL));
  g_assert_cmpstr(contents, ==, earlier);
  g_autoptr(GDir) folder = g_dir_open(t->folder, 0, NULL);
  g_autofree char *name = g_path_get_basename(t->path);
  g_assert_cmpstr(g_dir_read_name(folder), ==, name);
  g_assert_null(g_dir_read_name(folder));
}

static void
target_clear(Target *t)
{
  g_unlink(t->path);
  g_assert_cmpint(g_rmdir(t->folder), ==, 0);
  g_free(t->path);
  g_free(t->folder);
}

/* Says which file, and why. */
static void
assert_refused(const Target *t, const char *path, const char *reason)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  g_autoptr(GError) error = NULL;
  g_assert_false(regard_export_write(figure, t->format, NULL, path, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, path));
  g_assert_nonnull(strstr(error->message, reason));
}

static void
test_disk_full(gconstpointer format)
{
  Target t = target_new(format);
  disk_full_begin(1000);
  assert_refused(&t, t.path, t.format->is_picture ? g_strerror(EFBIG) : "");
  disk_full_end();
  assert_untouched(&t);
  /* A file that is not there yet does not begin to be. */
  g_autofree char *name = g_strconcat("new.", t.format->id, NULL);
  g_autofree char *new_path = g_build_filename(t.folder, name, NULL);
  disk_full_begin(1000);
  assert_refused(&t, new_path, "");
  disk_full_end();
  assert_untouched(&t);
  target_clear(&t);
}

/* Through a link: the link stays one, and what it points to stays as it was. */
static void
test_disk_full_link(gconstpointer format)
{
  Target t = target_new(format);
  g_autofree char *name = g_strconcat("link.", t.format->id, NULL);
  g_autofree char *link = in_directory(name);
  g_assert_cmpint(symlink(t.path, link), ==, 0);
  disk_full_begin(1000);
  assert_refused(&t, link, "");
  disk_full_end();
  assert_untouched(&t);
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  g_unlink(link);
  target_clear(&t);
}

static void
test_places(gconstpointer format)
{
  Target t = target_new(format);
  assert_refused(&t, t.folder, g_strerror(EISDIR));
  g_autofree char *below = g_build_filename(t.path, "figure", NULL);
  assert_refused(&t, below, g_strerror(ENOTDIR));
  assert_untouched(&t);
  target_clear(&t);
}

static void
test_read_only(gconstpointer format)
{
  Target t = target_new(format);
  g_assert_cmpint(g_chmod(export_directory, 0755), ==, 0);
  g_assert_cmpint(g_chmod(t.folder, 0555), ==, 0);
  /* Root may write anywhere: be somebody else for a moment. */
  const gboolean root = geteuid() == 0;
  if (root)
    g_assert_cmpint(seteuid(65534), ==, 0);
  assert_refused(&t, t.path, g_strerror(EACCES));
  if (root)
    g_assert_cmpint(seteuid(0), ==, 0);
  g_assert_cmpint(g_chmod(t.folder, 0755), ==, 0);
  assert_untouched(&t);
  target_clear(&t);
}

/* The bytes are on the disk before the name is. */
static void
test_durable(gconstpointer format)
{
  Target t = target_new(format);
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  g_autoptr(GError) error = NULL;
  sync_follow(t.path, EIO);
  assert_refused(&t, t.path, g_strerror(EIO));
  sync_assert("file before, ");
  assert_untouched(&t);
  sync_follow(t.path, 0);
  g_assert_true(regard_export_write(figure, t.format, NULL, t.path, &error));
  sync_assert(SYNC_RIGHT);
  target_clear(&t);
}

static void
tear_down(void)
{
  export_test_end();
}

TESTS(.end = tear_down)
{
  static const struct {
    const char *name;
    GTestDataFunc function;
  } tests[] = {{"full", test_disk_full},
               {"full-link", test_disk_full_link},
               {"durable", test_durable},
               {"places", test_places},
               {"read-only", test_read_only}};
  export_test_begin();
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  for (gsize k = 0; k < G_N_ELEMENTS(tests); k++)
    for (guint i = 0; i < n; i++) {
      if (!regard_export_format_fits(formats[i], figure))
        continue;
      g_autofree char *name = g_strdup_printf("/export/disk/%s/%s", tests[k].name, formats[i]->id);
      g_test_add_data_func(name, formats[i], tests[k].function);
    }
}
