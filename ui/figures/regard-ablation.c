/* regard-ablation.c — what each head does for a translation: its tables in files, the heads of all
 * layers as three grids beside each other, coloured by it, and which heads chose a token and not
 * another one, as bars to both sides.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-ablation.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};
static const char *const contrast_ids[MT_N_KINDS] = {"encoder_contrast", "decoder_contrast",
                                                     "cross_contrast"};
static const char *const token_ids[MT_N_KINDS] = {"encoder_tokens", "decoder_tokens",
                                                  "cross_tokens"};

static void
fill_kind(RegardAblation *self, const mt_ablation *effects, mt_attention_kind kind)
{
  RegardAblationKind *k = &self->kinds[kind];
  const gsize n = self->n_tokens;
  k->n_layers = (guint) effects->n_layers[kind];
  k->n_heads = (guint) effects->n_heads[kind];
  const gsize n_all = (gsize) k->n_layers * k->n_heads;
  k->effects = g_new0(double, n_all);
  k->tokens = g_new0(float, n_all *n);
  if (effects->has_contrast)
    k->contrast = g_new0(double, n_all);
  for (gsize i = 0; i < n_all; i++) {
    const gsize layer = i / k->n_heads, head = i % k->n_heads;
    const float *tokens = mt_ablation_tokens(effects, kind, layer, head);
    k->effects[i] = mt_ablation_get(effects, kind, layer, head);
    for (gsize t = 0; t < n; t++)
      k->tokens[i * n + t] = tokens[t];
    if (k->contrast)
      k->contrast[i] = (double) mt_ablation_contrast(effects, kind, layer, head);
  }
}

static void
clear(gpointer subject)
{
  RegardAblation *effects = subject;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    g_free(effects->kinds[kind].effects);
    g_free(effects->kinds[kind].tokens);
    g_free(effects->kinds[kind].contrast);
    g_free(effects->kinds[kind].bleu);
    g_free(effects->kinds[kind].chrf);
  }
  g_strfreev(effects->token_texts);
  g_free(effects->foil);
  g_free(effects->interventions);
  g_free(effects->source);
  g_free(effects->translation);
  g_free(effects->model_name);
}

RegardAblation *
regard_ablation_new(const mt_model *model, const mt_ablation *effects, const mt_tokens *source,
                    const mt_tokens *output, const mt_interventions *interventions,
                    guint contrast_token, const char *foil)
{
  RegardAblation *self = regard_subject_alloc(sizeof *self, clear);
  self->model_name = g_strdup(mt_model_name(model));
  self->interventions = regard_figure_dup_interventions(interventions);
  self->source = g_strdup(mt_tokens_text(source));
  self->translation = g_strdup(mt_tokens_text(output));
  self->with = effects->kind;
  self->n_tokens = (guint) effects->n_tokens;
  self->token_texts = g_new0(char *, self->n_tokens + 1);
  for (guint t = 0; t < self->n_tokens; t++) {
    self->token_texts[t] = g_strdup(mt_tokens_get(output, t)->piece);
    self->logprob += (double) effects->logprobs[t];
  }
  self->contrast_token = contrast_token;
  self->foil = effects->has_contrast ? g_strdup(foil) : NULL;
  self->margin = (double) effects->margin;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    fill_kind(self, effects, kind);
  return self;
}

/* ---- Many sentences -------------------------------------------------------------------------- */

static double *
new_unknown(gsize n)
{
  double *values = g_new(double, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (double) NAN;
  return values;
}

RegardAblationSum *
regard_ablation_sum_new(const mt_model *model, mt_ablation_kind with, gboolean is_scored)
{
  const mt_config *config = mt_model_config(model);
  RegardAblationSum *sum = g_new0(RegardAblationSum, 1);
  sum->with = with;
  sum->bleu = sum->chrf = (double) NAN;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    const mt_stack stack = regard_naming_rows(kind);
    RegardAblationKind *k = &sum->kinds[kind];
    k->n_layers = (guint) config->n_layers[stack];
    k->n_heads = (guint) config->n_heads[stack];
    const gsize n = (gsize) k->n_layers * k->n_heads;
    k->effects = g_new0(double, MAX(n, 1));
    if (is_scored) {
      k->bleu = new_unknown(n);
      k->chrf = new_unknown(n);
    }
  }
  return sum;
}

