/* regard-lines-labels.c — the two lists of labels of a picture of lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-lines.h"
#include "figures/regard-scale-marks.h"
#include <math.h>

#define GAP 0.5 /* between label and lines, font sizes */

typedef struct {
  const RegardLines *lines;
  const RegardLinesLayout *l;
  const RegardLinesStyle *style;
  RegardCanvas *canvas;
} Labels;

static const RegardLabel *
label_of(const Labels *s, RegardLinesSide side, guint i)
{
  const RegardMatrix *m = s->lines->matrices[0];
  return side == REGARD_LINES_ROWS ? &m->row_labels[i] : &m->col_labels[i];
}

/* 1 where a list lies behind the lines (right, below), -1 where it lies before them. */
static int
direction(const RegardLinesLayout *l, RegardLinesSide side)
{
  return (side == REGARD_LINES_ROWS) == (l->orientation == REGARD_LINES_UPRIGHT) ? -1 : 1;
}

/* Where a list's labels begin, across the lists. */
static double
edge(const RegardLinesLayout *l, RegardLinesSide side)
{
  const RegardRect *p = &l->plot;
  const double gap = GAP * l->font + (side == REGARD_LINES_ROWS ? l->mass : 0);
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  if (direction(l, side) < 0)
    return (is_upright ? p->x : p->y) - gap;
  return (is_upright ? p->x + p->width : p->y + p->height) + gap;
}

/* Draws a label; size 0: that of its list. Returns how far it reaches from the edge of its list. */
static double
draw_label(const Labels *s, RegardLinesSide side, guint i, guint32 argb, gboolean bold, double size,
           double max)
{
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[side];
  const int d = direction(l, side);
  const double at = list->at[i], from = edge(l, side);
  const RegardPalette palette = {.text = argb, .dim = s->style->dim};
  RegardShownLabel shown = regard_label_shorten(s->canvas, label_of(s, side, i), bold, size, max);
  RegardSpan spans[3];
  const guint n = regard_label_spans(&shown, &palette, bold, spans);
  double reach = regard_canvas_text_width(s->canvas, spans, n, size);
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_canvas_text(s->canvas, from, at + size * 0.35, spans, n, size,
                       d < 0 ? REGARD_ANCHOR_END : REGARD_ANCHOR_START, 0);
  else if (list->angle == 0) {
    regard_canvas_text(s->canvas, at, d < 0 ? from - size * 0.2 : from + size * 0.8, spans, n, size,
                       REGARD_ANCHOR_MIDDLE, 0);
    reach = size * 1.1;
  } else
    regard_canvas_text(s->canvas, at + size * 0.36, from, spans, n, size,
                       d < 0 ? REGARD_ANCHOR_START : REGARD_ANCHOR_END, list->angle);
  regard_label_clear(&shown);
  return reach;
}

static double
most_of(const Labels *s, RegardLinesSide side)
{
  const RegardLinesList *list = &s->l->list[side];
  return s->l->orientation == REGARD_LINES_LEVEL && list->angle == 0 ? 1e9 : list->extent + 0.1;
}

/* What hidden special tokens took of each row, between its label and its lines. */
static void
draw_mass(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[REGARD_LINES_ROWS];
  const double thick = MIN(list->pitch * 0.6, l->font * 0.7);
  if (l->mass <= 0 || !m->removed_mass)
    return;
  regard_canvas_begin_group(s->canvas, "hidden-mass");
  for (guint i = 0; i < list->n; i++) {
    const double share = CLAMP(m->removed_mass[i], 0.0f, 1.0f), at = list->at[i] - thick / 2;
    RegardRect bar = {l->plot.x - l->mass, at, l->mass - 0.2 * l->font, thick};
    if (l->orientation == REGARD_LINES_LEVEL)
      bar =
          (RegardRect){list->at[i] - list->pitch * 0.35, l->plot.y + l->plot.height + 0.3 * l->font,
                       list->pitch * 0.7, 0.4 * l->font};
    regard_canvas_fill_rect(s->canvas, bar, 0, s->style->bar_background);
    bar.width *= share;
    regard_canvas_fill_rect(s->canvas, bar, 0, s->style->bar);
  }
  regard_canvas_end_group(s->canvas);
}

