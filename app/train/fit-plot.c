/* fit-plot.c — how a training went, as a picture: loss and learning rate over steps, SVG.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two panels share the steps: above, the losses (scale at the left) and the learning rate (at the
 * right); below, if anything was translated, BLEU. Records are gathered by columns of a point: the
 * line is their mean, the pale band behind it their range.
 */
#include "train/fit-plot.h"

#include "figures/regard-canvas.h"
#include <math.h>
#include <string.h>

/* ==== Axes: ticks at round numbers, and numbers for people ==================================== */

/* What lies outside is cut off there: points. */
#define OUTSIDE 1000

/* Ticks at multiples of 1, 2 or 5 times a power of ten, about n of them; ends on a tick. whole: the
 * values are whole numbers. */
static FitScale
fit_scale(double low, double high, double from, double to, int n, gboolean whole)
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
  return (FitScale){
      .low = floor(low / step + 1e-9) * step,
      .high = ceil(high / step - 1e-9) * step,
      .from = from,
      .to = to,
      .step = step,
      .decimals = MAX(decimals, 0),
      .multiplier = 1,
  };
}

/* Where a value lies; what is far outside, or no number, lies a little outside. */
static double
fit_scale_place(const FitScale *s, double value)
{
  double place = s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
  return fmin(fmax(place, fmin(s->from, s->to) - OUTSIDE), fmax(s->from, s->to) + OUTSIDE);
}

static int
fit_scale_n_ticks(const FitScale *s)
{
  return (int) floor((s->high - s->low) / s->step + 1e-6) + 1;
}

static double
fit_scale_tick(const FitScale *s, int i)
{
  return s->low + i * s->step;
}

char *
fit_format_number(double value, int decimals)
{
  char digits[64], format[8];
  g_snprintf(format, sizeof format, "%%.%df", CLAMP(decimals, 0, 9));
  /* 17 digits and no more: a picture's label. */
  g_ascii_formatd(digits, sizeof digits, format, isfinite(value) ? fmin(fabs(value), 1e17) : 0);
  gsize n_whole = strspn(digits, "0123456789");
  gboolean is_zero = strspn(digits, "0.") == strlen(digits);
  GString *out = g_string_new(value < 0 && !is_zero ? "-" : "");
  for (gsize i = 0; i < n_whole; i++) {
    if (i > 0 && (n_whole - i) % 3 == 0)
      g_string_append_c(out, ',');
    g_string_append_c(out, digits[i]);
  }
  g_string_append(out, digits + n_whole);
  return g_string_free(out, FALSE);
}

/* ==== The picture ============================================================================= */

/* Points: 960 pixels of a browser are 720. */
enum { WIDTH = 720, LEFT = 57, RIGHT = 663, TOP = 72, GAP = 30, BOTTOM_MARGIN = 44 };
enum { MAIN_HEIGHT = 248, BLEU_HEIGHT = 90 };
/* Columns of half a point: what can be told apart. */
enum { COLUMNS_PER_POINT = 2, N_COLUMNS = (RIGHT - LEFT) * COLUMNS_PER_POINT + 1 };

#define FONT       9.5
#define TITLE_FONT 13
#define RING       2.9 /* its radius */

#define BLUE   0xff1f6fb4
#define ORANGE 0xffd95f02
#define GREY   0xff767676
#define GREEN  0xff1b7837
#define INK    0xff222222
#define GRID   0xffe7e7e7
#define FRAME  0xff9a9a9a
#define WHITE  0xffffffff
/* A colour, a fifth of it. */
#define PALE(argb) (((argb) &0xffffff) | 0x33000000)

static const RegardPen loss_pen = {.width = 1.4, .argb = BLUE};
static const RegardPen valid_pen = {.width = 1.1, .argb = ORANGE};
static const RegardPen rate_pen = {.width = 1.1, .dash = 4, .space = 3.2, .argb = GREY};
static const RegardPen bleu_pen = {.width = 1.1, .argb = GREEN};

/* Of the steps at the left, this share does not decide where the scale of the loss ends: it falls
 * from twice as much within them, and would leave the rest a flat line. */
#define BEGINNING 0.05

/* ---- What is drawn --------------------------------------------------------------------------- */

/* Values of all records in one column. */
typedef struct {
  double sum, least, most;
  gsize n;
} Column;

typedef double (*Member)(const mt_trainer_record *record);

static double
loss_of(const mt_trainer_record *r)
{
  return r->loss;
}

static double
rate_of(const mt_trainer_record *r)
{
  return r->learning_rate;
}

