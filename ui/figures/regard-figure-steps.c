/* regard-figure-steps.c — the picture of one step of a translation: the likeliest tokens, how sure
 * the model was of it and of all others, and what it looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-steps.h"

#include "figures/regard-figure-private.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Colours that mean the same in light and in dark. */
#define STEP_CANDIDATE 0xff3584e4
#define STEP_ENTROPY   0xffe66100
#define STEP_ATTENTION 0xff2ec27e

/* From this width on, in font sizes, what it looks at stands beside the candidates. */
#define STEP_WIDE 50.0

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardSteps *steps;
  const RegardStepsOptions *look; /* its step is one that there is */
  double font;
} Draw;

/* Keys that have bars: the largest. */
#define STEP_MOST_BARS 8

/* A row of attention. */
typedef struct {
  guint n;      /* keys that the query may see */
  double *head; /* [n]; NULL: the mean alone */
  double *mean; /* [n] of all heads of the layer */
  char **names; /* [n], and NULL */
  guint *order; /* [n] keys, the largest first */
} StepAttention;
#define STEP_HEADING 1.9 /* height of a heading, in font sizes */

/* The distribution that step t was chosen from; FALSE: there is none. */
static gboolean
step_row(const RegardSteps *steps, guint t, mt_step_row *row)
{
  if (t >= steps->n || steps->rows[t] < 0)
    return FALSE;
  *row = steps->steps->rows[(gsize) steps->rows[t]];
  return TRUE;
}

static const mt_step_node *
step_node(const RegardSteps *steps, guint t)
{
  return &steps->steps->nodes[(gsize) steps->nodes[t]];
}

/* Options of a row that are its likeliest: what is behind them has no known rank. */
static guint
step_n_ranked(const RegardSteps *steps, const mt_step_row *row)
{
  return (guint) MIN(row->n, steps->steps->top);
}

/* Index of the token that was chosen among the options; -1: it is not there. */
static int
step_chosen(const RegardSteps *steps, guint t, const mt_step_row *row)
{
  const int32_t id = step_node(steps, t)->id;
  for (gsize i = 0; i < row->n; i++)
    if (row->options[i].id == id)
      return (int) i;
  return -1;
}

/* The pieces that come out of step t and go into it. Caller frees. */
static char *
step_dup_output(const RegardSteps *steps, guint t)
{
  return regard_steps_dup_piece(steps, step_node(steps, t)->id);
}

static char *
step_dup_input(const RegardSteps *steps, guint t)
{
  /* What a decoder is given first is called so on every axis, whatever piece it is. */
  return t ? step_dup_output(steps, t - 1) : g_strdup(_("start"));
}

/* In bits; NAN: not known. */
static double
step_entropy(const RegardSteps *steps, guint t)
{
  mt_step_row row;
  return step_row(steps, t, &row) ? (double) row.entropy / G_LN2 : NAN;
}

/* of the target vocabulary */
static gsize
step_n_pieces(const RegardSteps *steps)
{
  return mt_model_config(steps->model)->vocab_size[MT_STACK_DECODER];
}

/* ---- Writing --------------------------------------------------------------------------------- */

const char *
regard_steps_percent(char *text, double probability)
{
  char number[32];
  const double percent = 100 * probability;
  /* What is rounded to nothing or to all is neither. */
  const char *bound = percent < 0.005                      ? "<0.01"
                      : percent >= 99.995 && percent < 100 ? ">99.99"
                                                           : NULL;
  g_snprintf(text, 32, _("%s %%"),
             bound ? bound : regard_formatd(number, sizeof number, "%.2f", percent));
  return text;
}

/* "forbidden", translated; "" for MT_RULE_NONE. */
static const char *
steps_rule_name(mt_rule rule)
{
  switch (rule) {
  case MT_RULE_PREFIX:
    return _("forced prefix");
  case MT_RULE_FORBIDDEN:
    return _("forbidden");
  case MT_RULE_BAD_WORD:
    return _("bad word");
  case MT_RULE_MIN_LENGTH:
    return _("too short");
  case MT_RULE_FORCED:
    return _("forced by model");
  case MT_RULE_REPETITION:
    return _("repetition");
  case MT_RULE_TERM:
    return _("terms missing");
  case MT_RULE_NONE:
    break;
  }
  return "";
}

/* ---- Attention ------------------------------------------------------------------------------- */

static int
compare_keys(gconstpointer a, gconstpointer b, gpointer user)
{
  const double *weights = user, x = weights[*(const guint *) a], y = weights[*(const guint *) b];
  return x != y ? (x < y) - (x > y) : (int) *(const guint *) a - (int) *(const guint *) b;
}

/* FALSE, and nothing is to be cleared: there is none. */
static gboolean
step_attention_init(StepAttention *a, const RegardSteps *steps, const RegardStepsOptions *look)
{
  const mt_capture *capture = steps->capture;
  *a = (StepAttention){0};
  if (!capture || look->kind == MT_ENCODER_SELF)
    return FALSE;
  const gsize n_heads = mt_capture_n_heads(capture, look->kind);
  /* The capture may be a part of what the model has. */
  const gsize layer = look->layer - mt_capture_first_layer(capture, look->kind);
  if (layer >= mt_capture_n_layers(capture, look->kind) || n_heads == 0 ||
      look->head >= (int) n_heads)
    return FALSE;
  const mt_matrix first = mt_capture_weights(capture, look->kind, layer, 0);
  if (look->step >= first.rows)
    return FALSE;
  /* A query of the decoder sees what goes in up to itself. */
  a->n =
      look->kind == MT_DECODER_SELF ? MIN(look->step + 1, (guint) first.cols) : (guint) first.cols;
  a->mean = g_new0(double, a->n);
  a->head = look->head >= 0 ? g_new(double, a->n) : NULL;
  a->names = g_new0(char *, a->n + 1);
  a->order = g_new(guint, a->n);
  for (gsize h = 0; h < n_heads; h++) {
    const mt_matrix w = mt_capture_weights(capture, look->kind, layer, h);
    for (guint j = 0; j < a->n; j++) {
      a->mean[j] += (double) mt_matrix_at(&w, look->step, j) / (double) n_heads;
      if ((int) h == look->head)
        a->head[j] = mt_matrix_at(&w, look->step, j);
    }
  }
  const mt_tokens *keys = mt_capture_columns(capture, look->kind);
  for (guint j = 0; j < a->n; j++) {
    a->names[j] = regard_token_display(keys, j, look->kind == MT_DECODER_SELF && j == 0);
    a->order[j] = j;
  }
  g_qsort_with_data(a->order, (int) a->n, sizeof *a->order, compare_keys,
                    a->head ? a->head : a->mean);
  return TRUE;
}

