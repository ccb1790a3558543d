/* export-test.c — what the tests of exports share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-test.h"
#include "sample-capture.h"
#include <glib/gstdio.h>

char *export_directory;

void
export_test_begin(void)
{
  export_directory = g_dir_make_tmp("regard-test-export-XXXXXX", NULL);
  g_assert_nonnull(export_directory);
}

char *
in_directory(const char *name)
{
  return g_build_filename(export_directory, name, NULL);
}

RegardFigure *
sample_figure(mt_attention_kind kind)
{
  mt_capture *capture = sample_capture(2);
  RegardMatrixSpec spec = {.kind = kind, .layer = 1, .head = 2};
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.scale = REGARD_SCALE_SQRT;
  RegardFigure *figure = regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style);
  mt_capture_unref(capture);
  return figure;
}

RegardFigure *
grid_figure(RegardScope scope)
{
  mt_capture *capture = sample_capture(2);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF};
  RegardFigure *figure = regard_figure_new_grid(capture, scope, &spec, NULL);
  mt_capture_unref(capture);
  return figure;
}

/* Rendered; must succeed. */
GBytes *
render(RegardFigure *figure, const char *format, const RegardExportOptions *options)
{
  static const RegardExportOptions standard = REGARD_EXPORT_OPTIONS_INIT;
  GError *error = NULL;
  GBytes *bytes =
      regard_export_format_find(format)->render(figure, options ? options : &standard, &error);
  g_assert_no_error(error);
  g_assert_nonnull(bytes);
  return bytes;
}

char *
render_text(RegardFigure *figure, const char *format)
{
  g_autoptr(GBytes) bytes = render(figure, format, NULL);
  gsize size;
  const char *data = g_bytes_get_data(bytes, &size);
  g_assert_true(g_utf8_validate(data, (gssize) size, NULL));
  return g_strndup(data, size);
}

void
write_to(RegardFigure *figure, const char *path)
{
  GError *error = NULL;
  g_assert_true(regard_export_write(figure, regard_export_format_find(path), NULL, path, &error));
  g_assert_no_error(error);
}

void
export_test_end(void)
{
  GDir *dir = g_dir_open(export_directory, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *path = in_directory(name);
    g_unlink(path);
  }
  g_dir_close(dir);
  g_rmdir(export_directory);
  g_free(export_directory);
}
