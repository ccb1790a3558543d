/* regard-token-card.c — the picture of one token at one sub-layer: what its norm does, what batch
 * norm would do, and which neurons of a network are active.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-token-card.h"

#include "figures/regard-equations.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* Less is none, as mt_neurons_active counts. */
#define ACTIVE 1e-6f

static gboolean
fill_norms(RegardTokenCard *self, const mt_trace *const *batch, gsize n_batch, mt_error *error)
{
  RegardLayers *layers = self->layers;
  const mt_point point = mt_point_at(mt_model_config(layers->model), self->stack, self->point);
  const guint d = self->d;
  const float *gain, *bias;
  mt_batch_norm *over = n_batch ? mt_batch_norm_new(batch, n_batch, point, error) : NULL;
  gboolean ok = !n_batch || over;
  self->read = g_new0(float, d);
  self->by_layer = g_new0(float, d);
  self->by_batch = over ? g_new0(float, d) : NULL;
  ok = ok && mt_norms_compare(layers->model, layers->trace, point, self->token, over, self->read,
                              self->by_layer, self->by_batch);
  ok = ok && mt_point_norm(layers->model, point, &gain, &bias);
  if (ok) {
    self->gain = g_memdup2(gain, d * sizeof *gain);
    self->bias = bias ? g_memdup2(bias, d * sizeof *bias) : NULL;
    self->numbers = mt_stream_measure(layers->model, layers->trace, point, self->token);
  } else if (error && !*error->message) {
    error->code = MT_ERROR_INPUT;
    g_strlcpy(error->message, _("There is no norm at this point."), sizeof error->message);
  }
  if (ok && over) {
    self->n_batch = (guint) over->n_tokens;
    self->batch_mean = g_new(float, d);
    self->batch_sigma = g_new(float, d);
    for (guint i = 0; i < d; i++) {
      self->batch_mean[i] = (float) over->mean[i];
      self->batch_sigma[i] = (float) over->sigma[i];
    }
  }
  mt_batch_norm_free(over);
  return ok;
}

/* Of a gated network the pass keeps the gate and the product; what is between follows from them. */
static void
fill_gate(RegardTokenCard *self, mt_point point)
{
  const mt_trace *trace = self->layers->trace;
  const mt_attention_kind kind =
      self->stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
  const mt_matrix gate = mt_trace_get(trace, MT_HOOK_GATE, kind, point.layer, -1);
  const mt_matrix product = mt_trace_get(trace, MT_HOOK_HIDDEN, kind, point.layer, -1);
  if (!gate.data || !product.data)
    return;
  self->activated = g_new(float, self->d_ffn);
  self->gate = g_new(float, self->d_ffn);
  self->product = g_new(float, self->d_ffn);
  for (guint i = 0; i < self->d_ffn; i++) {
    self->gate[i] = mt_matrix_at(&gate, self->token, i);
    self->product[i] = mt_matrix_at(&product, self->token, i);
    self->activated[i] = self->gate[i] != 0 ? self->product[i] / self->gate[i] : 0;
  }
}

static void
fill_neurons(RegardTokenCard *self)
{
  RegardLayers *layers = self->layers;
  const mt_config *config = mt_model_config(layers->model);
  const mt_point point = mt_point_at(config, self->stack, self->point);
  mt_neuron strongest[REGARD_CARD_NEURONS];
  self->active = NAN;
  if (point.sub_layer != MT_SUB_LAYER_FEED_FORWARD)
    return;
  self->d_ffn = (guint) config->d_ffn[self->stack];
  fill_gate(self, point);
  self->active = mt_neurons_active(layers->trace, self->stack, (gsize) point.layer, self->token);
  self->n_neurons = (guint) mt_neurons_strongest(layers->trace, self->stack, (gsize) point.layer,
                                                 self->token, REGARD_CARD_NEURONS, strongest);
  while (self->n_neurons > 0 && fabsf(strongest[self->n_neurons - 1].activation) <= ACTIVE)
    self->n_neurons--; /* fewer are active than there is room for */
  for (guint i = 0; i < self->n_neurons; i++) {
    RegardCardNeuron *neuron = &self->neurons[i];
    neuron->neuron = strongest[i];
    neuron->activated = self->gate ? self->activated[strongest[i].neuron] : NAN;
    neuron->gate = self->gate ? self->gate[strongest[i].neuron] : NAN;
    neuron->n_pieces =
        (guint) mt_neuron_says(layers->model, self->stack, (gsize) point.layer, strongest[i].neuron,
                               REGARD_CARD_PIECES, neuron->raised, neuron->lowered);
  }
}

