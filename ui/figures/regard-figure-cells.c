/* regard-figure-cells.c — the cells of a matrix inside a rectangle.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Up to REGARD_FIGURE_MAX_RECTANGLES cells are rectangles: the commonest colour once, below
 * everything (attention is sparse: that is most of it), the others as runs of equal colour per row.
 * Rectangles reach a little under the ones drawn after them, because viewers antialias edges that
 * meet into hairlines. Beyond that the cells are one image, pooled by maximum where a cell is
 * smaller than a pixel.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-raster.h"
#include "figures/regard-scale-marks.h"
#include <math.h>

#define OVERLAP       0.4 /* points */
#define MIN_GRID_CELL 4.5 /* points: below, lines would be most of what one sees */
#define VECTOR_PIXELS 8.0 /* a point, when pooling for PDF and SVG */

/* Edges of the cells, on device pixels where there are such. */
typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardMatrix *matrix;
  RegardRect plot;
  double *x, *y;   /* [cols + 1], [rows + 1] */
  guint32 *colors; /* [rows][cols]; NULL when drawn as an image */
} Cells;

static double *
edges(RegardCanvas *canvas, double start, double length, guint n)
{
  double *at = g_new(double, (gsize) n + 1);
  for (guint i = 0; i <= n; i++)
    at[i] = regard_canvas_snap(canvas, start + length * i / n);
  return at;
}

static RegardRect
run_rect(const Cells *c, guint row, guint first, guint last)
{
  return (RegardRect){c->x[first], c->y[row], c->x[last + 1] - c->x[first],
                      c->y[row + 1] - c->y[row]};
}

static guint32
color_at(const Cells *c, guint row, guint col)
{
  return c->colors[(gsize) row * c->matrix->cols + col];
}

static void
fill_colors(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  c->colors = g_new(guint32, (gsize) m->rows * m->cols);
  for (guint row = 0; row < m->rows; row++) {
    double max = regard_matrix_row_max(m, row);
    for (guint col = 0; col < m->cols; col++)
      c->colors[(gsize) row * m->cols + col] =
          regard_matrix_is_masked(m, row, col)
              ? c->palette->masked
              : regard_raster_cell_color(m, c->style->colormap, c->style->scale, row, col, max);
  }
}

static guint32
commonest_color(const Cells *c)
{
  g_autoptr(GHashTable) counts = g_hash_table_new(NULL, NULL);
  guint32 best = c->colors[0];
  guint best_count = 0;
  for (gsize i = 0; i < (gsize) c->matrix->rows * c->matrix->cols; i++) {
    gpointer key = GUINT_TO_POINTER(c->colors[i]);
    guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1;
    g_hash_table_insert(counts, key, GUINT_TO_POINTER(count));
    if (count > best_count) {
      best_count = count;
      best = c->colors[i];
    }
  }
  return best;
}

/* A run of cells of which only parts have something to lie on what sticks out below. */
static void
draw_overlaps(Cells *c, guint row, guint first, guint last, double overlap, guint32 ground)
{
  for (guint col = first, end; col <= last; col = end + 1) {
    for (end = col; end < last && (color_at(c, row + 1, end + 1) == ground) ==
                                      (color_at(c, row + 1, col) == ground);
         end++)
      ;
    if (color_at(c, row + 1, col) == ground)
      continue;
    /* Whole: two soft edges upon each other would let the ground through. */
    RegardRect r = run_rect(c, row, col, end);
    r.height += overlap;
    regard_canvas_fill_rect(c->canvas, r, 0, color_at(c, row, col));
  }
}

