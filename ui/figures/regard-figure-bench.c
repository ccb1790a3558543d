/* regard-figure-bench.c — one word, and what every method of attribution says of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-bench.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-scale-marks.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define NAMES  11.5 /* room for the name of a method */
#define CURVE  7.0  /* width of a deletion curve */
#define NUMBER 3.4  /* room for an area */
#define ROW    1.9  /* height of a row */
#define GAP    0.8
#define TOKENS 5.0 /* height of tokens, which stand upright */

typedef struct {
  RegardFigure parent;
  RegardMatrix *matrices[REGARD_BENCH_N_MATRICES];
} BenchFigure;

typedef struct {
  const BenchFigure *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  double font, x, width;
} Sheet;

static void
draw_name(const Sheet *s, const RegardMatrix *m, guint row, double y)
{
  regard_figure_text_within(s->canvas, s->x, y + ROW * s->font * 0.66, (NAMES - 0.5) * s->font,
                            m->row_labels[row].text, s->palette->text, FALSE, s->font,
                            REGARD_ANCHOR_START);
}

/* share: of the range, -1..1. */
static void
draw_cell(const Sheet *s, RegardRect box, double share, double number, double range, int part,
          guint row, guint col)
{
  regard_canvas_spot(s->canvas, box, part, (int) row, (int) col);
  if (!regard_figure_draws(s->canvas))
    return;
  char text[REGARD_CELL_TEXT];
  const guint32 colour =
      regard_colormap_lookup(s->style->colormap, isnan(share) ? 0.5 : 0.5 + 0.5 * share);
  regard_canvas_fill_rect(s->canvas, box, 0, colour);
  regard_cell_text(text, number, range);
  if (regard_figure_has(s->style, REGARD_PART_NUMBERS) && box.width > 2 * s->font)
    regard_figure_text_within(s->canvas, box.x + box.width / 2, box.y + box.height * 0.66,
                              box.width, text,
                              regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff,
                              FALSE, s->font * 0.78, REGARD_ANCHOR_MIDDLE);
}

/* Log p when more and more tokens are hidden, between the largest and the least of all curves. */
static void
draw_curve(const Sheet *s, guint row, double x, double y)
{
  const RegardMatrix *m = s->figure->matrices[REGARD_BENCH_DELETION];
  const double width = CURVE * s->font, height = (ROW - 0.5) * s->font;
  double lo = INFINITY, hi = -INFINITY;
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
    lo = fmin(lo, m->values[i]);
    hi = fmax(hi, m->values[i]);
  }
  g_autofree RegardPoint *points = g_new(RegardPoint, m->cols);
  for (guint c = 0; c < m->cols; c++) {
    const double value = regard_matrix_get(m, row, c);
    points[c] = (RegardPoint){x + width * c / MAX(m->cols - 1, 1),
                              y + height * (hi > lo ? (hi - value) / (hi - lo) : 0)};
  }
  regard_canvas_spot(s->canvas, (RegardRect){x, y, width, height}, REGARD_BENCH_DELETION, (int) row,
                     0);
  regard_canvas_stroke_line(s->canvas, x, y + height, x + width, y + height, 0.4, s->palette->grid);
  regard_canvas_polyline(s->canvas, points, m->cols,
                         &(RegardPen){.width = 1, .argb = s->palette->accent});
}

static double
cell_width(const Sheet *s)
{
  const RegardMatrix *m = s->figure->matrices[REGARD_BENCH_VALUES];
  return (s->width - (NAMES + CURVE + NUMBER + 2 * GAP) * s->font) / (m->cols + 0.5);
}

static double
column_x(const Sheet *s, const RegardMatrix *m, guint col)
{
  return s->x + NAMES * s->font + (col + (col >= m->col_split ? 0.5 : 0)) * cell_width(s);
}

