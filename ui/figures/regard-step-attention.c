/* regard-step-attention.c — what a step looked at: the largest weights of one head, the mean of its
 * layer beside them, and what all others have together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define PITCH      1.85
#define MOST_PIECE 8.0
#define NUMBER     3.4

typedef struct {
  const StepDraw *d;
  const StepAttention *a;
  double x, width, piece_width, number_width;
} Bars;

guint
step_n_bars(const RegardStepsLook *look)
{
  return look->bars ? look->bars : STEP_MOST_BARS;
}

/* A line with its bars: the head above, the mean thinner below it. name NULL: a token. */
static void
draw_line(const Bars *b, double y, int key, const char *name, double head, double mean)
{
  const StepDraw *d = b->d;
  const double f = d->font, baseline = y + 1.28 * f, left = b->x + b->piece_width + 0.7 * f;
  const double length = b->width - b->piece_width - 1.1 * f - 2 * b->number_width;
  const gboolean has_head = b->a->head != NULL, is_others = key < 0;
  const double first = has_head ? head : mean;
  const guint32 faint = (STEP_ATTENTION & 0x00ffffff) | 0x66000000;
  char text[32];
  regard_canvas_spot(d->canvas, (RegardRect){b->x, y, b->width, PITCH * f}, REGARD_STEPS_SPOT_TOKEN,
                     0, key);
  if (!regard_figure_draws(d->canvas))
    return;
  step_text(d, b->x, baseline, b->piece_width, name, is_others, FALSE, REGARD_ANCHOR_START);
  if (!is_others) {
    const double high = has_head ? 0.62 * f : 0.9 * f, start = y + (has_head ? 0.4 : 0.48) * f;
    regard_canvas_fill_rect(d->canvas, (RegardRect){left, start, MAX(first, 0) * length, high},
                            0.15 * f, STEP_ATTENTION);
    if (has_head)
      regard_canvas_fill_rect(d->canvas,
                              (RegardRect){left, start + high + 0.08 * f, MAX(mean, 0) * length,
                                           0.3 * f},
                              0, faint);
  }
  if (b->number_width <= 0)
    return;
  step_text(d, b->x + b->width - (has_head ? b->number_width : 0), baseline, b->number_width,
            regard_figure_number(text, first, 3), is_others, FALSE, REGARD_ANCHOR_END);
  if (has_head)
    step_text(d, b->x + b->width, baseline, b->number_width, regard_figure_number(text, mean, 3),
              TRUE, FALSE, REGARD_ANCHOR_END);
}

static double
draw_bars(const StepDraw *d, const StepAttention *a, double x, double y, double width,
          double labels)
{
  const double f = d->font, top = y;
  const guint n = MIN(a->n, step_n_bars(d->look));
  const gboolean numbers = regard_figure_has(d->style, REGARD_PART_NUMBERS);
  Bars b = {d, a, x, width, 3 * f, numbers ? NUMBER * f : 0};
  double head = 0, mean = 0;
  g_autofree char *others = g_strdup_printf(ngettext("%u other", "%u others", a->n - n), a->n - n);
  for (guint i = 0; i <= n; i++) {
    const RegardSpan span = {i < n ? a->names[a->order[i]] : others, 0xff000000, FALSE};
    b.piece_width = MAX(b.piece_width, regard_canvas_text_width(d->canvas, &span, 1, f));
  }
  for (guint i = n; i < a->n; i++) {
    head += a->head ? a->head[a->order[i]] : 0;
    mean += a->mean[a->order[i]];
  }
  b.piece_width = MIN(b.piece_width + 0.2 * f, MIN(MOST_PIECE * f, 0.35 * width));
  if (numbers && a->head) {
    /* On the line of the heading if that leaves room, else on a line of their own. */
    const gboolean is_beside = labels + 2 * b.number_width <= width;
    const double baseline = is_beside ? y - (STEP_HEADING - 1.08) * f : y + 0.75 * f;
    step_text(d, x + width - b.number_width, baseline, b.number_width, _("head"), TRUE, FALSE,
              REGARD_ANCHOR_END);
    step_text(d, x + width, baseline, b.number_width, _("mean"), TRUE, FALSE, REGARD_ANCHOR_END);
    y += is_beside ? 0 : 1.1 * f;
  }
  for (guint i = 0; i < n; i++, y += PITCH * f) {
    const guint key = a->order[i];
    draw_line(&b, y, (int) key, a->names[key], a->head ? a->head[key] : 0, a->mean[key]);
  }
  if (a->n > n) {
    draw_line(&b, y, -1, others, head, mean);
    y += PITCH * f;
  }
  return y - top;
}

double
step_draw_attention(const StepDraw *d, double x, double y, double width)
{
  const double f = d->font, top = y;
  StepAttention a;
  regard_canvas_begin_group(d->canvas, "attention");
  if (step_attention_init(&a, d->steps, d->look)) {
    g_autofree char *title = step_attention_place(d->look);
    const RegardSpan words[] = {{_("Looks at"), 0xff000000, TRUE}, {title, 0xff000000, FALSE}};
    const double used = regard_canvas_text_width(d->canvas, words, 2, 1.08 * f) + 1.2 * f;
    y += step_heading(d, x, y, width, words[0].text, title);
    y += draw_bars(d, &a, x, y, width, used);
    step_attention_clear(&a);
  } else {
    y += step_heading(d, x, y, width, _("Looks at"), NULL);
    step_text(d, x, y + f, width, _("No attention was captured."), TRUE, FALSE,
              REGARD_ANCHOR_START);
    y += 1.6 * f;
  }
  regard_canvas_end_group(d->canvas);
  return y - top;
}
