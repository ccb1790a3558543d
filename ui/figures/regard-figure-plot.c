/* regard-figure-plot.c — a matrix with its labels: cells, rows and columns named, and what was
 * hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Top to bottom: column title; column labels; cells with row labels at their left and, where
 * special tokens are hidden, the mass they took at their right. Cells are square for
 * self-attention; otherwise rows may be lower or higher than columns are wide.
 */
#include "figures/regard-figure-plot.h"
#include "figures/regard-scale-marks.h"
#include <math.h>

#define MAX_CELL      5.2  /* cell side in font sizes: a small matrix does not fill a page */
#define MAX_ROW_LABEL 0.32 /* of the width */
#define MAX_COL_LABEL 9.5  /* font sizes */
#define LINE          REGARD_LABEL_LINE
#define MASS_WIDTH    3.0 /* column of hidden mass, font sizes */
#define SIN_45        0.70710678

static gboolean
is_pinned(const RegardPlot *l, gboolean row, guint i)
{
  int pinned = row ? l->style->pinned_row : l->style->pinned_col;
  return pinned >= 0 && (guint) pinned == i;
}

static double
widest_label(const RegardPlot *l, gboolean row, guint step, double size, double max)
{
  double widest = 0;
  guint n = row ? l->m->rows : l->m->cols;
  for (guint i = 0; i < n; i++) {
    if (i % step != 0 && !is_pinned(l, row, i))
      continue;
    RegardShownLabel shown =
        regard_label_shorten(l->canvas, row ? &l->m->row_labels[i] : &l->m->col_labels[i],
                             is_pinned(l, row, i), size, max);
    widest = MAX(widest, regard_label_width(l->canvas, &shown, is_pinned(l, row, i), size));
    regard_label_clear(&shown);
  }
  return widest;
}

/* Column labels for a cell width: level numbers, 45 degrees, or upright when there is no room. */
static void
lay_out_columns(RegardPlot *l, double cell)
{
  const RegardMatrix *m = l->m;
  l->overhang = 0;
  if (m->col_ticks != REGARD_TICKS_WORDS) {
    l->angle = 0;
    l->col_size = l->font * 0.9;
    double widest = widest_label(l, FALSE, MAX(1, m->cols - 1), l->col_size, 1e9);
    l->col_step =
        regard_figure_nice_step((widest + l->col_size) / cell, m->col_ticks == REGARD_TICKS_BINARY);
    l->col_height = l->col_size * LINE + l->font * 0.3;
    return;
  }
  /* Perpendicular distance of neighbours at 45 degrees. */
  l->angle = cell * SIN_45 >= l->font * REGARD_LABEL_LEAST * LINE ? -45 : -90;
  regard_label_fit(l->angle == -45 ? cell * SIN_45 : cell, l->font, m->col_ticks, &l->col_size,
                   &l->col_step);
  double widest = widest_label(l, FALSE, l->col_step, l->col_size, MAX_COL_LABEL * l->font);
  if (l->angle == -45) {
    l->col_height = (widest + l->col_size) * SIN_45 + l->font * 0.2;
    /* How far the slanted labels reach beyond the last column. */
    for (guint i = 0; i < m->cols; i++)
      if (i % l->col_step == 0 || is_pinned(l, FALSE, i)) {
        RegardShownLabel shown =
            regard_label_shorten(l->canvas, &m->col_labels[i], is_pinned(l, FALSE, i), l->col_size,
                                 MAX_COL_LABEL * l->font);
        double reach =
            regard_label_width(l->canvas, &shown, is_pinned(l, FALSE, i), l->col_size) * SIN_45 +
            l->font * 0.5;
        l->overhang = MAX(l->overhang, reach - cell * (m->cols - i - 0.5));
        regard_label_clear(&shown);
      }
  } else
    l->col_height = widest + l->font * 0.35;
}

