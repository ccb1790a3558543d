/* regard-complexity-plot.c — operations per layer over the length of the sentence, both on
 * logarithmic axes, where the four expressions of table 1 are straight lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines are told apart by dashes as well as by colour, for print in grey, and named at their ends.
 */
#include "figures/regard-complexity-private.h"
#include <math.h>

#define NAME_PITCH 1.25 /* between two names at the ends, font sizes */
#define DOT        1.9  /* radius of a mark, points */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardComplexity *c;
  RegardRect plot;
  double font;
  double longest;     /* n at the right; 1 at the left */
  double bottom, top; /* powers of ten at the lower and the upper edge */
  const char *short_names[MT_N_LAYER_TYPES];
} Plot;

RegardPen
regard_complexity_pen(const RegardFigureStyle *style, mt_layer_type type)
{
  static const RegardPen light[MT_N_LAYER_TYPES] = {
      [MT_LAYER_SELF_ATTENTION] = {1.6, 0, 0, 0xff1c71d8},
      [MT_LAYER_RECURRENT] = {1.3, 6, 3, 0xffc64600},
      [MT_LAYER_CONVOLUTIONAL] = {1.3, 1.2, 2.4, 0xff1f7a4d},
      [MT_LAYER_RESTRICTED] = {1.3, 3, 2, 0xff813d9c},
  };
  static const guint32 dark[MT_N_LAYER_TYPES] = {0xff78aeed, 0xffffa34d, 0xff6fd39a, 0xffd59be8};
  RegardPen pen = light[type];
  if (style->dark)
    pen.argb = dark[type];
  return pen;
}

static double
operations(const Plot *p, mt_layer_type type, double n)
{
  mt_layer_sizes sizes = p->c->sizes;
  sizes.n = (gsize) n;
  return mt_complexity(type, &sizes).operations;
}

static double
x_of(const Plot *p, double n)
{
  return p->plot.x + p->plot.width * log10(n) / log10(p->longest);
}

static double
y_of(const Plot *p, double value)
{
  return p->plot.y + p->plot.height * (p->top - log10(value)) / (p->top - p->bottom);
}

/* "10⁶". Caller frees. */
static char *
power_of_ten(int exponent)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent >= 10)
    return g_strconcat("10", digits[exponent / 10 % 10], digits[exponent % 10], NULL);
  return g_strconcat("10", digits[exponent], NULL);
}

static void
find_range(Plot *p)
{
  double least = INFINITY, most = 1;
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    least = MIN(least, operations(p, (mt_layer_type) t, 1));
    most = MAX(most, operations(p, (mt_layer_type) t, p->longest));
  }
  p->bottom = floor(log10(least));
  p->top = MAX(ceil(log10(most)), p->bottom + 1);
}

static void
draw_axes(const Plot *p)
{
  const double size = p->font * 0.9, below = p->plot.y + p->plot.height;
  const double decade = p->plot.height / (p->top - p->bottom);
  const int step = (int) ceil(size * 1.6 / MAX(decade, 1e-3));
  for (int e = (int) p->bottom; e <= (int) p->top; e++) {
    const double y = y_of(p, pow(10, e));
    regard_canvas_stroke_line(p->canvas, p->plot.x, y, p->plot.x + p->plot.width, y, 0.4,
                              p->palette->grid);
    if ((e - (int) p->bottom) % step != 0)
      continue;
    g_autofree char *text = power_of_ten(e);
    regard_figure_text(p->canvas, p->plot.x - size * 0.5, y + size * 0.35, text, p->palette->text,
                       FALSE, size, REGARD_ANCHOR_END, 0);
  }
  g_autofree char *longest = regard_complexity_number(p->longest);
  const RegardSpan widest = {longest, p->palette->text, FALSE};
  const double room = x_of(p, 10) - x_of(p, 1);
  const int every = (int) ceil(
      (regard_canvas_text_width(p->canvas, &widest, 1, size) + size * 0.5) / MAX(room, 1e-3));
  int decade_of_n = 0;
  for (double n = 1; n <= p->longest; n *= 10, decade_of_n++) {
    g_autofree char *text = regard_complexity_number(n);
    const double x = x_of(p, n);
    regard_canvas_stroke_line(p->canvas, x, p->plot.y, x, below, 0.4, p->palette->grid);
    if (decade_of_n % every != 0)
      continue;
    regard_figure_text(p->canvas, x, below + size * 1.3, text, p->palette->text, FALSE, size,
                       REGARD_ANCHOR_MIDDLE, 0);
  }
  regard_canvas_stroke_rect(p->canvas, p->plot, 0.5, p->palette->frame);
  regard_figure_text(p->canvas, p->plot.x + p->plot.width / 2, below + size * 2.7,
                     "n, positions in the sequence", p->palette->text, FALSE, size,
                     REGARD_ANCHOR_MIDDLE, 0);
}

