/* regard-figure-table.c — the numbers of a matrix as a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For columns that do not share a scale: entropies beside shares. Each number stands on a bar, as
 * long as its share of the largest of its column, so that a column can be read at a glance.
 */
#include "figures/regard-figure-private.h"

#include <math.h>

#define PITCH   1.75 /* of the lines, font sizes */
#define BAR     1.35 /* height of a bar */
#define PADDING 0.35
#define GUTTER  0.8 /* between two columns */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardMatrix *m;
  double font, x, y, name_width, column_width;
} Table;

static double
column_x(const Table *t, guint col)
{
  return t->x + t->name_width + t->font * GUTTER + col * (t->column_width + t->font * GUTTER);
}

static double
width_of(const Table *t, const RegardLabel *label)
{
  RegardSpan spans[] = {{label->text, t->palette->text, FALSE},
                        {label->suffix ? label->suffix : "", t->palette->dim, FALSE}};
  return regard_canvas_text_width(t->canvas, spans, 2, t->font);
}

/* The names take what they need, the numbers share the rest. */
static void
lay_out(Table *t, double width)
{
  for (guint r = 0; r < t->m->rows; r++)
    t->name_width = MAX(t->name_width, width_of(t, &t->m->row_labels[r]));
  t->name_width = MIN(t->name_width, width / 2);
  double rest = width - t->name_width - t->m->cols * t->font * GUTTER;
  t->column_width = MAX(rest / MAX(t->m->cols, 1), t->font * 2);
}

/* Titles shrink until the widest fits over its column. */
static void
draw_titles(const Table *t)
{
  double size = t->font * 0.9;
  for (guint c = 0; c < t->m->cols; c++) {
    RegardSpan span = {t->m->col_labels[c].text, t->palette->dim, FALSE};
    double w = regard_canvas_text_width(t->canvas, &span, 1, size);
    if (w > t->column_width + t->font * GUTTER * 0.7)
      size *= (t->column_width + t->font * GUTTER * 0.7) / w;
  }
  for (guint c = 0; c < t->m->cols; c++)
    regard_figure_text(t->canvas, column_x(t, c) + t->column_width, t->y - t->font * 0.5,
                       t->m->col_labels[c].text, t->palette->dim, FALSE, size, REGARD_ANCHOR_END,
                       0);
}

static void
draw_row(const Table *t, guint row, const double *largest)
{
  const RegardLabel *label = &t->m->row_labels[row];
  const double top = t->y + row * PITCH * t->font, baseline = top + t->font * 1.2;
  RegardSpan spans[] = {{label->text, t->palette->text, FALSE},
                        {label->suffix ? label->suffix : "", t->palette->dim, FALSE}};
  regard_canvas_text(t->canvas, t->x, baseline, spans, 2, t->font, REGARD_ANCHOR_START, 0);
  for (guint c = 0; c < t->m->cols; c++) {
    const double value = regard_matrix_get(t->m, row, c), x = column_x(t, c);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (isnan(value))
      continue;
    RegardRect bar = {x, top + t->font * (PITCH - BAR) / 2, t->column_width, t->font * BAR};
    regard_canvas_fill_rect(t->canvas, bar, 0, t->palette->bar_background);
    bar.width *= largest[c] > 0 ? CLAMP(fabs(value) / largest[c], 0, 1) : 0;
    regard_canvas_fill_rect(t->canvas, bar, 0, t->palette->badge_fill);
    g_ascii_formatd(number, sizeof number, "%.2f", value);
    regard_figure_text(t->canvas, x + t->column_width - t->font * PADDING, baseline, number,
                       t->palette->text, FALSE, t->font, REGARD_ANCHOR_END, 0);
  }
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const double margin = font * REGARD_FIGURE_MARGIN;
  Table t = {.canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .m = m,
             .font = font,
             .x = margin};
  double y = margin;
  y += regard_figure_header(canvas, t.palette, margin, y, width - 2 * margin,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  lay_out(&t, width - 2 * margin);
  t.y = y + font * 1.6;
  draw_titles(&t);
  g_autofree double *largest = g_new0(double, MAX(m->cols, 1));
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (!isnan(regard_matrix_get(m, r, c)))
        largest[c] = MAX(largest[c], fabs((double) regard_matrix_get(m, r, c)));
  for (guint r = 0; r < m->rows; r++)
    draw_row(&t, r, largest);
  y = t.y + m->rows * PITCH * font + font * 1.2;
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL))
    regard_figure_text(canvas, width - margin, y, m->model_name, t.palette->dim, FALSE, font * 0.9,
                       REGARD_ANCHOR_END, 0);
  return y + margin;
}

RegardFigure *
regard_figure_new_table(RegardMatrix *matrix, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.draw = draw, .has_no_scale = TRUE};
  g_return_val_if_fail(matrix, NULL);
  return regard_figure_new(&klass, regard_matrix_ref(matrix), NULL, matrix->diverging, style);
}