static double
valid_of(const mt_trainer_record *r)
{
  return r->valid_loss;
}

static double
bleu_of(const mt_trainer_record *r)
{
  return r->valid_bleu;
}

typedef struct {
  RegardCanvas *canvas;
  const mt_trainer_record *records;
  gsize n;
  FitScale x;
  Column columns[N_COLUMNS];
  RegardPoint points[2 * N_COLUMNS]; /* of the line or band being drawn */
} Plot;

/* The last known value of a member; NAN if there is none. */
static double
last(const Plot *p, Member value)
{
  for (gsize i = p->n; i-- > 0;)
    if (isfinite(value(&p->records[i])))
      return value(&p->records[i]);
  return NAN;
}

/* Widen *low … *high by the values from a step on. FALSE if there is none. */
static gboolean
range(const Plot *p, Member value, double first_step, double *low, double *high)
{
  gboolean any = FALSE;
  for (gsize i = 0; i < p->n; i++) {
    double v = value(&p->records[i]);
    if (!isfinite(v) || (double) p->records[i].step < first_step)
      continue;
    any = TRUE;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
  }
  return any;
}

static void
gather(Plot *p, Member value)
{
  for (guint c = 0; c < N_COLUMNS; c++)
    p->columns[c] = (Column){.least = INFINITY, .most = -INFINITY};
  for (gsize i = 0; i < p->n; i++) {
    double v = value(&p->records[i]);
    double x = (fit_scale_place(&p->x, (double) p->records[i].step) - LEFT) * COLUMNS_PER_POINT;
    if (!isfinite(v) || !(x >= 0 && x < N_COLUMNS))
      continue;
    Column *c = &p->columns[(guint) x];
    c->sum += v;
    c->n++;
    c->least = fmin(c->least, v);
    c->most = fmax(c->most, v);
  }
}

static RegardPoint
point_of(const FitScale *y, guint column, double value)
{
  return (RegardPoint){LEFT + column / (double) COLUMNS_PER_POINT, fit_scale_place(y, value)};
}

static double
mean(const Column *c)
{
  return c->sum / (double) c->n;
}

/* The range of each column as a band; nothing if no column has more than one value. */
static void
draw_band(Plot *p, const FitScale *y, guint32 argb)
{
  gboolean any = FALSE;
  guint n = 0;
  for (guint c = 0; c < N_COLUMNS; c++) {
    any = any || p->columns[c].n > 1;
    if (p->columns[c].n)
      p->points[n++] = point_of(y, c, p->columns[c].most);
  }
  for (guint c = N_COLUMNS; c-- > 0;)
    if (p->columns[c].n)
      p->points[n++] = point_of(y, c, p->columns[c].least);
  if (any)
    regard_canvas_fill_polygon(p->canvas, p->points, n, argb);
}

static void
draw_line(Plot *p, const FitScale *y, const RegardPen *pen)
{
  guint n = 0;
  for (guint c = 0; c < N_COLUMNS; c++)
    if (p->columns[c].n)
      p->points[n++] = point_of(y, c, mean(&p->columns[c]));
  regard_canvas_polyline(p->canvas, p->points, n, pen);
}

/* A ring. */
static void
draw_point(Plot *p, double x, double y, guint32 argb)
{
  const double r = RING, inner = RING - 1.2;
  regard_canvas_fill_rect(p->canvas, (RegardRect){x - r, y - r, 2 * r, 2 * r}, r, argb);
  regard_canvas_fill_rect(p->canvas, (RegardRect){x - inner, y - inner, 2 * inner, 2 * inner},
                          inner, WHITE);
}