static void
step_attention_clear(StepAttention *a)
{
  g_free(a->head);
  g_free(a->mean);
  g_strfreev(a->names);
  g_free(a->order);
  *a = (StepAttention){0};
}

/* "Cross-attention · layer 6 · head 3". Caller frees. */
static char *
step_attention_title(const RegardSteps *steps, const RegardStepsOptions *look)
{
  const char *kind = regard_naming_kind(steps->capture, look->kind);
  return look->head >= 0
             ? g_strdup_printf(_("%s · layer %u · head %d"), kind, look->layer + 1, look->head + 1)
             : g_strdup_printf(_("%s · layer %u · mean of its heads"), kind, look->layer + 1);
}

/* The same in few words: "cross · layer 6 · head 3". Caller frees. */
static char *
step_attention_place(const RegardStepsOptions *look)
{
  const char *kind = look->kind == MT_CROSS ? C_("attention", "cross") : C_("attention", "decoder");
  return look->head >= 0
             ? g_strdup_printf(_("%s · layer %u · head %d"), kind, look->layer + 1, look->head + 1)
             : g_strdup_printf(_("%s · mean of layer %u"), kind, look->layer + 1);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static void
put(const Draw *d, double x, double baseline, double width, const char *text, gboolean dim,
    gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

static double
step_heading(const Draw *d, double x, double y, double width, const char *title, const char *note)
{
  const double size = d->font * 1.08;
  const RegardSpan bold = {title, d->palette->text, TRUE};
  const double used = regard_canvas_text_width(d->canvas, &bold, 1, size) + d->font * 0.8;
  regard_canvas_text(d->canvas, x, y + size, &bold, 1, size, REGARD_ANCHOR_START, 0);
  if (note)
    put(d, x + used, y + size, width - used, note, TRUE, FALSE, REGARD_ANCHOR_START);
  return STEP_HEADING * d->font;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* In font sizes. */
#define PITCH      1.85
#define GAP_LINE   1.5 /* between the likeliest and a chosen one that is none of them */
#define BAR        0.95
#define RANK       1.9
#define MOST_PIECE 10.0
#define PERCENT    5.0
#define GAP_BAR    0.4 /* between a bar and its number */
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
  const Draw *d;
  const mt_step_row *row;
  guint n_shown; /* of the likeliest */
  int chosen;
  gboolean is_forced; /* the one that was chosen */
  Columns at;
  double x, width;
} List;

static double
width_of(const Draw *d, const char *text, gboolean bold)
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
        return steps_rule_name(list->row->options[k].rule);
    return _("forced");
  }
  return is_forcing(o->rule) ? "" : steps_rule_name(o->rule);
}

/* Whether it is in the list: one of the likeliest, or the chosen one below them. */
static gboolean
is_listed(const List *list, guint i)
{
  return i < list->n_shown || (int) i == list->chosen;
}

/* The list of a step, but for its columns; FALSE: nothing is known of it. row is what it is of. */
static gboolean
make_list(const Draw *d, guint step, double x, double width, mt_step_row *row, List *list)
{
  if (!step_row(d->steps, step, row))
    return FALSE;
  *list = (List){.d = d,
                 .row = row,
                 .n_shown = MIN(d->look->top, step_n_ranked(d->steps, row)),
                 .chosen = step_chosen(d->steps, step, row),
                 .is_forced = step_node(d->steps, step)->is_forced,
                 .x = x,
                 .width = width};
  return TRUE;
}

/* Whether the chosen one stands below the likeliest. */
static gboolean
has_gap(const List *list)
{
  return list->chosen >= (int) list->n_shown;
}

/* What its words need. Returns whether the search counts other numbers than the model's. */
static gboolean
measure_columns(const List *list, Columns *at)
{
  const Draw *d = list->d;
  gboolean differs = FALSE;
  for (guint i = 0; i < list->row->n; i++) {
    if (!is_listed(list, i))
      continue;
    const mt_option *o = &list->row->options[i];
    g_autofree char *piece = regard_steps_dup_piece(d->steps, o->id);
    at->piece_width = MAX(at->piece_width, width_of(d, piece, TRUE));
    at->note_width = MAX(at->note_width, width_of(d, note_of(list, i), TRUE));
    differs |= o->after != o->logprob;
  }
  return differs;
}

static Columns
place_columns(const List *list)
{
  const Draw *d = list->d;
  const double f = d->font;
  const gboolean numbers = regard_figure_has(d->style, REGARD_PART_NUMBERS);
  Columns at = {.piece = list->x + (RANK + 0.7) * f, .words = list->width >= FULL * f};
  gboolean differs = measure_columns(list, &at);
  for (guint t = 0; d->look->one_layout && t < d->steps->n; t++) {
    mt_step_row row;
    List other;
    if (make_list(d, t, list->x, list->width, &row, &other))
      differs |= measure_columns(&other, &at);
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
  at.bar_width = MAX(right - GAP_BAR * f - at.bar, 0);
  return at;
}

/* What a rule took away is crossed out and its bar only an outline with hatching, so that it can be
 * told without colour. */
static void
draw_bar(const List *list, double y, const mt_option *o)
{
  const Draw *d = list->d;
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
  const Draw *d = list->d;
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
    put(d, list->x + RANK * f, baseline, RANK * f, text, TRUE, FALSE, REGARD_ANCHOR_END);
  }
  g_autofree char *piece = regard_steps_dup_piece(d->steps, o->id);
  g_autofree char *shown = regard_canvas_ellipsize(d->canvas, piece, is_chosen, f, at->piece_width);
  put(d, at->piece, baseline, at->piece_width, shown, is_gone, is_chosen, REGARD_ANCHOR_START);
  if (is_crossed)
    regard_canvas_stroke_line(d->canvas, at->piece - 0.1 * f, baseline - 0.3 * f,
                              at->piece + width_of(d, shown, is_chosen) + 0.1 * f,
                              baseline - 0.3 * f, 0.08 * f, d->palette->text);
  draw_bar(list, y, o);
  if (at->percent > 0) /* ">99.99 %" of the one that is chosen reaches into the gap before it */
    put(d, at->percent, baseline, (PERCENT + GAP_BAR) * f,
        regard_steps_percent(text, exp((double) o->logprob)), is_gone, is_chosen,
        REGARD_ANCHOR_END);
  if (at->logprob > 0)
    put(d, at->logprob, baseline, LOGPROB * f, regard_figure_number(text, (double) o->logprob, 2),
        TRUE, FALSE, REGARD_ANCHOR_END);
  if (at->after > 0 && o->after != o->logprob)
    put(d, at->after, baseline, AFTER * f, regard_figure_number(text, (double) o->after, 2), TRUE,
        FALSE, REGARD_ANCHOR_END);
  const char *note = note_of(list, i);
  if (at->words)
    put(d, at->note, baseline, at->note_width, note, !is_chosen, is_chosen, REGARD_ANCHOR_START);
  else if (*note)
    put(d, at->note + at->note_width / 2, baseline, at->note_width,
        is_crossed        ? "✕"
        : list->is_forced ? "!"
                          : "✓",
        FALSE, TRUE, REGARD_ANCHOR_MIDDLE);
}