void
regard_ablation_sum_free(RegardAblationSum *sum)
{
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    g_free(sum->kinds[kind].effects);
    g_free(sum->kinds[kind].bleu);
    g_free(sum->kinds[kind].chrf);
  }
  g_free(sum);
}

void
regard_ablation_sum_add(RegardAblationSum *sum, const mt_ablation *effects)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    RegardAblationKind *k = &sum->kinds[kind];
    for (guint l = 0; l < k->n_layers; l++)
      for (guint h = 0; h < k->n_heads; h++)
        k->effects[(gsize) l * k->n_heads + h] += mt_ablation_get(effects, kind, l, h);
  }
  for (gsize t = 0; t < effects->n_tokens; t++)
    sum->logprob += (double) effects->logprobs[t];
  sum->n++;
}

/* What a score is less than that with all heads; NULL of NULL. */
static double *
lost(const double *scores, double whole, gsize n)
{
  double *values = scores ? g_new(double, MAX(n, 1)) : NULL;
  for (gsize i = 0; scores && i < n; i++)
    values[i] = whole - scores[i];
  return values;
}

RegardAblation *
regard_ablation_sum_mean(const RegardAblationSum *sum, const mt_model *model,
                         const mt_interventions *interventions)
{
  if (sum->n == 0)
    return NULL;
  RegardAblation *self = regard_subject_alloc(sizeof *self, clear);
  self->model_name = g_strdup(mt_model_name(model));
  self->interventions = regard_figure_dup_interventions(interventions);
  self->with = sum->with;
  self->n_sentences = sum->n;
  self->logprob = sum->logprob / sum->n;
  self->bleu = sum->bleu;
  self->chrf = sum->chrf;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    RegardAblationKind *k = &self->kinds[kind];
    const gsize n = (gsize) sum->kinds[kind].n_layers * sum->kinds[kind].n_heads;
    *k = sum->kinds[kind];
    k->effects = g_memdup2(k->effects, n * sizeof *k->effects);
    k->bleu = lost(k->bleu, sum->bleu, n);
    k->chrf = lost(k->chrf, sum->chrf, n);
    for (gsize i = 0; i < n; i++)
      k->effects[i] /= sum->n;
  }
  return self;
}

double
regard_ablation_shown(const RegardAblation *effects, mt_attention_kind kind, guint layer,
                      guint head)
{
  const RegardAblationKind *k = &effects->kinds[kind];
  return (k->contrast ? k->contrast : k->effects)[(gsize) layer * k->n_heads + head];
}

char *
regard_ablation_head_name(mt_attention_kind kind, guint layer, guint head)
{
  return g_strdup_printf("%s %u.%u", kind_names[kind], layer + 1, head + 1);
}

const char *
regard_ablation_with(mt_ablation_kind with)
{
  return regard_words_of("replaced with", mt_ablation_kind_name(with));
}

/* Of the head that a spot of both pictures is of. */
static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardAblation *effects = figure->subject;
  const mt_attention_kind kind = (mt_attention_kind) spot->part;
  const RegardAblationKind *k = &effects->kinds[kind];
  const gsize i = (gsize) spot->row * k->n_heads + (gsize) spot->col;
  g_autofree char *name = regard_ablation_head_name(kind, (guint) spot->row, (guint) spot->col);
  GString *words = g_string_new(NULL);
  if (k->contrast)
    g_string_printf(words, _("%s: effect %+.4f nats, part in the contrast %+.4f"), name,
                    k->effects[i], k->contrast[i]);
  else
    g_string_printf(words, _("%s: effect %+.4f nats"), name, k->effects[i]);
  if (k->tokens) {
    guint most = 0;
    const float *tokens = k->tokens + i * effects->n_tokens;
    for (guint t = 1; t < effects->n_tokens; t++)
      if (fabsf(tokens[t]) > fabsf(tokens[most]))
        most = t;
    g_string_append_printf(words, _("\nmost on %s, %+.4f"), effects->token_texts[most],
                           (double) tokens[most]);
  }
  return g_string_free(words, FALSE);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_exact_copy(regard_ablation_shown(figure->subject, (mt_attention_kind) spot->part,
                                                 (guint) spot->row, (guint) spot->col));
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* "4.1" */
static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardAblationKind *k = data;
  label->text = g_strdup_printf("%u.%u", i / k->n_heads + 1, i % k->n_heads + 1);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

/* "cross", as a word of a title. */
static const char *
kind_word(mt_attention_kind kind)
{
  static const char *const words[MT_N_KINDS] = {NC_("attention", "encoder"),
                                                NC_("attention", "decoder"),
                                                NC_("attention", "cross")};
  return regard_words_of("attention", words[kind]);
}