static void
clear(gpointer subject)
{
  RegardTokenCard *self = subject;
  regard_layers_unref(self->layers);
  g_free(self->read);
  g_free(self->gain);
  g_free(self->bias);
  g_free(self->by_layer);
  g_free(self->batch_mean);
  g_free(self->batch_sigma);
  g_free(self->by_batch);
  g_free(self->activated);
  g_free(self->gate);
  g_free(self->product);
}

RegardTokenCard *
regard_token_card_new(RegardLayers *layers, mt_stack stack, guint point, guint token,
                      const mt_trace *const *batch, gsize n_batch, mt_error *error)
{
  RegardTokenCard *self = regard_subject_alloc(sizeof *self, clear);
  self->layers = regard_layers_ref(layers);
  self->stack = stack;
  self->point = point;
  self->token = token;
  self->d = (guint) mt_model_config(layers->model)->d_model;
  if (!fill_norms(self, batch, n_batch, error)) {
    regard_token_card_unref(self);
    return NULL;
  }
  fill_neurons(self);
  return self;
}

/* In font sizes. */
#define PITCH 1.75
#define BAND  1.25
#define LABEL 15.5
#define REACH 6.4 /* how far colours reach, behind a strip */
#define SHOWN 5   /* pieces of a neuron in the picture; all are in files */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  gboolean dark;
  const RegardTokenCard *card;
  double font, x, width;
} Draw;

/* Spots: part is the line, col the number; of neurons row counts them. */
enum {
  SPOT_READ,
  SPOT_GAIN,
  SPOT_BIAS,
  SPOT_LAYER,
  SPOT_MEAN,
  SPOT_SIGMA,
  SPOT_BATCH,
  SPOT_ACTIVATED, /* these three of a gated network */
  SPOT_GATE,
  SPOT_PRODUCT,
  N_LINES,
  SPOT_NEURON = N_LINES
};

static const struct {
  const char *id, *name;
} lines[N_LINES] = {
    [SPOT_READ] = {"read", N_("x, before")},
    [SPOT_GAIN] = {"gain", N_("gain γ")},
    [SPOT_BIAS] = {"bias", N_("bias β")},
    [SPOT_LAYER] = {"layer_norm", NULL}, /* its equation */
    [SPOT_MEAN] = {"batch_mean", N_("μ of each number")},
    [SPOT_SIGMA] = {"batch_sigma", N_("σ of each number")},
    [SPOT_BATCH] = {"batch_norm", NULL},
    [SPOT_ACTIVATED] = {"activated", N_("f(W₁ x)")},
    [SPOT_GATE] = {"gate", N_("gate G x")},
    [SPOT_PRODUCT] = {"hidden", N_("their product")},
};

static const mt_config *
config_of(const RegardTokenCard *card)
{
  return mt_model_config(card->layers->model);
}

static const char *
line_name(const RegardTokenCard *card, guint line)
{
  return line == SPOT_LAYER   ? regard_equation_norm(config_of(card))
         : line == SPOT_BATCH ? (card->bias ? "γ (x − μ) ÷ σ + β" : "γ (x − μ) ÷ σ")
                              : _(lines[line].name);
}

static const char *
line_id(const RegardTokenCard *card, guint line)
{
  return line == SPOT_LAYER && config_of(card)->norm_kind == MT_NORM_RMS ? "rms_norm"
                                                                         : lines[line].id;
}

/* NULL: the card does not have this one. */
static const float *
values_of(const RegardTokenCard *card, guint line)
{
  const float *const values[N_LINES] = {card->read,     card->gain,       card->bias,
                                        card->by_layer, card->batch_mean, card->batch_sigma,
                                        card->by_batch, card->activated,  card->gate,
                                        card->product};
  return values[line];
}

static guint
n_values(const RegardTokenCard *card, guint line)
{
  return line >= SPOT_ACTIVATED ? card->d_ffn : card->d;
}

