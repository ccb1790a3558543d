/* regard-quality.c — quality over a file by the length of the sentences, as bars.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each row has a bar for the model as it is and, where something is changed, one for the changed
 * model below it, on one scale from 0 to 100; a line over the end of a bar is the interval. What
 * differs stands beside, bold where the interval leaves 0 out.
 */
#include "figures/regard-quality.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>

/* THE list of lengths: short sentences of talk, one clause, several, and what is too long for most
 * models. */
static const RegardQualityRow lengths[] = {
    {.least = 1, .most = 5},   {.least = 6, .most = 10},  {.least = 11, .most = 15},
    {.least = 16, .most = 20}, {.least = 21, .most = 30}, {.least = 31, .most = 50},
    {.least = 51, .most = 0},
};

const RegardQualityRow *
regard_quality_lengths(guint *n)
{
  *n = G_N_ELEMENTS(lengths);
  return lengths;
}

static void
clear(gpointer subject)
{
  RegardQuality *quality = subject;
  g_free(quality->model_name);
  g_free(quality->file);
  g_free(quality->interventions);
  g_free(quality->rows);
}

RegardQuality *
regard_quality_new(const mt_model *model, const char *file, const mt_interventions *interventions,
                   RegardQualityRow *rows, guint n_rows, guint n_left_out, guint n_draws)
{
  RegardQuality *self = regard_subject_alloc(sizeof *self, clear);
  self->model_name = g_strdup(mt_model_name(model));
  self->file = g_strdup(file);
  self->interventions = mt_interventions_count(interventions)
                            ? regard_naming_joined(mt_interventions_text(interventions))
                            : NULL;
  self->rows = rows;
  self->n_rows = n_rows;
  self->n_left_out = n_left_out;
  self->n_draws = n_draws;
  return self;
}

/* "all", "6–10", "51 and more"; for files in English. */
static char *
row_name(const RegardQualityRow *row, gboolean is_data)
{
  if (row->least == 0 && row->most == 0)
    return g_strdup(is_data ? "all" : _("all"));
  if (row->most == 0)
    return g_strdup_printf(is_data ? "%u and more" : _("%u and more"), row->least);
  return g_strdup_printf("%u–%u", row->least, row->most);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_row(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardQuality *self = data;
  label->text = row_name(&self->rows[i], FALSE);
  label->piece = row_name(&self->rows[i], TRUE);
  label->first_token = i;
  label->n_tokens = 1;
}

/* The intervals of a row in the order of the columns, all but the first. */
static const RegardInterval *
interval_at(const RegardQuality *self, const RegardQualityRow *row, guint i)
{
  if (!self->interventions)
    return &row->scores[0][i];
  const guint measure = i / 3, which = i % 3;
  return which < 2 ? &row->scores[which][measure] : &row->differences[measure];
}

static float
value(gconstpointer data, guint row, guint col)
{
  const RegardQuality *self = data;
  if (col == 0)
    return (float) self->rows[row].n;
  const RegardInterval *interval = interval_at(self, &self->rows[row], (col - 1) / 3);
  return (float) ((col - 1) % 3 == 0   ? interval->value
                  : (col - 1) % 3 == 1 ? interval->lo
                                       : interval->hi);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardQuality *quality = figure->subject;
  static const char *const alone[] = {"sentences", "BLEU",      "BLEU low",  "BLEU high",
                                      "chrF2",     "chrF2 low", "chrF2 high"};
  static const char *const both[] = {"sentences",
                                     "BLEU",
                                     "BLEU low",
                                     "BLEU high",
                                     "BLEU changed",
                                     "BLEU changed low",
                                     "BLEU changed high",
                                     "BLEU difference",
                                     "BLEU difference low",
                                     "BLEU difference high",
                                     "chrF2",
                                     "chrF2 low",
                                     "chrF2 high",
                                     "chrF2 changed",
                                     "chrF2 changed low",
                                     "chrF2 changed high",
                                     "chrF2 difference",
                                     "chrF2 difference low",
                                     "chrF2 difference high"};
  const RegardAxis rows = {.n = quality->n_rows,
                           .title = _("pieces of the source"),
                           .noun = _("length"),
                           .label = label_row,
                           .data = quality};
  g_autofree char *interventions =
      quality->interventions ? g_strdup_printf(_("changed: %s"), quality->interventions) : NULL;
  g_autofree char *left_out =
      quality->n_left_out
          ? g_strdup_printf(ngettext("%u left out", "%u left out", quality->n_left_out),
                            quality->n_left_out)
          : NULL;
  const char *badges[4] = {quality->file};
  guint n = 1;
  if (interventions)
    badges[n++] = interventions;
  if (left_out)
    badges[n++] = left_out;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "quality",
      .title = _("Quality by length"),
      .value_name = "points",
      .model_name = quality->model_name,
      .badges = badges,
      .rows = rows,
      .cols = quality->interventions ? regard_axis_texts(both, G_N_ELEMENTS(both), _("quality"))
                                     : regard_axis_texts(alone, G_N_ELEMENTS(alone), _("quality")),
      .value = value,
      .data = quality,
      .range = REGARD_RANGE_VALUES,
  });
}