static RegardMatrix *
effects_matrix(const RegardAblation *self, const char *id, mt_attention_kind kind, const char *name,
               RegardAxis rows, RegardAxis cols, float *values)
{
  g_autofree char *title = g_strdup_printf(_("Effects of heads · %s"), kind_word(kind));
  g_autofree char *interventions =
      regard_figure_interventions_badge(_("changed: %s"), self->interventions);
  g_autofree char *with = g_strdup_printf(_("with %s"), regard_ablation_with(self->with));
  g_autofree char *mean = self->n_sentences
                              ? g_strdup_printf(ngettext("mean of %u sentence",
                                                         "mean of %u sentences", self->n_sentences),
                                                self->n_sentences)
                              : NULL;
  const char *badges[4] = {with};
  guint n = 1;
  if (mean)
    badges[n++] = mean;
  if (interventions)
    badges[n++] = interventions;
  return regard_matrix_new_from(&(RegardMatrixSource){.id = id,
                                                      .title = title,
                                                      .value_name = name,
                                                      .model_name = self->model_name,
                                                      .badges = badges,
                                                      .rows = rows,
                                                      .cols = cols,
                                                      .values = values,
                                                      .range = REGARD_RANGE_SIGNED});
}

/* Layers by heads of any numbers. */
static RegardMatrix *
heads_matrix(const RegardAblation *self, mt_attention_kind kind, const char *id, const char *name,
             const double *numbers)
{
  const RegardAblationKind *k = &self->kinds[kind];
  const gsize n = (gsize) k->n_layers * k->n_heads;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (float) numbers[i];
  return effects_matrix(self, id, kind, name,
                        regard_axis_counted(k->n_layers, 1, _("layers"), _("layer")),
                        regard_axis_counted(k->n_heads, 1, _("heads"), _("head")), values);
}

static RegardMatrix *
contrast_matrix(const RegardAblation *self, mt_attention_kind kind)
{
  g_autofree char *name = g_strdup_printf(_("part in logit %s − logit %s"),
                                          self->token_texts[self->contrast_token], self->foil);
  return heads_matrix(self, kind, contrast_ids[kind], name, self->kinds[kind].contrast);
}

static RegardMatrix *
tokens_matrix(const RegardAblation *self, mt_attention_kind kind)
{
  const RegardAblationKind *k = &self->kinds[kind];
  const gsize n = (gsize) k->n_layers * k->n_heads * self->n_tokens;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = k->tokens[i];
  const RegardAxis rows = {.n = k->n_layers * k->n_heads,
                           .title = _("heads"),
                           .noun = _("head"),
                           .label = label_head,
                           .data = k};
  return effects_matrix(self, token_ids[kind], kind, "effect on log p of the token, nats", rows,
                        regard_axis_texts((const char *const *) self->token_texts, self->n_tokens,
                                          "output tokens"),
                        values);
}

/* What a file holds of each kind, one after the other. */
typedef enum {
  TABLE_EFFECTS,
  TABLE_CONTRAST,
  TABLE_TOKENS,
  TABLE_BLEU,
  TABLE_CHRF,
  N_TABLES
} Table;

static gboolean
has_table(const RegardAblation *effects, Table table)
{
  const RegardAblationKind *k = &effects->kinds[0];
  switch (table) {
  case TABLE_CONTRAST:
    return effects->foil != NULL;
  case TABLE_TOKENS:
    return k->tokens != NULL;
  case TABLE_BLEU:
  case TABLE_CHRF:
    return k->bleu != NULL;
  default:
    return TRUE;
  }
}

static guint
n_matrices(RegardFigure *figure)
{
  guint n = 0;
  for (Table table = 0; table < N_TABLES; table++)
    n += has_table(figure->subject, table);
  return MT_N_KINDS * n;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardAblation *effects = figure->subject;
  static const char *const bleu_ids[MT_N_KINDS] = {"encoder_bleu", "decoder_bleu", "cross_bleu"};
  static const char *const chrf_ids[MT_N_KINDS] = {"encoder_chrf", "decoder_chrf", "cross_chrf"};
  const mt_attention_kind kind = i % MT_N_KINDS;
  const RegardAblationKind *k = &effects->kinds[kind];
  Table table = TABLE_EFFECTS;
  for (guint left = i / MT_N_KINDS; left > 0; left--)
    do
      table++;
    while (!has_table(effects, table));
  switch (table) {
  case TABLE_CONTRAST:
    return contrast_matrix(effects, kind);
  case TABLE_TOKENS:
    return tokens_matrix(effects, kind);
  case TABLE_BLEU:
    return heads_matrix(effects, kind, bleu_ids[kind], "effect on BLEU", k->bleu);
  case TABLE_CHRF:
    return heads_matrix(effects, kind, chrf_ids[kind], "effect on chrF2", k->chrf);
  default:
    return heads_matrix(effects, kind, kind_names[kind], _("effect on log p, nats"), k->effects);
  }
}