static void
text(const Draw *d, double x, double baseline, double width, const char *string, gboolean dim,
     gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, string,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

/* ---- Strips ---------------------------------------------------------------------------------- */

/* How far colours reach: to the largest number, but one that stands out does not make all others
 * pale. */
static double
reach_of(const float *values, guint n)
{
  double most = 1e-6, squares = 0;
  for (guint i = 0; i < n; i++) {
    most = MAX(most, fabs((double) values[i]));
    squares += (double) values[i] * values[i];
  }
  return MIN(most, 3 * sqrt(squares / MAX(n, 1)) + 1e-6);
}

/* A line of d numbers, its name before it and how far its colours reach behind it. */
static double
draw_line(const Draw *d, double y, guint line, double domain)
{
  const RegardTokenCard *card = d->card;
  const float *values = values_of(card, line);
  const guint n = n_values(card, line);
  const double f = d->font, left = d->x + LABEL * f, width = d->width - (LABEL + REACH) * f;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  text(d, left - 0.7 * f, y + f * 1.02, LABEL * f - 4.4 * f, line_name(card, line),
       line != SPOT_LAYER && line != SPOT_BATCH && line != SPOT_PRODUCT, FALSE, REGARD_ANCHOR_END);
  regard_figure_strip(d->canvas, (RegardRect){left, y, width, BAND * f}, values, n, domain);
  for (guint i = 0; d->canvas->klass->spot && i < n; i++)
    regard_canvas_spot(d->canvas, (RegardRect){left + width * i / n, y, width / n, BAND * f},
                       (int) line, 0, (int) i);
  g_autofree char *reach =
      g_strdup_printf(_("to ±%s"), regard_formatd(number, sizeof number, "%.3g", domain));
  text(d, d->x + d->width, y + f * 1.02, (REACH - 0.6) * f, reach, TRUE, FALSE, REGARD_ANCHOR_END);
  return PITCH * f;
}

/* ---- Norms ----------------------------------------------------------------------------------- */

/* Tokens below each other, numbers beside each other: what a norm takes together is filled. */
static void
draw_axes(const Draw *d, double x, double y, gboolean by_batch)
{
  const double cell = d->font * 0.42;
  for (guint row = 0; row < 4; row++)
    for (guint col = 0; col < 7; col++)
      regard_canvas_fill_rect(
          d->canvas, (RegardRect){x + col * cell, y + row * cell, cell * 0.86, cell * 0.86}, 0,
          (by_batch ? col == 3 : row == 1) ? 0xff3584e4 : d->palette->bar_background);
}

static double
draw_heading(const Draw *d, double y, const char *title, const char *note)
{
  const RegardSpan bold = {title, d->palette->text, TRUE};
  const double size = d->font * 1.08;
  const double used = regard_canvas_text_width(d->canvas, &bold, 1, size) + d->font * 0.8;
  regard_canvas_text(d->canvas, d->x, y + size, &bold, 1, size, REGARD_ANCHOR_START, 0);
  text(d, d->x + used, y + size, d->width - used, note, TRUE, FALSE, REGARD_ANCHOR_START);
  return size * 2;
}

static double
draw_norms(const Draw *d, double y)
{
  const RegardTokenCard *card = d->card;
  const double f = d->font, top = y;
  const double domain = MAX(reach_of(card->by_layer, card->d),
                            card->by_batch ? reach_of(card->by_batch, card->d) : 0);
  g_autofree char *numbers =
      config_of(card)->norm_kind == MT_NORM_RMS
          ? g_strdup_printf(
                ngettext("σ = %.4f, the root mean square of the %u number of this token",
                         "σ = %.4f, the root mean square of the %u numbers of this token", card->d),
                card->numbers.sigma, card->d)
          : g_strdup_printf(ngettext("μ = %.4f and σ = %.4f of the %u number of this token",
                                     "μ = %.4f and σ = %.4f of the %u numbers of this token",
                                     card->d),
                            card->numbers.mean, card->numbers.sigma, card->d);
  y += draw_heading(d, y, regard_norm_title(config_of(card)), numbers);
  draw_axes(d, d->x + 0.4 * f, y + 0.2 * f, FALSE);
  y += draw_line(d, y, SPOT_READ, reach_of(card->read, card->d));
  y += draw_line(d, y, SPOT_GAIN, reach_of(card->gain, card->d));
  if (card->bias)
    y += draw_line(d, y, SPOT_BIAS, reach_of(card->bias, card->d));
  y += draw_line(d, y, SPOT_LAYER, domain) + 0.7 * f;
  if (!card->by_batch) {
    text(d, d->x, y + f, d->width, _("Batch norm needs a batch of sentences to show beside it."),
         TRUE, FALSE, REGARD_ANCHOR_START);
    return y + PITCH * f - top;
  }
  g_autofree char *batch =
      g_strdup_printf(ngettext("the same numbers, each by its own μ and σ over %u token of a "
                               "batch; this model was not trained with it",
                               "the same numbers, each by its own μ and σ over %u tokens of a "
                               "batch; this model was not trained with it",
                               card->n_batch),
                      card->n_batch);
  y += draw_heading(d, y, _("Batch norm"), batch);
  draw_axes(d, d->x + 0.4 * f, y + 0.2 * f, TRUE);
  y += draw_line(d, y, SPOT_MEAN, reach_of(card->batch_mean, card->d));
  y += draw_line(d, y, SPOT_SIGMA, reach_of(card->batch_sigma, card->d));
  y += draw_line(d, y, SPOT_BATCH, domain);
  return y - top;
}

/* ---- Neurons --------------------------------------------------------------------------------- */

static void
append_pieces(const RegardTokenCard *card, const mt_neuron_piece *pieces, guint n, GString *string,
              gboolean with_logits)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *piece = regard_layers_piece(card->layers, card->stack, pieces[i].piece);
    g_string_append_printf(string, "%s%s", i ? "  " : "", piece);
    if (with_logits)
      g_string_append_printf(string, " %.2f", (double) pieces[i].logit);
  }
}

