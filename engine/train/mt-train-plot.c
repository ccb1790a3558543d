/* mt-train-plot.c — how a training went, as a picture: loss and learning rate over steps, SVG.
 *
 * Two panels share the steps: above, the losses (scale at the left) and the learning rate (at the
 * right); below, if anything was translated, BLEU. Records are gathered by columns of one unit: the
 * line is their mean, the pale band behind it their range.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-train-plot.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 960, LEFT = 76, RIGHT = 884, TOP = 96, GAP = 40, BOTTOM_MARGIN = 58 };
enum { MAIN_HEIGHT = 330, BLEU_HEIGHT = 120 };
enum { N_COLUMNS = RIGHT - LEFT + 1 };

#define BLUE   "#1f6fb4"
#define ORANGE "#d95f02"
#define GREY   "#767676"
#define GREEN  "#1b7837"
#define INK    "#222222"
#define GRID   "#e7e7e7"

/* Of the steps at the left, this share does not decide where the scale of the loss ends: it falls
 * from twice as much within them, and would leave the rest a flat line. */
#define BEGINNING 0.05

/* ---- Scales ---------------------------------------------------------------------------------- */

typedef struct {
  double low, high;  /* values at the ends */
  double from, to;   /* units of the picture */
  double step;       /* between ticks; the first one is at the first multiple above low */
  int decimals;      /* of a tick's label */
  double multiplier; /* of a tick's value, for its label */
} scale;

