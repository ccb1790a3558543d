/* regard-lines-layout.c — where labels and lines are, and what is at a point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Upright: title | number | label | plot | label | number. Both lists have one pitch, so that the
 * diagonal is level; the shorter one stands in the middle. Level: words stand as far apart as they
 * are long where they do not fit otherwise, and stand upright where even that is too wide.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-lines.h"
#include <math.h>

#define PITCH        1.9  /* on paper, font sizes */
#define LONGEST      1.25 /* of lists on paper, to the width */
#define MAX_LABEL    0.29 /* of the width, of each side */
#define MAX_UPRIGHT  9.5  /* font sizes, of a level list's upright labels */
#define MAX_PLOT     36.0 /* from list to list, font sizes */
#define MIN_PLOT     3.0
#define LEVEL_PLOT   11.0
#define GAP          0.5 /* between label and lines */
#define WORD_GAP     1.0 /* between words of a level list */
#define NUMBER       2.7 /* room for numbers beyond the labels */
#define TITLE        1.6
#define MASS         2.0
#define MOST_SPREAD  0.35
#define SPREAD_SHARE 0.7 /* of the pitch, for lines of all matrices */

static const RegardLabel *
labels_of(const RegardLines *lines, RegardLinesSide side)
{
  const RegardMatrix *m = lines->matrices[0];
  return side == REGARD_LINES_ROWS ? m->row_labels : m->col_labels;
}

static double
label_width(RegardCanvas *canvas, const RegardLabel *label, double size, double max)
{
  RegardShownLabel shown = regard_label_shorten(canvas, label, TRUE, size, max);
  const double width = regard_label_width(canvas, &shown, TRUE, size);
  regard_label_clear(&shown);
  return width;
}

static double
widest(RegardCanvas *canvas, const RegardLines *lines, RegardLinesSide side,
       const RegardLinesList *list, double max)
{
  double width = 0;
  for (guint i = 0; i < list->n; i += list->step)
    width = MAX(width, label_width(canvas, &labels_of(lines, side)[i], list->size, max));
  return width;
}

static void
place_evenly(RegardLinesList *list, double start, double length)
{
  list->pitch = length / MAX(list->n, 1);
  list->is_even = TRUE;
  for (guint i = 0; i < list->n; i++)
    list->at[i] = start + list->pitch * (i + 0.5);
}

static void
lay_out_upright(RegardLinesLayout *l, RegardCanvas *canvas, const RegardLines *lines,
                RegardRect room, double pitch)
{
  const double font = l->font, top = room.y + TITLE * font;
  const guint most = MAX(MAX(l->list[0].n, l->list[1].n), 1);
  const RegardTicks ticks[2] = {lines->matrices[0]->row_ticks, lines->matrices[0]->col_ticks};
  if (pitch <= 0)
    pitch = MIN(PITCH * font, room.width * LONGEST / most);
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    regard_label_fit(pitch, font, ticks[s], &list->size, &list->step);
  }
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    if (l->list[0].step == 1 && l->list[1].step == 1)
      list->size = MIN(l->list[0].size, l->list[1].size);
    list->extent = widest(canvas, lines, s == 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS, list,
                          room.width * MAX_LABEL);
    place_evenly(list, top + pitch * (most - list->n) / 2.0, pitch * list->n);
    list->pitch = pitch;
  }
  const double beside = (GAP + NUMBER) * font;
  const double left = l->list[0].extent + beside + l->mass, right = l->list[1].extent + beside;
  const double width = CLAMP(room.width - left - right, MIN_PLOT * font, MAX_PLOT * font);
  const double x = room.x + MAX(0, (room.width - left - width - right) / 2);
  l->plot = (RegardRect){x + left, top, width, pitch * most};
  l->whole = (RegardRect){x, room.y, left + width + right, TITLE * font + pitch * most};
}

/* Level words: evenly if they have room for that, else one after the other. FALSE: not even that.
 */