/* ---- Grids ----------------------------------------------------------------------------------- */

/* In font sizes. */
#define GAP     1.6 /* between grids */
#define NUMBERS 1.6 /* room for the number of a layer */
#define CELL    2.2 /* height of a cell */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardAblation *effects;
  double font, range;
} Grids;

/* From left to right: the way from the source to the translation. */
static const mt_attention_kind order[MT_N_KINDS] = {MT_ENCODER_SELF, MT_CROSS, MT_DECODER_SELF};

static double
largest(const RegardAblation *effects)
{
  double most = 0;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++)
        most = MAX(most, fabs(regard_ablation_shown(effects, kind, l, h)));
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
  const double value = regard_ablation_shown(g->effects, kind, layer, head);
  char number[REGARD_CELL_TEXT];
  regard_canvas_spot(g->canvas, box, (int) kind, (int) layer, (int) head);
  if (!regard_figure_draws(g->canvas))
    return;
  regard_cell_text(number, value, g->range);
  regard_figure_cell(g->canvas, g->style, box, g->font * 0.2, 0.5 + 0.5 * value / g->range, number,
                     box.y + box.height * 0.66, g->font * 0.78, 2 * g->font);
}

/* Returns the height. */
static double
draw_grid(const Grids *g, double x, double y, double width, mt_attention_kind kind)
{
  const RegardAblationKind *k = &g->effects->kinds[kind];
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

/* What the numbers are, and of what. */
static char *
title_text(const RegardAblation *effects)
{
  if (effects->foil) {
    char margin[32];
    return g_strdup_printf(_("Effects of heads · part in logit %s − logit %s, which is %s"),
                           effects->token_texts[effects->contrast_token], effects->foil,
                           regard_figure_number(margin, effects->margin, 3));
  }
  if (effects->n_sentences)
    return g_strdup_printf(ngettext("Effects of heads · mean of log p − log p without the head, "
                                    "nats, over %u sentence",
                                    "Effects of heads · mean of log p − log p without the head, "
                                    "nats, over %u sentences",
                                    effects->n_sentences),
                           effects->n_sentences);
  char logprob[32];
  return g_strdup_printf(_("Effects of heads · log p − log p without the head, nats; log p %s"),
                         regard_figure_number(logprob, effects->logprob, 3));
}

static double
draw_effects(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardAblation *effects = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  RegardFigureStyle style = figure->style;
  style.scale = REGARD_SCALE_LINEAR; /* what rows or logarithms show would not compare */
  const Grids g = {canvas, regard_figure_palette(&style), &style, effects, font, largest(effects)};
  /* A contrast's matrices stand behind those of the effects. */
  const RegardMatrix *m = regard_figure_matrix(figure, effects->foil ? MT_N_KINDS : 0);
  g_autofree char *title = title_text(effects);
  const double grid = (inner - (MT_N_KINDS - 1) * GAP * font) / MT_N_KINDS;
  double y = margin, height = 0;
  y += regard_figure_header(canvas, g.palette, margin, y, inner, regard_figure_title(&style, title),
                            m->badges, font);
  for (guint i = 0; i < MT_N_KINDS; i++)
    height = MAX(height, draw_grid(&g, margin + i * (grid + GAP * font), y, grid, order[i]));
  y += height + font * 0.6;
  y += regard_figure_signed_footer(canvas, g.palette, &style, m, g.range, margin, y, inner, font);
  return y + margin;
}

/* Of which text, and how. */
static void
append_how(const RegardAblation *effects, GString *caption)
{
  if (effects->source) {
    regard_words_add_quoted(caption, _("Source"), effects->source);
    regard_words_add_quoted(caption, _("Translation"), effects->translation);
  }
  /* Translators: with zero, with uniform (weights), with the mean */
  regard_words_add_sentence(caption, _("Each head is changed alone, with %s."),
                            regard_ablation_with(effects->with));
}

static void
append_effects(RegardFigure *figure, GString *caption)
{
  const RegardAblation *effects = figure->subject;
  g_autofree char *title = title_text(effects);
  regard_words_add_title(caption, title);
  append_how(effects, caption);
}

/* The three that are drawn, in their order. */
static RegardMatrix *
new_map(RegardFigure *figure, guint i)
{
  const RegardAblation *effects = figure->subject;
  /* A contrast's matrices stand behind those of the effects. */
  return i < MT_N_KINDS ? new_matrix(figure, order[i] + (effects->foil ? MT_N_KINDS : 0)) : NULL;
}

RegardFigure *
regard_figure_new_ablation(RegardAblation *effects, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw_effects,
      .new_map = new_map,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_effects,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  return regard_figure_new(&klass, regard_ablation_ref(effects), NULL, TRUE, style);
}

/* ---- Contrast -------------------------------------------------------------------------------- */

/* In font sizes. */
#define PITCH   1.85
#define BAR     0.95
#define NAME    6.2
#define NUMBER  4.2
#define HEADING 2.0

/* Colours that mean the same in light and in dark. */
#define FOR     0xff3584e4
#define AGAINST 0xffe66100

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double value;
} Part;