static void
draw_rectangles(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  fill_colors(c);
  guint32 ground = commonest_color(c);
  RegardRect all = {c->x[0], c->y[0], c->x[m->cols] - c->x[0], c->y[m->rows] - c->y[0]};
  regard_canvas_fill_rect(c->canvas, all, 0, ground);

  double overlap_x = MIN(OVERLAP, all.width / m->cols / 4);
  double overlap_y = MIN(OVERLAP, all.height / m->rows / 4);
  if (c->canvas->pixel > 0)
    overlap_x = overlap_y = 0; /* edges lie on pixels */
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0, last; col < m->cols; col = last + 1) {
      guint32 color = color_at(c, row, col);
      for (last = col; last + 1 < m->cols && color_at(c, row, last + 1) == color; last++)
        ;
      if (color == ground)
        continue;
      RegardRect r = run_rect(c, row, col, last);
      gboolean right = last + 1 < m->cols && color_at(c, row, last + 1) != ground;
      if (right)
        r.width += overlap_x;
      /* Below, and the corner as well, something must come to lie on what sticks out. */
      gboolean covered = row + 1 < m->rows;
      for (guint i = col; i <= (right ? last + 1 : last) && covered; i++)
        covered = color_at(c, row + 1, i) != ground;
      if (covered)
        r.height += overlap_y;
      regard_canvas_fill_rect(c->canvas, r, 0, color);
      if (!covered && overlap_y > 0 && row + 1 < m->rows)
        draw_overlaps(c, row, col, last, overlap_y, ground);
    }
}

static void
draw_image(Cells *c)
{
  double density = c->canvas->pixel > 0 ? 1 / c->canvas->pixel : VECTOR_PIXELS;
  guint width = (guint) MAX(1, c->plot.width * density);
  guint height = (guint) MAX(1, c->plot.height * density);
  cairo_surface_t *image = regard_raster_new_pooled(c->matrix, c->style->colormap, c->style->scale,
                                                    c->palette->masked, width, height);
  RegardRect all = {c->x[0], c->y[0], c->x[c->matrix->cols] - c->x[0],
                    c->y[c->matrix->rows] - c->y[0]};
  regard_canvas_image(c->canvas, image, all);
  cairo_surface_destroy(image);
}

static void
draw_hatch(Cells *c, double font)
{
  const RegardMatrix *m = c->matrix;
  if (mt_attention_mask_is_empty(m->mask))
    return;
  g_autoptr(GArray) rects = g_array_new(FALSE, FALSE, sizeof(RegardRect));
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0, last; col < m->cols; col = last + 1) {
      gboolean masked = regard_matrix_is_masked(m, row, col);
      for (last = col; last + 1 < m->cols && regard_matrix_is_masked(m, row, last + 1) == masked;
           last++)
        ;
      if (masked) {
        RegardRect r = run_rect(c, row, col, last);
        g_array_append_val(rects, r);
      }
    }
  regard_canvas_hatch(c->canvas, (const RegardRect *) (void *) rects->data, rects->len, font * 0.42,
                      0.4, c->palette->hatch);
}

static void
draw_grid(Cells *c)
{
  RegardCanvas *canvas = c->canvas;
  const double w = canvas->pixel > 0 ? MAX(canvas->pixel, regard_canvas_snap(canvas, 0.35)) : 0.35;
  for (guint i = 1; i < c->matrix->cols; i++)
    regard_canvas_fill_rect(canvas,
                            (RegardRect){c->x[i] - (canvas->pixel > 0 ? 0 : w / 2), c->plot.y, w,
                                         c->plot.height},
                            0, c->palette->grid);
  for (guint i = 1; i < c->matrix->rows; i++)
    regard_canvas_fill_rect(canvas,
                            (RegardRect){c->plot.x, c->y[i] - (canvas->pixel > 0 ? 0 : w / 2),
                                         c->plot.width, w},
                            0, c->palette->grid);
}

static double
range_of(const RegardMatrix *m)
{
  return MAX(fabs((double) m->lo), fabs((double) m->hi));
}

/* Font of the values: all or none, in one size: a value too wide for its cell would hide its
 * neighbour. 0: none. */
