/* test-canvas.c — lines, areas and clips of a canvas: on cairo pixel by pixel, in SVG as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "figures/regard-colormap.h"
#include "figures/regard-naming.h"
#include "suite.h"

#include <string.h>

#define SIZE 40

static const RegardPoint corner[] = {{5, 5}, {30, 5}, {30, 35}};
static const RegardPoint square[] = {{10, 10}, {20, 10}, {20, 20}, {10, 20}};

static void
draw(RegardCanvas *canvas)
{
  const RegardPen pen = {.width = 2, .argb = 0xffff0000};
  const RegardPen dashed = {.width = 2, .dash = 4, .space = 6, .argb = 0xff0000ff};
  const RegardPoint curve[] = {{2, 2}, {2, 12}, {2, 22}, {2, 32}};
  const RegardPoint line[] = {{5, 38}, {35, 38}}, dot[] = {{3, 20}};
  regard_canvas_begin_clip(canvas, (RegardRect){0, 0, 25, SIZE});
  regard_canvas_polyline(canvas, corner, G_N_ELEMENTS(corner), &pen);
  regard_canvas_end_clip(canvas);
  regard_canvas_fill_polygon(canvas, square, G_N_ELEMENTS(square), 0x8000ff00);
  regard_canvas_polyline(canvas, line, G_N_ELEMENTS(line), &dashed);
  regard_canvas_polyline(canvas, dot, 1, &pen);
  regard_canvas_polyline(canvas, dot, 0, &pen);
  regard_canvas_fill_polygon(canvas, square, 2, 0xff000000);
  regard_canvas_curve(canvas, curve, &(RegardPen){.width = 2, .argb = 0xff808000});
  regard_canvas_curve(canvas, curve, &(RegardPen){.width = 2, .argb = 0x00000000}); /* unseen */
}

static guint32
pixel(cairo_surface_t *surface, int x, int y)
{
  const guchar *row = cairo_image_surface_get_data(surface) +
                      (gsize) y * (gsize) cairo_image_surface_get_stride(surface);
  guint32 argb;
  memcpy(&argb, row + 4 * (gsize) x, sizeof argb);
  return argb;
}

static void
test_cairo(void)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create(surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1);
  draw(canvas);
  cairo_surface_flush(surface);
  g_assert_cmphex(pixel(surface, 15, 5), ==, 0xffff0000);
  g_assert_cmphex(pixel(surface, 27, 5), ==, 0);  /* outside the clip */
  g_assert_cmphex(pixel(surface, 30, 20), ==, 0); /* outside the clip */
  g_assert_cmphex(pixel(surface, 15, 15), ==, 0x80008000);
  g_assert_cmphex(pixel(surface, 22, 15), ==, 0);
  g_assert_cmphex(pixel(surface, 7, 38), ==, 0xff0000ff);
  g_assert_cmphex(pixel(surface, 12, 38), ==, 0); /* between two dashes */
  g_assert_cmphex(pixel(surface, 17, 38), ==, 0xff0000ff);
  g_assert_cmphex(pixel(surface, 3, 20) >> 24, >, 0x80);  /* the dot */
  g_assert_cmphex(pixel(surface, 2, 27), ==, 0xff808000); /* the curve */
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* Where the ink of a text begins and ends, on a surface of SIZE by SIZE. */
static RegardRect
ink_of(double x, double y, RegardAnchor anchor, double angle)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create(surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1);
  const RegardSpan span = {"HH", 0xff000000, FALSE};
  regard_canvas_text(canvas, x, y, &span, 1, 10, anchor, angle);
  cairo_surface_flush(surface);
  int left = SIZE, top = SIZE, right = 0, bottom = 0;
  for (int row = 0; row < SIZE; row++)
    for (int col = 0; col < SIZE; col++)
      if (pixel(surface, col, row) >> 24 > 0x60) {
        left = MIN(left, col), right = MAX(right, col + 1);
        top = MIN(top, row), bottom = MAX(bottom, row + 1);
      }
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return (RegardRect){left, top, right - left, bottom - top};
}