void
regard_plot_lay_out(RegardPlot *l, double x, double width, double top)
{
  const RegardMatrix *m = l->m;
  const guint rows = MAX(m->rows, 1), cols = MAX(m->cols, 1);
  const double font = l->font, max_row_label = width * MAX_ROW_LABEL;
  const double mass = m->removed_mass ? font * (MASS_WIDTH + 0.6) : 0;
  double cell = font, cell_height = font;

  /* Label sizes depend on the cells and the cells on the labels: a few rounds settle it. */
  l->row_size = font;
  l->row_step = 1;
  for (int round = 0; round < 3; round++) {
    l->row_width = widest_label(l, TRUE, l->row_step, l->row_size, max_row_label);
    double left = font * 1.6 + l->row_width + font * 0.5;
    double available = width - left - MAX(mass, l->overhang);
    cell = CLAMP(available / cols, 0.01, MAX_CELL * font);
    cell_height = cell;
    if (!m->is_square)
      cell_height = CLAMP(width * 1.1 / rows, MIN(cell, 1.3 * font), MAX(cell, 1.3 * font));
    if (!m->is_square && cell_height * rows > width * 1.25)
      cell_height = MAX(width * 1.25 / rows, 0.01);
    cell_height *= l->stretch;
    regard_label_fit(cell_height, font, m->row_ticks, &l->row_size, &l->row_step);
    lay_out_columns(l, cell);
    if (l->row_step == 1 && l->col_step == 1 && l->angle != 0)
      l->row_size = l->col_size = MIN(l->row_size, l->col_size); /* both axes in one size */
    l->plot = (RegardRect){left, 0, cell * cols, cell_height * rows};
  }
  /* Small matrices stand in the middle of the page. */
  double used = l->plot.x + l->plot.width + MAX(mass, l->overhang);
  l->plot.x += x + MAX(0, (width - used) / 2);
  l->plot.y = top + font * 1.6 + l->col_height;
}

static double
column_centre(const RegardPlot *l, guint i)
{
  return l->plot.x + l->plot.width * (i + 0.5) / l->m->cols;
}

static double
row_centre(const RegardPlot *l, guint i)
{
  return l->plot.y + l->plot.height * (i + 0.5) / l->m->rows;
}

/* A pinned label pushes aside the thinned ones that it would touch. */
static gboolean
is_label_shown(const RegardPlot *l, gboolean row, guint i)
{
  guint step = row ? l->row_step : l->col_step;
  int pinned = row ? l->style->pinned_row : l->style->pinned_col;
  if (is_pinned(l, row, i))
    return TRUE;
  if (i % step != 0)
    return FALSE;
  guint n = row ? l->m->rows : l->m->cols;
  return step == 1 || pinned < 0 || (guint) pinned >= n || (guint) ABS(pinned - (int) i) >= step;
}

static void
draw_tick(const RegardPlot *l, double x, double y, double width, double height)
{
  regard_canvas_fill_rect(l->canvas, (RegardRect){x, y, width, height}, 0, l->palette->frame);
}

static void
draw_column_label(const RegardPlot *l, const RegardLabel *label, double x, gboolean bold)
{
  RegardShownLabel shown =
      regard_label_shorten(l->canvas, label, bold, l->col_size, MAX_COL_LABEL * l->font);
  RegardSpan spans[3];
  guint n = regard_label_spans(&shown, l->palette, bold, spans);
  double y = l->plot.y - l->font * 0.3, half = l->col_size * 0.36;
  if (l->angle == 0)
    regard_canvas_text(l->canvas, x, y - l->font * 0.1, spans, n, l->col_size, REGARD_ANCHOR_MIDDLE,
                       0);
  else if (l->angle == -45)
    regard_canvas_text(l->canvas, x + half * 0.5, y, spans, n, l->col_size, REGARD_ANCHOR_START,
                       l->angle);
  else
    regard_canvas_text(l->canvas, x + half, y, spans, n, l->col_size, REGARD_ANCHOR_START,
                       l->angle);
  regard_label_clear(&shown);
}

/* Two halves of the columns: what they are, and the line between them. */
static void
draw_parts(const RegardPlot *l, double baseline)
{
  const RegardMatrix *m = l->m;
  if (m->col_split == 0 || m->col_split >= m->cols)
    return;
  const double at = l->plot.x + l->plot.width * m->col_split / m->cols;
  const double middles[] = {(l->plot.x + at) / 2, (at + l->plot.x + l->plot.width) / 2};
  for (guint i = 0; i < 2; i++)
    regard_figure_text(l->canvas, middles[i], baseline, m->col_parts[i], l->palette->dim, FALSE,
                       l->font, REGARD_ANCHOR_MIDDLE, 0);
  regard_canvas_stroke_line(l->canvas, at, l->plot.y - l->font * 0.3, at,
                            l->plot.y + l->plot.height, 0.6, l->palette->text);
}