typedef struct {
  Part parts[2 * REGARD_CONTRAST_MOST]; /* for the token, the largest first, then against it */
  guint n, n_left_out;
  double largest;
} Parts;

/* ---- Which heads ------------------------------------------------------------------------------
 */

/* The largest first; where two are the same, as they stand in the model. */
static int
compare(gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : (x->head < y->head ? -1 : 1);
}

/* The most of each side; zeros speak for nobody. */
static void
find_parts(const RegardAblation *effects, Parts *self)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Part));
  guint n_for = 0, n_against = 0;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++) {
        const Part part = {kind, l, h, regard_ablation_shown(effects, kind, l, h)};
        g_array_append_val(all, part);
        n_for += part.value > 0;
        n_against += part.value < 0;
        self->largest = MAX(self->largest, fabs(part.value));
      }
  g_array_sort(all, compare);
  n_for = MIN(n_for, REGARD_CONTRAST_MOST);
  n_against = MIN(n_against, REGARD_CONTRAST_MOST);
  self->n = n_for + n_against;
  self->n_left_out = all->len - self->n;
  for (guint i = 0; i < self->n; i++)
    self->parts[i] = g_array_index(all, Part, i < n_for ? i : all->len - self->n + i);
}

/* ---- Drawing ----------------------------------------------------------------------------------
 */

typedef struct {
  const RegardAblation *effects;
  const Parts *parts;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double x, width, font;
} Draw;