/* Straight, but for the neighbourhood: no longer than the sequence, it bends at n = r. */
static void
draw_line(const Plot *p, mt_layer_type type)
{
  const RegardPen pen = regard_complexity_pen(p->style, type);
  const double bend = (double) p->c->sizes.r;
  const double at[] = {1, type == MT_LAYER_RESTRICTED ? CLAMP(bend, 1, p->longest) : 1, p->longest};
  RegardPoint points[G_N_ELEMENTS(at)];
  for (guint i = 0; i < G_N_ELEMENTS(at); i++)
    points[i] = (RegardPoint){x_of(p, at[i]), y_of(p, operations(p, type, at[i]))};
  const guint first = points[0].x == points[1].x ? 1 : 0;
  regard_canvas_polyline(p->canvas, points + first, G_N_ELEMENTS(points) - first, &pen);
}

/* Names at the ends of the lines, in the order of the ends, moved apart where they would touch. */
static void
draw_names(const Plot *p)
{
  const double size = p->font * 0.9, pitch = size * NAME_PITCH, x = p->plot.x + p->plot.width;
  int order[MT_N_LAYER_TYPES];
  double ends[MT_N_LAYER_TYPES], at[MT_N_LAYER_TYPES];
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    ends[t] = y_of(p, operations(p, (mt_layer_type) t, p->longest));
    int i = t;
    for (; i > 0 && ends[order[i - 1]] > ends[t]; i--)
      order[i] = order[i - 1];
    order[i] = t;
  }
  double above = -INFINITY;
  for (int i = 0; i < MT_N_LAYER_TYPES; i++)
    above = at[i] = MAX(ends[order[i]], above + pitch);
  /* Pushed beyond the lower edge: up again. */
  double limit = p->plot.y + p->plot.height - size * 0.3;
  for (int i = MT_N_LAYER_TYPES - 1; i >= 0; i--) {
    at[i] = MIN(at[i], limit);
    limit = at[i] - pitch;
  }
  for (int i = 0; i < MT_N_LAYER_TYPES; i++) {
    const mt_layer_type type = (mt_layer_type) order[i];
    const guint32 argb = regard_complexity_pen(p->style, type).argb;
    regard_canvas_stroke_line(p->canvas, x, ends[type], x + size * 0.7, at[i], 0.6, argb);
    regard_figure_text(p->canvas, x + size, at[i] + size * 0.35, p->short_names[type],
                       p->palette->text, FALSE, size, REGARD_ANCHOR_START, 0);
  }
}

static void
mark(const Plot *p, double x, double y, guint32 argb, int row, int col)
{
  const double reach = MAX(p->font * 0.5, 3);
  regard_canvas_fill_rect(p->canvas,
                          (RegardRect){x - DOT - 0.8, y - DOT - 0.8, 2 * DOT + 1.6, 2 * DOT + 1.6},
                          DOT + 0.8, p->palette->background);
  regard_canvas_fill_rect(p->canvas, (RegardRect){x - DOT, y - DOT, 2 * DOT, 2 * DOT}, DOT, argb);
  regard_canvas_spot(p->canvas, (RegardRect){x - reach, y - reach, 2 * reach, 2 * reach},
                     REGARD_COMPLEXITY_PLOT, row, col);
}

/* A vertical line at n that says what is there, to its left or its right as is wanted, where that
 * has no room on the other side, and where neither has, across it. */