static void
draw_neuron(const Draw *d, double y, guint i, double most)
{
  const RegardTokenCard *card = d->card;
  const RegardCardNeuron *n = &card->neurons[i];
  const double f = d->font, name = 5 * f, bar = 9 * f, rest = (d->width - name - bar - 6 * f) / 2;
  const double length = fabs((double) n->neuron.activation) / most * bar;
  g_autoptr(GString) raised = g_string_new(NULL), lowered = g_string_new(NULL);
  g_autofree char *number = g_strdup_printf("%u", (guint) n->neuron.neuron + 1);
  g_autofree char *activation = g_strdup_printf("%.2f", (double) n->neuron.activation);
  append_pieces(card, n->raised, MIN(n->n_pieces, SHOWN), raised, FALSE);
  append_pieces(card, n->lowered, MIN(n->n_pieces, SHOWN), lowered, FALSE);
  text(d, d->x + name - 1.4 * f, y + f * 1.02, name, number, TRUE, FALSE, REGARD_ANCHOR_END);
  regard_canvas_fill_rect(d->canvas, (RegardRect){d->x + name, y + 0.2 * f, length, 0.9 * f}, 2,
                          n->neuron.activation < 0 ? 0xff3584e4 : 0xffc64600);
  text(d, d->x + name + bar + 4 * f, y + f * 1.02, 4 * f, activation, FALSE, FALSE,
       REGARD_ANCHOR_END);
  text(d, d->x + name + bar + 5 * f, y + f * 1.02, rest, raised->str, FALSE, FALSE,
       REGARD_ANCHOR_START);
  text(d, d->x + name + bar + 6 * f + rest, y + f * 1.02, rest, lowered->str, FALSE, FALSE,
       REGARD_ANCHOR_START);
  regard_canvas_spot(d->canvas, (RegardRect){d->x, y, d->width, BAND * f}, SPOT_NEURON, (int) i,
                     -1);
}

static double
draw_neurons(const Draw *d, double y)
{
  const RegardTokenCard *card = d->card;
  const double f = d->font, top = y, rest = (d->width - 20 * f) / 2;
  if (isnan(card->active))
    return 0;
  g_autofree char *note =
      g_strdup_printf(ngettext("%.1f %% of %u neuron is active; the strongest",
                               "%.1f %% of %u neurons are active; the strongest", card->d_ffn),
                      100 * card->active, card->d_ffn);
  y += 0.9 * f;
  y += draw_heading(d, y, card->gate ? _("Gated feed-forward network") : _("Feed-forward network"),
                    note);
  for (guint line = SPOT_ACTIVATED; card->gate && line <= SPOT_PRODUCT; line++)
    y += draw_line(d, y, line, reach_of(values_of(card, line), card->d_ffn));
  y += card->gate ? 0.5 * f : 0;
  text(d, d->x, y + 0.8 * f, 5 * f, _("neuron"), TRUE, FALSE, REGARD_ANCHOR_START);
  text(d, d->x + 5 * f, y + 0.8 * f, 9 * f, _("activation"), TRUE, FALSE, REGARD_ANCHOR_START);
  text(d, d->x + 19 * f, y + 0.8 * f, rest, _("raises most"), TRUE, FALSE, REGARD_ANCHOR_START);
  text(d, d->x + 20 * f + rest, y + 0.8 * f, rest, _("lowers most"), TRUE, FALSE,
       REGARD_ANCHOR_START);
  y += 1.5 * f;
  const double most =
      card->n_neurons ? MAX(fabs((double) card->neurons[0].neuron.activation), 1e-6) : 1;
  for (guint i = 0; i < card->n_neurons; i++, y += PITCH * f)
    draw_neuron(d, y, i, most);
  return y - top;
}

