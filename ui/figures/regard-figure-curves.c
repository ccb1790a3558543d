/* regard-figure-curves.c — the columns of a matrix as curves over its rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For a pair of dimensions of a position table (the paper, section 3.5). Curves are told apart by
 * dashes as well as by colour, for print in grey.
 */
#include "figures/regard-figure-private.h"
#include <math.h>

#define ASPECT 0.42 /* height of the plot to the figure's width */
#define DASH   3.5  /* points */
#define SPACE  2.0

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double omega;
  const RegardMatrix *m;
  RegardRect plot;
  double max; /* the axis reaches from -max to max */
} Plot;

static const guint32 colours[] = {0xff1c71d8, 0xffc64600};

static double
x_of(const Plot *p, double row)
{
  return p->plot.x + (p->m->rows > 1 ? row / (p->m->rows - 1) : 0.5) * p->plot.width;
}

static double
y_of(const Plot *p, double value)
{
  return p->plot.y + p->plot.height / 2 - value / p->max * p->plot.height / 2;
}

static void
draw_axes(const Plot *p, double font)
{
  double size = font * 0.9, levels[] = {p->max, 0, -p->max};
  guint step = regard_figure_nice_step(p->m->rows * size * 3.2 / p->plot.width, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
    g_autofree char *text = g_strdup_printf(levels[i] < 0 ? "−%.2g" : "%.2g", fabs(levels[i]));
    double y = y_of(p, levels[i]);

    regard_canvas_stroke_line(p->canvas, p->plot.x, y, p->plot.x + p->plot.width, y, 0.4,
                              p->palette->frame);
    regard_figure_text(p->canvas, p->plot.x - size * 0.5, y + size * 0.35, text, p->palette->text,
                       FALSE, size, REGARD_ANCHOR_END, 0);
  }
  for (guint r = 0; r < p->m->rows; r += step)
    regard_figure_text(p->canvas, x_of(p, r), p->plot.y + p->plot.height + size * 1.3,
                       p->m->row_labels[r].text, p->palette->text, FALSE, size,
                       REGARD_ANCHOR_MIDDLE, 0);
  regard_figure_text(p->canvas, p->plot.x + p->plot.width / 2,
                     p->plot.y + p->plot.height + size * 2.8, p->m->row_title, p->palette->text,
                     FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
}

/* Value of a column between the rows too. */
static double
value_at(const Plot *p, guint col, guint step, guint parts)
{
  double angle = p->omega * step / parts;

  if (step % parts == 0)
    return regard_matrix_get(p->m, step / parts, col);
  return col == 0 ? sin(angle) : cos(angle);
}

/* A line in dashes that go on from where the last line's ended; `along` is how far that was. */
static void
dashed_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double *along,
            guint32 colour)
{
  double length = hypot(x1 - x0, y1 - y0), at = 0;

  while (at < length) {
    double phase = fmod(*along, DASH + SPACE);
    double left = phase < DASH ? DASH - phase : DASH + SPACE - phase;
    double end = fmin(at + fmax(left, 1e-3), length);

    if (phase < DASH)
      regard_canvas_stroke_line(canvas, x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length,
                                x0 + (x1 - x0) * end / length, y0 + (y1 - y0) * end / length, 1,
                                colour);
    *along += end - at;
    at = end;
  }
}

static void
line(RegardCanvas *canvas, guint col, double x0, double y0, double x1, double y1, double *along)
{
  guint32 colour = colours[col % G_N_ELEMENTS(colours)];

  if (col % 2 == 1)
    dashed_line(canvas, x0, y0, x1, y1, along, colour);
  else
    regard_canvas_stroke_line(canvas, x0, y0, x1, y1, 1, colour);
}

static void
draw_curve(const Plot *p, guint col)
{
  guint32 colour = colours[col % G_N_ELEMENTS(colours)];
  /* enough for a smooth line, few enough for a small file */
  guint parts = p->omega > 0 ? CLAMP(2000 / MAX(p->m->rows, 1), 2, 16) : 1;
  guint n = (p->m->rows - 1) * parts;
  double along = 0;

  for (guint i = 0; i < n; i++) {
    double x0 = x_of(p, i / (double) parts), y0 = y_of(p, value_at(p, col, i, parts));
    double x1 = x_of(p, (i + 1) / (double) parts), y1 = y_of(p, value_at(p, col, i + 1, parts));

    line(p->canvas, col, x0, y0, x1, y1, &along);
  }
  for (guint r = 0; r < p->m->rows && p->plot.width / p->m->rows > 4; r++)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){x_of(p, r) - 1.2,
                                         y_of(p, regard_matrix_get(p->m, r, col)) - 1.2, 2.4, 2.4},
                            1.2, colour);
}

static double
draw_legend(const Plot *p, double x, double y, double font)
{
  for (guint c = 0; c < p->m->cols; c++) {
    RegardSpan span = {p->m->col_labels[c].text, p->palette->text, FALSE};
    double length = font * 2.2, at = y + font * 0.7, along = 0;

    line(p->canvas, c, x, at, x + length, at, &along);
    regard_canvas_text(p->canvas, x + length + font * 0.5, y + font, &span, 1, font,
                       REGARD_ANCHOR_START, 0);
    x += length + font * 2.5 + regard_canvas_text_width(p->canvas, &span, 1, font);
  }
  return font * 1.8;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = figure->subject;
  const double margin = REGARD_FIGURE_MARGIN * font;
  Plot p = {
      canvas, regard_figure_palette(&figure->style), *(const double *) figure->options, m, {0},
      1e-6};
  double y = margin, left = margin + font * 2.6;

  y += regard_figure_header(canvas, p.palette, margin, y, width - 2 * margin,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  y += draw_legend(&p, left, y, font) + font * 0.4;
  p.plot =
      (RegardRect){left, y, width - left - margin - font * 0.5, width * ASPECT * figure->stretch};
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++)
    p.max = fmax(p.max, fabs(m->values[i]));
  if (regard_figure_draws(canvas) && m->rows > 0) {
    regard_canvas_begin_group(canvas, "axes");
    draw_axes(&p, font);
    regard_canvas_end_group(canvas);
    for (guint c = 0; c < m->cols; c++) {
      regard_canvas_begin_group(canvas, "curve");
      draw_curve(&p, c);
      regard_canvas_end_group(canvas);
    }
  }
  y += p.plot.height + font * 3.4;
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    regard_figure_text(canvas, width - margin, y, m->model_name, p.palette->dim, FALSE, font * 0.9,
                       REGARD_ANCHOR_END, 0);
    y += font * 0.4;
  }
  return y + margin;
}

RegardFigure *
regard_figure_new_curves(RegardMatrix *matrix, double omega, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.options_size = sizeof omega,
                                          .draw = draw,
                                          .has_no_scale = TRUE};
  g_return_val_if_fail(matrix, NULL);
  return regard_figure_new(&klass, regard_matrix_ref(matrix), &omega, matrix->diverging, style);
}