/* ---- Picture --------------------------------------------------------------------------------- */

/* In font sizes. */
#define NAMES      11.0 /* lengths and how many there are */
#define BAR        0.8
#define GAP        0.3  /* between the two bars of a row */
#define PAD        0.55 /* above and below them */
#define NUMBER     3.0  /* room behind a bar */
#define DIFFERENCE 9.5  /* room for what differs */
#define BETWEEN    1.6  /* the two measures */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardQuality *quality;
  double font, x, width;
} Sheet;

static double
row_height(const Sheet *s)
{
  return s->font * (2 * PAD + BAR + (s->quality->interventions ? GAP + BAR : 0));
}

static void
draw_bar(const Sheet *s, double x, double y, double width, const RegardInterval *score,
         guint32 argb, gboolean bold)
{
  char number[32];
  const double unit = width / 100, middle = y + BAR * s->font / 2;
  if (isnan(score->value))
    return;
  regard_canvas_fill_rect(s->canvas, (RegardRect){x, y, score->value * unit, BAR * s->font},
                          0.15 * s->font, argb);
  if (score->hi > score->lo)
    regard_canvas_stroke_line(s->canvas, x + score->lo * unit, middle, x + score->hi * unit, middle,
                              0.09 * s->font, s->palette->text);
  regard_figure_text(s->canvas, x + fmax(score->value, score->hi) * unit + 0.4 * s->font,
                     middle + 0.32 * s->font, regard_figure_number(number, score->value, 1),
                     s->palette->text, bold, 0.9 * s->font, REGARD_ANCHOR_START, 0);
}

static gboolean
is_clear(const RegardInterval *difference)
{
  return difference->lo > 0 || difference->hi < 0;
}

/* "+0.3  [−0.1, +0.7]" */
static char *
write_difference(const RegardInterval *d)
{
  char value[32], lo[32], hi[32];
  return g_strdup_printf("%s%s  [%s%s, %s%s]", d->value > 0 ? "+" : "",
                         regard_figure_number(value, d->value, 1), d->lo > 0 ? "+" : "",
                         regard_figure_number(lo, d->lo, 1), d->hi > 0 ? "+" : "",
                         regard_figure_number(hi, d->hi, 1));
}

static void
draw_scores(const Sheet *s, guint row, RegardQualityMeasure measure, double x, double y,
            double width)
{
  const RegardQualityRow *r = &s->quality->rows[row];
  const gboolean both = s->quality->interventions != NULL;
  const double bars = width - s->font * (NUMBER + (both ? DIFFERENCE : 0));
  double top = y + PAD * s->font;
  regard_canvas_spot(s->canvas, (RegardRect){x, y, width, row_height(s)}, (int) measure, (int) row,
                     0);
  if (!regard_figure_draws(s->canvas))
    return;
  draw_bar(s, x, top, bars, &r->scores[0][measure], both ? s->palette->bar : s->palette->accent,
           FALSE);
  if (!both)
    return;
  top += (BAR + GAP) * s->font;
  draw_bar(s, x, top, bars, &r->scores[1][measure], s->palette->accent, FALSE);
  g_autofree char *text = write_difference(&r->differences[measure]);
  regard_figure_text(s->canvas, x + width, y + row_height(s) / 2 + 0.35 * s->font, text,
                     is_clear(&r->differences[measure]) ? s->palette->text : s->palette->dim,
                     is_clear(&r->differences[measure]), 0.9 * s->font, REGARD_ANCHOR_END, 0);
}

static void
draw_row(const Sheet *s, guint row, double y)
{
  const RegardQualityRow *r = &s->quality->rows[row];
  const double baseline = y + row_height(s) / 2 + 0.35 * s->font;
  const double each = (s->width - (NAMES + BETWEEN) * s->font) / 2;
  const gboolean is_all = r->least == 0;
  if (regard_figure_draws(s->canvas)) {
    g_autofree char *name = row_name(r, FALSE), *n = g_strdup_printf("%u", r->n);
    regard_figure_text(s->canvas, s->x, baseline, name, s->palette->text, is_all, s->font,
                       REGARD_ANCHOR_START, 0);
    regard_figure_text(s->canvas, s->x + (NAMES - 1.2) * s->font, baseline, n, s->palette->dim,
                       FALSE, 0.9 * s->font, REGARD_ANCHOR_END, 0);
    if (is_all) /* what follows is a part of it */
      regard_canvas_stroke_line(s->canvas, s->x, y + row_height(s), s->x + s->width,
                                y + row_height(s), 0.6, s->palette->grid);
  }
  draw_scores(s, row, REGARD_QUALITY_BLEU, s->x + NAMES * s->font, y, each);
  draw_scores(s, row, REGARD_QUALITY_CHRF, s->x + (NAMES + BETWEEN) * s->font + each, y, each);
}