static gboolean
place_words(RegardLinesList *list, RegardCanvas *canvas, const RegardLabel *labels, double x,
            double width, double font)
{
  g_autofree double *widths = g_new0(double, MAX(list->n, 1));
  double sum = 0, most = 0;
  for (guint i = 0; i < list->n; i++) {
    widths[i] = label_width(canvas, &labels[i], list->size, width) + WORD_GAP * font;
    sum += widths[i];
    most = MAX(most, widths[i]);
  }
  if (most <= width / MAX(list->n, 1)) {
    place_evenly(list, x, width);
    return TRUE;
  }
  if (sum > width)
    return FALSE;
  const double more = (width - sum) / MAX(list->n, 1);
  list->pitch = INFINITY;
  for (guint i = 0; i < list->n; i++) {
    list->at[i] = x + (widths[i] + more) / 2;
    list->pitch = MIN(list->pitch, widths[i] + more);
    x += widths[i] + more;
  }
  return TRUE;
}

static void
lay_out_level(RegardLinesLayout *l, RegardCanvas *canvas, const RegardLines *lines, RegardRect room)
{
  const double font = l->font, height = room.height > 0 ? room.height : LEVEL_PLOT * font;
  const RegardTicks ticks[2] = {lines->matrices[0]->row_ticks, lines->matrices[0]->col_ticks};
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    const RegardLinesSide side = s == 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS;
    list->step = 1;
    list->size = font;
    list->extent = font * 1.1;
    if (place_words(list, canvas, labels_of(lines, side), room.x, room.width, font))
      continue;
    place_evenly(list, room.x, room.width);
    regard_label_fit(list->pitch, font, ticks[s], &list->size, &list->step);
    list->angle = -90;
    list->extent = widest(canvas, lines, side, list, MAX_UPRIGHT * font);
  }
  const double beside = (GAP + 0.5 * NUMBER) * font;
  const double above = TITLE * font + l->list[REGARD_LINES_COLS].extent + beside;
  const double below = TITLE * font + l->list[REGARD_LINES_ROWS].extent + beside + l->mass;
  l->plot = (RegardRect){room.x, room.y + above, room.width, height};
  l->whole = (RegardRect){room.x, room.y, room.width, above + height + below};
}

void
regard_lines_lay_out(RegardLinesLayout *layout, RegardCanvas *canvas, const RegardLines *lines,
                     RegardLinesOrientation orientation, RegardRect room, double pitch, double font)
{
  const RegardMatrix *m = lines->matrices[0];
  *layout = (RegardLinesLayout){
      .orientation = orientation,
      .font = font,
      .n = lines->n,
      .mass = !m->removed_mass                      ? 0
              : orientation == REGARD_LINES_UPRIGHT ? MASS * font
                                                    : font,
      .list = {{.n = m->rows, .at = g_new0(double, MAX(m->rows, 1))},
               {.n = m->cols, .at = g_new0(double, MAX(m->cols, 1))}},
  };
  if (orientation == REGARD_LINES_UPRIGHT)
    lay_out_upright(layout, canvas, lines, room, pitch);
  else
    lay_out_level(layout, canvas, lines, room);
  layout->spread = MIN(MOST_SPREAD * font,
                       MIN(layout->list[0].pitch, layout->list[1].pitch) * SPREAD_SHARE / lines->n);
}

void
regard_lines_layout_clear(RegardLinesLayout *layout)
{
  g_clear_pointer(&layout->list[0].at, g_free);
  g_clear_pointer(&layout->list[1].at, g_free);
}

/* ---- What is where --------------------------------------------------------------------------- */

/* Where a line begins and ends, along the lists. */
static void
ends_of(const RegardLinesLayout *l, guint matrix, guint row, guint col, double *from, double *to)
{
  const double offset = (matrix - (l->n - 1) / 2.0) * l->spread;
  const double at_row = l->list[REGARD_LINES_ROWS].at[row] + offset;
  const double at_col = l->list[REGARD_LINES_COLS].at[col] + offset;
  const gboolean rows_first = l->orientation == REGARD_LINES_UPRIGHT;
  *from = rows_first ? at_row : at_col;
  *to = rows_first ? at_col : at_row;
}

