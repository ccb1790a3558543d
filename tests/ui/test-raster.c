/* test-raster.c — matrices as pixels: exact cells, masks, pooling by maximum.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-attention.h"
#include "figures/regard-raster.h"
#include "sample-capture.h"
#include "suite.h"
#include <math.h>

static guint32
pixel(cairo_surface_t *surface, int x, int y)
{
  const guint8 *data = cairo_image_surface_get_data(surface);
  return ((const guint32 *) (const void *) (data + y * cairo_image_surface_get_stride(surface)))[x];
}

static void
assert_size(cairo_surface_t *surface, int width, int height)
{
  g_assert_cmpint(cairo_surface_status(surface), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint(cairo_image_surface_get_width(surface), ==, width);
  g_assert_cmpint(cairo_image_surface_get_height(surface), ==, height);
}

static void
test_one_pixel_a_cell(void)
{
  const float values[] = {0, 0.25f, 1, 0.5f, 0.5f, 0};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 3, NULL, NULL);
  const RegardColormap *map = regard_colormap_find("magma");
  for (guint i = 0; i < REGARD_N_SCALES; i++) {
    RegardScale scale = (RegardScale) i;
    cairo_surface_t *s = regard_raster_new(m, map, scale, 0);
    assert_size(s, 3, 2);
    for (guint r = 0; r < 2; r++)
      for (guint c = 0; c < 3; c++) {
        double max = regard_matrix_row_max(m, r);
        g_assert_cmphex(pixel(s, (int) c, (int) r), ==,
                        regard_raster_cell_color(m, map, scale, r, c, max));
      }
    cairo_surface_destroy(s);
  }
  /* In the second row of the per-row scale a half is the whole. */
  cairo_surface_t *s = regard_raster_new(m, map, REGARD_SCALE_ROW, 0);
  g_assert_cmphex(pixel(s, 0, 1), ==, regard_colormap_lookup(map, 1));
  cairo_surface_destroy(s);
}

/* Masked pixels have the colour given, premultiplied, and never that of zero. */
static void
check_masked(mt_capture *capture, mt_attention_kind kind)
{
  RegardMatrixSpec spec = {.kind = kind};
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
  cairo_surface_t *s = regard_raster_new(m, NULL, REGARD_SCALE_LINEAR, 0x80ff0000);
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (mt_capture_is_masked(capture, kind, 0, 0, r, c))
        g_assert_cmphex(pixel(s, (int) c, (int) r), ==, 0x80800000);
      else
        g_assert_cmphex(pixel(s, (int) c, (int) r) >> 24, ==, 0xff);
  cairo_surface_destroy(s);

  /* Straight from the capture: the same picture. A pixel is masked if all its cells are. */
  for (int size = 2; size <= 17; size += 3) {
    mt_matrix w = mt_capture_weights(capture, kind, 0, 0);
    cairo_surface_t *a =
        regard_raster_new_thumbnail(w, mt_capture_mask(capture, kind, 0, 0), 0, 1, NULL,
                                    REGARD_SCALE_SQRT, 0x80808080, (guint) size, (guint) size - 1);
    cairo_surface_t *b = regard_raster_new_pooled(m, NULL, REGARD_SCALE_SQRT, 0x80808080,
                                                  (guint) size, (guint) size - 1);
    assert_size(a, size, size - 1);
    assert_size(b, size, size - 1);
    for (int y = 0; y < size - 1; y++)
      for (int x = 0; x < size; x++) {
        gboolean is_masked = TRUE;
        for (int r = y * (int) m->rows / (size - 1); r < (y + 1) * (int) m->rows / (size - 1); r++)
          for (int c = x * (int) m->cols / size; c < (x + 1) * (int) m->cols / size; c++)
            is_masked &= mt_capture_is_masked(capture, kind, 0, 0, (gsize) r, (gsize) c);
        g_assert_cmphex(pixel(a, x, y), ==, pixel(b, x, y));
        g_assert_cmpint(pixel(a, x, y) >> 24 != 0xff, ==, is_masked);
      }
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
  }
}

static void
test_masked(void)
{
  mt_capture *capture = sample_capture(1), *restricted = sample_restricted_capture(1, 3);
  check_masked(capture, MT_DECODER_SELF);
  check_masked(restricted, MT_DECODER_SELF);
  check_masked(restricted, MT_ENCODER_SELF);
  mt_capture_unref(restricted);
  mt_capture_unref(capture);
}

/* One bright cell anywhere survives at full strength in a picture of any size. */
static void
test_peaks_survive_pooling(void)
{
  enum { ROWS = 97, COLS = 61 };
  static float values[ROWS * COLS];
  const RegardColormap *map = regard_colormap_default();
  for (guint peak = 0; peak < ROWS * COLS; peak += 157) {
    values[peak] = 1;
    g_autoptr(RegardMatrix) m = sample_matrix(values, ROWS, COLS, NULL, NULL);
    for (guint size = 1; size < 70; size += 13) {
      cairo_surface_t *s = regard_raster_new_pooled(m, map, REGARD_SCALE_LINEAR, 0, size, size + 3);
      int bright = 0;
      for (int y = 0; y < cairo_image_surface_get_height(s); y++)
        for (int x = 0; x < cairo_image_surface_get_width(s); x++)
          bright += pixel(s, x, y) == regard_colormap_lookup(map, 1);
      g_assert_cmpint(bright, ==, 1);
      cairo_surface_destroy(s);
    }
    values[peak] = 0;
  }
}

/* The strongest of a block keeps its sign. */
static void
test_signed_pooling(void)
{
  const float values[] = {0.1f, -0.9f, 0.3f, 0.2f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 2, NULL, NULL);
  g_assert_true(m->diverging);
  cairo_surface_t *s = regard_raster_new_pooled(m, NULL, REGARD_SCALE_LINEAR, 0, 1, 1);
  g_assert_cmphex(pixel(s, 0, 0), ==,
                  regard_colormap_lookup(regard_colormap_default_diverging(), 0));
  cairo_surface_destroy(s);
}

static void
test_not_a_number(void)
{
  const float values[] = {NAN, 0.5f, INFINITY, -0.5f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 2, NULL, NULL);
  g_assert_cmpfloat(m->hi, ==, 0.5f);
  cairo_surface_t *s = regard_raster_new(m, NULL, REGARD_SCALE_LINEAR, 0);
  const RegardColormap *map = regard_colormap_default_diverging();
  g_assert_cmphex(pixel(s, 0, 0), ==, regard_colormap_lookup(map, 0.5));
  g_assert_cmphex(pixel(s, 0, 1), ==, regard_colormap_lookup(map, 1));
  cairo_surface_destroy(s);
}

TESTS()
{
  g_test_add_func("/raster/one-pixel-a-cell", test_one_pixel_a_cell);
  g_test_add_func("/raster/masked", test_masked);
  g_test_add_func("/raster/peaks-survive-pooling", test_peaks_survive_pooling);
  g_test_add_func("/raster/signed-pooling", test_signed_pooling);
  g_test_add_func("/raster/not-a-number", test_not_a_number);
}