static void
draw_titles(const Sheet *s, double y)
{
  const double each = (s->width - (NAMES + BETWEEN) * s->font) / 2, x = s->x + NAMES * s->font;
  const char *const names[] = {_("BLEU"), _("chrF2")};
  regard_figure_text(s->canvas, s->x, y, _("pieces"), s->palette->dim, FALSE, 0.9 * s->font,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text(s->canvas, s->x + (NAMES - 1.2) * s->font, y, _("sentences"), s->palette->dim,
                     FALSE, 0.9 * s->font, REGARD_ANCHOR_END, 0);
  for (guint m = 0; m < REGARD_N_QUALITIES; m++) {
    const double left = x + m * (each + BETWEEN * s->font);
    regard_figure_text(s->canvas, left, y, names[m], s->palette->text, TRUE, s->font,
                       REGARD_ANCHOR_START, 0);
    if (s->quality->interventions)
      regard_figure_text(s->canvas, left + each, y, _("difference [95 %]"), s->palette->dim, FALSE,
                         0.9 * s->font, REGARD_ANCHOR_END, 0);
  }
}

/* Which bar is which. */
static double
draw_legend(const Sheet *s, double y)
{
  const char *const names[] = {_("without changes"), _("changed")};
  const guint32 colours[] = {s->palette->bar, s->palette->accent};
  double x = s->x + NAMES * s->font;
  for (guint i = 0; s->quality->interventions && i < 2; i++) {
    const RegardSpan span = {names[i], s->palette->text, FALSE};
    regard_canvas_fill_rect(s->canvas, (RegardRect){x, y - 0.6 * s->font, s->font, 0.6 * s->font},
                            0.15 * s->font, colours[i]);
    regard_canvas_text(s->canvas, x + 1.4 * s->font, y, &span, 1, 0.9 * s->font,
                       REGARD_ANCHOR_START, 0);
    x += 2.8 * s->font + regard_canvas_text_width(s->canvas, &span, 1, 0.9 * s->font);
  }
  return s->quality->interventions ? 1.4 * s->font : 0;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardQuality *quality = figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN;
  const Sheet s = {.canvas = canvas,
                   .palette = palette,
                   .quality = quality,
                   .font = font,
                   .x = margin,
                   .width = width - 2 * margin};
  double y = margin;
  y += regard_figure_header(canvas, palette, margin, y, s.width,
                            regard_figure_title(&figure->style,
                                                _("Quality · by the length of the source")),
                            regard_figure_matrix(figure, 0)->badges, font);
  y += font * 1.2;
  draw_titles(&s, y);
  y += font * 0.4;
  for (guint r = 0; r < quality->n_rows; r++) {
    draw_row(&s, r, y);
    y += row_height(&s);
  }
  y += font;
  y += draw_legend(&s, y);
  regard_figure_model(canvas, palette, &figure->style, quality->model_name, margin + s.width, y, 0,
                      0.9 * font);
  return y + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardQuality *q = figure->subject;
  regard_words_add_sentence(
      caption, _("BLEU and chrF2 of the translations of %s by the length of the source in pieces."),
      q->file);
  regard_words_add_sentence(caption, _("Intervals: the middle 95 %% of %u paired bootstrap draws."),
                            q->n_draws);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardQuality *q = figure->subject;
  const RegardQualityRow *row = &q->rows[spot->row];
  const char *const measure = spot->part == REGARD_QUALITY_BLEU ? _("BLEU") : _("chrF2");
  const RegardInterval *a = &row->scores[0][spot->part], *b = &row->scores[1][spot->part];
  g_autofree char *name = row_name(row, FALSE);
  char x[4][32];
  g_autofree char *sentences =
      row->least == 0
          ? g_strdup_printf(ngettext("all %u sentence", "all %u sentences", row->n), row->n)
          /* Translators: how many sentences, and of how many pieces: "6–10" */
          : g_strdup_printf(ngettext("%u sentence of %s pieces", "%u sentences of %s pieces",
                                     row->n),
                            row->n, name);
  regard_figure_number(x[0], a->value, 2);
  regard_figure_number(x[1], a->lo, 2);
  regard_figure_number(x[2], a->hi, 2);
  if (!q->interventions)
    /* Translators: here and below "all 30 sentences", BLEU or chrF2, its value and interval; then
     * the value with changes, and the difference with its interval */
    return g_strdup_printf(_("%s: %s %s (%s to %s)"), sentences, measure, x[0], x[1], x[2]);
  g_autofree char *difference = write_difference(&row->differences[spot->part]);
  return g_strdup_printf(
      is_clear(&row->differences[spot->part])
          ? _("%s: %s %s (%s to %s), changed %s; difference %s, more than chance")
          : _("%s: %s %s (%s to %s), changed %s; difference %s, which may be chance"),
      sentences, measure, x[0], x[1], x[2], regard_figure_number(x[3], b->value, 2), difference);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardQuality *q = figure->subject;
  return regard_exact_copy(q->rows[spot->row].scores[q->interventions ? 1 : 0][spot->part].value);
}

RegardFigure *
regard_figure_new_quality(RegardQuality *quality, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  return regard_figure_new(&klass, regard_quality_ref(quality), NULL, FALSE, style);
}