static double
place(const scale *s, double value)
{
  return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

/* Ticks at multiples of 1, 2 or 5 times a power of ten, about `n` of them; ends on a tick. */
static scale
make_scale(double low, double high, double from, double to, int n, bool whole)
{
  if (!(high > low)) {
    low = low - (whole ? 0 : fabs(low) / 10);
    high = low + (low != 0 ? fabs(low) / 5 : 1);
  }
  double raw = (high - low) / n, power = pow(10, floor(log10(raw))), step = power * 10;
  static const double steps[] = {1, 2, 5};
  for (int i = 2; i >= 0; i--)
    if (power * steps[i] >= raw)
      step = power * steps[i];
  if (whole && step < 1)
    step = 1;
  int decimals = (int) -floor(log10(step) + 1e-9);
  return (scale){
      .low = floor(low / step + 1e-9) * step,
      .high = ceil(high / step - 1e-9) * step,
      .from = from,
      .to = to,
      .step = step,
      .decimals = decimals > 0 ? decimals : 0,
      .multiplier = 1,
  };
}

/* Calls put(i) for each tick: its value. */
static int
count_ticks(const scale *s)
{
  return (int) floor((s->high - s->low) / s->step + 1e-6) + 1;
}

static double
tick_at(const scale *s, int i)
{
  return s->low + i * s->step;
}

/* ---- What is drawn --------------------------------------------------------------------------- */

/* Values of all records in one column. */
typedef struct {
  double sum, least, most;
  size_t n;
} column;

typedef double (*member)(const mt_train_record *record);

static double
loss_of(const mt_train_record *r)
{
  return r->loss;
}

static double
rate_of(const mt_train_record *r)
{
  return r->learning_rate;
}

static double
valid_of(const mt_train_record *r)
{
  return r->valid_loss;
}

static double
bleu_of(const mt_train_record *r)
{
  return r->valid_bleu;
}

typedef struct {
  mt_svg svg;
  const mt_train_record *records;
  size_t n;
  scale x;
  column *columns; /* [N_COLUMNS] */
} plot;

/* The last known value of a member; NAN if there is none. */
static double
last(const plot *p, member value)
{
  for (size_t i = p->n; i-- > 0;)
    if (isfinite(value(&p->records[i])))
      return value(&p->records[i]);
  return NAN;
}

/* Widen *low … *high by the values from a step on. False if there is none. */
static bool
range(const plot *p, member value, double first_step, double *low, double *high)
{
  bool any = false;
  for (size_t i = 0; i < p->n; i++) {
    double v = value(&p->records[i]);
    if (!isfinite(v) || (double) p->records[i].step < first_step)
      continue;
    any = true;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
  }
  return any;
}

static void
gather(plot *p, member value)
{
  for (int c = 0; c < N_COLUMNS; c++)
    p->columns[c] = (column){.least = INFINITY, .most = -INFINITY};
  for (size_t i = 0; i < p->n; i++) {
    double v = value(&p->records[i]);
    double x = place(&p->x, (double) p->records[i].step) - LEFT;
    if (!isfinite(v) || !(x >= 0 && x < N_COLUMNS))
      continue;
    column *c = &p->columns[(int) x];
    c->sum += v;
    c->n++;
    c->least = fmin(c->least, v);
    c->most = fmax(c->most, v);
  }
}

/* The range of each column as a band; nothing if no column has more than one value. */
static void
draw_band(plot *p, const scale *y, const char *colour)
{
  bool any = false;
  for (int c = 0; c < N_COLUMNS; c++)
    any = any || p->columns[c].n > 1;
  if (!any)
    return;
  mt_svg_add(&p->svg, "<path fill=\"%s\" fill-opacity=\"0.2\" d=\"M", colour);
  for (int c = 0; c < N_COLUMNS; c++)
    if (p->columns[c].n)
      mt_svg_point(&p->svg, LEFT + c + 0.5, place(y, p->columns[c].most));
  for (int c = N_COLUMNS - 1; c >= 0; c--)
    if (p->columns[c].n)
      mt_svg_point(&p->svg, LEFT + c + 0.5, place(y, p->columns[c].least));
  mt_svg_add(&p->svg, "Z\"/>\n");
}

static void
draw_line(plot *p, const scale *y, const char *colour, const char *more)
{
  mt_svg_add(&p->svg,
             "<path fill=\"none\" stroke=\"%s\" stroke-linejoin=\"round\" "
             "stroke-linecap=\"round\" %s d=\"M",
             colour, more);
  int n = 0, only = 0;
  for (int c = 0; c < N_COLUMNS; c++) {
    const column *k = &p->columns[c];
    if (k->n) {
      mt_svg_point(&p->svg, LEFT + c + 0.5, place(y, k->sum / (double) k->n));
      only = c;
      n++;
    }
  }
  /* One point alone is drawn by a line to itself. */
  if (n == 1)
    mt_svg_point(&p->svg, LEFT + only + 0.5,
                 place(y, p->columns[only].sum / (double) p->columns[only].n));
  if (n == 0)
    mt_svg_point(&p->svg, LEFT, -9); /* outside */
  mt_svg_add(&p->svg, "\"/>\n");
}

static void
draw_points(plot *p, const scale *y, const char *colour)
{
  for (int c = 0; c < N_COLUMNS; c++) {
    const column *k = &p->columns[c];
    if (!k->n)
      continue;
    mt_svg_add(&p->svg, "<circle r=\"3\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.6\" cx=\"",
               colour);
    mt_svg_number(&p->svg, LEFT + c + 0.5, 1);
    mt_svg_add(&p->svg, "\" cy=\"");
    mt_svg_number(&p->svg, place(y, k->sum / (double) k->n), 1);
    mt_svg_add(&p->svg, "\"/>\n");
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void
draw_text(plot *p, double x, double y, const char *anchor, const char *more, const char *text)
{
  mt_svg_add(&p->svg, "<text text-anchor=\"%s\" %s x=\"", anchor, more);
  mt_svg_number(&p->svg, x, 1);
  mt_svg_add(&p->svg, "\" y=\"");
  mt_svg_number(&p->svg, y, 1);
  mt_svg_add(&p->svg, "\">");
  mt_svg_text(&p->svg, text);
  mt_svg_add(&p->svg, "</text>\n");
}

static void
draw_grid_line(plot *p, double x1, double y1, double x2, double y2, const char *colour)
{
  mt_svg_add(&p->svg, "<path stroke=\"%s\" d=\"M", colour);
  mt_svg_point(&p->svg, x1, y1);
  mt_svg_point(&p->svg, x2, y2);
  mt_svg_add(&p->svg, "\"/>\n");
}

/* Ticks and labels of a scale at the left or right, its name along it. */
static void
draw_side_axis(plot *p, const scale *y, bool is_left, bool has_grid, const char *colour,
               const char *name)
{
  char more[96], label[64];
  snprintf(more, sizeof more, "fill=\"%s\"", colour);
  for (int i = 0; i < count_ticks(y); i++) {
    double value = tick_at(y, i), at = place(y, value);
    if (has_grid)
      draw_grid_line(p, LEFT, at, RIGHT, at, GRID);
    mt_svg_format(label, sizeof label, value * y->multiplier, y->decimals);
    draw_text(p, is_left ? LEFT - 8 : RIGHT + 8, at + 4, is_left ? "end" : "start", more, label);
  }
  double middle = (y->from + y->to) / 2, x = is_left ? 20 : WIDTH - 14;
  mt_svg_add(&p->svg, "<text text-anchor=\"middle\" fill=\"%s\" transform=\"translate(", colour);
  mt_svg_point(&p->svg, x, middle);
  mt_svg_add(&p->svg, ") rotate(%d)\">", is_left ? -90 : 90);
  mt_svg_text(&p->svg, name);
  mt_svg_add(&p->svg, "</text>\n");
}

static void
draw_step_axis(plot *p, double top, double bottom, bool has_labels)
{
  for (int i = 0; i < count_ticks(&p->x); i++) {
    double value = tick_at(&p->x, i), at = place(&p->x, value);
    char label[64];
    draw_grid_line(p, at, top, at, bottom, GRID);
    mt_svg_format(label, sizeof label, value, 0);
    if (has_labels)
      draw_text(p, at, bottom + 20, "middle", "fill=\"" INK "\"", label);
  }
  if (has_labels)
    draw_text(p, (LEFT + RIGHT) / 2.0, bottom + 44, "middle", "fill=\"" INK "\"", "step");
}

static void
draw_frame(plot *p, double top, double bottom)
{
  mt_svg_add(&p->svg,
             "<rect fill=\"none\" stroke=\"#9a9a9a\" x=\"%d\" y=\"%d\" width=\"%d\" "
             "height=\"%d\"/>\n",
             LEFT, (int) top, RIGHT - LEFT, (int) (bottom - top));
}

/* ---- Legend ---------------------------------------------------------------------------------- */

/* A sample and what it stands for, with its last value. Returns where the next one begins. */
static double
draw_key(plot *p, double x, const char *colour, const char *more, bool has_point, const char *name)
{
  const double y = 66;
  mt_svg_add(&p->svg, "<path fill=\"none\" stroke=\"%s\" %s d=\"M", colour, more);
  mt_svg_point(&p->svg, x, y);
  mt_svg_point(&p->svg, x + 26, y);
  mt_svg_add(&p->svg, "\"/>\n");
  if (has_point) {
    mt_svg_add(&p->svg, "<circle r=\"3\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.6\" cx=\"",
               colour);
    mt_svg_number(&p->svg, x + 13, 1);
    mt_svg_add(&p->svg, "\" cy=\"%d\"/>\n", (int) y);
  }
  draw_text(p, x + 33, y + 4, "start", "fill=\"" INK "\"", name);
  return x + 33 + 6.7 * (double) strlen(name) + 24; /* ASCII, of about that width */
}

static void
draw_legend(plot *p)
{
  char name[96], number[32];
  double x = LEFT;
  double loss = last(p, loss_of), valid = last(p, valid_of), rate = last(p, rate_of);
  double bleu = last(p, bleu_of);
  if (isfinite(loss)) {
    mt_svg_format(number, sizeof number, loss, 3);
    snprintf(name, sizeof name, "training loss %s", number);
    x = draw_key(p, x, BLUE, "stroke-width=\"1.8\"", false, name);
  }
  if (isfinite(valid)) {
    char perplexity[32];
    mt_svg_format(number, sizeof number, valid, 3);
    mt_svg_format(perplexity, sizeof perplexity, exp(fmin(valid, 30)), 2);
    snprintf(name, sizeof name, "validation loss %s (perplexity %s)", number, perplexity);
    x = draw_key(p, x, ORANGE, "stroke-width=\"1.4\"", true, name);
  }
  if (isfinite(rate)) {
    int exponent = rate > 0 ? (int) floor(log10(rate)) : 0;
    mt_svg_format(number, sizeof number, rate * pow(10, -exponent), 2);
    snprintf(name, sizeof name, "learning rate %se%d", number, exponent);
    x = draw_key(p, x, GREY, "stroke-width=\"1.4\" stroke-dasharray=\"5 3\"", false, name);
  }
  if (isfinite(bleu)) {
    mt_svg_format(number, sizeof number, bleu, 1);
    snprintf(name, sizeof name, "BLEU %s", number);
    draw_key(p, x, GREEN, "stroke-width=\"1.4\"", true, name);
  }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

static void
draw_losses(plot *p, double top, double bottom)
{
  double low = INFINITY, high = -INFINITY, rate_low = 0, rate_high = -INFINITY;
  double first = p->n ? (double) p->records[0].step : 0;
  double last_step = p->n ? (double) p->records[p->n - 1].step : 0;
  double begin = p->n < 100 ? first : first + BEGINNING * (last_step - first);
  bool any = range(p, loss_of, begin, &low, &high);
  any = range(p, valid_of, begin, &low, &high) || any;
  scale y = make_scale(any ? low : 0, any ? high : 1, bottom, top, 6, false);
  draw_side_axis(p, &y, true, true, INK, "loss (nats a target token)");
  bool has_rate = range(p, rate_of, -1, &rate_low, &rate_high) && rate_high > 0;
  scale rate = make_scale(0, has_rate ? rate_high : 1, bottom, top, 6, false);
  if (has_rate) {
    int exponent = (int) floor(log10(rate.high) + 1e-9);
    char name[64];
    rate.multiplier = pow(10, -exponent);
    rate.decimals += exponent;
    rate.decimals = rate.decimals < 0 ? 0 : rate.decimals;
    snprintf(name, sizeof name, "learning rate (× 1e%d)", exponent);
    draw_side_axis(p, &rate, false, false, GREY, name);
  }
  mt_svg_add(&p->svg, "<g clip-path=\"url(#main)\">\n");
  if (has_rate) {
    gather(p, rate_of);
    draw_line(p, &rate, GREY, "stroke-width=\"1.4\" stroke-dasharray=\"5 3\"");
  }
  gather(p, loss_of);
  draw_band(p, &y, BLUE);
  draw_line(p, &y, BLUE, "stroke-width=\"1.8\"");
  gather(p, valid_of);
  draw_line(p, &y, ORANGE, "stroke-width=\"1.4\"");
  draw_points(p, &y, ORANGE);
  mt_svg_add(&p->svg, "</g>\n");
  draw_frame(p, top, bottom);
}

static void
draw_bleu(plot *p, double top, double bottom)
{
  double low = 0, high = 1;
  range(p, bleu_of, -1, &low, &high);
  scale y = make_scale(0, high, bottom, top, 4, false);
  draw_side_axis(p, &y, true, true, GREEN, "BLEU");
  mt_svg_add(&p->svg, "<g clip-path=\"url(#bleu)\">\n");
  gather(p, bleu_of);
  draw_line(p, &y, GREEN, "stroke-width=\"1.4\"");
  draw_points(p, &y, GREEN);
  mt_svg_add(&p->svg, "</g>\n");
  draw_frame(p, top, bottom);
}

static void
add_clip(plot *p, const char *id, int top, int height)
{
  /* A little more than the frame, so that points on its edge are whole. */
  mt_svg_add(
      &p->svg,
      "<clipPath id=\"%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n", id,
      LEFT - 4, top, RIGHT - LEFT + 8, height);
}

static void
draw(plot *p, const char *title)
{
  bool has_bleu = isfinite(last(p, bleu_of));
  int bottom = TOP + MAIN_HEIGHT, bleu_top = bottom + GAP, bleu_bottom = bleu_top + BLEU_HEIGHT;
  int end = has_bleu ? bleu_bottom : bottom, height = end + BOTTOM_MARGIN;
  double last_step = p->n ? (double) p->records[p->n - 1].step : 0;
  p->x = make_scale(0, last_step > 0 ? last_step : 1, LEFT, RIGHT, 8, true);
  p->x.high = last_step > 0 ? last_step : 1; /* the line goes to the frame */
  mt_svg_add(&p->svg,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12.5\">\n<title>",
             WIDTH, height, WIDTH, height);
  const char *name = title && *title ? title : "Training";
  mt_svg_text(&p->svg, name);
  mt_svg_add(&p->svg, "</title>\n<defs>\n");
  add_clip(p, "main", TOP - 4, MAIN_HEIGHT + 8);
  add_clip(p, "bleu", bleu_top - 4, BLEU_HEIGHT + 8);
  mt_svg_add(&p->svg, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height);
  draw_text(p, LEFT, 36, "start", "font-size=\"17\" font-weight=\"bold\" fill=\"" INK "\"", name);
  draw_legend(p);
  draw_step_axis(p, TOP, bottom, !has_bleu);
  draw_losses(p, TOP, bottom);
  if (has_bleu) {
    draw_step_axis(p, bleu_top, bleu_bottom, true);
    draw_bleu(p, bleu_top, bleu_bottom);
  }
  mt_svg_add(&p->svg, "</svg>\n");
}

bool
mt_train_plot_write(const char *path, const char *title, const mt_train_record *records, size_t n,
                    mt_error *error)
{
  plot p = {.records = records, .n = n};
  p.columns = mt_alloc(N_COLUMNS, sizeof *p.columns);
  if (!p.columns)
    return mt_fail_no_memory(error);
  draw(&p, title);
  bool ok = mt_svg_save(&p.svg, path, error);
  mt_svg_clear(&p.svg);
  mt_free(p.columns);
  return ok;
}
