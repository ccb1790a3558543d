/* regard-layers.c — what each sub-layer does to each token: numbers, matrices of tokens × points,
 * and tokens × sub-layers as a grid, one stack above the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-layers.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

void
regard_layers_requests(mt_activation_requests *requests, gboolean with_tokens)
{
  static const mt_hook_point hook_points[] = {MT_HOOK_HIDDEN, MT_HOOK_GATE, MT_HOOK_WEIGHTS,
                                              MT_HOOK_VALUE};
  mt_activation_requests_add_stream(requests);
  for (guint i = 0; i < (with_tokens ? G_N_ELEMENTS(hook_points) : 2) &&
                    requests->n < MT_MAX_ACTIVATION_REQUESTS;
       i++)
    requests->requests[requests->n++] =
        (mt_activation_request){hook_points[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
}

static char *
name_point(mt_point point)
{
  static const char *const names[] = {
      [MT_SUB_LAYER_SELF] = "self",
      [MT_SUB_LAYER_CROSS] = "cross",
      [MT_SUB_LAYER_FEED_FORWARD] = "ffn",
  };
  if (point.sub_layer == MT_SUB_LAYER_EMBEDDING)
    return g_strdup("embedding");
  return g_strdup_printf("%d %s", point.layer + 1, names[point.sub_layer]);
}

static char *
name_token(const mt_trace *trace, mt_stack stack, guint i)
{
  if (stack == MT_STACK_ENCODER)
    return regard_token_display(mt_trace_source(trace), i, FALSE);
  g_autofree char *from = regard_token_display(mt_trace_decoder_input(trace), i, i == 0);
  g_autofree char *to = regard_token_display(mt_trace_output(trace), i, FALSE);
  return g_strdup_printf("%s → %s", from, to);
}

static gboolean
fill_stack(RegardLayers *self, mt_stack stack, gboolean with_lens, bool (*should_stop)(void *user),
           void *user, mt_error *error)
{
  const mt_config *config = mt_model_config(self->model);
  RegardLayersStack *s = &self->stacks[stack];
  mt_matrix first = mt_stream_at(self->trace, mt_point_at(config, stack, 0));
  s->n_points = (guint) mt_point_count(config, stack);
  s->n_tokens = (guint) first.rows;
  s->token_texts = g_new0(char *, s->n_tokens + 1);
  s->point_names = g_new0(char *, s->n_points + 1);
  s->numbers = g_new(mt_stream_numbers, MAX((gsize) s->n_points * s->n_tokens, 1));
  s->active = g_new(double, MAX((gsize) s->n_points * s->n_tokens, 1));
  s->collapse = g_new(double, s->n_points);
  for (guint t = 0; t < s->n_tokens; t++)
    s->token_texts[t] = name_token(self->trace, stack, t);
  for (guint p = 0; p < s->n_points; p++) {
    const mt_point point = mt_point_at(config, stack, p);
    s->point_names[p] = name_point(point);
    s->collapse[p] = mt_stream_collapse(self->trace, point);
    for (guint t = 0; t < s->n_tokens; t++) {
      s->numbers[(gsize) p * s->n_tokens + t] =
          mt_stream_measure(self->model, self->trace, point, t);
      s->active[(gsize) p * s->n_tokens + t] =
          point.sub_layer == MT_SUB_LAYER_FEED_FORWARD
              ? mt_neurons_active(self->trace, stack, (gsize) point.layer, t)
              : NAN;
    }
    if (should_stop && should_stop(user)) {
      if (error)
        error->code = MT_ERROR_CANCELLED;
      return FALSE;
    }
  }
  if (with_lens)
    s->lens = mt_lens_new(self->model, self->trace, stack, should_stop, user, error);
  return !with_lens || s->lens;
}

static void
clear(gpointer subject)
{
  RegardLayers *self = subject;
  for (guint i = 0; i < MT_N_STACKS; i++) {
    RegardLayersStack *s = &self->stacks[i];
    g_strfreev(s->token_texts);
    g_strfreev(s->point_names);
    g_free(s->numbers);
    g_free(s->collapse);
    g_free(s->active);
    mt_lens_free(s->lens);
  }
  g_free(self->interventions);
  mt_trace_unref(self->trace);
  mt_model_unref(self->model);
}

RegardLayers *
regard_layers_new(mt_model *model, mt_trace *trace, const mt_interventions *interventions,
                  gboolean with_lens, bool (*should_stop)(void *user), void *user, mt_error *error)
{
  RegardLayers *self = regard_subject_alloc(sizeof *self, clear);
  self->model = mt_model_ref(model);
  self->trace = mt_trace_ref(trace);
  if (mt_interventions_count(interventions) > 0)
    self->interventions = regard_naming_joined(mt_interventions_text(interventions));
  for (guint stack = 0; stack < MT_N_STACKS; stack++)
    if (!fill_stack(self, (mt_stack) stack, with_lens, should_stop, user, error)) {
      regard_layers_unref(self);
      return NULL;
    }
  return self;
}

char *
regard_layers_piece(const RegardLayers *self, mt_stack stack, int32_t piece)
{
  const char *text = mt_model_piece(self->model, stack, piece);
  if (piece == mt_model_config(self->model)->eos_id)
    return g_strdup("⏎");
  return regard_visible(text ? text : "?");
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* A number of one token at one point. */
typedef double (*Read)(const RegardLayersStack *s, guint point, guint token);

