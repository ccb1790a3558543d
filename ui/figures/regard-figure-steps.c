/* regard-figure-steps.c — the picture of one step: the translation so far, the candidates, how sure
 * the model was over all steps, and what it looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wide pictures have the candidates and what was looked at beside each other, narrow ones below
 * each other.
 */
#include "figures/regard-naming.h"
#include "figures/regard-step-draw.h"
#include "figures/regard-visible.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Lines of the translation, at most: of a longer one those around the step. */
#define MOST_LINES 3
/* In font sizes. */
#define TEXT 1.25 /* size of the translation */
#define LINE 1.5  /* of that */
#define GAP  1.1  /* between parts */

typedef struct {
  RegardFigure parent;
  RegardSteps *steps;
  RegardStepsLook look;
} StepsFigure;

/* ---- Parts of parts -------------------------------------------------------------------------- */

void
step_text(const StepDraw *d, double x, double baseline, double width, const char *text,
          gboolean dim, gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

double
step_heading(const StepDraw *d, double x, double y, double width, const char *title,
             const char *note)
{
  const double size = d->font * 1.08;
  const RegardSpan bold = {title, d->palette->text, TRUE};
  const double used = regard_canvas_text_width(d->canvas, &bold, 1, size) + d->font * 0.8;
  regard_canvas_text(d->canvas, x, y + size, &bold, 1, size, REGARD_ANCHOR_START, 0);
  if (note)
    step_text(d, x + used, y + size, width - used, note, TRUE, FALSE, REGARD_ANCHOR_START);
  return STEP_HEADING * d->font;
}

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
draw_text_line(const StepDraw *d, double x, double baseline, char *parts[3], gsize from, gsize to)
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
draw_translation(const StepDraw *d, double x, double y, double width)
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

double
step_draw_header(const StepDraw *d, double x, double y, double width)
{
  const double size = d->font * 1.2, line = size * 1.45, top = y;
  const guint32 text = d->palette->text, dim = d->palette->dim;
  g_autofree char *whole_in = step_dup_input(d->steps, d->look->step);
  g_autofree char *whole_out = step_dup_output(d->steps, d->look->step);
  g_autofree char *step = g_strdup_printf(_("Step %u of %u"), d->look->step + 1, d->steps->n);
  const char *const goes_in = _("goes in "), *const comes_out = _(", comes out ");
  const RegardSpan words[] = {{goes_in, dim, FALSE}, {comes_out, dim, FALSE}};
  /* Each piece is cut where both do not fit. */
  const double room = (width - regard_canvas_text_width(d->canvas, words, 2, size)) / 2;
  g_autofree char *in = regard_canvas_ellipsize(d->canvas, whole_in, FALSE, size, room);
  g_autofree char *out = regard_canvas_ellipsize(d->canvas, whole_out, TRUE, size, room);
  const RegardSpan spans[] = {{step, text, TRUE}, {"   ", dim, FALSE}, words[0], {in, text, FALSE},
                              words[1],           {out, text, TRUE}};
  const guint n = G_N_ELEMENTS(spans);
  regard_canvas_begin_group(d->canvas, "title");
  if (regard_canvas_text_width(d->canvas, spans, n, size) <= width)
    regard_canvas_text(d->canvas, x, y + size, spans, n, size, REGARD_ANCHOR_START, 0);
  else {
    regard_canvas_text(d->canvas, x, y + size, spans, 1, size, REGARD_ANCHOR_START, 0);
    y += line;
    regard_canvas_text(d->canvas, x, y + size, spans + 2, n - 2, size, REGARD_ANCHOR_START, 0);
  }
  y += line + 0.35 * d->font;
  regard_canvas_end_group(d->canvas);
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
  GString *text = g_string_new(_("forbidden: "));
  for (gsize i = 0; i < n; i++) {
    if (i)
      g_string_append(text, "; ");
    if (forbidden[i].step != MT_EVERY_STEP)
      g_string_append_printf(text, _("step %" G_GSIZE_FORMAT ": "), forbidden[i].step + 1);
    for (gsize k = 0; k < forbidden[i].n; k++) {
      g_autofree char *piece = regard_steps_dup_piece(steps, forbidden[i].ids[k]);
      g_string_append_printf(text, "%s%s", k ? " " : "", piece);
    }
  }
  return g_string_free(text, FALSE);
}

/* What was not as the model alone would have it. */
static double
draw_badges(const StepDraw *d, double x, double y, double width)
{
  const mt_changes *changes = mt_translation_changes(d->steps->translation);
  char *badges[4] = {NULL}, **badge = badges;
  double height = 0;
  if (mt_changes_count(changes) > 0) {
    g_autofree char *list = regard_naming_joined(mt_changes_text(changes));
    *badge++ = g_strdup_printf("changed: %s", list);
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
draw_lists(const StepDraw *d, double x, double y, double width)
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
  const StepsFigure *self = (const StepsFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  const StepDraw d = {.canvas = canvas,
                      .palette = regard_figure_palette(&figure->style),
                      .style = &figure->style,
                      .steps = self->steps,
                      .look = &self->look,
                      .font = font};
  double y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += step_draw_header(&d, margin, y, inner);
  if (!self->look.no_badges)
    y += draw_badges(&d, margin, y, inner);
  if (self->look.parts & REGARD_STEPS_ENTROPY)
    y += step_draw_curve(&d, margin, y, inner);
  if (self->look.parts & (REGARD_STEPS_CANDIDATES | REGARD_STEPS_ATTENTION)) {
    if (self->look.parts & REGARD_STEPS_ENTROPY)
      y += GAP * font;
    y += draw_lists(&d, margin, y, inner);
  }
  const char *model = mt_model_name(self->steps->model);
  if (*model && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font;
    regard_figure_text_within(canvas, width - margin, y, inner, model, d.palette->dim, FALSE,
                              font * 0.9, REGARD_ANCHOR_END);
  }
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  const StepsFigure *self = (const StepsFigure *) figure;
  return step_n_matrices(self->steps, &self->look);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  StepsFigure *self = (StepsFigure *) figure;
  return step_matrix(self->steps, &self->look, i);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const StepsFigure *self = (const StepsFigure *) figure;
  g_autofree char *in = step_dup_input(self->steps, self->look.step);
  g_autofree char *out = step_dup_output(self->steps, self->look.step);
  g_string_append_printf(caption, "Step %u of %u: %s goes in, %s comes out.", self->look.step + 1,
                         self->steps->n, in, out);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const StepsFigure *self = (const StepsFigure *) figure;
  return step_describe(self->steps, &self->look, spot);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const StepsFigure *self = (const StepsFigure *) figure;
  return step_copy(self->steps, &self->look, spot);
}

static void
release(RegardFigure *figure)
{
  StepsFigure *self = (StepsFigure *) figure;
  regard_steps_unref(self->steps);
}

RegardFigure *
regard_figure_new_steps(RegardSteps *steps, const RegardStepsLook *look,
                        const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  StepsFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->steps = regard_steps_ref(steps);
  self->look = *look;
  self->look.step = MIN(look->step, MAX(steps->n, 1) - 1);
  return &self->parent;
}
