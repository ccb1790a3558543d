/* regard-step-candidates.c — what there was to choose from: a line for each of the likeliest
 * tokens, and what the model had left for all others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define PITCH      1.85
#define BAR        0.95
#define RANK       1.9
#define MOST_PIECE 10.0
#define PERCENT    5.0
#define LOGPROB    4.4
#define AFTER      3.6
#define MARK       1.5 /* of a narrow picture: a sign instead of a word */
#define LEAST_BAR  5.0
#define FULL       33.0 /* from this width on there are words and logarithms */

/* Where the columns of the list stand. */
typedef struct {
  double piece, piece_width;
  double bar, bar_width;
  double percent, logprob, after; /* right ends; 0: not there */
  double note, note_width;
  gboolean words; /* notes are words */
} Columns;

typedef struct {
  const StepDraw *d;
  const mt_step_row *row;
  guint n_shown; /* of the likeliest */
  int chosen;
  gboolean is_forced; /* the one that was chosen */
  Columns at;
  double x, width;
} List;

static double
width_of(const StepDraw *d, const char *text, gboolean bold)
{
  const RegardSpan span = {text, 0xff000000, bold};
  return regard_canvas_text_width(d->canvas, &span, 1, d->font);
}

/* Whether others than the chosen one were no choice because that was forced. */
static gboolean
is_forcing(mt_rule rule)
{
  return rule == MT_RULE_PREFIX || rule == MT_RULE_FORCED;
}

/* A word about an option; "" for most. */
static const char *
note_of(const List *list, guint i)
{
  const mt_option *o = &list->row->options[i];
  if ((int) i == list->chosen) {
    if (!list->is_forced)
      return _("chosen");
    for (gsize k = 0; k < list->row->n; k++)
      if (is_forcing(list->row->options[k].rule))
        return regard_steps_rule_name(list->row->options[k].rule);
    return _("forced");
  }
  return is_forcing(o->rule) ? "" : regard_steps_rule_name(o->rule);
}

/* Whether it is in the list: one of the likeliest, or the chosen one below them. */
static gboolean
is_listed(const List *list, guint i)
{
  return i < list->n_shown || (int) i == list->chosen;
}

static Columns
place_columns(const List *list)
{
  const StepDraw *d = list->d;
  const double f = d->font;
  const gboolean numbers = regard_figure_has(d->style, REGARD_PART_NUMBERS);
  Columns at = {.piece = list->x + (RANK + 0.7) * f, .words = list->width >= FULL * f};
  gboolean differs = FALSE;
  for (guint i = 0; i < list->row->n; i++) {
    if (!is_listed(list, i))
      continue;
    const mt_option *o = &list->row->options[i];
    g_autofree char *piece = regard_steps_dup_piece(d->steps, o->id);
    at.piece_width = MAX(at.piece_width, width_of(d, piece, TRUE));
    at.note_width = MAX(at.note_width, width_of(d, note_of(list, i), TRUE));
    differs |= o->after != o->logprob;
  }
  at.piece_width = CLAMP(at.piece_width + 0.2 * f, 3 * f, MIN(MOST_PIECE * f, list->width * 0.3));
  at.note_width = at.words ? at.note_width + 0.4 * f : MARK * f;
  double right = list->x + list->width - 0.5 * f;
  at.note = right - at.note_width;
  right = at.note - 0.6 * f;
  if (numbers && at.words && differs) {
    at.after = right;
    right -= AFTER * f;
  }
  if (numbers && at.words) {
    at.logprob = right;
    right -= LOGPROB * f;
  }
  if (numbers) {
    at.percent = right;
    right -= PERCENT * f;
  }
  at.bar = at.piece + at.piece_width + 0.8 * f;
  at.bar_width = MAX(right - 0.4 * f - at.bar, 0);
  return at;
}

/* What a rule took away is crossed out and its bar only an outline with hatching, so that it can be
 * told without colour. */