/* Rings that would cover each other are left out: the line is there. */
static void
draw_points(Plot *p, const FitScale *y, guint32 argb)
{
  double end = 0;
  for (guint c = 0; c < N_COLUMNS; c++) {
    RegardPoint at = p->columns[c].n ? point_of(y, c, mean(&p->columns[c])) : (RegardPoint){0};
    if (at.x - RING >= end) {
      draw_point(p, at.x, at.y, argb);
      end = at.x + RING;
    }
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void
draw_text(Plot *p, double x, double y, RegardAnchor anchor, guint32 argb, const char *text,
          double angle)
{
  const RegardSpan span = {text, argb, FALSE};
  regard_canvas_text(p->canvas, x, y, &span, 1, FONT, anchor, angle);
}

/* Ticks and labels of a scale at the left or right, its name along it. */
static void
draw_side_axis(Plot *p, const FitScale *y, gboolean is_left, gboolean has_grid, guint32 argb,
               const char *name)
{
  for (int i = 0; i < fit_scale_n_ticks(y); i++) {
    double value = fit_scale_tick(y, i), at = fit_scale_place(y, value);
    g_autofree char *label = fit_format_number(value * y->multiplier, y->decimals);
    if (has_grid)
      regard_canvas_stroke_line(p->canvas, LEFT, at, RIGHT, at, 0.75, GRID);
    draw_text(p, is_left ? LEFT - 6 : RIGHT + 6, at + 3,
              is_left ? REGARD_ANCHOR_END : REGARD_ANCHOR_START, argb, label, 0);
  }
  draw_text(p, is_left ? 15 : WIDTH - 11, (y->from + y->to) / 2, REGARD_ANCHOR_MIDDLE, argb, name,
            is_left ? -90 : 90);
}

static void
draw_step_axis(Plot *p, double top, double bottom, gboolean has_labels)
{
  for (int i = 0; i < fit_scale_n_ticks(&p->x); i++) {
    double value = fit_scale_tick(&p->x, i), at = fit_scale_place(&p->x, value);
    g_autofree char *label = fit_format_number(value, 0);
    regard_canvas_stroke_line(p->canvas, at, top, at, bottom, 0.75, GRID);
    if (has_labels)
      draw_text(p, at, bottom + 15, REGARD_ANCHOR_MIDDLE, INK, label, 0);
  }
  if (has_labels)
    draw_text(p, (LEFT + RIGHT) / 2.0, bottom + 33, REGARD_ANCHOR_MIDDLE, INK, "step", 0);
}

static void
draw_frame(Plot *p, double top, double bottom)
{
  regard_canvas_stroke_rect(p->canvas, (RegardRect){LEFT, top, RIGHT - LEFT, bottom - top}, 0.75,
                            FRAME);
}

/* A little more than the frame, so that points on its edge are whole. */
static void
begin_clip(Plot *p, double top, double bottom)
{
  regard_canvas_begin_clip(p->canvas,
                           (RegardRect){LEFT - 3, top - 3, RIGHT - LEFT + 6, bottom - top + 6});
}

/* ---- Legend ---------------------------------------------------------------------------------- */

/* A sample and what it stands for, with its last value. Returns where the next one begins. */
static double
draw_key(Plot *p, double x, const RegardPen *pen, gboolean has_point, const char *name)
{
  const double y = 49, length = 20;
  const RegardPoint sample[] = {{x, y}, {x + length, y}};
  const RegardSpan span = {name, INK, FALSE};
  regard_canvas_polyline(p->canvas, sample, 2, pen);
  if (has_point)
    draw_point(p, x + length / 2, y, pen->argb);
  draw_text(p, x + length + 5, y + 3, REGARD_ANCHOR_START, INK, name, 0);
  return x + length + 5 + regard_canvas_text_width(p->canvas, &span, 1, FONT) + 16;
}

static void
draw_legend(Plot *p)
{
  double x = LEFT;
  double loss = last(p, loss_of), valid = last(p, valid_of), rate = last(p, rate_of);
  double bleu = last(p, bleu_of);
  if (isfinite(loss)) {
    g_autofree char *number = fit_format_number(loss, 3);
    g_autofree char *name = g_strdup_printf("training loss %s", number);
    x = draw_key(p, x, &loss_pen, FALSE, name);
  }
  if (isfinite(valid)) {
    g_autofree char *number = fit_format_number(valid, 3);
    g_autofree char *perplexity = fit_format_number(exp(fmin(valid, 30)), 2);
    g_autofree char *name =
        g_strdup_printf("validation loss %s (perplexity %s)", number, perplexity);
    x = draw_key(p, x, &valid_pen, TRUE, name);
  }
  if (isfinite(rate)) {
    int exponent = rate > 0 ? (int) floor(log10(rate)) : 0;
    g_autofree char *number = fit_format_number(rate * pow(10, -exponent), 2);
    g_autofree char *name = g_strdup_printf("learning rate %se%d", number, exponent);
    x = draw_key(p, x, &rate_pen, FALSE, name);
  }
  if (isfinite(bleu)) {
    g_autofree char *number = fit_format_number(bleu, 1);
    g_autofree char *name = g_strdup_printf("BLEU %s", number);
    draw_key(p, x, &bleu_pen, TRUE, name);
  }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

static void
draw_losses(Plot *p, double top, double bottom)
{
  double low = INFINITY, high = -INFINITY, rate_low = 0, rate_high = -INFINITY;
  double first = p->n ? (double) p->records[0].step : 0;
  double last_step = p->n ? (double) p->records[p->n - 1].step : 0;
  double begin = p->n < 100 ? first : first + BEGINNING * (last_step - first);
  gboolean any = range(p, loss_of, begin, &low, &high);
  any = range(p, valid_of, begin, &low, &high) || any;
  FitScale y = fit_scale(any ? low : 0, any ? high : 1, bottom, top, 6, FALSE);
  draw_side_axis(p, &y, TRUE, TRUE, INK, "loss (nats a target token)");
  gboolean has_rate = range(p, rate_of, -1, &rate_low, &rate_high) && rate_high > 0;
  FitScale rate = fit_scale(0, has_rate ? rate_high : 1, bottom, top, 6, FALSE);
  if (has_rate) {
    int exponent = (int) floor(log10(rate.high) + 1e-9);
    g_autofree char *name = g_strdup_printf("learning rate (× 1e%d)", exponent);
    rate.multiplier = pow(10, -exponent);
    rate.decimals = MAX(rate.decimals + exponent, 0);
    draw_side_axis(p, &rate, FALSE, FALSE, GREY, name);
  }
  begin_clip(p, top, bottom);
  if (has_rate) {
    gather(p, rate_of);
    draw_line(p, &rate, &rate_pen);
  }
  gather(p, loss_of);
  draw_band(p, &y, PALE(BLUE));
  draw_line(p, &y, &loss_pen);
  gather(p, valid_of);
  draw_line(p, &y, &valid_pen);
  draw_points(p, &y, ORANGE);
  regard_canvas_end_clip(p->canvas);
  draw_frame(p, top, bottom);
}

static void
draw_bleu(Plot *p, double top, double bottom)
{
  double low = 0, high = 1;
  range(p, bleu_of, -1, &low, &high);
  FitScale y = fit_scale(0, high, bottom, top, 4, FALSE);
  draw_side_axis(p, &y, TRUE, TRUE, GREEN, "BLEU");
  begin_clip(p, top, bottom);
  gather(p, bleu_of);
  draw_line(p, &y, &bleu_pen);
  draw_points(p, &y, GREEN);
  regard_canvas_end_clip(p->canvas);
  draw_frame(p, top, bottom);
}

/* The picture of n records. title: what was trained; may be NULL. As many points are drawn as can
 * be told apart, so a run of a million steps is a small file too. n == 0 draws empty axes. */
static GBytes *
fit_plot_draw(const char *title, const mt_trainer_record *records, gsize n)
{
  g_autofree Plot *p = g_new0(Plot, 1);
  *p = (Plot){.records = records, .n = n};
  gboolean has_bleu = isfinite(last(p, bleu_of));
  int bottom = TOP + MAIN_HEIGHT, bleu_top = bottom + GAP, bleu_bottom = bleu_top + BLEU_HEIGHT;
  int height = (has_bleu ? bleu_bottom : bottom) + BOTTOM_MARGIN;
  double last_step = n ? (double) records[n - 1].step : 0;
  p->x = fit_scale(0, last_step > 0 ? last_step : 1, LEFT, RIGHT, 8, TRUE);
  p->x.high = last_step > 0 ? last_step : 1; /* the line goes to the frame */

  const char *name = title && *title ? title : "Training";
  g_autoptr(RegardCanvas) canvas =
      regard_canvas_new_svg(WIDTH, height, name, "Loss and learning rate over the steps.", NULL);
  p->canvas = canvas;
  regard_canvas_fill_rect(canvas, (RegardRect){0, 0, WIDTH, height}, 0, WHITE);
  g_autofree char *shown = regard_canvas_ellipsize(canvas, name, TRUE, TITLE_FONT, RIGHT - LEFT);
  const RegardSpan heading = {shown, INK, TRUE};
  regard_canvas_text(canvas, LEFT, 27, &heading, 1, TITLE_FONT, REGARD_ANCHOR_START, 0);
  draw_legend(p);
  draw_step_axis(p, TOP, bottom, !has_bleu);
  draw_losses(p, TOP, bottom);
  if (has_bleu) {
    draw_step_axis(p, bleu_top, bleu_bottom, TRUE);
    draw_bleu(p, bleu_top, bleu_bottom);
  }
  return regard_canvas_svg_finish(canvas);
}

gboolean
fit_plot_write(const char *path, const char *title, const mt_trainer_record *records, gsize n,
               mt_error *error)
{
  g_autoptr(GBytes) picture = fit_plot_draw(title, records, n);
  gsize size;
  const void *bytes = g_bytes_get_data(picture, &size);
  return mt_replace_file(path, bytes, size, error);
}
