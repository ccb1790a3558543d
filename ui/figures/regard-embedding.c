/* regard-embedding.c — embedding, position and sum of each token, and neighbours of a piece.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-embedding.h"

#include "figures/regard-equations.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* In font sizes. */
#define PITCH 1.7
#define BAND  1.22
#define LABEL 11.0
#define NORM  4.4
#define GAP   1.2

enum { EMBEDDING, POSITION, SUM, N_STRIPS };

typedef struct {
  RegardSubject subject;
  RegardLayers *layers;
  RegardEmbeddingOptions look;
  mt_matrix strips[N_STRIPS]; /* [tokens][d]; of the trace */
  guint shown[N_STRIPS];      /* those that the model has, in this order … */
  guint n_shown;              /* … so many */
  guint n_nearest;
  mt_neighbour nearest[REGARD_NEAREST];
} Embedding;

static const struct {
  const char *id, *name, *note;
} strips[N_STRIPS] = {
    {"embedding", NULL, N_("the piece’s row of the matrix")},
    {"position", N_("+ p"), N_("the position’s row")},
    {"sum", NULL, N_("what the first layer reads")},
};

static const mt_config *
config_of(const Embedding *self)
{
  return mt_model_config(self->layers->model);
}

/* The token's summand is scaled or not, and the sum may go through a norm. */
static const char *
strip_name(const Embedding *self, guint s)
{
  const mt_config *config = config_of(self);
  return s == EMBEDDING                ? regard_equation_token(config)
         : s == POSITION               ? strips[s].name
         : config->normalize_embedding ? "x"
                                       : "= x";
}

static char *
strip_note(const Embedding *self, guint s)
{
  const mt_config *config = config_of(self);
  return s == SUM && config->normalize_embedding
             ? g_strdup_printf(_("after the %s; what the first layer reads"),
                               regard_norm_name(config))
             : g_strdup(_(strips[s].note));
}

static double
norm_of(mt_matrix m, guint row)
{
  double sum = 0;
  for (gsize i = 0; i < m.cols; i++)
    sum += pow(mt_matrix_at(&m, row, i), 2);
  return sqrt(sum);
}