/* Above its labels, as far as it can: from their edge outwards, else inwards from the outer end. */
static void
draw_title(const Labels *s, const char *title, double from, double outer, double baseline,
           double size, double room)
{
  const RegardSpan span = {title, s->style->dim, FALSE};
  const gboolean fits = regard_canvas_text_width(s->canvas, &span, 1, size) <= fabs(outer - from);
  const gboolean is_left = outer < from;
  regard_figure_text_within(s->canvas, fits ? from : outer, baseline, room, title, s->style->dim,
                            FALSE, size, is_left == fits ? REGARD_ANCHOR_END : REGARD_ANCHOR_START);
}

static void
draw_titles(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const double size = l->font * 0.9, top = l->whole.y + l->font;
  const double room = l->whole.width / 2 - l->font;
  regard_canvas_begin_group(s->canvas, "axis-titles");
  if (l->orientation == REGARD_LINES_UPRIGHT) {
    draw_title(s, m->row_title, edge(l, REGARD_LINES_ROWS), l->whole.x, top, size, room);
    draw_title(s, m->col_title, edge(l, REGARD_LINES_COLS), l->whole.x + l->whole.width, top, size,
               room);
  } else {
    regard_figure_text_within(s->canvas, l->whole.x, top, 2 * room, m->col_title, s->style->dim,
                              FALSE, size, REGARD_ANCHOR_START);
    regard_figure_text_within(s->canvas, l->whole.x, l->whole.y + l->whole.height - 0.4 * l->font,
                              2 * room, m->row_title, s->style->dim, FALSE, size,
                              REGARD_ANCHOR_START);
  }
  regard_canvas_end_group(s->canvas);
}

/* Two halves of the columns, of different kinds: what they are, and a line between them. */
static void
draw_parts(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[REGARD_LINES_COLS];
  if (m->col_split == 0 || m->col_split >= m->cols)
    return;
  const double at = (list->at[m->col_split - 1] + list->at[m->col_split]) / 2;
  const double from = edge(l, REGARD_LINES_COLS);
  const double to = from + direction(l, REGARD_LINES_COLS) * list->extent;
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_canvas_stroke_line(s->canvas, from, at, to, at, 0.6, s->style->dim);
  else
    regard_canvas_stroke_line(s->canvas, at, from, at, to, 0.6, s->style->dim);
}

void
regard_lines_draw_labels(const RegardLines *lines, const RegardLinesLayout *layout,
                         const RegardLinesStyle *style, RegardCanvas *canvas)
{
  static const char *const groups[] = {"row-labels", "column-labels"};
  const Labels s = {lines, layout, style, canvas};
  draw_titles(&s);
  draw_parts(&s);
  draw_mass(&s);
  for (guint side = 0; side < 2; side++) {
    const RegardLinesList *list = &layout->list[side];
    regard_canvas_begin_group(canvas, groups[side]);
    for (guint i = 0; i < list->n; i += list->step)
      draw_label(&s, side, i, style->text, FALSE, list->size, most_of(&s, side));
    regard_canvas_end_group(canvas);
  }
}

/* ---- What is isolated ------------------------------------------------------------------------ */

/* Behind a label that is drawn over others. */
static void
draw_plate(const Labels *s, RegardLinesSide side, guint i, double reach, double size)
{
  const RegardLinesLayout *l = s->l;
  const int d = direction(l, side);
  const double from = edge(l, side), at = l->list[side].at[i];
  RegardRect plate = {d < 0 ? from - reach : from, at - size * 0.6, reach, size * 1.2};
  if (l->orientation == REGARD_LINES_LEVEL)
    return; /* words of a line do not lie over each other */
  regard_canvas_fill_rect(s->canvas, plate, 0, s->style->background);
}