static void
draw_tokens(const Sheet *s, double y)
{
  const RegardMatrix *m = s->figure->matrices[REGARD_BENCH_VALUES];
  double size;
  guint step; /* where cells are narrow, every so many has its name */
  regard_label_fit(cell_width(s), s->font * 0.9, m->col_ticks, &size, &step);
  for (guint c = 0; c < m->cols; c += step)
    regard_figure_text(s->canvas, column_x(s, m, c) + cell_width(s) / 2 + size / 3,
                       y + TOKENS * s->font - s->font * 0.3, m->col_labels[c].text,
                       m->col_labels[c].special ? s->palette->dim : s->palette->text, FALSE, size,
                       REGARD_ANCHOR_START, -90);
  const double right = s->x + s->width - NUMBER * s->font;
  regard_figure_text(s->canvas, right - CURVE * s->font, y + (TOKENS - 0.4) * s->font,
                     _("tokens hidden"), s->palette->dim, FALSE, s->font * 0.86,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text(s->canvas, s->x + s->width, y + (TOKENS - 0.4) * s->font, _("area"),
                     s->palette->dim, FALSE, s->font * 0.86, REGARD_ANCHOR_END, 0);
}

/* Returns the height. */
static double
draw_methods(const Sheet *s, double y)
{
  const RegardMatrix *m = s->figure->matrices[REGARD_BENCH_VALUES];
  const RegardMatrix *areas = s->figure->matrices[REGARD_BENCH_AREA];
  const double top = y + TOKENS * s->font, gap = MIN(1, cell_width(s) / 8);
  draw_tokens(s, y);
  for (guint r = 0; r < m->rows; r++) {
    const double row = top + r * ROW * s->font, largest = regard_matrix_row_max(m, r);
    char number[32];
    draw_name(s, m, r, row);
    for (guint c = 0; c < m->cols; c++) {
      const double value = regard_matrix_get(m, r, c);
      draw_cell(s, (RegardRect){column_x(s, m, c), row, cell_width(s) - gap, ROW * s->font - gap},
                largest > 0 ? value / largest : 0, value, largest, REGARD_BENCH_VALUES, r, c);
    }
    draw_curve(s, r, s->x + s->width - (NUMBER + CURVE) * s->font, row + 0.2 * s->font);
    regard_figure_text(s->canvas, s->x + s->width, row + ROW * s->font * 0.66,
                       regard_figure_number(number, regard_matrix_get(areas, r, 0), 2),
                       s->palette->text, FALSE, s->font, REGARD_ANCHOR_END, 0);
  }
  return TOKENS * s->font + m->rows * ROW * s->font;
}

static double
draw_correlations(const Sheet *s, double y)
{
  const RegardMatrix *m = s->figure->matrices[REGARD_BENCH_SPEARMAN];
  const double width = MIN((s->width - NAMES * s->font) / m->cols, 7 * s->font);
  const double top = y + 3.2 * s->font;
  regard_figure_text(s->canvas, s->x, y + s->font, _("Rank correlation (Spearman)"),
                     s->palette->text, TRUE, s->font, REGARD_ANCHOR_START, 0);
  for (guint c = 0; c < m->cols; c++)
    regard_figure_text_within(s->canvas, s->x + NAMES * s->font + (c + 0.5) * width,
                              top - 0.4 * s->font, width, m->col_labels[c].text, s->palette->dim,
                              FALSE, s->font * 0.8, REGARD_ANCHOR_MIDDLE);
  for (guint r = 0; r < m->rows; r++) {
    const double row = top + r * ROW * s->font;
    draw_name(s, m, r, row);
    for (guint c = 0; c < m->cols; c++) {
      const double value = regard_matrix_get(m, r, c);
      draw_cell(s,
                (RegardRect){s->x + NAMES * s->font + c * width, row, width - 1, ROW * s->font - 1},
                value, value, 1, REGARD_BENCH_SPEARMAN, r, c);
    }
  }
  return 3.2 * s->font + m->rows * ROW * s->font;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  BenchFigure *self = (BenchFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN;
  RegardFigureStyle style = figure->style;
  style.scale = REGARD_SCALE_LINEAR;
  const Sheet s = {
      self, canvas, regard_figure_palette(&style), &style, font, margin, width - 2 * margin};
  const RegardMatrix *m = self->matrices[REGARD_BENCH_VALUES];
  double y = margin;
  y += regard_figure_header(canvas, s.palette, margin, y, s.width,
                            regard_figure_title(&style, m->title), m->badges, font);
  y += draw_methods(&s, y) + 1.4 * font;
  y += draw_correlations(&s, y) + 0.6 * font;
  RegardMatrix bar = *m;
  bar.lo = -1;
  bar.hi = 1;
  bar.diverging = TRUE;
  y += regard_figure_footer(canvas, s.palette, &style, &bar, margin + 1.5 * font, y,
                            s.width - 1.5 * font,
                            regard_figure_has(&style, REGARD_PART_MODEL) ? m->model_name : NULL,
                            font);
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  return REGARD_BENCH_N_MATRICES;
}

static RegardMatrix *
matrix(RegardFigure *figure, guint i)
{
  return ((BenchFigure *) figure)->matrices[i];
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const BenchFigure *self = (BenchFigure *) figure;
  const RegardMatrix *m = self->matrices[spot->part];
  if (spot->part == REGARD_BENCH_DELETION)
    return g_strdup_printf(_("%s: hiding what it rates highest costs %.2f nats on average"),
                           m->row_labels[spot->row].text,
                           regard_matrix_get(self->matrices[REGARD_BENCH_AREA], (guint) spot->row,
                                             0));
  return g_strdup_printf("%s, %s: %.4g", m->row_labels[spot->row].text,
                         m->col_labels[spot->col].text,
                         regard_matrix_get(m, (guint) spot->row, (guint) spot->col));
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardMatrix *m = ((BenchFigure *) figure)->matrices[spot->part];
  return regard_exact_copy(regard_matrix_get(m, (guint) spot->row, (guint) spot->col));
}

static void
release(RegardFigure *figure)
{
  BenchFigure *self = (BenchFigure *) figure;
  for (guint i = 0; i < REGARD_BENCH_N_MATRICES; i++)
    g_clear_pointer(&self->matrices[i], regard_matrix_unref);
}

RegardFigure *
regard_figure_new_bench(const mt_attribution_bench *bench, const RegardAttributionText *text,
                        const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .matrix = matrix,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  BenchFigure *self = regard_figure_alloc(sizeof *self, &klass, style, TRUE);
  for (RegardBenchMatrix i = 0; i < REGARD_BENCH_N_MATRICES; i++)
    self->matrices[i] = regard_bench_matrix(bench, i, text);
  return &self->parent;
}