static const mt_stream_numbers *
numbers_at(const RegardLayersStack *s, guint point, guint token)
{
  return &s->numbers[(gsize) point * s->n_tokens + token];
}

#define READ_NUMBER(name)                                                 \
  static double read_##name(const RegardLayersStack *s, guint p, guint t) \
  {                                                                       \
    return numbers_at(s, p, t)->name;                                     \
  }
READ_NUMBER(norm)
READ_NUMBER(added_norm)
READ_NUMBER(cosine)
READ_NUMBER(mean)
READ_NUMBER(sigma)

#define READ_LENS(name)                                                   \
  static double read_##name(const RegardLayersStack *s, guint p, guint t) \
  {                                                                       \
    return s->lens ? mt_lens_get(s->lens, p, t)->name : NAN;              \
  }
READ_LENS(best)
READ_LENS(probability)
READ_LENS(entropy)
READ_LENS(divergence)
READ_LENS(final_probability)
READ_LENS(final_rank)

static double
read_active(const RegardLayersStack *s, guint p, guint t)
{
  return s->active[(gsize) p * s->n_tokens + t];
}

/* The same for every token: a row would do, but then rows of a table would differ. */
static double
read_collapse(const RegardLayersStack *s, guint p, guint t)
{
  return s->collapse[p];
}

static const struct {
  const char *ids[MT_N_STACKS];
  Read read;
  gboolean is_lens;
} tables[] = {
    {{"encoder_best", "decoder_best"}, read_best, TRUE},
    {{"encoder_probability", "decoder_probability"}, read_probability, TRUE},
    {{"encoder_entropy", "decoder_entropy"}, read_entropy, TRUE},
    {{"encoder_divergence", "decoder_divergence"}, read_divergence, TRUE},
    {{"encoder_final_probability", "decoder_final_probability"}, read_final_probability, TRUE},
    {{"encoder_final_rank", "decoder_final_rank"}, read_final_rank, TRUE},
    {{"encoder_norm", "decoder_norm"}, read_norm, FALSE},
    {{"encoder_added", "decoder_added"}, read_added_norm, FALSE},
    {{"encoder_cosine", "decoder_cosine"}, read_cosine, FALSE},
    {{"encoder_mean", "decoder_mean"}, read_mean, FALSE},
    {{"encoder_sigma", "decoder_sigma"}, read_sigma, FALSE},
    {{"encoder_active", "decoder_active"}, read_active, FALSE},
    {{"encoder_collapse", "decoder_collapse"}, read_collapse, FALSE},
};

/* ---- What is drawn --------------------------------------------------------------------------- */

