/* regard-figure-effects.c — the heads of all layers as three grids beside each other, coloured by
 * what each does for a translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-effects.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-scale-marks.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define GAP     1.6 /* between grids */
#define NUMBERS 1.6 /* room for the number of a layer */
#define CELL    2.2 /* height of a cell */

typedef struct {
  RegardFigure parent;
  RegardEffects *effects;
} EffectsFigure;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardEffects *effects;
  double font, range;
} Grids;

/* From left to right: the way from the source to the translation. */
static const mt_attention_kind order[MT_N_KINDS] = {MT_ENCODER_SELF, MT_CROSS, MT_DECODER_SELF};

static double
largest(const RegardEffects *effects)
{
  double most = 0;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++)
        most = MAX(most, fabs(regard_effects_shown(effects, kind, l, h)));
  return MAX(most, 1e-6);
}

static const char *
title_of(mt_attention_kind kind)
{
  static const char *const names[MT_N_KINDS] = {N_("Encoder"), N_("Decoder"), N_("Cross")};
  return _(names[kind]);
}

static void
draw_cell(const Grids *g, RegardRect box, mt_attention_kind kind, guint layer, guint head)
{
  const double value = regard_effects_shown(g->effects, kind, layer, head);
  char number[REGARD_CELL_TEXT];
  regard_canvas_spot(g->canvas, box, (int) kind, (int) layer, (int) head);
  if (!regard_figure_draws(g->canvas))
    return;
  const guint32 colour = regard_colormap_lookup(g->style->colormap, 0.5 + 0.5 * value / g->range);
  regard_canvas_fill_rect(g->canvas, box, g->font * 0.2, colour);
  regard_cell_text(number, value, g->range);
  if (regard_figure_has(g->style, REGARD_PART_NUMBERS) && box.width > 2 * g->font)
    regard_figure_text_within(g->canvas, box.x + box.width / 2, box.y + box.height * 0.66,
                              box.width, number,
                              regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff,
                              FALSE, g->font * 0.78, REGARD_ANCHOR_MIDDLE);
}

/* Returns the height. */
static double
draw_grid(const Grids *g, double x, double y, double width, mt_attention_kind kind)
{
  const RegardEffectsKind *k = &g->effects->kinds[kind];
  const double f = g->font, left = x + NUMBERS * f;
  const double column = (width - NUMBERS * f) / MAX(k->n_heads, 1), gap = MIN(0.15 * f, column / 8);
  const double top = y + 3.2 * f;
  char number[16];
  regard_figure_text_within(g->canvas, left, y + f, width - NUMBERS * f, title_of(kind),
                            g->palette->text, TRUE, f, REGARD_ANCHOR_START);
  for (guint h = 0; h < k->n_heads; h++) {
    g_snprintf(number, sizeof number, "%u", h + 1);
    regard_figure_text_within(g->canvas, left + (h + 0.5) * column, top - 0.4 * f, column, number,
                              g->palette->dim, FALSE, f * 0.86, REGARD_ANCHOR_MIDDLE);
  }
  for (guint l = 0; l < k->n_layers; l++) {
    const double row = top + l * CELL * f;
    g_snprintf(number, sizeof number, "%u", l + 1);
    regard_figure_text_within(g->canvas, left - 0.5 * f, row + CELL * f * 0.62, NUMBERS * f, number,
                              g->palette->dim, FALSE, f * 0.86, REGARD_ANCHOR_END);
    for (guint h = 0; h < k->n_heads; h++)
      draw_cell(g, (RegardRect){left + h * column, row, column - gap, CELL * f - gap}, kind, l, h);
  }
  return top - y + k->n_layers * CELL * f;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  EffectsFigure *self = (EffectsFigure *) figure;
  return regard_effects_matrix(self->effects, i);
}

static guint
n_matrices(RegardFigure *figure)
{
  return regard_effects_n_matrices(((EffectsFigure *) figure)->effects);
}

/* What the numbers are, and of what. */
static char *
title_text(const RegardEffects *effects)
{
  if (effects->against) {
    char margin[32];
    return g_strdup_printf(_("Effects of heads · part in logit %s − logit %s, which is %s"),
                           effects->token_texts[effects->contrast_token], effects->against,
                           regard_figure_number(margin, effects->margin, 3));
  }
  if (effects->n_sentences)
    return g_strdup_printf(_("Effects of heads · mean of log p − log p without the head, nats, "
                             "over %u sentences"),
                           effects->n_sentences);
  char logprob[32];
  return g_strdup_printf(_("Effects of heads · log p − log p without the head, nats; log p %s"),
                         regard_figure_number(logprob, effects->logprob, 3));
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  EffectsFigure *self = (EffectsFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  RegardFigureStyle style = figure->style;
  style.scale = REGARD_SCALE_LINEAR; /* what rows or logarithms show would not compare */
  const Grids g = {canvas, regard_figure_palette(&style), &style, self->effects,
                   font,   largest(self->effects)};
  /* A contrast's matrices stand behind those of the effects. */
  RegardMatrix *m = regard_figure_matrix(figure, self->effects->against ? MT_N_KINDS : 0);
  g_autofree char *title = title_text(self->effects);
  const double grid = (inner - (MT_N_KINDS - 1) * GAP * font) / MT_N_KINDS;
  double y = margin, height = 0;
  y += regard_figure_header(canvas, g.palette, margin, y, inner, regard_figure_title(&style, title),
                            m->badges, font);
  for (guint i = 0; i < MT_N_KINDS; i++)
    height = MAX(height, draw_grid(&g, margin + i * (grid + GAP * font), y, grid, order[i]));
  y += height + font * 0.6;
  m->lo = (float) -g.range;
  m->hi = (float) g.range;
  /* The first number of the bar is centred under its end. */
  y +=
      regard_figure_footer(canvas, g.palette, &style, m, margin + 1.5 * font, y, inner - 1.5 * font,
                           regard_figure_has(&style, REGARD_PART_MODEL) ? self->effects->model_name
                                                                        : NULL,
                           font);
  return y + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardEffects *effects = ((EffectsFigure *) figure)->effects;
  g_autofree char *title = title_text(effects);
  g_string_append_printf(caption, "%s. Each head is changed alone, with %s.", title,
                         mt_effect_kind_name(effects->with));
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_effects_describe(((EffectsFigure *) figure)->effects,
                                 (mt_attention_kind) spot->part, (guint) spot->row,
                                 (guint) spot->col);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_effects_copy(((EffectsFigure *) figure)->effects, (mt_attention_kind) spot->part,
                             (guint) spot->row, (guint) spot->col);
}

static void
release(RegardFigure *figure)
{
  EffectsFigure *self = (EffectsFigure *) figure;
  regard_effects_unref(self->effects);
}

RegardFigure *
regard_figure_new_effects(RegardEffects *effects, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  EffectsFigure *self = regard_figure_alloc(sizeof *self, &klass, style, TRUE);
  self->effects = regard_effects_ref(effects);
  return &self->parent;
}
