/* regard-pruning.c — quality against the number of heads that are kept, from all of them at the
 * right to none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-pruning.h"

#include "figures/regard-ablation.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>

static void
clear(gpointer subject)
{
  RegardPruning *pruning = subject;
  for (guint i = 0; i < pruning->n_steps; i++)
    g_free(pruning->steps[i].removed);
  g_free(pruning->steps);
  g_free(pruning->interventions);
  g_free(pruning->model_name);
}

RegardPruning *
regard_pruning_new(const mt_model *model, const mt_interventions *interventions,
                   mt_ablation_kind with, guint n_heads, guint n_sentences, gboolean is_scored,
                   RegardPruningStep *steps, guint n_steps)
{
  RegardPruning *self = regard_subject_alloc(sizeof *self, clear);
  self->model_name = g_strdup(mt_model_name(model));
  self->interventions = regard_figure_dup_interventions(interventions);
  self->with = with;
  self->n_heads = n_heads;
  self->n_sentences = n_sentences;
  self->is_scored = is_scored;
  self->steps = steps;
  self->n_steps = n_steps;
  return self;
}

static void
label_step(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardPruning *self = data;
  const char *removed = self->steps[i].removed;
  label->text = g_strdup(*removed ? removed : _("all heads"));
  label->piece = g_strdup(*removed ? removed : "all heads");
  label->first_token = i;
  label->n_tokens = 1;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardPruning *pruning = figure->subject;
  static const char *const columns[] = {"heads kept", "log p", "BLEU", "chrF2"};
  const guint n_cols = pruning->is_scored ? 4 : 2;
  float *values = g_new(float, MAX((gsize) pruning->n_steps * n_cols, 1));
  for (guint r = 0; r < pruning->n_steps; r++) {
    const RegardPruningStep *step = &pruning->steps[r];
    const double numbers[] = {step->kept, step->logprob, step->bleu, step->chrf};
    for (guint c = 0; c < n_cols; c++)
      values[(gsize) r * n_cols + c] = (float) numbers[c];
  }
  g_autofree char *with = g_strdup_printf(_("with %s"), regard_ablation_with(pruning->with));
  g_autofree char *sentences =
      pruning->n_sentences == 1
          ? g_strdup(_("one sentence"))
          : g_strdup_printf(ngettext("mean of %u sentence", "mean of %u sentences",
                                     pruning->n_sentences),
                            pruning->n_sentences);
  g_autofree char *interventions =
      regard_figure_interventions_badge(_("changed: %s"), pruning->interventions);
  const char *const badges[] = {with, sentences, interventions, NULL};
  const RegardAxis rows = {.n = pruning->n_steps,
                           .title = _("heads taken out, in order"),
                           .noun = _("step"),
                           .label = label_step,
                           .data = pruning};
  return regard_matrix_new_from(
      &(RegardMatrixSource){.id = "pruning",
                            .title = _("Heads taken out one after the other"),
                            .value_name = "value",
                            .model_name = pruning->model_name,
                            .badges = badges,
                            .rows = rows,
                            .cols = regard_axis_texts(columns, n_cols, _("quality")),
                            .values = values,
                            .range = REGARD_RANGE_VALUES});
}

/* ---- Picture --------------------------------------------------------------------------------- */

/* In font sizes. */
#define HEIGHT 13.0
#define AXIS   4.2 /* room for numbers beside a plot */
#define BELOW  2.4
#define DOT    0.22

typedef enum { PLOT_LOGPROB, PLOT_BLEU } Which;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardPruning *pruning;
  RegardRect box;
  double lo, hi, font;
  Which which;
} Plot;

static double
value_of(const Plot *p, guint step)
{
  const RegardPruningStep *s = &p->pruning->steps[step];
  return p->which == PLOT_BLEU ? s->bleu : s->logprob;
}

static double
x_of(const Plot *p, double kept)
{
  return p->box.x + p->box.width * kept / MAX(p->pruning->n_heads, 1);
}

static double
y_of(const Plot *p, double value)
{
  return p->box.y + p->box.height * (p->hi - value) / (p->hi - p->lo);
}

