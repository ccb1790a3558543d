/* bench-sheet.c — how long a sheet takes to be made and drawn, and drawn again while a divider is
 * dragged.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-sheet FILE.regard-figure [ROUNDS]
 *
 *   open   the file read
 *   draw   the figure made of the sheet, laid out and drawn, at 96 pixels an inch
 *   drag   a divider a little further: laid out anew and drawn, as the window does with each motion
 *   drag 2x  the same on a screen of twice as many pixels
 *
 * Times are those of the processor.
 */
#include "bench-times.h"

#include "export/regard-sheet-file.h"
#include "figures/regard-figure-private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ROUNDS 1000
#define MM          (72 / 25.4)

static void
draw(RegardFigure *figure, const RegardSheet *sheet, double scale)
{
  const double width = sheet->width_mm * MM;
  RegardSheetLayout layout;
  regard_sheet_lay_out(figure, width, sheet->font_pt, &layout);
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) ceil(width * scale),
                                                      (int) ceil(layout.height * scale));
  cairo_t *cr = cairo_create(image);
  cairo_scale(cr, scale, scale);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1 / scale);
  regard_figure_draw(figure, canvas, width, sheet->font_pt);
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_destroy(image);
}

static void
drag(RegardFigure *figure, RegardSheet *sheet, int round)
{
  const guint cols = sheet->mosaic.cols;
  for (guint c = 0; c < cols; c++)
    sheet->columns[c] = 1.0 / cols;
  if (cols > 1) {
    const double by = 0.05 * sin(round / 7.0) / cols;
    sheet->columns[0] += by;
    sheet->columns[1] -= by;
  } else
    sheet->rows[0] = 40 + 5 * sin(round / 7.0);
}

int
main(int argc, char **argv)
{
  static double open[MOST_ROUNDS], made[MOST_ROUNDS], once[MOST_ROUNDS], twice[MOST_ROUNDS];
  const int rounds = argc > 2 ? CLAMP(atoi(argv[2]), 1, MOST_ROUNDS) : 40;
  GError *error = NULL;
  RegardSheet *sheet = NULL;
  RegardFigure *figure = NULL;
  if (argc < 2) {
    fprintf(stderr, "Usage: bench-sheet FILE.regard-figure [ROUNDS]\n");
    return 2;
  }
  for (int i = 0; i < rounds; i++) {
    regard_sheet_unref(sheet);
    double begin = thread_ms();
    sheet = regard_sheet_read(argv[1], &error);
    open[i] = thread_ms() - begin;
    if (!sheet) {
      fprintf(stderr, "bench-sheet: %s\n", error->message);
      g_error_free(error);
      return 1;
    }
    begin = thread_ms();
    g_clear_pointer(&figure, regard_figure_free);
    figure = regard_figure_new_sheet(sheet);
    draw(figure, sheet, 96 / 72.0);
    made[i] = thread_ms() - begin;
  }
  for (int i = 0; i < rounds; i++) { /* nobody else has the sheet: the figure reads what is new */
    drag(figure, sheet, i);
    double begin = thread_ms();
    draw(figure, sheet, 96 / 72.0);
    once[i] = thread_ms() - begin;
    begin = thread_ms();
    draw(figure, sheet, 2 * 96 / 72.0);
    twice[i] = thread_ms() - begin;
  }
  printf("%u panels, ms %25s %9s %9s %9s %9s %6s\n", sheet->panels->len, "median", "p95", "least",
         "most", "n", "");
  print_row("open", open, (size_t) rounds);
  print_row("draw", made, (size_t) rounds);
  print_row("drag", once, (size_t) rounds);
  print_row("drag 2x", twice, (size_t) rounds);
  regard_figure_free(figure);
  regard_sheet_unref(sheet);
  return 0;
}