/* Text stands on its base line, before, around or after its anchor, and turns around it. */
static void
test_text(void)
{
  const RegardSpan span = {"HH", 0xff000000, FALSE};
  RegardCanvas *measure = regard_canvas_new_measure();
  const double width = regard_canvas_text_width(measure, &span, 1, 10);
  /* On a screen no text is smaller than can be read; files have what was asked for. */
  measure->family = "Sans";
  const double least = regard_canvas_text_width(measure, &span, 1, REGARD_LEAST_TEXT);
  g_assert_cmpfloat(regard_canvas_text_width(measure, &span, 1, 6), ==, least);
  g_assert_cmpfloat(regard_canvas_text_width(measure, &span, 1, 22), >, 1.9 * least);
  measure->family = NULL;
  g_assert_cmpfloat_with_epsilon(regard_canvas_text_width(measure, &span, 1, 5), width / 2, 1e-9);
  regard_canvas_free(measure);
  static const double before[] = {0, 0.5, 1};
  const double touch = 2.5; /* the sides of a letter, and rounding */
  for (RegardAnchor anchor = REGARD_ANCHOR_START; anchor <= REGARD_ANCHOR_END; anchor++) {
    const double start = 20 - before[anchor] * width;
    const RegardRect level = ink_of(20, 25, anchor, 0), up = ink_of(25, 20, anchor, -90);
    g_assert_cmpfloat_with_epsilon(level.x, start, touch);
    g_assert_cmpfloat_with_epsilon(level.x + level.width, start + width, touch);
    g_assert_cmpfloat_with_epsilon(level.y + level.height, 25, 1.1);
    g_assert_cmpfloat_with_epsilon(level.height, 7.3, 1.5);
    g_assert_cmpfloat_with_epsilon(up.y + up.height, 40 - start, touch);
    g_assert_cmpfloat_with_epsilon(up.y, 40 - start - width, touch);
    g_assert_cmpfloat_with_epsilon(up.x + up.width, 25, 1.1);
  }
}

static void
test_svg(void)
{
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_svg(SIZE, SIZE, "t", "d", NULL);
  draw(canvas);
  g_autoptr(GBytes) bytes = regard_canvas_svg_finish(canvas);
  gsize n;
  const char *data = g_bytes_get_data(bytes, &n);
  g_autofree char *text = g_strndup(data, n);
  static const char *const parts[] = {
      "<clipPath id=\"clip1\"><rect x=\"0\" y=\"0\" width=\"25\" height=\"40\"/></clipPath>\n"
      "<g clip-path=\"url(#clip1)\">\n<path fill=\"none\"",
      "stroke=\"#ff0000\" stroke-width=\"2\" d=\"M5,5 30,5 30,35\"/>\n</g>\n",
      "<path fill=\"#00ff00\" fill-opacity=\"0.502\" d=\"M10,10 20,10 20,20 10,20z\"/>",
      "stroke-dasharray=\"4 6\" d=\"M5,38 35,38\"/>",
      "d=\"M3,20 z\"/>",
      "stroke=\"#808000\" stroke-width=\"2\" d=\"M2,2C2,12 2,22 2,32\"/>",
  };
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    if (!strstr(text, parts[i]))
      g_error("there is no %s in %s", parts[i], text);
  g_assert_null(strstr(text, "#000000"));
}