static void
draw_bar(const List *list, double y, const mt_option *o)
{
  const StepDraw *d = list->d;
  const double f = d->font;
  const RegardRect bar = {list->at.bar, y + (PITCH - BAR) / 2 * f,
                          MAX(exp((double) o->logprob) * list->at.bar_width, 0.12 * f), BAR * f};
  if (o->rule == MT_RULE_NONE) {
    regard_canvas_fill_rect(d->canvas, bar, MIN(0.22 * f, bar.width / 2), STEP_CANDIDATE);
    return;
  }
  regard_canvas_hatch(d->canvas, &bar, 1, 0.45 * f, 0.09 * f, d->palette->dim);
  regard_canvas_stroke_rect(d->canvas, bar, 0.07 * f, d->palette->dim);
}

static void
draw_option(const List *list, double y, guint i)
{
  const StepDraw *d = list->d;
  const Columns *at = &list->at;
  const mt_option *o = &list->row->options[i];
  const double f = d->font, baseline = y + 1.28 * f;
  const gboolean is_chosen = (int) i == list->chosen, is_gone = o->rule != MT_RULE_NONE;
  const gboolean is_crossed = is_gone && !is_forcing(o->rule);
  const RegardRect line = {list->x, y + 0.06 * f, list->width, (PITCH - 0.12) * f};
  char text[32];
  if (is_chosen)
    regard_canvas_fill_rect(d->canvas, line, 0.35 * f, d->palette->badge_fill);
  if (d->look->selected == (int) i)
    regard_canvas_stroke_rect(d->canvas, line, 0.14 * f, d->palette->accent);
  regard_canvas_spot(d->canvas, line, REGARD_STEPS_SPOT_CANDIDATE, (int) i, o->id);
  if (!regard_figure_draws(d->canvas))
    return;
  if (i < step_n_ranked(d->steps, list->row)) {
    g_snprintf(text, sizeof text, "%u", i + 1);
    step_text(d, list->x + RANK * f, baseline, RANK * f, text, TRUE, FALSE, REGARD_ANCHOR_END);
  }
  g_autofree char *piece = regard_steps_dup_piece(d->steps, o->id);
  g_autofree char *shown = regard_canvas_ellipsize(d->canvas, piece, is_chosen, f, at->piece_width);
  step_text(d, at->piece, baseline, at->piece_width, shown, is_gone, is_chosen,
            REGARD_ANCHOR_START);
  if (is_crossed)
    regard_canvas_stroke_line(d->canvas, at->piece - 0.1 * f, baseline - 0.3 * f,
                              at->piece + width_of(d, shown, is_chosen) + 0.1 * f,
                              baseline - 0.3 * f, 0.08 * f, d->palette->text);
  draw_bar(list, y, o);
  if (at->percent > 0)
    step_text(d, at->percent, baseline, PERCENT * f,
              regard_steps_percent(text, exp((double) o->logprob)), is_gone, is_chosen,
              REGARD_ANCHOR_END);
  if (at->logprob > 0)
    step_text(d, at->logprob, baseline, LOGPROB * f,
              regard_figure_number(text, (double) o->logprob, 2), TRUE, FALSE, REGARD_ANCHOR_END);
  if (at->after > 0 && o->after != o->logprob)
    step_text(d, at->after, baseline, AFTER * f, regard_figure_number(text, (double) o->after, 2),
              TRUE, FALSE, REGARD_ANCHOR_END);
  const char *note = note_of(list, i);
  if (at->words)
    step_text(d, at->note, baseline, at->note_width, note, !is_chosen, is_chosen,
              REGARD_ANCHOR_START);
  else if (*note)
    step_text(d, at->note + at->note_width / 2, baseline, at->note_width,
              is_crossed        ? "✕"
              : list->is_forced ? "!"
                                : "✓",
              FALSE, TRUE, REGARD_ANCHOR_MIDDLE);
}

