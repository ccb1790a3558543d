/* bench-roofline.c — a roofline (Williams, Waterman and Patterson 2009): below the slope a product
 * waits for memory, below the flat part for arithmetic.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench-roofline.h"

#include "figures/regard-canvas.h"

#include <math.h>
#include <stdio.h>

#define WIDTH  640.0
#define HEIGHT 400.0
#define LEFT   56.0
#define RIGHT  (WIDTH - 16)
#define TOP    40.0
#define BOTTOM (HEIGHT - 50)

/* Of both axes, as logarithms to the base 2. */
#define LEAST_X -1.0
#define MOST_X  8.0
#define LEAST_Y 1.0
#define MOST_Y  10.0

#define INK   0xff303030
#define FAINT 0xffe4e4e4

static const guint32 colors[] = {0xff8a8a8a, 0xffd08a1d, 0xff7a5ad6, 0xff2a7de1,
                                 0xff12805c, 0xffc23b22, 0xffb3308f};

static double
at_x(double intensity)
{
  return LEFT + (log2(intensity) - LEAST_X) / (MOST_X - LEAST_X) * (RIGHT - LEFT);
}

static double
at_y(double speed)
{
  return BOTTOM - (log2(speed) - LEAST_Y) / (MOST_Y - LEAST_Y) * (BOTTOM - TOP);
}

static void
write_text(RegardCanvas *canvas, double x, double y, const char *text, guint32 argb,
           RegardAnchor anchor)
{
  RegardSpan span = {.text = text, .argb = argb};
  regard_canvas_text(canvas, x, y, &span, 1, 10, anchor, 0);
}

static void
draw_axes(RegardCanvas *canvas)
{
  for (int i = (int) LEAST_X; i <= (int) MOST_X; i++) {
    double x = at_x(exp2(i));
    g_autofree char *number = g_strdup_printf("%g", exp2(i));
    regard_canvas_stroke_line(canvas, x, TOP, x, BOTTOM, 0.5, FAINT);
    write_text(canvas, x, BOTTOM + 16, number, INK, REGARD_ANCHOR_MIDDLE);
  }
  for (int i = (int) LEAST_Y; i <= (int) MOST_Y; i++) {
    double y = at_y(exp2(i));
    g_autofree char *number = g_strdup_printf("%d", 1 << i);
    regard_canvas_stroke_line(canvas, LEFT, y, RIGHT, y, 0.5, FAINT);
    write_text(canvas, LEFT - 6, y + 3.5, number, INK, REGARD_ANCHOR_END);
  }
  write_text(canvas, (LEFT + RIGHT) / 2, HEIGHT - 12,
             "operations a byte of weights, rows and results", INK, REGARD_ANCHOR_MIDDLE);
  write_text(canvas, LEFT - 40, TOP - 24, "10⁹ operations a second, one core", INK,
             REGARD_ANCHOR_START);
}

/* From the slope of memory to the flat part, with its name above. */
static void
draw_roof(RegardCanvas *canvas, double bytes, double peak, const char *name)
{
  double turn = peak / bytes, begin = fmax(exp2(LEAST_X), exp2(LEAST_Y) / bytes);
  const RegardPoint roof[] = {{at_x(begin), at_y(begin * bytes)},
                              {at_x(turn), at_y(peak)},
                              {RIGHT, at_y(peak)}};
  const RegardPen pen = {.width = 1.5, .argb = INK};
  g_autofree char *text = g_strdup_printf("%s: %.0f", name, peak);
  regard_canvas_polyline(canvas, roof, G_N_ELEMENTS(roof), &pen);
  write_text(canvas, RIGHT, at_y(peak) - 5, text, INK, REGARD_ANCHOR_END);
}

bool
roofline_write(const char *path, const Peaks *peaks, const Point *points, size_t n,
               const char *const *names, size_t n_names)
{
  g_autoptr(RegardCanvas) canvas =
      regard_canvas_new_svg(WIDTH, HEIGHT, "Roofline",
                            "Speed of products of rows with weights by operations a byte.", NULL);
  regard_canvas_fill_rect(canvas, (RegardRect){0, 0, WIDTH, HEIGHT}, 0, 0xffffffff);
  draw_axes(canvas);
  draw_roof(canvas, peaks->bytes, peaks->dot, "dot products of int8");
  if (peaks->pairs > 0)
    draw_roof(canvas, peaks->bytes, peaks->pairs, "dot products of bf16");
  draw_roof(canvas, peaks->bytes, peaks->fma, "multiply-adds of floats");
  for (size_t i = 0; i < n; i++) {
    const double x = at_x(points[i].intensity), y = at_y(points[i].speed);
    regard_canvas_fill_rect(canvas, (RegardRect){x - 2.5, y - 2.5, 5, 5}, 2.5,
                            colors[points[i].contender % G_N_ELEMENTS(colors)]);
  }
  double x = LEFT;
  for (size_t i = 0; i < n_names; i++) {
    const RegardSpan span = {.text = names[i], .argb = INK};
    regard_canvas_fill_rect(canvas, (RegardRect){x, TOP - 15, 6, 6}, 3,
                            colors[i % G_N_ELEMENTS(colors)]);
    write_text(canvas, x + 10, TOP - 9, names[i], INK, REGARD_ANCHOR_START);
    x += 30 + regard_canvas_text_width(canvas, &span, 1, 10);
  }
  g_autoptr(GBytes) svg = regard_canvas_svg_finish(canvas);
  g_autoptr(GError) error = NULL;
  gsize size;
  const char *bytes = g_bytes_get_data(svg, &size);
  if (g_file_set_contents(path, bytes, (gssize) size, &error))
    return true;
  fprintf(stderr, "bench-kernels: %s\n", error->message);
  return false;
}