/* "together", and what is left: exact, for all probabilities add up to 1. */
static double
draw_sums(const List *list, double y)
{
  const Draw *d = list->d;
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
  g_autofree char *others =
      g_strdup_printf(ngettext("%zu other", "%zu others", n_others), n_others);
  const char *const names[] = {these, others};
  const double values[] = {MIN(together, 1), MAX(1 - together, 0)};
  y += 0.35 * f;
  regard_canvas_stroke_line(d->canvas, list->at.piece, y, right, y, 0.06 * f, d->palette->grid);
  y += 0.15 * f;
  for (guint i = 0; i < G_N_ELEMENTS(names); i++, y += 1.55 * f) {
    const double end = right - (PERCENT + 0.4) * f;
    put(d, list->at.piece, y + 1.1 * f, end - list->at.piece, names[i], TRUE, FALSE,
        REGARD_ANCHOR_START);
    put(d, right, y + 1.1 * f, PERCENT * f, regard_steps_percent(text, values[i]), i > 0, FALSE,
        REGARD_ANCHOR_END);
  }
  return y - top;
}

/* Room for the one below the likeliest, where another step has one. */
static double
gap_of_others(const List *list)
{
  const Draw *d = list->d;
  gboolean is_there = FALSE;
  for (guint t = 0; d->look->one_layout && !has_gap(list) && t < d->steps->n; t++) {
    mt_step_row row;
    List other;
    is_there |= make_list(d, t, list->x, list->width, &row, &other) && has_gap(&other);
  }
  return is_there ? (GAP_LINE + PITCH) * d->font : 0;
}

/* Words above the columns of numbers. */
static void
draw_column_names(const List *list, double baseline)
{
  const Draw *d = list->d;
  const double f = d->font;
  const struct {
    double at;
    const char *name;
    double width;
    /* Translators: names of columns of numbers; "after": log p after the rules of the search */
  } names[] = {{list->at.percent, C_("probability", "p"), PERCENT * f},
               {list->at.logprob, _("log p"), LOGPROB * f},
               {list->at.after, _("after"), AFTER * f}};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (names[i].at > 0)
      put(d, names[i].at, baseline, names[i].width, names[i].name, TRUE, FALSE, REGARD_ANCHOR_END);
}

static double
step_draw_candidates(const Draw *d, double x, double y, double width)
{
  const double f = d->font, top = y;
  mt_step_row row;
  List list;
  char text[32];
  regard_canvas_begin_group(d->canvas, "candidates");
  if (!make_list(d, d->look->step, x, width, &row, &list)) {
    y += step_heading(d, x, y, width, _("Candidates"), NULL);
    put(d, x, y + f, width, _("Nothing is known of what else there was."), TRUE, FALSE,
        REGARD_ANCHOR_START);
    regard_canvas_end_group(d->canvas);
    return y + 1.6 * f - top;
  }
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
  if (has_gap(&list)) {
    const gboolean is_ranked = list.chosen < (int) step_n_ranked(d->steps, &row);
    g_autofree char *gap =
        is_ranked ? g_strdup("⋮")
                  : g_strdup_printf(_("not among the %u likeliest"), step_n_ranked(d->steps, &row));
    put(d, list.at.piece, y + 1.1 * f, width, gap, TRUE, FALSE, REGARD_ANCHOR_START);
    y += GAP_LINE * f;
    draw_option(&list, y, (guint) list.chosen);
    y += PITCH * f;
  }
  y += draw_sums(&list, y) + gap_of_others(&list);
  regard_canvas_end_group(d->canvas);
  return y - top;
}

/* ---- Entropy over all steps ------------------------------------------------------------------ */

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
draw_line(const Draw *d, const Plot *p, double (*value)(const RegardSteps *, guint), double most,
          const RegardPen *pen)
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
draw_steps(const Draw *d, const Plot *p, double baseline)
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
draw_forced(const Draw *d, const Plot *p)
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
make_note(const Draw *d, double width, double most, guint most_at, gboolean has_probability,
          gboolean is_forced)
{
  char text[32];
  g_autofree char *piece = step_dup_output(d->steps, most_at);
  GString *note = g_string_new(NULL);
  g_string_printf(note,
                  /* Translators: a number, a step, its piece; the signs are of the curves below */
                  has_probability && is_forced ? _("in bits, at most %s at step %u (%s) · grey: "
                                                   "probability of the chosen · below: forced")
                  : has_probability
                      ? _("in bits, at most %s at step %u (%s) · grey: probability of the chosen")
                  : is_forced ? _("in bits, at most %s at step %u (%s) · below: forced")
                              : _("in bits, at most %s at step %u (%s)"),
                  regard_figure_number(text, most, 2), most_at + 1, piece);
  const RegardSpan span = {note->str, 0xff000000, FALSE};
  if (regard_canvas_text_width(d->canvas, &span, 1, d->font) > width - 6 * d->font)
    g_string_assign(note, has_probability ? _("in bits · grey: p of the chosen") : _("in bits"));
  return g_string_free(note, FALSE);
}