static void
test_visible(void)
{
  static const struct {
    const char *text, *visible, *lines;
  } cases[] = {
      {NULL, "", ""},
      {"▁Straße 你好 مرحبا 😀 e\u0301", "▁Straße 你好 مرحبا 😀 e\u0301",
       "▁Straße 你好 مرحبا 😀 e\u0301"},
      {"a\tb\nc", "a␉b␊c", "a\tb\nc"},
      {"\x1b[1m\a\x7f\r", "␛[1m␇␡␍", "␛[1m␇␡␍"},
      {"\xc2\x85\u2028\u2029", "␤␤␤", "␤␤␤"},
      {"\xc2\x9b"
       "1m",
       "[U+009B]1m", "[U+009B]1m"},
      {"\u202Ea\u2066b\u200E", "[U+202E]a[U+2066]b\u200E", "[U+202E]a[U+2066]b\u200E"},
      {"\uFFFE\uFDD0\uFDEF\U0010FFFF\uFDF0", "\uFFFD\uFFFD\uFFFD\uFFFD\uFDF0",
       "\uFFFD\uFFFD\uFFFD\uFFFD\uFDF0"},
      {"\xff"
       "a\xc3",
       "\uFFFDa\uFFFD", "\uFFFDa\uFFFD"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *visible = regard_visible(cases[i].text), *again = regard_visible(visible);
    g_autofree char *lines = regard_visible_lines(cases[i].text);
    g_assert_cmpstr(visible, ==, cases[i].visible);
    g_assert_cmpstr(again, ==, visible);
    g_assert_cmpstr(lines, ==, cases[i].lines);
  }
}

/* The colour of a line, and of a letter where it is thickest, as high contrast draws them. */
static void
draw_told(guint32 ground, guint32 argb, guint32 *line, guint32 *text)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create(surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1);
  const RegardPoint points[] = {{0, 5}, {SIZE, 5}}, curve[] = {{2, 2}, {2, 12}, {2, 22}, {2, 32}};
  const RegardPen pen = {.width = 2, .argb = argb};
  const RegardSpan span = {"▉▉", argb, FALSE}; /* full blocks */
  const RegardRect hatched = {20, 20, 10, 10};
  canvas->ground = ground;
  regard_canvas_polyline(canvas, points, 2, &pen);
  regard_canvas_curve(canvas, curve, &pen);
  regard_canvas_stroke_line(canvas, 10, 12, 30, 12, 2, argb);
  regard_canvas_hatch(canvas, &hatched, 1, 1, 8, argb);
  regard_canvas_text(canvas, 8, 38, &span, 1, 16, REGARD_ANCHOR_START, 0);
  cairo_surface_flush(surface);
  *line = pixel(surface, 20, 5);
  *text = pixel(surface, 15, 34);
  g_assert_cmphex(pixel(surface, 20, 12), ==, *line);
  g_assert_cmphex(pixel(surface, 2, 17), ==, *line);
  if (argb >> 24 == 0xff) /* strokes of a hatch lie on each other here */
    g_assert_cmpfloat(regard_color_contrast(pixel(surface, 25, 22), *line), <, 1.03);
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* In high contrast nothing is fainter than 4.5 : 1 but what a number makes faint, and letters on
 * colours of cells; without it every colour is what it was. */
static void
test_contrast(void)
{
  static const guint32 grounds[] = {0xffffffff, 0xfffafafa, 0xff242424, 0xff1d1d20};
  static const guint32 inks[] = {0xffc8c8c8, 0xff8c8c8c, 0xff767676, 0xff3584e4, 0xff62a0ea,
                                 0xffcc79a7, 0xffc01c28, 0xff404048, 0xff101010, 0xff202430};
  guint n_told = 0;
  for (guint g = 0; g < G_N_ELEMENTS(grounds); g++)
    for (guint i = 0; i < G_N_ELEMENTS(inks); i++) {
      const double was = regard_color_contrast(inks[i], grounds[g]);
      guint32 line, text;
      draw_told(0, inks[i], &line, &text);
      g_assert_cmphex(line, ==, inks[i]);
      g_assert_cmphex(text, ==, inks[i]);
      draw_told(grounds[g], inks[i], &line, &text);
      g_assert_cmpfloat(regard_color_contrast(line, grounds[g]), >=, 4.5);
      g_assert_cmpfloat(regard_color_contrast(text, grounds[g]), >=, 4.5);
      if (was > 7) {
        g_assert_cmphex(line, ==, inks[i]);
        g_assert_cmphex(text, ==, inks[i]);
      }
      n_told += line != inks[i];
    }
  g_assert_cmpuint(n_told, >, 15);
  static const guint32 kept[] = {0xff000000, 0xffffffff, 0xff242424, 0x38808080};
  for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
    guint32 line, text, plain_line, plain_text;
    draw_told(0, kept[i], &plain_line, &plain_text);
    draw_told(0xff242424, kept[i], &line, &text);
    g_assert_cmphex(line, ==, plain_line);
    g_assert_cmphex(text, ==, plain_text);
  }
}

TESTS()
{
  g_test_add_func("/canvas/cairo", test_cairo);
  g_test_add_func("/canvas/text", test_text);
  g_test_add_func("/canvas/svg", test_svg);
  g_test_add_func("/canvas/visible", test_visible);
  g_test_add_func("/canvas/contrast", test_contrast);
}
