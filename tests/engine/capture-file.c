/* capture-file.c — a capture in a file of its own, for tests of what reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "capture-file.h"

#include <glib/gstdio.h>
#include <string.h>

static char *directory;
char *capture_file_path;

void
capture_file_set_up(void)
{
  directory = g_dir_make_tmp("regard-capture-XXXXXX", NULL);
  capture_file_path = g_build_filename(directory, "x.npz", NULL);
}

void
capture_file_tear_down(void)
{
  g_remove(capture_file_path);
  g_rmdir(directory);
  g_free(capture_file_path);
  g_free(directory);
}

GBytes *
npy_scalar_text(const char *text)
{
  g_autoptr(GBytes) list = npy_strings(&text, 1, (guint) MAX(g_utf8_strlen(text, -1), 1));
  gsize size, width = (gsize) MAX(g_utf8_strlen(text, -1), 1) * 4;
  const char *data = g_bytes_get_data(list, &size);
  g_autofree char *descr = g_strdup_printf("<U%zu", width / 4);
  return npy_bytes(descr, "()", data + size - width, width);
}

GBytes *
npy_even_weights(const char *shape, gsize n, gsize n_cols)
{
  g_autofree float *values = g_new(float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = 1 / (float) n_cols;
  return npy_bytes("<f4", shape, values, n * sizeof *values);
}

GBytes *
npy_words(guint n, ...)
{
  const char *list[16];
  guint width = 1;
  va_list args;
  va_start(args, n);
  for (guint i = 0; i < n; i++) {
    list[i] = va_arg(args, const char *);
    width = MAX(width, (guint) g_utf8_strlen(list[i], -1));
  }
  va_end(args);
  return npy_strings(list, n, width);
}

mt_capture *
capture_file_read(char **meta)
{
  mt_error error = {0};
  mt_capture *capture = mt_capture_read_npz(capture_file_path, meta, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(capture);
  return capture;
}

void
assert_capture_refused(mt_error_code code, const char *message)
{
  mt_error error = {0};
  char *meta = (char *) "untouched";
  mt_capture *capture = mt_capture_read_npz(capture_file_path, &meta, &error);
  g_test_message("%s", error.message);
  g_assert_null(capture);
  g_assert_cmpint(error.code, ==, code);
  g_assert_nonnull(strstr(error.message, message));
  g_assert_cmpstr(meta, ==, "untouched");
}