static double
step_draw_curve(const Draw *d, double x, double y, double width)
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
    regard_figure_text_within(d->canvas, right, p.y + 0.35 * size, (AXIS + 0.8) * f, "100 %",
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

/* ---- Attention ------------------------------------------------------------------------------- */

/* In font sizes. */
#define KEY_PITCH 1.85
#define MOST_KEY  8.0
#define NUMBER    3.4

typedef struct {
  const Draw *d;
  const StepAttention *a;
  double x, width, piece_width, number_width;
} Bars;

static guint
step_n_bars(const RegardStepsOptions *look)
{
  return look->bars ? look->bars : STEP_MOST_BARS;
}

/* A line with its bars: the head above, the mean thinner below it. name NULL: a token. */
static void
draw_key(const Bars *b, double y, int key, const char *name, double head, double mean)
{
  const Draw *d = b->d;
  const double f = d->font, baseline = y + 1.28 * f, left = b->x + b->piece_width + 0.7 * f;
  const double length = b->width - b->piece_width - 1.1 * f - 2 * b->number_width;
  const gboolean has_head = b->a->head != NULL, is_others = key < 0;
  const double first = has_head ? head : mean;
  const guint32 faint = (STEP_ATTENTION & 0x00ffffff) | 0x66000000;
  char text[32];
  regard_canvas_spot(d->canvas, (RegardRect){b->x, y, b->width, KEY_PITCH * f},
                     REGARD_STEPS_SPOT_TOKEN, 0, key);
  if (!regard_figure_draws(d->canvas))
    return;
  put(d, b->x, baseline, b->piece_width, name, is_others, FALSE, REGARD_ANCHOR_START);
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
  put(d, b->x + b->width - (has_head ? b->number_width : 0), baseline, b->number_width,
      regard_figure_number(text, first, 3), is_others, FALSE, REGARD_ANCHOR_END);
  if (has_head)
    put(d, b->x + b->width, baseline, b->number_width, regard_figure_number(text, mean, 3), TRUE,
        FALSE, REGARD_ANCHOR_END);
}

/* All of them, with those that a query of a later step sees. */
static guint
n_keys(const Draw *d)
{
  return (guint) mt_tokens_count(mt_capture_columns(d->steps->capture, d->look->kind));
}

/* Bars of so many keys, and the line of the others. */
static guint
n_lines(const Draw *d, guint keys)
{
  return MIN(keys, step_n_bars(d->look) + 1);
}

/* Of the names of all keys. */
static double
widest_key(const Draw *d)
{
  const mt_tokens *keys = mt_capture_columns(d->steps->capture, d->look->kind);
  double widest = 0;
  for (gsize j = 0; j < mt_tokens_count(keys); j++) {
    g_autofree char *name =
        regard_token_display(keys, j, d->look->kind == MT_DECODER_SELF && j == 0);
    widest = MAX(widest, width_of(d, name, FALSE));
  }
  return widest;
}

static double
draw_bars(const Draw *d, const StepAttention *a, double x, double y, double width, double labels)
{
  const double f = d->font, top = y;
  const guint n = MIN(a->n, step_n_bars(d->look));
  const gboolean numbers = regard_figure_has(d->style, REGARD_PART_NUMBERS);
  Bars b = {d, a, x, width, 3 * f, numbers ? NUMBER * f : 0};
  double head = 0, mean = 0;
  g_autofree char *others = g_strdup_printf(ngettext("%u other", "%u others", a->n - n), a->n - n);
  for (guint i = 0; i <= n; i++)
    b.piece_width = MAX(b.piece_width, width_of(d, i < n ? a->names[a->order[i]] : others, FALSE));
  if (d->look->one_layout)
    b.piece_width = MAX(b.piece_width, widest_key(d));
  for (guint i = n; i < a->n; i++) {
    head += a->head ? a->head[a->order[i]] : 0;
    mean += a->mean[a->order[i]];
  }
  b.piece_width = MIN(b.piece_width + 0.2 * f, MIN(MOST_KEY * f, 0.35 * width));
  if (numbers && a->head) {
    /* On the line of the heading if that leaves room, else on a line of their own. */
    const gboolean is_beside = labels + 2 * b.number_width <= width;
    const double baseline = is_beside ? y - (STEP_HEADING - 1.08) * f : y + 0.75 * f;
    put(d, x + width - b.number_width, baseline, b.number_width, _("head"), TRUE, FALSE,
        REGARD_ANCHOR_END);
    put(d, x + width, baseline, b.number_width, _("mean"), TRUE, FALSE, REGARD_ANCHOR_END);
    y += is_beside ? 0 : 1.1 * f;
  }
  for (guint i = 0; i < n; i++, y += KEY_PITCH * f) {
    const guint key = a->order[i];
    draw_key(&b, y, (int) key, a->names[key], a->head ? a->head[key] : 0, a->mean[key]);
  }
  if (a->n > n) {
    draw_key(&b, y, -1, others, head, mean);
    y += KEY_PITCH * f;
  }
  if (d->look->one_layout)
    y += (n_lines(d, n_keys(d)) - n_lines(d, a->n)) * KEY_PITCH * f;
  return y - top;
}

static double
step_draw_attention(const Draw *d, double x, double y, double width)
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
    put(d, x, y + f, width, _("No attention was captured."), TRUE, FALSE, REGARD_ANCHOR_START);
    y += 1.6 * f;
  }
  regard_canvas_end_group(d->canvas);
  return y - top;
}

/* ---- What a spot says ------------------------------------------------------------------------ */

/* The option of a spot; FALSE: there is none. */
static gboolean
option_of(const RegardSteps *steps, const RegardStepsOptions *look, const RegardSpot *spot,
          mt_step_row *row, const mt_option **option)
{
  if (!step_row(steps, look->step, row) || spot->row < 0 || (gsize) spot->row >= row->n)
    return FALSE;
  *option = &row->options[spot->row];
  return TRUE;
}