static void
put(const Draw *d, double x, double baseline, double width, const char *text, gboolean dim,
    gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

/* "▁über, not ▁hat: logit +1.33", in two lines where one is too narrow. */
static double
draw_heading(const Draw *d, double y)
{
  const RegardAblation *effects = d->effects;
  const double f = d->font;
  char margin[32];
  g_autofree char *pair =
      g_strdup_printf(_("%s rather than %s"), effects->token_texts[effects->contrast_token],
                      effects->foil);
  g_autofree char *by =
      /* Translators: a sign and a number; zero, uniform or mean */
      g_strdup_printf(_("logit %s%s · each head alone with %s"), effects->margin > 0 ? "+" : "",
                      regard_figure_number(margin, effects->margin, 3),
                      regard_ablation_with(effects->with));
  const RegardSpan bold = {pair, d->palette->text, TRUE}, plain = {by, d->palette->dim, FALSE};
  const double used = regard_canvas_text_width(d->canvas, &bold, 1, f) + 0.8 * f;
  const double needed = used + regard_canvas_text_width(d->canvas, &plain, 1, f);
  put(d, d->x, y + f, d->width, pair, FALSE, TRUE, REGARD_ANCHOR_START);
  if (needed <= d->width)
    put(d, d->x + used, y + f, d->width - used, by, TRUE, FALSE, REGARD_ANCHOR_START);
  else {
    y += 1.45 * f;
    put(d, d->x, y + f, d->width, by, TRUE, FALSE, REGARD_ANCHOR_START);
    return 1.45 * f + HEADING * f;
  }
  return HEADING * f;
}

/* Whose side is whose. */
static double
draw_sides(const Draw *d, double y, double middle)
{
  const RegardAblation *effects = d->effects;
  const double f = d->font, room = (d->width - NAME * f - NUMBER * f) / 2 - 0.6 * f;
  g_autofree char *foil = g_strdup_printf(_("← for %s"), effects->foil);
  g_autofree char *towards =
      g_strdup_printf(_("for %s →"), effects->token_texts[effects->contrast_token]);
  put(d, middle - 0.5 * f, y + f, room, foil, TRUE, FALSE, REGARD_ANCHOR_END);
  put(d, middle + 0.5 * f, y + f, room, towards, TRUE, FALSE, REGARD_ANCHOR_START);
  return 1.7 * f;
}

static void
draw_part(const Draw *d, double y, double middle, double half, const Part *part)
{
  const double f = d->font, baseline = y + 1.28 * f;
  const double length = MAX(fabs(part->value) / d->parts->largest * half, 0.1 * f);
  g_autofree char *name = regard_ablation_head_name(part->kind, part->layer, part->head);
  char number[32], text[40];
  regard_canvas_spot(d->canvas, (RegardRect){d->x, y + 0.06 * f, d->width, (PITCH - 0.12) * f},
                     (int) part->kind, (int) part->layer, (int) part->head);
  if (!regard_figure_draws(d->canvas))
    return;
  put(d, d->x, baseline, NAME * f, name, FALSE, FALSE, REGARD_ANCHOR_START);
  regard_canvas_fill_rect(d->canvas,
                          (RegardRect){part->value > 0 ? middle : middle - length,
                                       y + (PITCH - BAR) / 2 * f, length, BAR * f},
                          MIN(0.2 * f, length / 2), part->value > 0 ? FOR : AGAINST);
  g_snprintf(text, sizeof text, "%s%s", part->value > 0 ? "+" : "",
             regard_figure_number(number, part->value, 3));
  put(d, d->x + d->width, baseline, NUMBER * f, text, FALSE, FALSE, REGARD_ANCHOR_END);
}

static double
draw_parts(const Draw *d, double y)
{
  const Parts *self = d->parts;
  const double f = d->font, top = y, half = (d->width - (NAME + NUMBER) * f) / 2;
  const double middle = d->x + NAME * f + half;
  if (self->n == 0) {
    put(d, d->x, y + f, d->width, _("No head makes a difference."), TRUE, FALSE,
        REGARD_ANCHOR_START);
    return 1.6 * f;
  }
  y += draw_sides(d, y, middle);
  const double first = y;
  for (guint i = 0; i < self->n; i++, y += PITCH * f)
    draw_part(d, y, middle, half - 0.4 * f, &self->parts[i]);
  regard_canvas_stroke_line(d->canvas, middle, first, middle, y, 0.06 * f, d->palette->grid);
  if (self->n_left_out > 0) {
    g_autofree char *others =
        g_strdup_printf(ngettext("and %u head that matters less", "and %u heads that matter less",
                                 self->n_left_out),
                        self->n_left_out);
    put(d, d->x, y + 1.15 * f, d->width, others, TRUE, FALSE, REGARD_ANCHOR_START);
    y += 1.6 * f;
  }
  return y - top;
}

static double
draw_contrast(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const double margin = font * REGARD_FIGURE_MARGIN;
  const Draw d = {
      figure->subject, figure->options,    canvas, regard_figure_palette(&figure->style),
      margin,          width - 2 * margin, font};
  double y = margin;
  regard_canvas_begin_group(canvas, "contrast");
  y += draw_heading(&d, y);
  y += draw_parts(&d, y);
  regard_canvas_end_group(canvas);
  return y + margin;
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static void
append_contrast(RegardFigure *figure, GString *caption)
{
  const RegardAblation *effects = figure->subject;
  char margin[32];
  regard_words_add_sentence(
      caption, _("Which head chose it: parts in logit %s − logit %s, which is %s at token %u."),
      effects->token_texts[effects->contrast_token], effects->foil,
      regard_figure_number(margin, effects->margin, 3), effects->contrast_token + 1);
  append_how(effects, caption);
}

RegardFigure *
regard_figure_new_contrast(RegardAblation *effects, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .options_size = sizeof(Parts),
      .draw = draw_contrast,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_contrast,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  Parts parts = {0};
  g_return_val_if_fail(effects->foil, NULL);
  find_parts(effects, &parts);
  return regard_figure_new(&klass, regard_ablation_ref(effects), &parts, FALSE, style);
}