/* Rounded to two figures, so that it stays while somebody types. */
static double
domain_of(const Embedding *self)
{
  double squares = 0, n = 1;
  for (guint s = 0; s < N_STRIPS; s++) /* one that the model does not have, has no rows */
    for (gsize r = 0; r < self->strips[s].rows; r++, n += (double) self->strips[s].cols)
      squares += pow(norm_of(self->strips[s], (guint) r), 2);
  const double reach = 2.2 * sqrt(squares / n), unit = pow(10, floor(log10(MAX(reach, 1e-6))));
  return MAX(ceil(reach / unit * 2) * unit / 2, 1e-6);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct {
  const Embedding *self;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x, width, strip, domain;
} Draw;

static void
text(const Draw *d, double x, double baseline, double width, const char *string, gboolean dim,
     gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, string,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

static void
draw_strip(const Draw *d, double x, double y, guint s, guint row)
{
  const mt_matrix m = d->self->strips[s];
  const RegardRect place = {x, y, d->strip, BAND * d->font};
  regard_figure_strip(d->canvas, place, m.data + row * m.stride, (guint) m.cols, d->domain);
  for (gsize i = 0; d->canvas->klass->spot && i < m.cols; i++)
    regard_canvas_spot(d->canvas,
                       (RegardRect){x + d->strip * i / m.cols, y, d->strip / m.cols, place.height},
                       (int) s, (int) row, (int) i);
}

static double
strip_x(const Draw *d, guint s)
{
  return d->x + LABEL * d->font + s * (d->strip + (NORM + GAP) * d->font);
}

static double
draw_tokens(const Draw *d, double y)
{
  const RegardLayersStack *stack = &d->self->layers->stacks[d->self->look.stack];
  const double f = d->font, top = y;
  char number[32];
  for (guint s = 0; s < d->self->n_shown; s++) {
    g_autofree char *note = strip_note(d->self, d->self->shown[s]);
    text(d, strip_x(d, s), y + f, d->strip, strip_name(d->self, d->self->shown[s]), FALSE, TRUE,
         REGARD_ANCHOR_START);
    text(d, strip_x(d, s), y + 2.3 * f, d->strip, note, TRUE, FALSE, REGARD_ANCHOR_START);
    text(d, strip_x(d, s) + d->strip + NORM * f, y + f, NORM * f, "‖·‖", TRUE, FALSE,
         REGARD_ANCHOR_END);
  }
  y += 3 * f;
  for (guint t = 0; t < stack->n_tokens; t++, y += PITCH * f) {
    text(d, d->x + LABEL * f - 0.7 * f, y + f, LABEL * f - f, stack->token_texts[t], FALSE, FALSE,
         REGARD_ANCHOR_END);
    regard_canvas_spot(d->canvas, (RegardRect){d->x, y, LABEL * f - 0.5 * f, BAND * f},
                       REGARD_EMBEDDING_SPOT_TOKEN, (int) t, -1);
    for (guint s = 0; s < d->self->n_shown; s++) {
      const guint strip = d->self->shown[s];
      draw_strip(d, strip_x(d, s), y, strip, t);
      regard_formatd(number, sizeof number, "%.2f", norm_of(d->self->strips[strip], t));
      text(d, strip_x(d, s) + d->strip + NORM * f, y + f, NORM * f, number, FALSE, FALSE,
           REGARD_ANCHOR_END);
    }
  }
  g_autofree char *reach =
      g_strdup_printf(_("colours to ±%s"),
                      regard_formatd(number, sizeof number, "%.3g", d->domain));
  text(d, strip_x(d, 0), y + f * 1.1, d->strip, reach, TRUE, FALSE, REGARD_ANCHOR_START);
  return y + 2 * f - top;
}

/* Bars as long as their cosines, in two columns. */
static double
draw_nearest(const Draw *d, double y)
{
  const Embedding *self = d->self;
  const double f = d->font, top = y, column = d->width / 2 - f;
  const guint half = (self->n_nearest + 1) / 2;
  if (self->look.piece < 0)
    return 0;
  g_autofree char *piece = regard_layers_piece(self->layers, self->look.stack, self->look.piece);
  /* Translators: %s is a piece, which is drawn within the words */
  const char *title = _("Nearest to %s");
  g_autofree char *note = g_strconcat("   ", _("cosine of rows of the embedding matrix"), NULL);
  RegardWordsPart parts[REGARD_MOST_PARTS];
  RegardSpan spans[REGARD_MOST_PARTS + 1];
  char *texts[REGARD_MOST_PARTS];
  const guint n = regard_words_split(title, parts);
  for (guint i = 0; i < n; i++) {
    texts[i] = parts[i].text ? g_strndup(parts[i].text, parts[i].length) : g_strdup(piece);
    spans[i] = (RegardSpan){texts[i], d->palette->text, TRUE};
  }
  spans[n] = (RegardSpan){note, d->palette->dim, FALSE};
  y += f;
  regard_canvas_text(d->canvas, d->x, y + f * 1.08, spans, n + 1, f * 1.08, REGARD_ANCHOR_START, 0);
  for (guint i = 0; i < n; i++)
    g_free(texts[i]);
  y += 2.1 * f;
  for (guint i = 0; i < self->n_nearest; i++) {
    const double x = d->x + (i / half) * (column + 2 * f), line = y + (i % half) * PITCH * f;
    const double bar = column - 14 * f;
    g_autofree char *name =
        regard_layers_piece(self->layers, self->look.stack, self->nearest[i].piece);
    char number[32];
    regard_formatd(number, sizeof number, "%.3f", self->nearest[i].cosine);
    text(d, x, line + f, 9 * f, name, FALSE, FALSE, REGARD_ANCHOR_START);
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){x + 9.5 * f, line + 0.2 * f,
                                         MAX(bar * self->nearest[i].cosine, 1), 0.9 * f},
                            2, 0xff3584e4);
    text(d, x + column, line + f, 4 * f, number, FALSE, FALSE, REGARD_ANCHOR_END);
    regard_canvas_spot(d->canvas, (RegardRect){x, line, column, BAND * f},
                       REGARD_EMBEDDING_SPOT_NEIGHBOUR, (int) i, -1);
  }
  return y + half * PITCH * f - top;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const Embedding *self = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Draw d = {.self = self,
            .canvas = canvas,
            .palette = regard_figure_palette(&figure->style),
            .font = font,
            .x = margin,
            .width = width - 2 * margin,
            .domain = domain_of(self)};
  g_autofree char *title = g_strdup(
      self->look.stack == MT_STACK_ENCODER ? _("Embedding · encoder") : _("Embedding · decoder"));
  double y = margin;
  const double n = self->n_shown;
  d.strip = (d.width - LABEL * font - n * NORM * font - (n - 1) * GAP * font) / n;
  d.strip = MAX(d.strip, 6 * font);
  y += regard_figure_header(canvas, d.palette, margin, y, d.width,
                            regard_figure_title(&figure->style, title), NULL, font);
  y += draw_tokens(&d, y);
  y += draw_nearest(&d, y);
  y += regard_figure_model(canvas, d.palette, &figure->style, mt_model_name(self->layers->model),
                           width - margin, y, font * 1.4, font * 0.9);
  return y + margin;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static guint
n_matrices(RegardFigure *figure)
{
  const Embedding *self = figure->subject;
  return self->n_shown + 1 + (self->n_nearest > 0);
}

static RegardMatrix *
make_matrix(const Embedding *self, const char *id, RegardAxis rows, RegardAxis cols, float *values)
{
  return regard_matrix_new_from(
      &(RegardMatrixSource){.id = id,
                            .title = _("Embedding"),
                            .value_name = id,
                            .model_name = mt_model_name(self->layers->model),
                            .rows = rows,
                            .cols = cols,
                            .values = values,
                            .range = REGARD_RANGE_SIGNED});
}

static RegardMatrix *
nearest_matrix(const Embedding *self)
{
  g_auto(GStrv) names = g_new0(char *, self->n_nearest + 1);
  float *values = g_new(float, 2 * MAX(self->n_nearest, 1));
  g_autofree char *of = regard_layers_piece(self->layers, self->look.stack, self->look.piece);
  for (guint i = 0; i < self->n_nearest; i++) {
    names[i] = regard_layers_piece(self->layers, self->look.stack, self->nearest[i].piece);
    values[2 * i] = (float) self->nearest[i].piece;
    values[2 * i + 1] = self->nearest[i].cosine;
  }
  g_autofree char *title = g_strdup_printf("cosine to %s", of) /* a head of CSV */;
  return make_matrix(self, "nearest",
                     regard_axis_texts((const char *const *) names, self->n_nearest, "pieces"),
                     regard_axis_texts((const char *const[]){"id", title}, 2, "numbers"), values);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const Embedding *self = figure->subject;
  const RegardLayersStack *s = &self->layers->stacks[self->look.stack];
  const RegardAxis tokens =
      regard_axis_texts((const char *const *) s->token_texts, s->n_tokens, C_("text", "tokens"));
  if (i > self->n_shown)
    return nearest_matrix(self);
  const gsize d = self->strips[0].cols, width = i < self->n_shown ? d : self->n_shown;
  const char *ids[N_STRIPS];
  for (guint k = 0; k < self->n_shown; k++)
    ids[k] = strips[self->shown[k]].id;
  float *values = g_new(float, MAX(s->n_tokens * width, 1));
  for (guint t = 0; t < s->n_tokens; t++)
    for (gsize c = 0; c < width; c++)
      values[t * width + c] = i < self->n_shown ? mt_matrix_at(&self->strips[self->shown[i]], t, c)
                                                : (float) norm_of(self->strips[self->shown[c]], t);
  if (i == self->n_shown)
    return make_matrix(self, "norms", tokens, regard_axis_texts(ids, self->n_shown, "norms"),
                       values);
  return make_matrix(self, ids[i], tokens,
                     regard_axis_numbers((guint) d, _("numbers of the stream"),
                                         REGARD_TICKS_DECIMAL),
                     values);
}

/* ---- What a place says ----------------------------------------------------------------------- */

int32_t
regard_figure_embedding_piece(RegardFigure *figure, const RegardSpot *spot)
{
  const Embedding *self = figure->subject;
  if (spot->part == REGARD_EMBEDDING_SPOT_NEIGHBOUR)
    return self->nearest[spot->row].piece;
  const mt_tokens *tokens = self->look.stack == MT_STACK_ENCODER
                                ? mt_trace_source(self->layers->trace)
                                : mt_trace_decoder_input(self->layers->trace);
  return mt_tokens_get(tokens, (gsize) spot->row)->id;
}

/* "▁cat: ‖√d · e‖ 12.1, ‖p‖ 5.66, ‖x‖ 13.4; …" */
static char *
describe_token(const Embedding *self, const char *token, guint row)
{
  const char *name = regard_equation_token(config_of(self));
  const double e = norm_of(self->strips[EMBEDDING], row), x = norm_of(self->strips[SUM], row);
  return self->strips[POSITION].data
             /* Translators: a token, the name of its embedding in the formula, and lengths of
                vectors */
             ? g_strdup_printf(_("%s: ‖%s‖ %.2f, ‖p‖ %.2f, ‖x‖ %.2f; click for its neighbours"),
                               token, name, e, norm_of(self->strips[POSITION], row), x)
             : g_strdup_printf(_("%s: ‖%s‖ %.2f, ‖x‖ %.2f; click for its neighbours"), token, name,
                               e, x);
}

/* "▁cat, number 3: 0.1 + 0.2 = 0.3", as far as the model has that. */
static char *
describe_number(const Embedding *self, const char *token, const RegardSpot *spot)
{
  const mt_config *config = config_of(self);
  const gboolean has_position = self->strips[POSITION].data != NULL;
  const double e = mt_matrix_at(&self->strips[EMBEDDING], spot->row, spot->col);
  const double p = has_position ? mt_matrix_at(&self->strips[POSITION], spot->row, spot->col) : 0;
  const double x = mt_matrix_at(&self->strips[SUM], spot->row, spot->col);
  if (config->normalize_embedding)
    /* Translators: here and below a token; in two of them also a norm, "layer norm" */
    return has_position ? g_strdup_printf(_("%s, number %d: %.4f + %.4f, after the %s %.4f"), token,
                                          spot->col + 1, e, p, regard_norm_name(config), x)
                        : g_strdup_printf(_("%s, number %d: %.4f, after the %s %.4f"), token,
                                          spot->col + 1, e, regard_norm_name(config), x);
  return has_position ? g_strdup_printf(_("%s, number %d: %.4f + %.4f = %.4f"), token,
                                        spot->col + 1, e, p, x)
                      : g_strdup_printf(_("%s, number %d: %.4f"), token, spot->col + 1, e);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const Embedding *self = figure->subject;
  const char *const *tokens =
      (const char *const *) self->layers->stacks[self->look.stack].token_texts;
  if (spot->part == REGARD_EMBEDDING_SPOT_NEIGHBOUR) {
    g_autofree char *piece =
        regard_layers_piece(self->layers, self->look.stack, self->nearest[spot->row].piece);
    return g_strdup_printf(_("%s: cosine %.4f"), piece, (double) self->nearest[spot->row].cosine);
  }
  if (spot->part == REGARD_EMBEDDING_SPOT_TOKEN)
    return describe_token(self, tokens[spot->row], (guint) spot->row);
  return describe_number(self, tokens[spot->row], spot);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const Embedding *self = figure->subject;
  const double value = spot->part == REGARD_EMBEDDING_SPOT_NEIGHBOUR
                           ? self->nearest[spot->row].cosine
                       : spot->part == REGARD_EMBEDDING_SPOT_TOKEN
                           ? norm_of(self->strips[SUM], (guint) spot->row)
                           : mt_matrix_at(&self->strips[spot->part], spot->row, spot->col);
  return regard_exact_copy(value);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const Embedding *self = figure->subject;
  regard_words_add_sentence(caption, "%s",
                            !self->strips[POSITION].data
                                ? _("Embedding of each token; positions are not added to it.")
                            : config_of(self)->normalize_embedding
                                ? _("Embedding, position and the norm of their sum for each token.")
                                : _("Embedding, position and their sum for each token."));
}

static void
clear_figure(gpointer subject)
{
  Embedding *self = subject;
  regard_layers_unref(self->layers);
}

RegardFigure *
regard_figure_new_embedding(RegardLayers *layers, const RegardEmbeddingOptions *look,
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
  };
  static const mt_hook_point hook_points[N_STRIPS] = {MT_HOOK_EMBEDDING, MT_HOOK_POSITION,
                                                      MT_HOOK_STREAM};
  Embedding *self = regard_subject_alloc(sizeof *self, clear_figure);
  self->layers = regard_layers_ref(layers);
  self->look = *look;
  for (guint s = 0; s < N_STRIPS; s++)
    self->strips[s] =
        mt_trace_get(layers->trace, hook_points[s],
                     look->stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF, -1, -1);
  for (guint s = 0; s < N_STRIPS; s++)
    if (self->strips[s].data)
      self->shown[self->n_shown++] = s;
  if (look->piece >= 0)
    self->n_nearest = (guint) mt_embedding_nearest(layers->model, look->stack, look->piece,
                                                   REGARD_NEAREST, self->nearest);
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}

int32_t
regard_embedding_find_piece(const mt_model *model, mt_stack stack, const char *word)
{
  const gsize n = mt_model_config(model)->vocab_size[stack];
  g_autofree char *marked = g_strconcat("▁", word, NULL);
  int32_t found = -1, beginning = -1;
  if (!*word)
    return -1;
  for (gsize i = 0; i < n && found < 0; i++) {
    const char *piece = mt_model_piece(model, stack, (int32_t) i);
    if (!piece)
      continue;
    if (g_str_equal(piece, marked) || g_str_equal(piece, word))
      found = (int32_t) i;
    if (beginning < 0 && (g_str_has_prefix(piece, marked) || g_str_has_prefix(piece, word)))
      beginning = (int32_t) i;
  }
  return found >= 0 ? found : beginning;
}