static char *
describe_candidate(const RegardSteps *steps, const RegardStepsOptions *look, const RegardSpot *spot)
{
  mt_step_row row;
  const mt_option *o;
  char percent[32], logprob[32], after[32];
  if (!option_of(steps, look, spot, &row, &o))
    return NULL;
  const guint i = (guint) spot->row, n_ranked = step_n_ranked(steps, &row);
  const int chosen = step_chosen(steps, look->step, &row);
  GString *words = g_string_new(NULL);
  g_autofree char *piece = regard_steps_dup_piece(steps, o->id);
  const gboolean is_counted = o->after != o->logprob;
  const char *rule = steps_rule_name(o->rule);
  regard_steps_percent(percent, exp((double) o->logprob));
  regard_figure_number(logprob, (double) o->logprob, 4);
  regard_figure_number(after, (double) o->after, 4);
  if (i < n_ranked)
    /* Translators: a piece, its number in the vocabulary, a probability, its rank of how many */
    g_string_printf(words, _("%s (id %d): %s, rank %u of %zu"), piece, (int) o->id, percent, i + 1,
                    step_n_pieces(steps));
  else
    g_string_printf(words, _("%s (id %d): %s, not among the %u likeliest"), piece, (int) o->id,
                    percent, n_ranked);
  if (is_counted && o->rule != MT_RULE_NONE)
    /* Translators: the last %s is why the search may not choose it, "forbidden" */
    g_string_append_printf(words, _("\nlog p %s, counted as %s: no choice (%s)"), logprob, after,
                           rule);
  else if (is_counted)
    g_string_append_printf(words, _("\nlog p %s, counted as %s"), logprob, after);
  else if (o->rule != MT_RULE_NONE)
    g_string_append_printf(words, _("\nlog p %s: no choice (%s)"), logprob, rule);
  else
    g_string_append_printf(words, _("\nlog p %s"), logprob);
  if ((int) i == chosen)
    g_string_append(words, step_node(steps, look->step)->is_forced ? _("\nforced") : _("\nchosen"));
  else if (chosen >= 0) {
    char ratio[32];
    g_autofree char *other = regard_steps_dup_piece(steps, row.options[chosen].id);
    regard_formatd(ratio, sizeof ratio, "%.3g",
                   exp((double) o->logprob - (double) row.options[chosen].logprob));
    g_string_append_printf(words, _("\n%s times as likely as %s, which was chosen"), ratio, other);
  }
  return g_string_free(words, FALSE);
}

static char *
describe_step(const RegardSteps *steps, guint t)
{
  mt_step_row row;
  char entropy[32], percent[32];
  const mt_step_node *node = step_node(steps, t);
  GString *words = g_string_new(NULL);
  g_autofree char *in = step_dup_input(steps, t), *out = step_dup_output(steps, t);
  regard_steps_percent(percent, exp((double) node->logprob));
  const gboolean has_row = step_row(steps, t, &row);
  const guint rank = has_row ? regard_steps_rank(steps, &row, node->id) : 0;
  if (has_row)
    regard_figure_number(entropy, step_entropy(steps, t), 3);
  if (rank)
    g_string_printf(
        words,
        /* Translators: here and below the pieces that go into the decoder and come out of it */
        _("step %u: goes in %s, comes out %s\nprobability %s, rank %u, entropy %s bit"), t + 1, in,
        out, percent, rank, entropy);
  else if (has_row)
    g_string_printf(words, _("step %u: goes in %s, comes out %s\nprobability %s, entropy %s bit"),
                    t + 1, in, out, percent, entropy);
  else
    g_string_printf(words, _("step %u: goes in %s, comes out %s\nprobability %s"), t + 1, in, out,
                    percent);
  if (node->is_forced)
    g_string_append(words, _("\nforced"));
  return g_string_free(words, FALSE);
}

/* The head's number and the mean of a key, or of all that have no bar. */
static gboolean
weights_of(const RegardSteps *steps, const RegardStepsOptions *look, int key, double *head,
           double *mean, char **name)
{
  StepAttention a;
  if (!step_attention_init(&a, steps, look))
    return FALSE;
  *head = a.head ? 0 : NAN;
  *mean = 0;
  *name = key >= 0 && (guint) key < a.n ? g_strdup(a.names[key]) : g_strdup(_("all others"));
  for (guint i = 0; i < a.n; i++)
    if (key < 0 ? i >= step_n_bars(look) : a.order[i] == (guint) key) {
      *head += a.head ? a.head[a.order[i]] : 0;
      *mean += a.mean[a.order[i]];
    }
  step_attention_clear(&a);
  return TRUE;
}

