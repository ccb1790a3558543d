/* regard-step-curve.c — how sure the model was, over all steps: the entropy of each distribution,
 * and the probability of the token that was chosen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define HEIGHT 3.4
#define AXIS   2.9 /* room for numbers beside it */
/* A second line over narrower columns would hide the first. */
#define LEAST_COLUMN 0.9

typedef struct {
  double x, y, width, height; /* of the plot */
  double most;                /* bits at its top */
} Plot;

static double
column_x(const Plot *p, guint n, double t)
{
  return p->x + p->width * (t + 0.5) / n;
}

/* A value over the steps, with gaps where there is none. */
static void
draw_line(const StepDraw *d, const Plot *p, double (*value)(const RegardSteps *, guint),
          double most, const RegardPen *pen)
{
  const guint n = d->steps->n;
  g_autofree RegardPoint *points = g_new(RegardPoint, n);
  guint used = 0;
  for (guint t = 0; t <= n; t++) {
    const double v = t < n ? value(d->steps, t) : NAN;
    if (isfinite(v)) {
      points[used].x = column_x(p, n, t);
      points[used++].y = p->y + p->height * (1 - v / most);
    } else if (used) {
      regard_canvas_polyline(d->canvas, points, used, pen);
      used = 0;
    }
  }
}

static double
probability(const RegardSteps *steps, guint t)
{
  return exp((double) step_node(steps, t)->logprob);
}

/* What came out, below its column, where there is room; else numbers of steps. */
static void
draw_steps(const StepDraw *d, const Plot *p, double baseline)
{
  const guint n = d->steps->n, now = d->look->step;
  const double f = d->font, size = 0.85 * f, column = p->width / n;
  const gboolean pieces = column >= 2.6 * f;
  const guint every = pieces ? 1 : regard_figure_nice_step(2.4 * f / column, FALSE);
  for (guint t = 0; t < n; t++) {
    /* Numbers keep away from that of the present step, which is always there. */
    const gboolean is_far = ABS((int) t - (int) now) * column >= 2.0 * f;
    if (t != now && !pieces && ((t + 1) % every != 0 || !is_far))
      continue;
    g_autofree char *text = pieces ? step_dup_output(d->steps, t) : g_strdup_printf("%u", t + 1);
    regard_figure_text_within(d->canvas, column_x(p, n, t), baseline,
                              pieces ? column - 0.2 * f : 3 * f, text,
                              t == now ? d->palette->text : d->palette->dim, t == now, size,
                              REGARD_ANCHOR_MIDDLE);
  }
}

/* Steps whose token was forced, as a bar below the curve. */
static void
draw_forced(const StepDraw *d, const Plot *p)
{
  const double column = p->width / d->steps->n, f = d->font;
  for (guint t = 0; t < d->steps->n; t++)
    if (step_node(d->steps, t)->is_forced)
      regard_canvas_fill_rect(d->canvas,
                              (RegardRect){p->x + t * column, p->y + p->height + 0.1 * f, column,
                                           0.3 * f},
                              0, d->palette->dim);
}

/* What the lines are; as much of it as there is room for. */
static char *
make_note(const StepDraw *d, double width, double most, guint most_at, gboolean has_probability,
          gboolean is_forced)
{
  char text[32];
  g_autofree char *piece = step_dup_output(d->steps, most_at);
  GString *note = g_string_new(NULL);
  g_string_append_printf(note, _("in bits, at most %s at step %u (%s)"),
                         regard_figure_number(text, most, 2), most_at + 1, piece);
  if (has_probability)
    g_string_append(note, _(" · grey: probability of the chosen"));
  if (is_forced)
    g_string_append(note, _(" · below: forced"));
  const RegardSpan span = {note->str, 0xff000000, FALSE};
  if (regard_canvas_text_width(d->canvas, &span, 1, d->font) > width - 6 * d->font)
    g_string_assign(note, has_probability ? _("in bits · grey: p of the chosen") : _("in bits"));
  return g_string_free(note, FALSE);
}

double
step_draw_curve(const StepDraw *d, double x, double y, double width)
{
  const double f = d->font, top = y;
  const guint n = d->steps->n, now = d->look->step;
  guint most_at = 0;
  gboolean is_forced = FALSE;
  double most = 0;
  char text[32];
  for (guint t = 0; t < n; t++) {
    const double e = step_entropy(d->steps, t);
    if (e > most) {
      most = e;
      most_at = t;
    }
    is_forced |= step_node(d->steps, t)->is_forced;
  }
  regard_canvas_begin_group(d->canvas, "entropy");
  y += STEP_HEADING * f;
  const Plot p = {x + AXIS * f, y + 0.5 * f, width - 2 * AXIS * f, HEIGHT * f, MAX(most, 1e-6)};
  const gboolean has_probability = p.width / n >= LEAST_COLUMN * f;
  g_autofree char *note = make_note(d, width, most, most_at, has_probability, is_forced);
  step_heading(d, x, top, width, _("Entropy"), note);
  const double bottom = p.y + p.height, size = 0.85 * f;
  const double at = column_x(&p, n, now), here = step_entropy(d->steps, now);
  regard_canvas_fill_rect(d->canvas,
                          (RegardRect){p.x + p.width * now / n, p.y - 0.3 * f, p.width / n,
                                       p.height + 0.3 * f},
                          0.2 * f, d->palette->badge_fill);
  regard_canvas_stroke_line(d->canvas, p.x, bottom, p.x + p.width, bottom, 0.07 * f,
                            d->palette->frame);
  if (has_probability)
    draw_line(d, &p, probability, 1, &(RegardPen){0.09 * f, 0, 0, d->palette->dim});
  draw_line(d, &p, step_entropy, p.most, &(RegardPen){0.17 * f, 0, 0, STEP_ENTROPY});
  draw_forced(d, &p);
  if (isfinite(here)) {
    const RegardPoint point = {at, p.y + p.height * (1 - here / p.most)};
    regard_canvas_polyline(d->canvas, &point, 1, &(RegardPen){0.62 * f, 0, 0, STEP_ENTROPY});
  }
  /* Two axes from 0: bits at the left, the probability at the right. */
  const double left = p.x - 0.5 * f, right = p.x + p.width + 0.5 * f;
  regard_figure_text_within(d->canvas, left, p.y + 0.35 * size, AXIS * f,
                            regard_figure_number(text, most, 2), STEP_ENTROPY, FALSE, size,
                            REGARD_ANCHOR_END);
  regard_figure_text_within(d->canvas, left, bottom + 0.1 * size, AXIS * f, "0", STEP_ENTROPY,
                            FALSE, size, REGARD_ANCHOR_END);
  if (has_probability) {
    regard_figure_text_within(d->canvas, right, p.y + 0.35 * size, AXIS * f, "100 %",
                              d->palette->dim, FALSE, size, REGARD_ANCHOR_START);
    regard_figure_text_within(d->canvas, right, bottom + 0.1 * size, AXIS * f, "0 %",
                              d->palette->dim, FALSE, size, REGARD_ANCHOR_START);
  }
  draw_steps(d, &p, bottom + 1.5 * f);
  for (guint t = 0; t < n; t++)
    regard_canvas_spot(d->canvas,
                       (RegardRect){p.x + p.width * t / n, p.y - 0.3 * f, p.width / n,
                                    p.height + 2.0 * f},
                       REGARD_STEPS_SPOT_STEP, 0, (int) t);
  regard_canvas_end_group(d->canvas);
  return bottom + 2.0 * f - top;
}