/* ---- The figure ------------------------------------------------------------------------------ */

static char *
title_of(const RegardTokenCard *card)
{
  const RegardLayersStack *s = &card->layers->stacks[card->stack];
  /* Translators: a token, and a place between layers: "▁dog · encoder 2 self" */
  return g_strdup_printf(card->stack == MT_STACK_ENCODER ? _("%s · encoder %s")
                                                         : _("%s · decoder %s"),
                         s->token_texts[card->token], s->point_names[card->point]);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardTokenCard *card = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  const Draw d = {.canvas = canvas,
                  .palette = regard_figure_palette(&figure->style),
                  .dark = figure->style.dark,
                  .card = card,
                  .font = font,
                  .x = margin,
                  .width = width - 2 * margin};
  g_autofree char *title = title_of(card);
  g_autofree char *changed = card->layers->interventions
                                 ? g_strdup_printf(_("changed: %s"), card->layers->interventions)
                                 : NULL;
  char *badges[] = {changed, NULL};
  double y = margin;
  y += regard_figure_header(canvas, d.palette, margin, y, d.width,
                            regard_figure_title(&figure->style, title), changed ? badges : NULL,
                            font);
  y += draw_norms(&d, y);
  y += draw_neurons(&d, y);
  y += regard_figure_model(canvas, d.palette, &figure->style, mt_model_name(card->layers->model),
                           width - margin, y, font * 1.2, font * 0.9);
  return y + margin;
}

/* The lines that the card has. Returns how many. */
static guint
list_lines(const RegardTokenCard *card, guint there[N_LINES])
{
  guint n = 0;
  for (guint line = 0; line < N_LINES; line++)
    if (values_of(card, line))
      there[n++] = line;
  return n;
}

static guint
n_matrices(RegardFigure *figure)
{
  const RegardTokenCard *card = figure->subject;
  guint there[N_LINES];
  return list_lines(card, there) + (card->n_neurons > 0);
}

/* [neurons][activation, ids and logits of the pieces raised, and lowered]. */
static RegardMatrix *
neurons_matrix(const RegardTokenCard *card)
{
  const guint n = card->n_neurons, columns = 1 + 4 * REGARD_CARD_PIECES;
  g_auto(GStrv) names = g_new0(char *, n + 1), titles = g_new0(char *, columns + 1);
  float *values = g_new0(float, (gsize) n *columns);
  titles[0] = g_strdup("activation");
  for (guint k = 0; k < REGARD_CARD_PIECES; k++) {
    titles[1 + 4 * k] = g_strdup_printf("raised_piece_%u", k + 1);
    titles[2 + 4 * k] = g_strdup_printf("raised_logit_%u", k + 1);
    titles[3 + 4 * k] = g_strdup_printf("lowered_piece_%u", k + 1);
    titles[4 + 4 * k] = g_strdup_printf("lowered_logit_%u", k + 1);
  }
  for (guint i = 0; i < n; i++) {
    const RegardCardNeuron *neuron = &card->neurons[i];
    float *row = values + (gsize) i * columns;
    names[i] = g_strdup_printf("%u", (guint) neuron->neuron.neuron + 1);
    row[0] = neuron->neuron.activation;
    for (guint k = 0; k < neuron->n_pieces; k++) {
      row[1 + 4 * k] = (float) neuron->raised[k].piece;
      row[2 + 4 * k] = neuron->raised[k].logit;
      row[3 + 4 * k] = (float) neuron->lowered[k].piece;
      row[4 + 4 * k] = neuron->lowered[k].logit;
    }
  }
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "neurons",
      .title = "Neurons",
      .value_name = "value",
      .model_name = mt_model_name(card->layers->model),
      .rows = regard_axis_texts((const char *const *) names, n, "neurons"),
      .cols = regard_axis_texts((const char *const *) titles, columns, "numbers"),
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardTokenCard *card = figure->subject;
  guint there[N_LINES];
  if (i >= list_lines(card, there))
    return neurons_matrix(card);
  const guint line = there[i], n = n_values(card, line);
  g_autofree char *title = title_of(card);
  const char *const token[] = {card->layers->stacks[card->stack].token_texts[card->token]};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = line_id(card, line),
      .title = title,
      .value_name = line_id(card, line),
      .model_name = mt_model_name(card->layers->model),
      .rows = regard_axis_texts(token, 1, _("token")),
      .cols =
          regard_axis_numbers(n, line >= SPOT_ACTIVATED ? _("neurons") : _("numbers of the stream"),
                              REGARD_TICKS_DECIMAL),
      .values = g_memdup2(values_of(card, line), n * sizeof(float)),
      .range = REGARD_RANGE_SIGNED,
  });
}