/* A number beyond the label. */
static void
draw_number(const Labels *s, RegardLinesSide side, guint i, double value, double reach,
            gboolean is_kept, double size)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const int d = direction(l, side);
  const double from = edge(l, side) + d * (reach + 0.45 * l->font), at = l->list[side].at[i];
  char text[REGARD_CELL_TEXT];
  regard_cell_text(text, value, MAX(fabs(m->lo), fabs(m->hi)));
  if (!*text)
    return;
  const guint32 argb = is_kept ? s->style->text : s->style->dim;
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_figure_text(s->canvas, from, at + size * 0.35, text, argb, FALSE, size,
                       d < 0 ? REGARD_ANCHOR_END : REGARD_ANCHOR_START, 0);
  else if (l->list[side].angle == 0)
    regard_figure_text(s->canvas, at, d < 0 ? from : from + size * 0.6, text, argb, FALSE, size,
                       REGARD_ANCHOR_MIDDLE, 0);
}

/* The one token that is isolated; FALSE: none, or several. */
static gboolean
find_alone(const Labels *s, const RegardLinesMarks *marks, RegardLinesSide *side, guint *i)
{
  guint n = 0;
  const guint8 *sets[] = {marks->rows, marks->cols};
  for (guint k = 0; k < 2; k++)
    for (guint j = 0; sets[k] && j < s->l->list[k].n; j++)
      if (sets[k][j]) {
        *side = k;
        *i = j;
        n++;
      }
  return n == 1;
}

/* The labels at the other ends, with their numbers where there is room for them: strong ones are
 * dark, as if they were not isolated. */
static void
draw_others(const Labels *s, RegardLinesSide side, guint i)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesSide other = side == REGARD_LINES_ROWS ? REGARD_LINES_COLS : REGARD_LINES_ROWS;
  const RegardLinesList *list = &s->l->list[other];
  if (s->lines->n > 1) /* whose number would it be */
    return;
  for (guint j = 0; j < list->n; j++) {
    const guint r = side == REGARD_LINES_ROWS ? i : j, c = side == REGARD_LINES_ROWS ? j : i;
    const gboolean is_kept = s->lines->kept[0][(gsize) r * m->cols + c];
    if (j % list->step != 0 || list->pitch < list->size * 0.9)
      continue;
    RegardShownLabel shown = regard_label_shorten(s->canvas, label_of(s, other, j), FALSE,
                                                  list->size, most_of(s, other));
    const double reach = s->l->orientation == REGARD_LINES_UPRIGHT
                             ? regard_label_width(s->canvas, &shown, FALSE, list->size)
                             : list->size * 1.1;
    regard_label_clear(&shown);
    draw_number(s, other, j, regard_matrix_get(m, r, c), reach, is_kept, list->size * 0.9);
  }
}

void
regard_lines_draw_isolated(const RegardLines *lines, const RegardLinesLayout *layout,
                           const RegardLinesStyle *style, const RegardLinesMarks *marks,
                           RegardCanvas *canvas)
{
  const Labels s = {lines, layout, style, canvas};
  const guint8 *sets[] = {marks->rows, marks->cols};
  RegardLinesSide side = REGARD_LINES_ROWS;
  guint alone = 0;
  regard_canvas_begin_group(canvas, "isolated");
  if (find_alone(&s, marks, &side, &alone))
    draw_others(&s, side, alone);
  for (guint k = 0; k < 2; k++) {
    const RegardLinesList *list = &layout->list[k];
    const double size = MAX(list->size, layout->font * REGARD_LABEL_LEAST);
    double last = -INFINITY;
    for (guint i = 0; sets[k] && i < list->n; i++) {
      /* Of many beside each other those are named that have room. */
      if (!sets[k][i] || (list->at[i] - last < size && list->step > 1))
        continue;
      last = list->at[i];
      draw_plate(&s, k, i, list->extent + 0.2 * size, size);
      draw_label(&s, k, i, style->accent, TRUE, size, most_of(&s, k));
    }
  }
  regard_canvas_end_group(canvas);
}