static char *
describe_token(const RegardSteps *steps, const RegardStepsOptions *look, int key)
{
  double head, mean;
  char of_head[32], of_mean[32];
  g_autofree char *name = NULL, *title = step_attention_title(steps, look);
  if (!weights_of(steps, look, key, &head, &mean, &name))
    return NULL;
  regard_figure_number(of_mean, mean, 4);
  if (isnan(head))
    return g_strdup_printf(_("%s: %s\n%s"), name, of_mean, title);
  return g_strdup_printf(_("%s: %s, mean of the layer %s\n%s"), name,
                         regard_figure_number(of_head, head, 4), of_mean, title);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardSteps *steps = figure->subject;
  const RegardStepsOptions *look = figure->options;
  switch ((RegardStepsSpot) spot->part) {
  case REGARD_STEPS_SPOT_CANDIDATE:
    return describe_candidate(steps, look, spot);
  case REGARD_STEPS_SPOT_STEP:
    return (guint) spot->col < steps->n ? describe_step(steps, (guint) spot->col) : NULL;
  case REGARD_STEPS_SPOT_TOKEN:
    return describe_token(steps, look, spot->col);
  }
  return NULL;
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardSteps *steps = figure->subject;
  const RegardStepsOptions *look = figure->options;
  mt_step_row row;
  const mt_option *o;
  double value = NAN, mean;
  g_autofree char *name = NULL;
  switch ((RegardStepsSpot) spot->part) {
  case REGARD_STEPS_SPOT_CANDIDATE:
    if (option_of(steps, look, spot, &row, &o))
      value = exp((double) o->logprob);
    break;
  case REGARD_STEPS_SPOT_STEP:
    value = (guint) spot->col < steps->n ? step_entropy(steps, (guint) spot->col) : NAN;
    break;
  case REGARD_STEPS_SPOT_TOKEN:
    if (weights_of(steps, look, spot->col, &value, &mean, &name) && isnan(value))
      value = mean;
    break;
  }
  return regard_exact_copy(value);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

enum { OPTIONS, STEPS, ALL_OPTIONS, ATTENTION };

static const char *const option_columns[] = {"id", "logprob", "after", "rule", "rank"};
static const char *const all_columns[] = {"step", "id", "logprob", "after", "rule", "rank"};
static const char *const step_columns[] = {"id", "logprob", "rank", "entropy_bits", "is_forced"};
static const char *const attention_rows[] = {"head", "mean"};

/* The matrix of rows that have names. Takes names and values. */
static RegardMatrix *
make_matrix(const RegardSteps *steps, const char *id, const char *title, const char *value_name,
            RegardAxis rows, RegardAxis cols, float *values)
{
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = value_name,
      .model_name = mt_model_name(steps->model),
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardAxis
names_axis(const char *const *names, guint n, const char *title)
{
  return regard_axis_texts(names, n, title);
}

static void
put_option(const RegardSteps *steps, const mt_step_row *row, guint i, float *values)
{
  const mt_option *o = &row->options[i];
  values[0] = (float) o->id; /* whole up to 2^24 */
  values[1] = o->logprob;
  values[2] = o->after;
  values[3] = (float) o->rule;
  values[4] = i < step_n_ranked(steps, row) ? (float) (i + 1) : 0;
}

/* Of step t, or of all with their steps. */
static RegardMatrix *
options_matrix(const RegardSteps *steps, guint t, gboolean all)
{
  const guint n_cols = all ? G_N_ELEMENTS(all_columns) : G_N_ELEMENTS(option_columns);
  const guint first = all ? 0 : t, end = all ? steps->n : t + 1;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(float));
  mt_step_row row;
  for (guint s = first; s < end; s++)
    for (guint i = 0; step_row(steps, s, &row) && i < row.n; i++) {
      float cells[1 + G_N_ELEMENTS(option_columns)] = {(float) (s + 1)};
      put_option(steps, &row, i, cells + 1);
      g_array_append_vals(values, cells + !all, n_cols);
      g_ptr_array_add(names, regard_steps_dup_piece(steps, row.options[i].id));
    }
  const guint n = names->len;
  g_autofree char *title =
      all ? g_strdup("Options of all steps") : g_strdup_printf("Options of step %u", t + 1);
  const float none = 0;
  if (n == 0)
    g_array_append_val(values, none);
  return make_matrix(steps, all ? "all_options" : "options", title, "value",
                     names_axis((const char *const *) names->pdata, n, _("options")),
                     names_axis(all ? all_columns : option_columns, n_cols,
                                C_("title of columns", "numbers")),
                     (float *) (void *) g_array_free(g_steal_pointer(&values), FALSE));
}

static RegardMatrix *
steps_matrix(const RegardSteps *steps)
{
  const guint n_cols = G_N_ELEMENTS(step_columns);
  g_auto(GStrv) names = g_new0(char *, steps->n + 1);
  float *values = g_new0(float, MAX((gsize) steps->n * n_cols, 1));
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = step_node(steps, t);
    float *row = values + (gsize) t * n_cols;
    mt_step_row options;
    names[t] = step_dup_output(steps, t);
    row[0] = (float) node->id;
    row[1] = node->logprob;
    row[2] =
        step_row(steps, t, &options) ? (float) regard_steps_rank(steps, &options, node->id) : 0;
    row[3] = (float) step_entropy(steps, t);
    row[4] = node->is_forced;
  }
  return make_matrix(steps, "steps", "Steps", "value",
                     names_axis((const char *const *) names, steps->n, "steps"),
                     names_axis(step_columns, n_cols, "numbers"), values);
}

static RegardMatrix *
attention_matrix(const RegardSteps *steps, const RegardStepsOptions *look)
{
  StepAttention a;
  if (!step_attention_init(&a, steps, look))
    return NULL;
  const guint skipped = a.head ? 0 : 1, n_rows = 2 - skipped;
  float *values = g_new(float, MAX((gsize) n_rows * a.n, 1));
  for (guint j = 0; j < a.n; j++) {
    if (a.head)
      values[j] = (float) a.head[j];
    values[(gsize) (n_rows - 1) * a.n + j] = (float) a.mean[j];
  }
  g_autofree char *title = step_attention_title(steps, look);
  RegardMatrix *m = make_matrix(steps, "attention", title, "weight",
                                names_axis(attention_rows + skipped, n_rows, "of"),
                                names_axis((const char *const *) a.names, a.n, "keys"), values);
  step_attention_clear(&a);
  return m;
}

static guint
n_matrices(RegardFigure *figure)
{
  StepAttention a;
  if (!step_attention_init(&a, figure->subject, figure->options))
    return ATTENTION;
  step_attention_clear(&a);
  return ATTENTION + 1;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardSteps *steps = figure->subject;
  const RegardStepsOptions *look = figure->options;
  switch (i) {
  case OPTIONS:
  case ALL_OPTIONS:
    return options_matrix(steps, look->step, i == ALL_OPTIONS);
  case STEPS:
    return steps_matrix(steps);
  default:
    return attention_matrix(steps, look);
  }
}

/* ---- The figure ------------------------------------------------------------------------------ */

/* Lines of the translation, at most: of a longer one those around the step. */
#define MOST_LINES 3
/* In font sizes. */
#define TEXT 1.25 /* size of the translation */
#define LINE 1.5  /* of that */
#define GAP  1.1  /* between parts */

/* ---- Header ---------------------------------------------------------------------------------- */

/* The three parts of the translation: what was there, the newest piece, what is still to come. */
static void
split_translation(const RegardSteps *steps, guint step, char *parts[3])
{
  const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, steps->hypothesis);
  const gsize n_bytes = strlen(h->text);
  gsize begin = n_bytes, end = n_bytes;
  if (step < mt_tokens_count(h->tokens)) {
    const mt_token *token = mt_tokens_get(h->tokens, step);
    begin = MIN(token->begin, n_bytes);
    end = CLAMP(token->end, begin, n_bytes);
    if (begin == end) /* </s>, or a piece that is not text by itself: all before it is there */
      for (gsize i = 0; i < step; i++)
        begin = end = MIN(MAX(i ? end : 0, mt_tokens_get(h->tokens, i)->end), n_bytes);
  }
  g_autofree char *before = g_strndup(h->text, begin);
  g_autofree char *piece = g_strndup(h->text + begin, end - begin);
  parts[0] = regard_visible(before);
  parts[1] = regard_visible(piece);
  parts[2] = regard_visible(h->text + end);
}