static double
value_size(RegardCanvas *canvas, const RegardMatrix *m, RegardRect plot, double font)
{
  const double cell_width = plot.width / m->cols, cell_height = plot.height / m->rows;
  RegardSpan widest = {range_of(m) >= 20 ? "−888"
                       : m->diverging    ? "−.88"
                                         : ".88",
                       0xff000000, FALSE};
  double size = MIN(font * 0.85, cell_height / 1.5);
  size = MIN(size, cell_width * 0.86 / regard_canvas_text_width(canvas, &widest, 1, 1000) * 1000);
  return size < font * 0.66 ? 0 : size;
}

gboolean
regard_figure_cells_fit_numbers(RegardCanvas *canvas, const RegardMatrix *m, RegardRect plot,
                                double font)
{
  return m->rows > 0 && m->cols > 0 && value_size(canvas, m, plot, font) > 0;
}

static void
draw_values(Cells *c, double font)
{
  const RegardMatrix *m = c->matrix;
  const double range = range_of(m), size = value_size(c->canvas, m, c->plot, font);
  if (size == 0)
    return;
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0; col < m->cols; col++) {
      char text[16];
      if (regard_matrix_is_masked(m, row, col))
        continue;
      regard_cell_text(text, regard_matrix_get(m, row, col), range);
      if (!*text)
        continue;
      guint32 ink = regard_color_wants_black_text(color_at(c, row, col)) ? 0xff000000 : 0xffffffff;
      regard_figure_text(c->canvas, (c->x[col] + c->x[col + 1]) / 2,
                         (c->y[row] + c->y[row + 1]) / 2 + size * 0.36, text, ink, FALSE, size,
                         REGARD_ANCHOR_MIDDLE, 0);
    }
}

static void
outline(Cells *c, RegardRect r, double width)
{
  regard_canvas_stroke_rect(c->canvas, r, width * 2, c->palette->halo);
  regard_canvas_stroke_rect(c->canvas, r, width, c->palette->accent);
}

static void
draw_pins(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  int row = c->style->pinned_row, col = c->style->pinned_col;
  gboolean has_row = row >= 0 && row < (int) m->rows, has_col = col >= 0 && col < (int) m->cols;
  if (has_row)
    outline(c, run_rect(c, (guint) row, 0, m->cols - 1), 0.5);
  if (has_col)
    outline(c, (RegardRect){c->x[col], c->y[0], c->x[col + 1] - c->x[col], c->y[m->rows] - c->y[0]},
            0.5);
  if (has_row && has_col)
    outline(c, run_rect(c, (guint) row, (guint) col, (guint) col), 1.2);
}

void
regard_figure_cells(RegardCanvas *canvas, const RegardPalette *palette,
                    const RegardFigureStyle *style, const RegardMatrix *matrix, RegardRect plot,
                    const RegardCellOptions *options)
{
  if (!regard_figure_draws(canvas) || matrix->rows == 0 || matrix->cols == 0)
    return;
  Cells c = {canvas, palette, style, matrix, plot, NULL, NULL, NULL};
  c.x = edges(canvas, plot.x, plot.width, matrix->cols);
  c.y = edges(canvas, plot.y, plot.height, matrix->rows);
  c.plot = (RegardRect){c.x[0], c.y[0], c.x[matrix->cols] - c.x[0], c.y[matrix->rows] - c.y[0]};

  regard_canvas_begin_group(canvas, "cells");
  if (!options->image && (gsize) matrix->rows * matrix->cols <= REGARD_FIGURE_MAX_RECTANGLES)
    draw_rectangles(&c);
  else
    draw_image(&c);
  draw_hatch(&c, options->font);
  if (options->grid && MIN(plot.width / matrix->cols, plot.height / matrix->rows) >= MIN_GRID_CELL)
    draw_grid(&c);
  regard_canvas_end_group(canvas);

  if (options->values && c.colors) {
    regard_canvas_begin_group(canvas, "values");
    draw_values(&c, options->font);
    regard_canvas_end_group(canvas);
  }
  regard_canvas_stroke_rect(canvas, c.plot, 0.5, palette->frame);
  draw_pins(&c);
  g_free(c.x);
  g_free(c.y);
  g_free(c.colors);
}