/* The number that a cell is coloured by; NAN: it has none. */
static double
layers_value(const RegardLayers *layers, const RegardLayersOptions *look, mt_stack stack,
             guint point, guint token)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  switch (look->show) {
  case REGARD_LAYERS_NORM:
    return read_norm(s, point, token);
  case REGARD_LAYERS_ADDED:
    return read_added_norm(s, point, token);
  case REGARD_LAYERS_COSINE:
    return read_cosine(s, point, token);
  case REGARD_LAYERS_ACTIVE:
    return read_active(s, point, token);
  case REGARD_LAYERS_COLLAPSE:
    return read_collapse(s, point, token);
  default:
    break;
  }
  switch (look->color) {
  case REGARD_LENS_ENTROPY:
    return read_entropy(s, point, token);
  case REGARD_LENS_DIVERGENCE:
    return read_divergence(s, point, token);
  case REGARD_LENS_RANK:
    return log10(read_final_rank(s, point, token));
  default:
    return read_probability(s, point, token);
  }
}

static const char *
layers_value_name(const RegardLayersOptions *look)
{
  static const char *const names[] = {"",
                                      N_("norm of the stream"),
                                      N_("norm of what is added"),
                                      N_("cosine of what is added to the stream"),
                                      N_("share of active neurons"),
                                      N_("mean cosine between tokens")};
  static const char *const lens[] = {N_("probability of the piece"), N_("entropy in bits"),
                                     N_("divergence from the last point, bits"),
                                     N_("log10 of the rank of the final piece")};
  return _(look->show == REGARD_LAYERS_LENS ? lens[look->color] : names[look->show]);
}

/* The range of the colours. */
static void
layers_range(const RegardLayers *layers, const RegardLayersOptions *look, double *lo, double *hi)
{
  const gboolean is_share =
      look->show == REGARD_LAYERS_ACTIVE || look->show == REGARD_LAYERS_COLLAPSE ||
      (look->show == REGARD_LAYERS_LENS && look->color == REGARD_LENS_PROBABILITY);
  *lo = look->show == REGARD_LAYERS_COSINE ? -1 : 0;
  *hi = is_share || *lo < 0 ? 1 : 1e-6;
  for (guint stack = 0; stack < MT_N_STACKS && !is_share && *lo == 0; stack++)
    for (guint p = 0; p < layers->stacks[stack].n_points; p++)
      for (guint t = 0; t < layers->stacks[stack].n_tokens; t++) {
        const double value = layers_value(layers, look, (mt_stack) stack, p, t);
        if (isfinite(value) && (look->stacks & REGARD_STACK_BIT(stack)))
          *hi = MAX(*hi, value);
      }
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static RegardMatrix *
stack_matrix(const RegardLayers *layers, mt_stack stack, const char *id, const char *value_name,
             float *values)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  g_autofree char *badge =
      layers->interventions ? g_strdup_printf(_("changed: %s"), layers->interventions) : NULL;
  const char *const badges[] = {badge, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = stack == MT_STACK_ENCODER ? _("Layers · encoder") : _("Layers · decoder"),
      .value_name = value_name,
      .model_name = mt_model_name(layers->model),
      .badges = badges,
      .rows = regard_axis_texts((const char *const *) s->token_texts, s->n_tokens,
                                C_("text", "tokens")),
      .cols = regard_axis_texts((const char *const *) s->point_names, s->n_points, _("sub-layers")),
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardMatrix *
table_matrix(const RegardLayers *layers, mt_stack stack, guint i)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  float *values = g_new(float, MAX((gsize) s->n_points * s->n_tokens, 1));
  for (guint t = 0; t < s->n_tokens; t++)
    for (guint p = 0; p < s->n_points; p++)
      values[(gsize) t * s->n_points + p] = (float) tables[i].read(s, p, t);
  return stack_matrix(layers, stack, tables[i].ids[stack], tables[i].ids[stack], values);
}

static mt_stack
first_stack(const RegardLayersOptions *look)
{
  return look->stacks & REGARD_STACK_BIT(MT_STACK_ENCODER) ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

/* As it is coloured, with the range of all stacks that are shown. */
static RegardMatrix *
shown_matrix(const RegardLayers *layers, const RegardLayersOptions *look, mt_stack stack)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  float *values = g_new(float, MAX((gsize) s->n_points * s->n_tokens, 1));
  double lo, hi;
  for (guint t = 0; t < s->n_tokens; t++)
    for (guint p = 0; p < s->n_points; p++)
      values[(gsize) t * s->n_points + p] = (float) layers_value(layers, look, stack, p, t);
  RegardMatrix *m =
      stack_matrix(layers, stack, stack == first_stack(look) ? "shown" : "shown_decoder",
                   layers_value_name(look), values);
  layers_range(layers, look, &lo, &hi);
  m->lo = (float) lo;
  m->hi = (float) hi;
  m->diverging = lo < 0;
  return m;
}

static guint
n_tables(const RegardLayers *layers)
{
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    n += !tables[i].is_lens || layers->stacks[0].lens;
  return n;
}

static guint
n_matrices(RegardFigure *figure)
{
  const RegardLayersOptions *look = figure->options;
  const guint n_stacks = look->stacks == REGARD_BOTH_STACKS ? 2 : 1;
  return n_stacks * (1 + n_tables(figure->subject));
}

/* The first is the one that is drawn. */
static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const RegardLayers *layers = figure->subject;
  const RegardLayersOptions *look = figure->options;
  const guint n = n_tables(layers), skipped = G_N_ELEMENTS(tables) - n; /* those of the lens */
  const mt_stack stack = i <= n ? first_stack(look) : MT_STACK_DECODER;
  i %= n + 1;
  return i == 0 ? shown_matrix(layers, look, stack) : table_matrix(layers, stack, skipped + i - 1);
}