static void
draw_labels(const RegardPlot *l)
{
  const RegardMatrix *m = l->m;
  const double font = l->font;
  regard_canvas_begin_group(l->canvas, "column-labels");
  for (guint i = 0; i < m->cols; i++) {
    if (!is_label_shown(l, FALSE, i))
      continue;
    draw_column_label(l, &m->col_labels[i], column_centre(l, i), is_pinned(l, FALSE, i));
    if (l->col_step > 1)
      draw_tick(l, column_centre(l, i) - 0.2, l->plot.y - font * 0.25, 0.4, font * 0.25);
  }
  regard_canvas_end_group(l->canvas);

  regard_canvas_begin_group(l->canvas, "row-labels");
  for (guint i = 0; i < m->rows; i++) {
    if (!is_label_shown(l, TRUE, i))
      continue;
    gboolean bold = is_pinned(l, TRUE, i);
    RegardShownLabel shown =
        regard_label_shorten(l->canvas, &m->row_labels[i], bold, l->row_size, l->row_width + 0.1);
    RegardSpan spans[3];
    guint n = regard_label_spans(&shown, l->palette, bold, spans);
    regard_canvas_text(l->canvas, l->plot.x - font * 0.5, row_centre(l, i) + l->row_size * 0.35,
                       spans, n, l->row_size, REGARD_ANCHOR_END, 0);
    regard_label_clear(&shown);
    if (l->row_step > 1)
      draw_tick(l, l->plot.x - font * 0.25, row_centre(l, i) - 0.2, font * 0.25, 0.4);
  }
  regard_canvas_end_group(l->canvas);

  regard_canvas_begin_group(l->canvas, "axis-titles");
  regard_figure_text(l->canvas, l->plot.x + l->plot.width / 2,
                     l->plot.y - l->col_height - font * 0.55, m->col_title, l->palette->dim, FALSE,
                     font, REGARD_ANCHOR_MIDDLE, 0);
  draw_parts(l, l->plot.y - l->col_height - font * 0.55);
  regard_figure_text(l->canvas, l->plot.x - font * 0.5 - l->row_width - font * 0.65,
                     l->plot.y + l->plot.height / 2, m->row_title, l->palette->dim, FALSE, font,
                     REGARD_ANCHOR_MIDDLE, -90);
  regard_canvas_end_group(l->canvas);
}

/* What hidden special tokens took of each row: a bar and a number, beside the cells. */
static void
draw_removed_mass(const RegardPlot *l)
{
  const RegardMatrix *m = l->m;
  if (!m->removed_mass)
    return;
  const double font = l->font, x = l->plot.x + l->plot.width + font * 0.6;
  const double pitch = l->plot.height / MAX(m->rows, 1), size = MIN(font * 0.8, pitch / 1.3);
  regard_canvas_begin_group(l->canvas, "hidden-mass");
  for (guint i = 0; i < m->rows; i++) {
    RegardRect r = {x, row_centre(l, i) - pitch * 0.38, font * MASS_WIDTH, pitch * 0.76};
    regard_canvas_fill_rect(l->canvas, r, 0, l->palette->bar_background);
    r.width *= CLAMP(m->removed_mass[i], 0.0f, 1.0f);
    regard_canvas_fill_rect(l->canvas, r, 0, l->palette->bar);
    char text[16];
    regard_cell_text(text, m->removed_mass[i], 1);
    if (*text && size >= font * 0.6)
      regard_figure_text(l->canvas, x + font * (MASS_WIDTH - 0.2), row_centre(l, i) + size * 0.36,
                         text, l->palette->text, FALSE, size, REGARD_ANCHOR_END, 0);
  }
  /* Slanted labels of the last columns are above: the name goes below. */
  regard_figure_text(l->canvas, x + font * MASS_WIDTH / 2, l->plot.y + l->plot.height + font * 1.1,
                     "hidden", l->palette->dim, FALSE, font * 0.9, REGARD_ANCHOR_MIDDLE, 0);
  regard_canvas_end_group(l->canvas);
}

void
regard_plot_move(RegardPlot *l, double dx, double dy)
{
  l->plot.x += dx;
  l->plot.y += dy;
}

void
regard_plot_draw(const RegardPlot *l)
{
  const RegardCellOptions options = {regard_figure_has(l->style, REGARD_PART_NUMBERS), TRUE,
                                     l->is_image, l->font};
  regard_figure_cells(l->canvas, l->palette, l->style, l->m, l->plot, &options);
  draw_labels(l);
  draw_removed_mass(l);
}

double
regard_plot_bottom(const RegardPlot *l)
{
  return l->plot.y + l->plot.height + (l->m->removed_mass ? l->font * 0.6 : 0);
}

gboolean
regard_plot_names_all(const RegardPlot *l)
{
  return l->row_step == 1 && l->col_step == 1;
}

gboolean
regard_plot_fits_numbers(const RegardPlot *l)
{
  return regard_figure_cells_fit_numbers(l->canvas, l->m, l->plot, l->font);
}