static void
draw_upright(const Plot *p, double n, const char *text, guint32 argb, double dash, double baseline,
             gboolean is_left)
{
  const double size = p->font * 0.9, gap = size * 0.5, x = x_of(p, n);
  const RegardSpan span = {text, p->palette->text, FALSE};
  const double width = regard_canvas_text_width(p->canvas, &span, 1, size);
  const double first = p->plot.x + gap, last = p->plot.x + p->plot.width - gap - width;
  const double left = x - gap - width, right = x + gap;
  const RegardPoint ends[] = {{x, p->plot.y}, {x, p->plot.y + p->plot.height}};
  const RegardPen pen = {0.9, dash, dash, argb};
  double at = is_left ? left : right;
  if (at < first || at > last)
    at = is_left ? right : left;
  regard_canvas_polyline(p->canvas, ends, 2, &pen);
  regard_canvas_text(p->canvas, MAX(MIN(at, last), first), baseline, &span, 1, size,
                     REGARD_ANCHOR_START, 0);
}

/* Where self-attention begins to cost more than recurrence: n² d = n d² at n = d. What it says
 * stands away from the sentence. */
static void
draw_crossing(const Plot *p, gboolean draws)
{
  const double d = (double) p->c->sizes.d;
  if (d > p->longest)
    return;
  g_autofree char *number = regard_complexity_number(d);
  g_autofree char *text = g_strdup_printf("n = d = %s", number);
  if (draws)
    draw_upright(p, d, text, p->palette->frame, 1.5, p->plot.y + p->plot.height - p->font * 0.7,
                 p->c->n_source > p->c->sizes.d);
  mark(p, x_of(p, d), y_of(p, operations(p, MT_LAYER_RECURRENT, d)), p->palette->text, -1,
       REGARD_COMPLEXITY_AT_CROSSING);
}

static void
draw_sentence(const Plot *p, gboolean draws)
{
  const double n = (double) p->c->n_source;
  g_autofree char *number = regard_complexity_number(n);
  g_autofree char *text = g_strdup_printf("this sentence, n = %s", number);
  if (draws)
    draw_upright(p, n, text, p->palette->accent, 0, p->plot.y + p->font * 1.2,
                 p->c->n_source <= p->c->sizes.d);
  for (int t = 0; t < MT_N_LAYER_TYPES; t++)
    mark(p, x_of(p, n), y_of(p, operations(p, (mt_layer_type) t, n)),
         regard_complexity_pen(p->style, (mt_layer_type) t).argb, t, REGARD_COMPLEXITY_AT_SENTENCE);
}

void
regard_complexity_plot(RegardCanvas *canvas, const RegardPalette *palette,
                       const RegardFigureStyle *style, const RegardComplexity *c, RegardRect rect,
                       double font)
{
  Plot p = {.canvas = canvas,
            .palette = palette,
            .style = style,
            .c = c,
            .font = font,
            .longest = regard_complexity_longest(c),
            .short_names = {"self-attention", "recurrent", "convolutional", "restricted"}};
  const double size = font * 0.9, left = size * 2.8;
  double right = 0;
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    RegardSpan span = {p.short_names[t], palette->text, FALSE};
    right = MAX(right, regard_canvas_text_width(canvas, &span, 1, size));
  }
  right += size * 1.2;
  p.plot = (RegardRect){rect.x + left, rect.y, MAX(rect.width - left - right, font),
                        MAX(rect.height - size * 3.1, font)};
  find_range(&p);
  const gboolean draws = regard_figure_draws(canvas);
  if (draws) {
    regard_canvas_begin_group(canvas, "axes");
    draw_axes(&p);
    regard_canvas_end_group(canvas);
    regard_canvas_begin_group(canvas, "lines");
    for (int t = MT_N_LAYER_TYPES - 1; t >= 0; t--)
      draw_line(&p, (mt_layer_type) t);
    draw_names(&p);
    regard_canvas_end_group(canvas);
  }
  regard_canvas_begin_group(canvas, "marks");
  draw_crossing(&p, draws);
  draw_sentence(&p, draws);
  regard_canvas_end_group(canvas);
}