/* Bytes [from, to) of the three parts together, on one line. */
static void
draw_text_line(const Draw *d, double x, double baseline, char *parts[3], gsize from, gsize to)
{
  const guint32 colours[] = {d->palette->text, d->palette->text, d->palette->dim};
  RegardSpan spans[3];
  char *texts[3] = {NULL, NULL, NULL};
  guint n = 0;
  gsize begin = 0;
  for (guint i = 0; i < 3; i++) {
    const gsize length = strlen(parts[i]), first = MAX(from, begin), last = MIN(to, begin + length);
    if (first < last) {
      texts[n] = g_strndup(parts[i] + (first - begin), last - first);
      spans[n] = (RegardSpan){texts[n], colours[i], i == 1};
      n++;
    }
    begin += length;
  }
  if (n > 0)
    regard_canvas_text(d->canvas, x, baseline, spans, n, d->font * TEXT, REGARD_ANCHOR_START, 0);
  for (guint i = 0; i < n; i++)
    g_free(texts[i]);
}

static double
draw_translation(const Draw *d, double x, double y, double width)
{
  const double size = d->font * TEXT, pitch = size * LINE;
  char *parts[3];
  split_translation(d->steps, d->look->step, parts);
  const RegardSpan spans[] = {{parts[0], 0xff000000, TRUE},
                              {parts[1], 0xff000000, TRUE},
                              {parts[2], 0xff000000, TRUE}};
  /* Broken where all of it were bold, so that lines stay the same from step to step. */
  PangoLayout *layout = regard_canvas_layout(d->canvas, spans, 3, size);
  pango_layout_set_width(layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  const gsize here = strlen(parts[0]);
  const int n = pango_layout_get_line_count(layout), shown = MIN(n, MOST_LINES);
  int now = 0;
  while (now + 1 < n &&
         (gsize) pango_layout_get_line_readonly(layout, now + 1)->start_index <= here)
    now++;
  const int first = CLAMP(now - shown / 2, 0, n - shown);
  for (int i = 0; i < shown; i++) {
    const PangoLayoutLine *line = pango_layout_get_line_readonly(layout, first + i);
    const gsize from = (gsize) line->start_index;
    draw_text_line(d, x, y + size + i * pitch, parts, from, from + (gsize) line->length);
    if ((i == 0 && first > 0) || (i == shown - 1 && first + shown < n))
      regard_figure_text(d->canvas, x + width, y + size + i * pitch, "…", d->palette->dim, FALSE,
                         size, REGARD_ANCHOR_END, 0);
  }
  g_object_unref(layout);
  for (guint i = 0; i < 3; i++)
    g_free(parts[i]);
  return shown * pitch + 0.5 * d->font;
}

/* Whether what goes in and comes out of any step has no room behind "Step 3 of 8". words: all that
 * is said but for the pieces, as wide as that. */
static gboolean
is_any_long(const Draw *d, double size, double width, double words)
{
  const double room = (width - words) / 2;
  double widest = 0;
  g_autofree char *last = g_strdup_printf(_("Step %u of %u"), d->steps->n, d->steps->n);
  const RegardSpan number[] = {{last, 0, TRUE}, {"   ", 0, FALSE}};
  for (guint t = 0; t < d->steps->n; t++) {
    g_autofree char *in = step_dup_input(d->steps, t), *out = step_dup_output(d->steps, t);
    const RegardSpan spans[] = {{in, 0, FALSE}, {out, 0, TRUE}};
    widest = MAX(widest, MIN(regard_canvas_text_width(d->canvas, &spans[0], 1, size), room) +
                             MIN(regard_canvas_text_width(d->canvas, &spans[1], 1, size), room));
  }
  return regard_canvas_text_width(d->canvas, number, 2, size) + words + widest > width;
}

/* Each draws at a place and returns how high it is. */
static double
step_draw_header(const Draw *d, double x, double y, double width)
{
  const double size = d->font * 1.2, line = size * 1.45, top = y;
  const guint32 text = d->palette->text, dim = d->palette->dim;
  g_autofree char *whole_in = step_dup_input(d->steps, d->look->step);
  g_autofree char *whole_out = step_dup_output(d->steps, d->look->step);
  g_autofree char *step = g_strdup_printf(_("Step %u of %u"), d->look->step + 1, d->steps->n);
  /* Translators: the pieces that go into the decoder and come out of it */
  const char *const both = _("goes in %s, comes out %s");
  RegardWordsPart parts[REGARD_MOST_PARTS];
  RegardSpan words[REGARD_MOST_PARTS], spans[2 + REGARD_MOST_PARTS];
  char *texts[REGARD_MOST_PARTS];
  guint n_words = 0;
  const guint n_parts = regard_words_split(both, parts), n = 2 + n_parts;
  for (guint i = 0; i < n_parts; i++) {
    texts[i] = parts[i].text ? g_strndup(parts[i].text, parts[i].length) : NULL;
    if (texts[i])
      words[n_words++] = (RegardSpan){texts[i], dim, FALSE};
  }
  /* Each piece is cut where both do not fit. */
  const double said = regard_canvas_text_width(d->canvas, words, n_words, size);
  const double room = (width - said) / 2;
  g_autofree char *in = regard_canvas_ellipsize(d->canvas, whole_in, FALSE, size, room);
  g_autofree char *out = regard_canvas_ellipsize(d->canvas, whole_out, TRUE, size, room);
  spans[0] = (RegardSpan){step, text, TRUE};
  spans[1] = (RegardSpan){"   ", dim, FALSE};
  for (guint i = 0; i < n_parts; i++)
    spans[2 + i] = texts[i]                 ? (RegardSpan){texts[i], dim, FALSE}
                   : parts[i].argument == 0 ? (RegardSpan){in, text, FALSE}
                                            : (RegardSpan){out, text, TRUE};
  regard_canvas_begin_group(d->canvas, "title");
  if (d->look->one_layout ? !is_any_long(d, size, width, said)
                          : regard_canvas_text_width(d->canvas, spans, n, size) <= width)
    regard_canvas_text(d->canvas, x, y + size, spans, n, size, REGARD_ANCHOR_START, 0);
  else {
    regard_canvas_text(d->canvas, x, y + size, spans, 1, size, REGARD_ANCHOR_START, 0);
    y += line;
    regard_canvas_text(d->canvas, x, y + size, spans + 2, n - 2, size, REGARD_ANCHOR_START, 0);
  }
  y += line + 0.35 * d->font;
  regard_canvas_end_group(d->canvas);
  for (guint i = 0; i < n_parts; i++)
    g_free(texts[i]);
  y += draw_translation(d, x, y, width);
  return y - top;
}

/* "begins with: Das Tier"; NULL: nothing was forced. */
static char *
dup_forced(const RegardSteps *steps)
{
  const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, steps->hypothesis);
  if (h->n_forced == 0)
    return NULL;
  const gsize end = mt_tokens_get(h->tokens, MIN(h->n_forced, mt_tokens_count(h->tokens)) - 1)->end;
  return g_strdup_printf(_("begins with: %.*s"), (int) MIN(end, strlen(h->text)), h->text);
}