/* ---- Picture --------------------------------------------------------------------------------- */

/* In font sizes. */
#define PITCH 2.0 /* of lines */
#define CELL  1.72
#define LABEL 12.0 /* of tokens, at most */
#define BARS  2.4  /* height of what a sub-layer adds */
/* Width of a column that still shows numbers, and one that shows the beginning of words. */
#define NUMBER 2.3
#define WORD   3.4

const char *const regard_layers_show_ids[REGARD_N_LAYERS_SHOWN + 1] = {"lens",   "norm",
                                                                       "added",  "cosine",
                                                                       "active", "collapse",
                                                                       NULL};
const char *const regard_lens_color_ids[REGARD_N_LENS_COLORS + 1] = {"probability", "entropy",
                                                                     "divergence", "rank", NULL};

const char *
regard_layers_show_name(RegardLayersShow show)
{
  static const char *const names[] = {N_("logit lens: the word each state would already say"),
                                      N_("norm of the stream"),
                                      N_("norm of what each sub-layer adds"),
                                      N_("cosine of what is added to what was there"),
                                      N_("share of active neurons"),
                                      N_("mean cosine between tokens: how far they collapse")};
  return _(names[show]);
}

const char *
regard_lens_color_name(RegardLensColor color)
{
  static const char *const names[] = {N_("Probability"), N_("Entropy"), N_("Divergence"),
                                      N_("Rank of the Final Word")};
  return _(names[color]);
}

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardColormap *map;
  const RegardLayers *layers;
  const RegardLayersOptions *look;
  RegardScale scale; /* rows of other scales would not compare: then it is linear */
  double font, x, width, label, column, lo, hi;
  mt_stack stack;
  const RegardLayersStack *s;
} Grid;

static void
text(const Grid *g, double x, double baseline, double width, const char *string, guint32 colour,
     gboolean bold, double size, RegardAnchor anchor)
{
  regard_figure_text_within(g->canvas, x, baseline, width, string, colour, bold, size, anchor);
}