double
regard_lines_position(const RegardLinesLayout *layout, guint matrix, guint row, guint col, double u)
{
  double from, to;
  ends_of(layout, matrix, row, col, &from, &to);
  return from + (to - from) * u * u * (3 - 2 * u);
}

guint
regard_lines_nearest(const RegardLinesLayout *layout, RegardLinesSide side, double x, double y)
{
  const RegardLinesList *list = &layout->list[side];
  const double at = layout->orientation == REGARD_LINES_UPRIGHT ? y : x;
  guint lo = 0, hi = list->n;
  while (lo < hi) { /* the first behind it */
    const guint middle = (lo + hi) / 2;
    if (list->at[middle] < at)
      lo = middle + 1;
    else
      hi = middle;
  }
  if (lo > 0 && (lo == list->n || at - list->at[lo - 1] < list->at[lo] - at))
    lo--;
  return lo;
}

static gboolean
hit_token(const RegardLinesLayout *l, RegardLinesSide side, double x, double y, RegardLinesHit *hit)
{
  const RegardLinesList *list = &l->list[side];
  const double at = l->orientation == REGARD_LINES_UPRIGHT ? y : x;
  if (list->n == 0)
    return FALSE;
  const guint i = regard_lines_nearest(l, side, x, y);
  /* Beyond the ends of a list there is nothing. */
  if (at < list->at[0] - list->pitch / 2 || at > list->at[list->n - 1] + list->pitch / 2)
    return FALSE;
  *hit = (RegardLinesHit){.what = REGARD_LINES_TOKEN, .side = side, .i = i};
  return TRUE;
}

/* The best of the lines at u from list to list. */
static void
hit_line(const RegardLinesLayout *l, const RegardLines *lines, const RegardLinesMarks *marks,
         double u, double at, double reach, RegardLinesHit *hit)
{
  const RegardMatrix *first = lines->matrices[0];
  const gboolean is_isolated = regard_lines_is_isolated(lines, marks);
  const double across = l->orientation == REGARD_LINES_UPRIGHT ? l->plot.width : l->plot.height;
  const double bend = u * u * (3 - 2 * u), slope = 6 * u * (1 - u) / across;
  gboolean best_kept = FALSE;
  float best = 0;
  for (guint k = 0; k < lines->n; k++)
    for (guint r = 0; r < first->rows; r++)
      for (guint c = 0; c < first->cols; c++) {
        const float size = fabsf(regard_matrix_get(lines->matrices[k], r, c));
        const gboolean is_kept = lines->kept[k][(gsize) r * first->cols + c];
        double from, to;
        if (!(size > 0) || is_kept < best_kept || (is_kept == best_kept && size <= best) ||
            (is_isolated && !regard_lines_touches(marks, r, c)))
          continue;
        ends_of(l, k, r, c, &from, &to);
        if (fabs(from + (to - from) * bend - at) > reach * hypot(1, (to - from) * slope))
          continue;
        best = size;
        best_kept = is_kept;
        *hit = (RegardLinesHit){.what = REGARD_LINES_LINE, .matrix = k, .row = r, .col = c};
      }
}

RegardLinesHit
regard_lines_hit(const RegardLinesLayout *layout, const RegardLines *lines,
                 const RegardLinesMarks *marks, double x, double y, double reach)
{
  const RegardRect *p = &layout->plot, *whole = &layout->whole;
  const gboolean is_upright = layout->orientation == REGARD_LINES_UPRIGHT;
  const double across = is_upright ? (x - p->x) / p->width : (y - p->y) / p->height;
  RegardLinesHit hit = {.what = REGARD_LINES_NOTHING};
  if (x < whole->x || x > whole->x + whole->width || y < whole->y || y > whole->y + whole->height)
    return hit;
  if (across < 0 || across > 1)
    hit_token(layout, (across < 0) == is_upright ? REGARD_LINES_ROWS : REGARD_LINES_COLS, x, y,
              &hit);
  else
    hit_line(layout, lines, marks, across, is_upright ? y : x, reach, &hit);
  return hit;
}
