/* test-files.c — a model's folder or archive looked at: names, sizes, beginnings, and what is odd.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "failing-malloc.h"
#include "suite.h"
#include "zip-writer.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <mt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *root;

static char *
put(const char *name, const void *bytes, gsize n)
{
  char *path = g_build_filename(root, name, NULL);
  FILE *file = fopen(path, "w");
  g_assert_nonnull(file);
  g_assert_cmpuint(fwrite(bytes, 1, n, file), ==, n);
  g_assert_cmpint(fclose(file), ==, 0);
  return path;
}

static const char text[] = "languages, languages, languages, languages, languages, languages";

/* The same two files in a folder, and in an archive that holds one folder. */
static char *
make_folder(void)
{
  char *path = g_build_filename(root, "folder", NULL);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  g_free(put("folder/config.json", text, strlen(text)));
  g_free(put("folder/empty", "", 0));
  g_free(put("folder/.hidden", "x", 1));
  g_autofree char *pipe = g_build_filename(path, "pipe", NULL);
  g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
  return path;
}

static char *
make_archive(gboolean deflate)
{
  const zip_item items[] = {
      {.name = "m/", .bytes = "", .mode = 040755},
      {.name = "m/config.json", .bytes = text, .n = strlen(text), .deflate = deflate},
      {.name = "m/empty", .bytes = ""},
      {.name = "m/.hidden", .bytes = "x", .n = 1, .deflate = deflate},
      {.name = "m/below/deep", .bytes = "x", .n = 1, .deflate = deflate},
  };
  g_autoptr(GByteArray) bytes = zip_write(items, G_N_ELEMENTS(items), 0);
  char *path = put(deflate ? "deflated.zip" : "stored.zip", bytes->data, bytes->len);
  return path;
}

static void
add(void *user, const char *name)
{
  g_string_append_printf(user, "%s ", name);
}