/* "forbidden: ▁hat; step 4: ▁über"; NULL: nothing was. */
static char *
dup_forbidden(const RegardSteps *steps)
{
  const mt_request *search = mt_translation_search(steps->translation);
  gsize n = 0;
  const mt_forbidden *forbidden = search ? mt_constraints_forbidden(search->constraints, &n) : NULL;
  if (n == 0)
    return NULL;
  g_autoptr(GString) list = g_string_new(NULL);
  for (gsize i = 0; i < n; i++) {
    g_autoptr(GString) pieces = g_string_new(NULL);
    for (gsize k = 0; k < forbidden[i].n; k++) {
      g_autofree char *piece = regard_steps_dup_piece(steps, forbidden[i].ids[k]);
      g_string_append_printf(pieces, "%s%s", k ? " " : "", piece);
    }
    g_autofree char *part =
        forbidden[i].step == MT_EVERY_STEP
            ? g_strdup(pieces->str)
            /* Translators: pieces that were forbidden in one step */
            : g_strdup_printf(_("step %zu: %s"), forbidden[i].step + 1, pieces->str);
    regard_words_add_part(list, part);
  }
  /* Translators: a list of pieces, "▁hat; step 4: ▁über" */
  return g_strdup_printf(_("forbidden: %s"), list->str);
}

/* What was not as the model alone would have it. */
static double
draw_badges(const Draw *d, double x, double y, double width)
{
  const mt_interventions *interventions = mt_translation_interventions(d->steps->translation);
  char *badges[4] = {NULL}, **badge = badges;
  double height = 0;
  if (mt_interventions_count(interventions) > 0) {
    g_autofree char *list = regard_naming_joined(mt_interventions_text(interventions));
    *badge++ = g_strdup_printf(_("changed: %s"), list);
  }
  if ((*badge = dup_forced(d->steps)))
    badge++;
  if ((*badge = dup_forbidden(d->steps)))
    badge++;
  if (*badges)
    height = regard_figure_header(d->canvas, d->palette, x, y, width, NULL, badges, d->font) +
             0.4 * d->font;
  for (badge = badges; *badge; badge++)
    g_free(*badge);
  return height;
}

/* ---- The figure ------------------------------------------------------------------------------ */

/* Candidates and what was looked at. */
static double
draw_lists(const Draw *d, double x, double y, double width)
{
  const gboolean candidates = d->look->parts & REGARD_STEPS_CANDIDATES;
  const gboolean attention = d->look->parts & REGARD_STEPS_ATTENTION;
  const double f = d->font, top = y;
  if (candidates && attention && width >= STEP_WIDE * f) {
    const double gap = 2.4 * f, left = (width - gap) * 0.58;
    const double a = step_draw_candidates(d, x, y, left);
    const double b = step_draw_attention(d, x + left + gap, y, width - left - gap);
    return MAX(a, b);
  }
  if (candidates)
    y += step_draw_candidates(d, x, y, width);
  if (candidates && attention)
    y += GAP * f;
  if (attention)
    y += step_draw_attention(d, x, y, width);
  return y - top;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardSteps *steps = figure->subject;
  const RegardStepsOptions *look = figure->options;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  const Draw d = {.canvas = canvas,
                  .palette = regard_figure_palette(&figure->style),
                  .style = &figure->style,
                  .steps = steps,
                  .look = look,
                  .font = font};
  double y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += step_draw_header(&d, margin, y, inner);
  if (!look->no_badges)
    y += draw_badges(&d, margin, y, inner);
  if (look->parts & REGARD_STEPS_ENTROPY)
    y += step_draw_curve(&d, margin, y, inner);
  if (look->parts & (REGARD_STEPS_CANDIDATES | REGARD_STEPS_ATTENTION)) {
    if (look->parts & REGARD_STEPS_ENTROPY)
      y += GAP * font;
    y += draw_lists(&d, margin, y, inner);
  }
  const char *model = mt_model_name(steps->model);
  if (*model && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font;
    regard_figure_text_within(canvas, width - margin, y, inner, model, d.palette->dim, FALSE,
                              font * 0.9, REGARD_ANCHOR_END);
  }
  return y + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardSteps *steps = figure->subject;
  const RegardStepsOptions *look = figure->options;
  g_autofree char *in = step_dup_input(steps, look->step);
  g_autofree char *out = step_dup_output(steps, look->step);
  regard_words_add_sentence(caption, _("Step %u of %u: %s goes in, %s comes out."), look->step + 1,
                            steps->n, in, out);
}

RegardFigure *
regard_figure_new_steps(RegardSteps *steps, const RegardStepsOptions *look,
                        const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .options_size = sizeof *look,
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  RegardStepsOptions own = *look;
  own.step = MIN(look->step, MAX(steps->n, 1) - 1);
  return regard_figure_new(&klass, regard_steps_ref(steps), &own, FALSE, style);
}