static double
column_x(const Grid *g, guint point)
{
  return g->x + g->label + point * g->column;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* What stands in a cell: the piece, or the number. NULL: nothing. */
static char *
cell_text(const Grid *g, guint point, guint token, gboolean *bold)
{
  const double value = layers_value(g->layers, g->look, g->stack, point, token);
  char number[REGARD_CELL_TEXT];
  *bold = FALSE;
  if (g->look->show == REGARD_LAYERS_LENS) {
    if (!g->s->lens)
      return NULL;
    const mt_lens_cell *cell = mt_lens_get(g->s->lens, point, token);
    *bold = cell->best == cell->final;
    return regard_layers_piece(g->layers, g->stack, cell->best);
  }
  if (!isfinite(value))
    return NULL;
  regard_cell_text(number, value, MAX(fabs(g->lo), g->hi));
  return g_strdup(number);
}

static void
draw_cell(const Grid *g, double y, guint point, guint token)
{
  const double f = g->font, gap = MIN(f * 0.16, g->column * 0.08);
  const RegardRect box = {column_x(g, point), y, g->column - gap, CELL * f};
  const double value = layers_value(g->layers, g->look, g->stack, point, token);
  regard_canvas_spot(g->canvas, box, 2 * REGARD_LAYERS_SPOT_CELL + (int) g->stack, (int) token,
                     (int) point);
  if (!regard_figure_draws(g->canvas) || !regard_canvas_shows(g->canvas, y, y + PITCH * f))
    return;
  if (!isfinite(value)) {
    regard_canvas_fill_rect(g->canvas, box, f * 0.25, g->palette->bar_background);
    return;
  }
  const guint32 colour = regard_colormap_lookup(g->map, (value - g->lo) / MAX(g->hi - g->lo, 1e-9));
  gboolean bold;
  regard_canvas_fill_rect(g->canvas, box, f * 0.25, colour);
  g_autofree char *string = cell_text(g, point, token, &bold);
  if (string && regard_figure_has(g->style, REGARD_PART_NUMBERS) && g->column > 2.2 * f)
    text(g, box.x + box.width / 2, y + f * 1.2, box.width - f * 0.2, string,
         regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff, bold, f * 0.92,
         REGARD_ANCHOR_MIDDLE);
  /* On a screen bold letters alone are too little to be found by. */
  if (bold && g->look->show == REGARD_LAYERS_LENS && g->canvas->family)
    regard_canvas_stroke_rect(g->canvas,
                              (RegardRect){box.x + 1.5, box.y + 1.5, box.width - 3, box.height - 3},
                              1.2, regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff);
  if (g->look->token == (int) token && g->look->point == (int) point && g->look->stack == g->stack)
    regard_canvas_stroke_rect(g->canvas, box, 1.5, g->palette->accent);
}

/* "▁zu → ▁müde": what goes in grey, what comes out black. */
static void
draw_label(const Grid *g, double y, guint token)
{
  const double f = g->font;
  const char *name = g->s->token_texts[token], *arrow = strstr(name, " → ");
  if (!regard_figure_draws(g->canvas) || !regard_canvas_shows(g->canvas, y, y + PITCH * f))
    return;
  const double width = g->label - f * 0.6;
  const gboolean is_pinned = g->look->token == (int) token && g->look->stack == g->stack;
  if (arrow) {
    g_autofree char *from = g_strndup(name, (gsize) (arrow - name) + strlen(" → "));
    const RegardSpan spans[] = {{from, g->palette->dim, FALSE},
                                {arrow + strlen(" → "), g->palette->text, is_pinned}};
    const double wanted = regard_canvas_text_width(g->canvas, spans, 2, f);
    if (wanted <= width) {
      regard_canvas_text(g->canvas, g->x + width, y + f * 1.2, spans, 2, f, REGARD_ANCHOR_END, 0);
      return;
    }
    name = arrow + strlen(" → ");
  }
  text(g, g->x + width, y + f * 1.2, width, name, g->palette->text, is_pinned, f,
       REGARD_ANCHOR_END);
}

/* ---- Below the grid -------------------------------------------------------------------------- */

static double
mean_added(const RegardLayersStack *s, guint point)
{
  double sum = 0;
  for (guint t = 0; t < s->n_tokens; t++)
    sum += s->numbers[(gsize) point * s->n_tokens + t].added_norm;
  return sum / MAX(s->n_tokens, 1);
}

/* A bar for each point; returns the height. */
static double
draw_bars(const Grid *g, double y, const char *name, gboolean is_collapse)
{
  const double f = g->font, base = y + BARS * f, size = f * 0.84;
  double most = is_collapse ? 1 : 1e-6;
  char number[REGARD_CELL_TEXT];
  for (guint p = 1; p < g->s->n_points && !is_collapse; p++)
    most = MAX(most, mean_added(g->s, p));
  text(g, g->x + g->label - f * 0.6, base - f * 0.5, g->label - f * 0.6, name, g->palette->dim,
       FALSE, f * 0.9, REGARD_ANCHOR_END);
  for (guint p = 0; p < g->s->n_points; p++) {
    const double value = is_collapse ? g->s->collapse[p] : p > 0 ? mean_added(g->s, p) : NAN;
    const double left = column_x(g, p) + g->column * 0.12;
    if (!isfinite(value))
      continue;
    const double height = MAX(CLAMP(value / most, 0, 1) * BARS * f, 1);
    regard_canvas_fill_rect(g->canvas, (RegardRect){left, base - height, g->column * 0.72, height},
                            2, 0xff3584e4);
    regard_cell_text(number, value, most);
    if (g->column > 2.2 * f)
      text(g, left + g->column * 0.36, base + size * 1.3, g->column, number, g->palette->dim, FALSE,
           size, REGARD_ANCHOR_MIDDLE);
    regard_canvas_spot(g->canvas, (RegardRect){left, y, g->column * 0.72, BARS * f},
                       2 * REGARD_LAYERS_SPOT_BAR + (int) g->stack, is_collapse, (int) p);
  }
  return (BARS + 2) * f;
}

/* What the points of a stream are called; regard-graph.c has the same names. */
static const char *const signs[] = {
    N_("emb, embedding: before the first layer"),
    N_("self: after the self-attention of this layer"),
    N_("cross: after the cross-attention of this layer, to the source"),
    N_("ffn: after the feed-forward network of this layer"),
};

static int
sign_of(const RegardLayersStack *s, guint point)
{
  return point == 0                                         ? 0
         : g_str_has_suffix(s->point_names[point], "self")  ? 1
         : g_str_has_suffix(s->point_names[point], "cross") ? 2
                                                            : 3;
}

static double
draw_names(const Grid *g, double y)
{
  const double f = g->font, size = f * 0.86;
  for (guint p = 0; p < g->s->n_points; p++) {
    const double middle = column_x(g, p) + g->column / 2;
    const char *name = p == 0 && g->column < 5.2 * f ? "emb" : g->s->point_names[p];
    if (g->column > 3 * f)
      text(g, middle, y + size, g->column, name, g->palette->dim, FALSE, size,
           REGARD_ANCHOR_MIDDLE);
    else if (regard_figure_draws(g->canvas))
      regard_figure_text(g->canvas, middle + size * 0.35, y + 3.6 * f, name, g->palette->dim, FALSE,
                         size, REGARD_ANCHOR_START, -90);
    regard_canvas_spot(g->canvas,
                       (RegardRect){column_x(g, p), y, g->column, g->column > 3 * f ? f : 3.8 * f},
                       REGARD_SPOT_SIGN, sign_of(g->s, p), -1);
  }
  return g->column > 3 * f ? size * 1.8 : 4.1 * f;
}

static double
label_width(const RegardLayersStack *s, RegardCanvas *canvas, double font)
{
  double label = 0;
  for (guint t = 0; t < s->n_tokens; t++) {
    const RegardSpan span = {s->token_texts[t], 0xff000000, FALSE};
    label = MAX(label, regard_canvas_text_width(canvas, &span, 1, font));
  }
  return CLAMP(label + font * 0.6, 8.6 * font, LABEL * font);
}

static double
draw_stack(Grid *g, double y)
{
  const double f = g->font, top = y;
  g->label = label_width(g->s, g->canvas, f);
  g->column = (g->width - g->label) / MAX(g->s->n_points, 1);
  y += draw_names(g, y);
  if (g->look->show != REGARD_LAYERS_COLLAPSE)
    for (guint t = 0; t < g->s->n_tokens; t++, y += PITCH * f) {
      draw_label(g, y, t);
      for (guint p = 0; p < g->s->n_points; p++)
        draw_cell(g, y, p, t);
    }
  y += 0.6 * f;
  if (g->look->show != REGARD_LAYERS_COLLAPSE)
    y += draw_bars(g, y, _("adds, mean ‖·‖"), FALSE);
  else
    y += draw_bars(g, y, _("mean cosine"), TRUE);
  return y - top;
}

/* ---- The figure ------------------------------------------------------------------------------ */

/* The stacks' names, and between the two what leads from one to the other. */
static double
draw_heading(const Grid *g, double y, mt_stack stack, gboolean is_below)
{
  const double f = g->font;
  const char *name = stack == MT_STACK_ENCODER ? _("Encoder") : _("Decoder");
  g_autofree char *note =
      is_below ? g_strconcat("   ", _("↑ its cross columns read the encoder’s last column"), NULL)
               : g_strdup("");
  const RegardSpan spans[] = {{name, g->palette->text, TRUE}, {note, g->palette->dim, FALSE}};
  regard_canvas_text(g->canvas, g->x, y + f * 1.1, spans, 2, f * 1.08, REGARD_ANCHOR_START, 0);
  return 2 * f;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardLayers *layers = figure->subject;
  const RegardLayersOptions *look = figure->options;
  const double margin = font * REGARD_FIGURE_MARGIN;
  const gboolean is_signed = look->show == REGARD_LAYERS_COSINE;
  g_autofree char *badge =
      layers->interventions ? g_strdup_printf(_("changed: %s"), layers->interventions) : NULL;
  char *badges[] = {badge, NULL};
  g_autofree char *title =
      /* Translators: "Layers · norm of the stream" */
      g_strdup_printf(_("Layers · %s"), regard_layers_show_name(look->show));
  Grid g = {.canvas = canvas,
            .palette = regard_figure_palette(&figure->style),
            .style = &figure->style,
            .map = is_signed ? regard_colormap_default_diverging() : figure->style.colormap,
            .layers = layers,
            .look = look,
            .scale = figure->style.scale == REGARD_SCALE_ROW || is_signed ? REGARD_SCALE_LINEAR
                                                                          : figure->style.scale,
            .font = font,
            .x = margin,
            .width = width - 2 * margin};
  double y = margin;
  layers_range(layers, look, &g.lo, &g.hi);
  y +=
      regard_figure_header(canvas, g.palette, margin, y, g.width,
                           regard_figure_title(&figure->style, title), badge ? badges : NULL, font);
  for (guint stack = 0; stack < MT_N_STACKS; stack++) {
    if (!(look->stacks & REGARD_STACK_BIT(stack)))
      continue;
    g.stack = (mt_stack) stack;
    g.s = &layers->stacks[stack];
    if (look->stacks == REGARD_BOTH_STACKS)
      y += draw_heading(&g, y, g.stack, stack == MT_STACK_DECODER);
    y += draw_stack(&g, y) + font * 0.6;
  }
  if (look->show == REGARD_LAYERS_COLLAPSE)
    return y + margin;
  RegardFigureStyle style = figure->style;
  style.colormap = g.map;
  style.scale = g.scale;
  y += regard_figure_footer(canvas, g.palette, &style, regard_figure_matrix(figure, 0), margin, y,
                            g.width,
                            regard_figure_has(&figure->style, REGARD_PART_MODEL)
                                ? mt_model_name(layers->model)
                                : NULL,
                            font);
  return y + margin;
}

static double
least_width(RegardFigure *figure, RegardCanvas *canvas, double font)
{
  const RegardLayers *layers = figure->subject;
  const RegardLayersOptions *look = figure->options;
  const double column = font * (look->show == REGARD_LAYERS_LENS ? WORD : NUMBER);
  double least = 0;
  for (guint stack = 0; stack < MT_N_STACKS; stack++) {
    const RegardLayersStack *s = &layers->stacks[stack];
    if (look->stacks & REGARD_STACK_BIT(stack))
      least = MAX(least, label_width(s, canvas, font) + s->n_points * column);
  }
  return least + 2 * font * REGARD_FIGURE_MARGIN;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardLayersOptions *look = figure->options;
  /* Translators: "Layers, norm of the stream." */
  regard_words_add_sentence(caption, _("Layers, %s."), regard_layers_show_name(look->show));
}

/* ---- What a place says ----------------------------------------------------------------------- */

static void
say_lens(const RegardLayers *layers, GString *words, mt_stack stack, guint point, guint token)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  const mt_lens_cell *cell = mt_lens_get(s->lens, point, token);
  g_autofree char *final = regard_layers_piece(layers, stack, cell->final);
  int32_t best[5];
  float probabilities[5];
  const gsize n = mt_lens_best(layers->model, layers->trace,
                               mt_point_at(mt_model_config(layers->model), stack, point), token,
                               G_N_ELEMENTS(best), best, probabilities);
  g_autoptr(GString) pieces = g_string_new(NULL);
  for (gsize i = 0; i < n; i++) {
    g_autofree char *piece = regard_layers_piece(layers, stack, best[i]);
    g_autofree char *one = g_strdup_printf("%s %.3f", piece, (double) probabilities[i]);
    regard_words_add_item(pieces, one);
  }
  if (n > 0)
    /* Translators: pieces and their probabilities: "Hund 0.912, Tier 0.030" */
    g_string_append_printf(words, _("\nwould say %s"), pieces->str);
  g_string_append_printf(words,
                         _("\nfinal piece %s: rank %u, %.4f\nentropy %.2f bit, divergence "
                           "from the end %.2f bit"),
                         final, cell->final_rank, (double) cell->final_probability,
                         (double) cell->entropy, (double) cell->divergence);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardLayers *layers = figure->subject;
  const mt_stack stack = regard_layers_spot_stack(spot);
  const RegardLayersStack *s = &layers->stacks[stack];
  const guint point = (guint) spot->col;
  GString *words = g_string_new(NULL);
  if (spot->part / 2 == REGARD_LAYERS_SPOT_BAR) {
    if (spot->row)
      g_string_append_printf(words, _("after %s: mean cosine between tokens %.3f"),
                             s->point_names[point], s->collapse[point]);
    else
      g_string_append_printf(words, _("%s adds ‖%.2f‖ in the mean"), s->point_names[point],
                             mean_added(s, point));
    return g_string_free(words, FALSE);
  }
  const guint token = (guint) spot->row;
  const mt_stream_numbers *n = &s->numbers[(gsize) point * s->n_tokens + token];
  const double active = s->active[(gsize) point * s->n_tokens + token];
  /* Translators: a token, and a place between layers, "2 cross" */
  if (isfinite(n->added_norm))
    g_string_printf(words,
                    _("%s, after %s: ‖stream‖ %.2f, added ‖%.2f‖, cosine to the stream %.3f"),
                    s->token_texts[token], s->point_names[point], n->norm, n->added_norm,
                    n->cosine);
  else
    g_string_printf(words, _("%s, after %s: ‖stream‖ %.2f"), s->token_texts[token],
                    s->point_names[point], n->norm);
  if (isfinite(n->sigma) && mt_model_config(layers->model)->norm_kind == MT_NORM_RMS)
    g_string_append_printf(words, _("\nthe RMS norm divides by %.3f"), n->sigma);
  else if (isfinite(n->sigma))
    g_string_append_printf(words, _("\nthe layer norm reads μ %.3f, σ %.3f"), n->mean, n->sigma);
  if (isfinite(active))
    g_string_append_printf(words, _("\n%.1f %% of the neurons are active"), 100 * active);
  if (s->lens)
    say_lens(layers, words, stack, point, token);
  return g_string_free(words, FALSE);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardLayers *layers = figure->subject;
  const RegardLayersOptions *look = figure->options;
  const mt_stack stack = regard_layers_spot_stack(spot);
  const RegardLayersStack *s = &layers->stacks[stack];
  const double value = spot->part / 2 == REGARD_LAYERS_SPOT_CELL
                           ? layers_value(layers, look, stack, (guint) spot->col, (guint) spot->row)
                       : spot->row ? s->collapse[spot->col]
                                   : mean_added(s, (guint) spot->col);
  return regard_exact_copy(value);
}

RegardFigure *
regard_figure_new_layers(RegardLayers *layers, const RegardLayersOptions *look,
                         const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .options_size = sizeof *look,
      .draw = draw,
      .least_width = least_width,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .signs = signs,
  };
  return regard_figure_new(&klass, regard_layers_ref(layers), look, FALSE, style);
}