/* "number 3: 0.9 × (1.2 − 0.1) ÷ 2.3 + 0.4 = 0.83", without what the norm does not have. */
static char *
describe_norm(const RegardTokenCard *card, guint i, gboolean has_mean, double mean, double sigma,
              double result)
{
  g_autoptr(GString) words = g_string_new(NULL);
  g_string_printf(words, "%.4f × ", (double) card->gain[i]);
  if (has_mean)
    g_string_append_printf(words, "(%.4f − %.4f)", (double) card->read[i], mean);
  else
    g_string_append_printf(words, "%.4f", (double) card->read[i]);
  g_string_append_printf(words, " ÷ %.4f", sigma);
  if (card->bias)
    g_string_append_printf(words, " + %.4f", (double) card->bias[i]);
  g_string_append_printf(words, " = %.4f", result);
  /* Translators: of one number of a vector, how it is computed: "0.9 × 1.2 ÷ 2.3 = 0.47" */
  return g_strdup_printf(_("number %u: %s"), i + 1, words->str);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardTokenCard *card = figure->subject;
  if (spot->part == SPOT_NEURON) {
    const RegardCardNeuron *n = &card->neurons[spot->row];
    const guint number = (guint) n->neuron.neuron + 1;
    const double activation = (double) n->neuron.activation;
    g_autoptr(GString) raised = g_string_new(NULL), lowered = g_string_new(NULL);
    append_pieces(card, n->raised, n->n_pieces, raised, TRUE);
    append_pieces(card, n->lowered, n->n_pieces, lowered, TRUE);
    /* Translators: in both pieces of the vocabulary with numbers, which the neuron makes more
     * likely, and less likely */
    return card->gate ? g_strdup_printf(_("neuron %u: activation %.3f = %.3f, times the gate’s "
                                          "%.3f\nraises %s\nlowers %s"),
                                        number, activation, (double) n->activated, (double) n->gate,
                                        raised->str, lowered->str)
                      : g_strdup_printf(_("neuron %u: activation %.3f\nraises %s\nlowers %s"),
                                        number, activation, raised->str, lowered->str);
  }
  const guint i = (guint) spot->col;
  if (spot->part == SPOT_LAYER)
    return describe_norm(card, i, config_of(card)->norm_kind == MT_NORM_LAYER, card->numbers.mean,
                         card->numbers.sigma, card->by_layer[i]);
  if (spot->part == SPOT_BATCH)
    return describe_norm(card, i, TRUE, card->batch_mean[i], card->batch_sigma[i],
                         card->by_batch[i]);
  return g_strdup_printf(spot->part >= SPOT_ACTIVATED ? _("%s, neuron %u: %.4f")
                                                      : _("%s, number %u: %.4f"),
                         line_name(card, (guint) spot->part), i + 1,
                         (double) values_of(card, (guint) spot->part)[i]);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardTokenCard *card = figure->subject;
  const double value = spot->part == SPOT_NEURON ? card->neurons[spot->row].neuron.activation
                                                 : values_of(card, (guint) spot->part)[spot->col];
  return regard_exact_copy(value);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardTokenCard *card = figure->subject;
  g_autofree char *title = title_of(card);
  g_autoptr(GString) parts = g_string_new(NULL);
  regard_words_add_item(parts, regard_norm_name(config_of(card)));
  if (card->by_batch)
    regard_words_add_item(parts, _("batch norm over a batch"));
  if (!isnan(card->active))
    regard_words_add_item(parts, card->gate ? _("the gated feed-forward network and its neurons")
                                            : _("neurons of the feed-forward network"));
  /* Translators: a place of a token, and a list of what is shown of it */
  regard_words_add_sentence(caption, _("%s: %s."), title, parts->str);
}

RegardFigure *
regard_figure_new_token_card(RegardTokenCard *card, const RegardFigureStyle *style)
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
  };
  return regard_figure_new(&klass, regard_token_card_ref(card), NULL, FALSE, style);
}