static void
check_files(const char *path, const char *names)
{
  mt_error error = {0};
  g_autoptr(mt_files) files = mt_files_open(path, &error);
  if (!files)
    g_error("%s", error.message);
  GStatBuf status;
  g_assert_cmpint(g_stat(path, &status), ==, 0);
  gboolean is_archive = S_ISREG(status.st_mode);
  g_assert_cmpint(mt_files_is_archive(files), ==, is_archive);
  g_assert_cmpuint(mt_files_archive_size(files), ==, is_archive ? (guint64) status.st_size : 0);
  g_autoptr(GString) list = g_string_new(NULL);
  g_assert_true(mt_files_each(files, add, list, &error));
  g_assert_cmpstr(list->str, ==, names);

  char out[sizeof text] = "";
  size_t n = 99;
  g_assert_cmpint(mt_files_size(files, "config.json"), ==, strlen(text));
  g_assert_true(mt_files_read(files, "config.json", out, 9, &n, &error));
  g_assert_cmpuint(n, ==, 9);
  g_assert_cmpstr(out, ==, "languages"); /* and not a byte more */
  g_assert_true(mt_files_read(files, "config.json", out, sizeof out, &n, &error));
  g_assert_cmpmem(out, n, text, strlen(text));
  g_assert_cmpint(mt_files_size(files, "empty"), ==, 0);
  g_assert_true(mt_files_read(files, "empty", out, sizeof out, &n, &error));
  g_assert_cmpuint(n, ==, 0);
  static const char *const none[] = {"missing", "pipe", "..", ""};
  for (guint i = 0; i < G_N_ELEMENTS(none); i++) {
    g_assert_cmpint(mt_files_size(files, none[i]), ==, -1);
    g_assert_false(mt_files_read(files, none[i], out, sizeof out, &n, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  }
}

static void
test_same(void)
{
  g_autofree char *folder = make_folder(), *stored = make_archive(FALSE),
                  *deflated = make_archive(TRUE);
  check_files(folder, "config.json empty pipe ");
  check_files(stored, "config.json empty ");
  check_files(deflated, "config.json empty ");
}

static void
test_refused(void)
{
  mt_error error = {0};
  g_autofree char *none = g_build_filename(root, "none", NULL);
  g_assert_null(mt_files_open(none, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_autofree char *other = put("other.zip", "no archive", 10);
  g_assert_null(mt_files_open(other, &error));
  g_assert_nonnull(strstr(error.message, "other.zip"));
  /* Deflated bytes that are none are found out when they are read. */
  g_autofree char *path = make_archive(TRUE);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  char *name = memmem(bytes, n, "m/config.json", 13);
  memset(name + 13, 0xff, 8);
  g_autofree char *damaged = put("damaged.zip", bytes, n);
  g_autoptr(mt_files) files = mt_files_open(damaged, &error);
  g_assert_nonnull(files);
  char out[sizeof text];
  g_assert_false(mt_files_read(files, "config.json", out, sizeof out, &n, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_nonnull(strstr(error.message, "\"m/config.json\" is damaged"));
}

/* A file that is read whole has a limit, also where nobody can say how large it is. */
static void
test_whole(void)
{
  mt_bytes bytes;
  mt_error error = {0};
  g_autofree char *path = put("other.zip", text, strlen(text));
  g_assert_true(mt_file_read_whole(path, strlen(text), false, &bytes, &error));
  g_assert_cmpuint(bytes.size, ==, strlen(text));
  g_assert_cmpstr((char *) bytes.data, ==, text); /* a zero byte follows */
  mt_bytes_clear(&bytes);
  g_assert_false(mt_file_read_whole(path, strlen(text) - 1, false, &bytes, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_null(bytes.data);
  g_autofree char *words =
      g_strdup_printf("other.zip: expected at most %zu bytes, found more", strlen(text) - 1);
  g_assert_nonnull(strstr(error.message, words));
  /* One that needs more than the first piece of memory, up to its last byte. */
  g_autofree char *much = g_strnfill(300000, 'x');
  g_autofree char *large = put("damaged.zip", much, 300000);
  for (size_t most = 299999; most <= 300001; most++) {
    g_assert_true(mt_file_read_whole(large, most, false, &bytes, &error) == (most >= 300000));
    g_assert_true(most < 300000 || strcmp((char *) bytes.data, much) == 0);
    mt_bytes_clear(&bytes);
  }
  g_assert_false(mt_file_read_whole("/dev/zero", 100000, true, &bytes, &error));
  g_assert_nonnull(strstr(error.message, "/dev/zero: expected at most 100000 bytes"));
  g_assert_false(mt_file_read_whole("/dev/zero", 100000, false, &bytes, &error));
  g_assert_nonnull(strstr(error.message, "expected a regular file, found a device"));
  g_assert_false(mt_file_read_whole(root, 100, false, &bytes, &error));
  g_assert_false(mt_file_read_whole(root, 100, true, &bytes, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  /* A pipe: taken, or refused without waiting for who may write to it. */
  g_free(make_folder());
  g_autofree char *fifo = g_build_filename(root, "folder", "pipe", NULL);
  g_assert_false(mt_file_read_whole(fifo, 100, false, &bytes, &error));
  g_assert_nonnull(strstr(error.message, "found a pipe"));
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  g_assert_cmpint(write(ends[1], text, strlen(text)), ==, strlen(text));
  close(ends[1]);
  g_autofree char *name = g_strdup_printf("/dev/fd/%d", ends[0]);
  g_assert_true(mt_file_read_whole(name, 100, true, &bytes, &error));
  g_assert_cmpstr((char *) bytes.data, ==, text);
  mt_bytes_clear(&bytes);
  close(ends[0]);
}

static void
ignore(void *user, const char *name)
{
  ++*(guint *) user;
}

static gboolean
look(const char *path, mt_error *error)
{
  g_autoptr(mt_files) files = mt_files_open(path, error);
  char out[sizeof text];
  size_t length;
  guint n = 0;
  gboolean ok = files && mt_files_each(files, ignore, &n, error) &&
                mt_files_read(files, "config.json", out, sizeof out, &length, error);
  g_assert_true(!ok || (n > 0 && length == strlen(text)));
  return ok;
}

static void
test_no_memory(void)
{
  g_autofree char *folder = make_folder(), *deflated = make_archive(TRUE);
  const char *const paths[] = {folder, deflated};
  for (guint p = 0; p < G_N_ELEMENTS(paths); p++) {
    mt_error error = {0};
    g_assert_true(look(paths[p], &error)); /* what libraries make once is there now */
    failing_malloc_begin(0, false);
    g_assert_true(look(paths[p], &error));
    size_t n = failing_malloc_end();
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    for (size_t i = 1; i <= n; i++) {
      error = (mt_error){0};
      failing_malloc_begin(i, true);
      gboolean ok = look(paths[p], &error);
      failing_malloc_end();
      g_assert_true(ok || error.code == MT_ERROR_NO_MEMORY);
      g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    }
    g_assert_true(look(paths[p], &error));
  }
}

static void
run(gconstpointer test)
{
  root = g_dir_make_tmp("regard-files-XXXXXX", NULL);
  ((void (*)(void)) test)();
  static const char *const made[] = {"folder/config.json", "folder/empty", "folder/.hidden",
                                     "folder/pipe",        "folder",       "stored.zip",
                                     "deflated.zip",       "other.zip",    "damaged.zip"};
  for (guint i = 0; i < G_N_ELEMENTS(made); i++) {
    g_autofree char *path = g_build_filename(root, made[i], NULL);
    g_remove(path);
  }
  g_assert_cmpint(g_rmdir(root), ==, 0);
  g_free(root);
}

TESTS()
{
  /* libzip asks for the date, and libc keeps the name of the zone once more each time. */
  g_setenv("TZ", "UTC", TRUE);
  g_test_add_data_func("/files/same", (gconstpointer) test_same, run);
  g_test_add_data_func("/files/refused", (gconstpointer) test_refused, run);
  g_test_add_data_func("/files/whole", (gconstpointer) test_whole, run);
  g_test_add_data_func("/files/no-memory", (gconstpointer) test_no_memory, run);
}