/* "together", and what is left: exact, for all probabilities add up to 1. */
static double
draw_sums(const List *list, double y)
{
  const StepDraw *d = list->d;
  const double f = d->font, top = y;
  const double right = list->at.percent > 0 ? list->at.percent : list->x + list->width;
  double together = 0;
  guint n = 0;
  char text[32];
  for (guint i = 0; i < list->row->n; i++)
    if (is_listed(list, i)) {
      together += exp((double) list->row->options[i].logprob);
      n++;
    }
  const gsize n_others = step_n_pieces(d->steps) > n ? step_n_pieces(d->steps) - n : 0;
  g_autofree char *these = g_strdup_printf(_("these %u together"), n);
  g_autofree char *others = g_strdup_printf(_("%" G_GSIZE_FORMAT " others"), n_others);
  const char *const names[] = {these, others};
  const double values[] = {MIN(together, 1), MAX(1 - together, 0)};
  y += 0.35 * f;
  regard_canvas_stroke_line(d->canvas, list->at.piece, y, right, y, 0.06 * f, d->palette->grid);
  y += 0.15 * f;
  for (guint i = 0; i < G_N_ELEMENTS(names); i++, y += 1.55 * f) {
    const double end = right - (PERCENT + 0.4) * f;
    step_text(d, list->at.piece, y + 1.1 * f, end - list->at.piece, names[i], TRUE, FALSE,
              REGARD_ANCHOR_START);
    step_text(d, right, y + 1.1 * f, PERCENT * f, regard_steps_percent(text, values[i]), i > 0,
              FALSE, REGARD_ANCHOR_END);
  }
  return y - top;
}

/* Words above the columns of numbers. */
static void
draw_column_names(const List *list, double baseline)
{
  const StepDraw *d = list->d;
  const double f = d->font;
  const struct {
    double at;
    const char *name;
    double width;
  } names[] = {{list->at.percent, C_("probability", "p"), PERCENT * f},
               {list->at.logprob, _("log p"), LOGPROB * f},
               {list->at.after, _("after"), AFTER * f}};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (names[i].at > 0)
      step_text(d, names[i].at, baseline, names[i].width, names[i].name, TRUE, FALSE,
                REGARD_ANCHOR_END);
}

double
step_draw_candidates(const StepDraw *d, double x, double y, double width)
{
  const double f = d->font, top = y;
  mt_step_row row;
  char text[32];
  regard_canvas_begin_group(d->canvas, "candidates");
  if (!step_row(d->steps, d->look->step, &row)) {
    y += step_heading(d, x, y, width, _("Candidates"), NULL);
    step_text(d, x, y + f, width, _("Nothing is known of what else there was."), TRUE, FALSE,
              REGARD_ANCHOR_START);
    regard_canvas_end_group(d->canvas);
    return y + 1.6 * f - top;
  }
  List list = {.d = d,
               .row = &row,
               .n_shown = MIN(d->look->top, step_n_ranked(d->steps, &row)),
               .chosen = step_chosen(d->steps, d->look->step, &row),
               .is_forced = step_node(d->steps, d->look->step)->is_forced,
               .x = x,
               .width = width};
  list.at = place_columns(&list);
  g_autofree char *entropy =
      g_strdup_printf(_("entropy %s bit"),
                      regard_figure_number(text, step_entropy(d->steps, d->look->step), 2));
  /* The names of the columns stand on the line of the heading, which must leave them room. */
  const double heading = (list.at.percent > 0 ? list.at.percent - 2 * f : x + width) - x;
  draw_column_names(&list, y + 1.08 * f);
  y += step_heading(d, x, y, MAX(heading, 8 * f), _("Candidates"), entropy);
  for (guint i = 0; i < list.n_shown; i++, y += PITCH * f)
    draw_option(&list, y, i);
  if (list.chosen >= (int) list.n_shown) {
    const gboolean is_ranked = list.chosen < (int) step_n_ranked(d->steps, &row);
    g_autofree char *gap =
        is_ranked ? g_strdup("⋮")
                  : g_strdup_printf(_("not among the %u likeliest"), step_n_ranked(d->steps, &row));
    step_text(d, list.at.piece, y + 1.1 * f, width, gap, TRUE, FALSE, REGARD_ANCHOR_START);
    y += 1.5 * f;
    draw_option(&list, y, (guint) list.chosen);
    y += PITCH * f;
  }
  y += draw_sums(&list, y);
  regard_canvas_end_group(d->canvas);
  return y - top;
}