/* 1, 2 or 5 times a power of ten, at least so much. */
static double
round_step(double least)
{
  const double power = pow(10, floor(log10(least)));
  const double share = least / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

/* From a round number to a round number. Returns the step between two. */
static double
find_range(Plot *p)
{
  double lo = INFINITY, hi = -INFINITY;
  for (guint i = 0; i < p->pruning->n_steps; i++) {
    const double v = value_of(p, i);
    lo = isfinite(v) ? fmin(lo, v) : lo;
    hi = isfinite(v) ? fmax(hi, v) : hi;
  }
  if (!isfinite(lo))
    lo = hi = 0;
  if (p->which == PLOT_BLEU)
    lo = fmin(lo, 0);
  const double step = round_step(fmax(hi - lo, 1e-3) / 4);
  p->lo = floor(lo / step) * step;
  p->hi = fmax(ceil(hi / step - 1e-6), floor(lo / step) + 1) * step; /* 100 is 100 */
  return step;
}

static void
draw_axes(const Plot *p, double step)
{
  const double f = p->font, size = 0.9 * f;
  const int decimals = step >= 1 ? 0 : (int) ceil(-log10(step));
  const guint n = (guint) lround((p->hi - p->lo) / step), heads = p->pruning->n_heads;
  const guint every = regard_figure_nice_step(heads * size * 3.2 / p->box.width, FALSE);
  char text[32];
  for (guint i = 0; i <= n; i++) {
    const double v = p->lo + i * step, y = y_of(p, v);
    regard_canvas_stroke_line(p->canvas, p->box.x, y, p->box.x + p->box.width, y, 0.4,
                              p->palette->grid);
    regard_figure_text(p->canvas, p->box.x - 0.5 * f, y + 0.35 * size,
                       regard_figure_number(text, v, decimals), p->palette->text, FALSE, size,
                       REGARD_ANCHOR_END, 0);
  }
  regard_canvas_stroke_line(p->canvas, p->box.x, p->box.y + p->box.height, p->box.x + p->box.width,
                            p->box.y + p->box.height, 0.6, p->palette->frame);
  for (guint kept = 0; kept <= heads; kept += every) {
    g_snprintf(text, sizeof text, "%u", kept);
    regard_figure_text(p->canvas, x_of(p, kept), p->box.y + p->box.height + 1.3 * size, text,
                       p->palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
}

static void
draw_curve(const Plot *p)
{
  const RegardPen pen = {.width = 1.2, .argb = p->palette->accent};
  g_autofree RegardPoint *points = g_new(RegardPoint, MAX(p->pruning->n_steps, 1));
  const double dot = DOT * p->font;
  guint n = 0;
  for (guint i = 0; i < p->pruning->n_steps; i++) {
    const double x = x_of(p, p->pruning->steps[i].kept), v = value_of(p, i);
    if (!isfinite(v))
      continue;
    points[n++] = (RegardPoint){x, y_of(p, v)};
    regard_canvas_spot(p->canvas, (RegardRect){x - p->font / 2, p->box.y, p->font, p->box.height},
                       (int) p->which, (int) i, 0);
  }
  if (!regard_figure_draws(p->canvas))
    return;
  if (n > 1)
    regard_canvas_polyline(p->canvas, points, n, &pen);
  for (guint i = 0; i < n; i++)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){points[i].x - dot, points[i].y - dot, 2 * dot, 2 * dot},
                            dot, p->palette->accent);
}

/* Returns the height. */
static double
draw_plot(const RegardPruning *pruning, RegardCanvas *canvas, const RegardPalette *palette,
          Which which, RegardRect place, double font)
{
  Plot p = {.canvas = canvas, .palette = palette, .pruning = pruning, .font = font, .which = which};
  const double step = find_range(&p);
  p.box = (RegardRect){place.x + AXIS * font, place.y + 2 * font, place.width - (AXIS + 1) * font,
                       place.height};
  regard_figure_text_within(canvas, place.x + AXIS * font, place.y + font, place.width,
                            which == PLOT_BLEU ? _("BLEU") : _("log p, nats a sentence"),
                            palette->text, TRUE, font, REGARD_ANCHOR_START);
  if (regard_figure_draws(canvas))
    draw_axes(&p, step);
  draw_curve(&p);
  return 2 * font + place.height + BELOW * font;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardPruning *pruning = figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  const double height = HEIGHT * font * figure->stretch;
  double y = margin;
  y += regard_figure_header(
      canvas, palette, margin, y, inner,
      regard_figure_title(&figure->style, _("Heads kept · quality when heads are taken out one "
                                            "after the other, the least missed first")),
      regard_figure_matrix(figure, 0)->badges, font);
  y += draw_plot(pruning, canvas, palette, PLOT_LOGPROB, (RegardRect){margin, y, inner, height},
                 font);
  if (pruning->is_scored)
    y += draw_plot(pruning, canvas, palette, PLOT_BLEU, (RegardRect){margin, y, inner, height},
                   font);
  regard_figure_text_within(canvas, margin + AXIS * font, y + 0.6 * font, inner, _("heads kept"),
                            palette->text, FALSE, 0.9 * font, REGARD_ANCHOR_START);
  regard_figure_model(canvas, palette, &figure->style, pruning->model_name, margin + inner,
                      y + 0.6 * font, 0, 0.9 * font);
  return y + font + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardPruning *pruning = figure->subject;
  regard_words_add_sentence(caption, _("Quality against the number of heads kept."));
  /* Translators: with zero, with uniform (weights), with the mean */
  regard_words_add_sentence(caption,
                            _("Heads are taken out one after the other, with %s: at every step the "
                              "one whose loss costs the translations the least log-probability, "
                              "the others being gone."),
                            regard_ablation_with(pruning->with));
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardPruningStep *step = &((const RegardPruning *) figure->subject)->steps[spot->row];
  GString *words = g_string_new(NULL);
  if (isfinite(step->bleu))
    g_string_printf(words,
                    ngettext("%u head kept: log p %.4f nats, BLEU %.2f, chrF2 %.2f",
                             "%u heads kept: log p %.4f nats, BLEU %.2f, chrF2 %.2f", step->kept),
                    step->kept, step->logprob, step->bleu, step->chrf);
  else
    g_string_printf(words,
                    ngettext("%u head kept: log p %.4f nats", "%u heads kept: log p %.4f nats",
                             step->kept),
                    step->kept, step->logprob);
  if (*step->removed)
    g_string_append_printf(words, _("\nwithout %s from here on"), step->removed);
  return g_string_free(words, FALSE);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardPruningStep *step = &((const RegardPruning *) figure->subject)->steps[spot->row];
  return regard_exact_copy(spot->part == PLOT_BLEU ? step->bleu : step->logprob);
}

RegardFigure *
regard_figure_new_pruning(RegardPruning *pruning, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  return regard_figure_new(&klass, regard_pruning_ref(pruning), NULL, FALSE, style);
}
