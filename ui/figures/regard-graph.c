/* regard-graph.c — the graph of contributions: encoder above, decoder below, from left to right
 * what every token of a state came from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line is as dark and as wide as its share is large. Lines of the residual stream run level;
 * those of cross-attention come from the encoder’s end.
 */
#include "figures/regard-graph.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

static gboolean
fill_stack(RegardGraph *self, mt_stack stack, bool (*should_stop)(void *user), void *user,
           mt_error *error)
{
  const RegardLayersStack *s = &self->layers->stacks[stack];
  self->points[stack] = g_new0(mt_contributions *, s->n_points);
  for (guint p = 1; p < s->n_points; p++) {
    if (should_stop && should_stop(user)) {
      if (error)
        error->code = MT_ERROR_CANCELLED;
      return FALSE;
    }
    self->points[stack][p] =
        mt_contributions_new(self->layers->model, self->layers->trace,
                             mt_point_at(mt_model_config(self->layers->model), stack, p), error);
    if (!self->points[stack][p])
      return FALSE;
  }
  return TRUE;
}

static void
clear(gpointer subject)
{
  RegardGraph *self = subject;
  for (guint stack = 0; stack < MT_N_STACKS; stack++) {
    for (guint p = 0; self->points[stack] && p < self->layers->stacks[stack].n_points; p++)
      mt_contributions_free(self->points[stack][p]);
    g_free(self->points[stack]);
  }
  regard_layers_unref(self->layers);
}

RegardGraph *
regard_graph_new(RegardLayers *layers, bool (*should_stop)(void *user), void *user, mt_error *error)
{
  RegardGraph *self = regard_subject_alloc(sizeof *self, clear);
  self->layers = regard_layers_ref(layers);
  if (fill_stack(self, MT_STACK_ENCODER, should_stop, user, error) &&
      fill_stack(self, MT_STACK_DECODER, should_stop, user, error))
    return self;
  regard_graph_unref(self);
  return NULL;
}

/* In font sizes. */
#define PITCH 1.55
#define LABEL 12.0
#define NODE  0.42

/* Heads that an edge names. */
#define NAMED 3

typedef struct {
  mt_stack from_stack, to_stack;
  guint from_point, from_token, to_point, to_token;
  float share;
  gboolean is_stream; /* the token's own stream: no head has a part in it alone */
} Edge;

typedef struct {
  RegardSubject subject;
  RegardGraph *graph;
  RegardGraphOptions look;
  GArray *edges; /* of Edge, those that are drawn, the largest last */
} GraphPicture;

/* ---- Edges ----------------------------------------------------------------------------------- */

static gboolean
is_at(const RegardGraphOptions *look, mt_stack stack, guint point, guint token)
{
  return look->stack == stack && look->point == (int) point && look->token == (int) token;
}

static void
add(GraphPicture *self, Edge edge)
{
  const RegardGraphOptions *look = &self->look;
  if (edge.share >= look->threshold &&
      (look->token < 0 || is_at(look, edge.from_stack, edge.from_point, edge.from_token) ||
       is_at(look, edge.to_stack, edge.to_point, edge.to_token)))
    g_array_append_val(self->edges, edge);
}

static void
add_point(GraphPicture *self, mt_stack stack, guint p)
{
  RegardLayers *layers = self->graph->layers;
  const mt_contributions *c = self->graph->points[stack][p];
  const mt_matrix tokens = c->tokens, stream = c->stream;
  const gboolean is_cross =
      mt_point_at(mt_model_config(layers->model), stack, p).sub_layer == MT_SUB_LAYER_CROSS;
  const guint end = layers->stacks[MT_STACK_ENCODER].n_points - 1;
  for (guint i = 0; i < layers->stacks[stack].n_tokens; i++) {
    for (guint j = 0; tokens.data && j < tokens.cols; j++)
      add(self, (Edge){is_cross ? MT_STACK_ENCODER : stack, stack, is_cross ? end : p - 1, j, p, i,
                       mt_matrix_at(&tokens, i, j), FALSE});
    if (stream.data)
      add(self, (Edge){stack, stack, p - 1, i, p, i, mt_matrix_at(&stream, i, 0), TRUE});
  }
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const float x = ((const Edge *) a)->share, y = ((const Edge *) b)->share;
  return x < y ? -1 : x > y;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct {
  const GraphPicture *self;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x, width, label;
  double names[MT_N_STACKS], top[MT_N_STACKS]; /* of the points' names, of the first token's line */
} Graph;

static RegardPoint
place_of(const Graph *g, mt_stack stack, guint point, guint token)
{
  const RegardLayersStack *s = &g->self->graph->layers->stacks[stack];
  const double room = g->width - g->label - g->font;
  return (RegardPoint){g->x + g->label + room * point / MAX(s->n_points - 1, 1),
                       g->top[stack] + (token + 0.5) * PITCH * g->font};
}

static void
draw_edges(const Graph *g)
{
  for (guint i = 0; i < g->self->edges->len; i++) {
    const Edge *e = &g_array_index(g->self->edges, Edge, i);
    const RegardPoint from = place_of(g, e->from_stack, e->from_point, e->from_token);
    const RegardPoint to = place_of(g, e->to_stack, e->to_point, e->to_token);
    const gboolean is_own = e->from_stack == e->to_stack && e->from_token == e->to_token;
    /* Most of a state is its own stream, which would hide all else. */
    const double strength = is_own ? 0.10 + 0.25 * e->share : 0.2 + 2.2 * e->share;
    const guint32 alpha = (guint32) lround(255 * CLAMP(strength, 0, 0.95));
    const guint32 colour = e->from_stack != e->to_stack ? 0xc64600 : 0x1c71d8;
    const double size = g->font * 0.7;
    regard_canvas_stroke_line(g->canvas, from.x, from.y, to.x, to.y,
                              is_own ? 0.4 + 3 * e->share : 0.5 + 7 * e->share,
                              alpha << 24 | colour);
    /* Where it can be pointed at: nearer to its end, where lines have parted. */
    regard_canvas_spot(g->canvas,
                       (RegardRect){from.x + (to.x - from.x) * 0.7 - size / 2,
                                    from.y + (to.y - from.y) * 0.7 - size / 2, size, size},
                       2, (int) i, -1);
  }
}

static void
draw_nodes(const Graph *g, mt_stack stack)
{
  const RegardLayersStack *s = &g->self->graph->layers->stacks[stack];
  const double f = g->font, r = NODE * f / 2;
  for (guint t = 0; t < s->n_tokens; t++) {
    const RegardPoint first = place_of(g, stack, 0, t);
    if (regard_figure_draws(g->canvas) &&
        regard_canvas_shows(g->canvas, first.y - f, first.y + f)) {
      g_autofree char *name =
          regard_canvas_ellipsize(g->canvas, s->token_texts[t], FALSE, f, g->label - f);
      regard_figure_text(g->canvas, g->x + g->label - f, first.y + 0.35 * f, name, g->palette->text,
                         FALSE, f, REGARD_ANCHOR_END, 0);
    }
    for (guint p = 0; p < s->n_points; p++) {
      const RegardPoint at = place_of(g, stack, p, t);
      const gboolean is_this = is_at(&g->self->look, stack, p, t);
      const double radius = is_this ? 1.8 * r : r;
      regard_canvas_fill_rect(g->canvas,
                              (RegardRect){at.x - radius, at.y - radius, 2 * radius, 2 * radius},
                              radius, is_this ? g->palette->accent : g->palette->frame);
      regard_canvas_spot(g->canvas, (RegardRect){at.x - 0.6 * f, at.y - 0.6 * f, 1.2 * f, 1.2 * f},
                         (int) stack, (int) t, (int) p);
    }
  }
}

static void
draw_names(const Graph *g, mt_stack stack)
{
  const RegardLayersStack *s = &g->self->graph->layers->stacks[stack];
  const double f = g->font, size = f * 0.86, y = g->names[stack];
  const char *name = stack == MT_STACK_ENCODER ? _("Encoder") : _("Decoder");
  const double column = (g->width - g->label) / MAX(s->n_points - 1, 1);
  regard_figure_text(g->canvas, g->x, y + size, name, g->palette->text, TRUE, f,
                     REGARD_ANCHOR_START, 0);
  for (guint p = 0; p < s->n_points && column > 3 * f; p++)
    regard_figure_text(g->canvas, place_of(g, stack, p, 0).x, y + size,
                       p == 0 ? "emb" : s->point_names[p], g->palette->dim, FALSE, size,
                       p + 1 == s->n_points ? REGARD_ANCHOR_END : REGARD_ANCHOR_MIDDLE, 0);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const GraphPicture *self = figure->subject;
  const RegardLayers *layers = self->graph->layers;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Graph g = {.self = self,
             .canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .font = font,
             .x = margin,
             .width = width - 2 * margin,
             .label = LABEL * font};
  g_autofree char *title =
      g_strdup_printf(_("Contributions · shares of at least %.2f"), self->look.threshold);
  g_autofree char *changed =
      layers->interventions ? g_strdup_printf(_("changed: %s"), layers->interventions) : NULL;
  char *badges[] = {changed, NULL};
  double y = margin;
  y += regard_figure_header(canvas, g.palette, margin, y, g.width,
                            regard_figure_title(&figure->style, title), changed ? badges : NULL,
                            font);
  for (guint stack = 0; stack < MT_N_STACKS; stack++) {
    g.names[stack] = y;
    g.top[stack] = y + font * 1.8;
    y = g.top[stack] + layers->stacks[stack].n_tokens * PITCH * font + font * 1.2;
  }
  draw_edges(&g);
  for (guint stack = 0; stack < MT_N_STACKS; stack++) { /* above the lines */
    draw_names(&g, (mt_stack) stack);
    draw_nodes(&g, (mt_stack) stack);
  }
  regard_figure_text(canvas, margin, y + font,
                     _("Blue: the same stack, level lines the token’s own stream. Orange: "
                       "cross-attention. What networks and biases add has no line."),
                     g.palette->dim, FALSE, font * 0.92, REGARD_ANCHOR_START, 0);
  return y + 1.5 * font + margin;
}

/* ---- What a place says ----------------------------------------------------------------------- */

static const char *
token_at(const GraphPicture *self, mt_stack stack, guint token)
{
  return self->graph->layers->stacks[stack].token_texts[token];
}

static void
say_heads(const GraphPicture *self, const Edge *e, GString *words)
{
  const mt_contributions *c = self->graph->points[e->to_stack][e->to_point];
  const mt_config *config = mt_model_config(self->graph->layers->model);
  const guint n = (guint) config->n_heads[e->to_stack];
  g_autofree float *shares = g_new(float, n);
  for (guint h = 0; h < n; h++)
    shares[h] = mt_contributions_head(c, e->to_token, e->from_token, h);
  g_autoptr(GString) heads = g_string_new(NULL);
  for (guint k = 0; k < MIN(NAMED, n); k++) {
    guint best = 0;
    for (guint h = 1; h < n; h++)
      if (shares[h] > shares[best])
        best = h;
    g_autofree char *head =
        g_strdup_printf(_("head %u: %.0f %%"), best + 1, 100 * (double) shares[best]);
    regard_words_add_item(heads, head);
    shares[best] = -1;
  }
  if (n > 0)
    /* Translators: a list, "head 3: 40 %, head 1: 25 %": how much of the attention each gave */
    g_string_append_printf(words, _("\nof the attention in it %s"), heads->str);
}

static void
say_edge(const GraphPicture *self, const Edge *e, GString *words)
{
  const RegardLayersStack *to = &self->graph->layers->stacks[e->to_stack];
  g_string_append_printf(
      words,
      /* Translators: a token, a share, another token, and the part of a layer that is behind it */
      e->is_stream ? _("%s gave %.3f of %s after %s: its own stream")
                   : _("%s gave %.3f of %s after %s"),
      token_at(self, e->from_stack, e->from_token), (double) e->share,
      token_at(self, e->to_stack, e->to_token), to->point_names[e->to_point]);
  if (!e->is_stream)
    say_heads(self, e, words);
}

static void
say_node(const GraphPicture *self, mt_stack stack, guint point, guint token, GString *words)
{
  const RegardLayersStack *s = &self->graph->layers->stacks[stack];
  guint n = 0;
  g_string_append_printf(words, _("%s after %s"), s->token_texts[token], s->point_names[point]);
  if (point == 0)
    return;
  const mt_matrix network = self->graph->points[stack][point]->network;
  if (network.data)
    g_string_append_printf(words, _("\nthe network gave %.3f"),
                           (double) mt_matrix_at(&network, token, 0));
  for (guint i = self->edges->len; i-- > 0 && n < 5;) {
    const Edge *e = &g_array_index(self->edges, Edge, i);
    if (e->to_stack != stack || e->to_point != point || e->to_token != token)
      continue;
    g_string_append_printf(words, e->is_stream ? _("\n%s (its own stream) %.3f") : "\n%s %.3f",
                           token_at(self, e->from_stack, e->from_token), (double) e->share);
    n++;
  }
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const GraphPicture *self = figure->subject;
  GString *words = g_string_new(NULL);
  if (spot->part == 2)
    say_edge(self, &g_array_index(self->edges, Edge, spot->row), words);
  else
    say_node(self, (mt_stack) spot->part, (guint) spot->col, (guint) spot->row, words);
  return g_string_free(words, FALSE);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const GraphPicture *self = figure->subject;
  return spot->part == 2 ? regard_exact_copy(g_array_index(self->edges, Edge, spot->row).share)
                         : NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Sub-layers of both stacks, those of the encoder first. */
static guint
n_matrices(RegardFigure *figure)
{
  const RegardLayers *layers = ((const GraphPicture *) figure->subject)->graph->layers;
  return layers->stacks[0].n_points + layers->stacks[1].n_points - 2;
}

static float *
copy_columns(const mt_contributions *c, guint rows, guint *columns)
{
  const mt_matrix tokens = c->tokens, stream = c->stream;
  const mt_matrix network = c->network;
  const guint n_tokens = tokens.data ? (guint) tokens.cols : 0;
  *columns = n_tokens + (stream.data != NULL) + (network.data != NULL);
  float *values = g_new(float, (gsize) rows **columns);
  for (guint i = 0; i < rows; i++) {
    float *row = values + (gsize) i * *columns;
    for (guint j = 0; j < n_tokens; j++)
      row[j] = mt_matrix_at(&tokens, i, j);
    if (stream.data)
      row[n_tokens] = mt_matrix_at(&stream, i, 0);
    if (network.data)
      row[n_tokens + 1] = mt_matrix_at(&network, i, 0);
  }
  return values;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const GraphPicture *self = figure->subject;
  const RegardLayers *layers = self->graph->layers;
  const guint n_encoder = layers->stacks[MT_STACK_ENCODER].n_points - 1;
  const mt_stack stack = i < n_encoder ? MT_STACK_ENCODER : MT_STACK_DECODER;
  const guint p = i < n_encoder ? i + 1 : i - n_encoder + 1;
  const RegardLayersStack *s = &layers->stacks[stack];
  const mt_point point = mt_point_at(mt_model_config(layers->model), stack, p);
  const RegardLayersStack *keys =
      &layers->stacks[point.sub_layer == MT_SUB_LAYER_CROSS ? MT_STACK_ENCODER : stack];
  guint columns;
  float *values = copy_columns(self->graph->points[stack][p], s->n_tokens, &columns);
  g_autofree const char **titles = g_new(const char *, columns);
  const gboolean is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  for (guint c = 0; c < columns; c++)
    titles[c] = is_network           ? (c == 0 ? "stream" : "network")
                : c < keys->n_tokens ? keys->token_texts[c]
                                     : "stream";
  /* "decoder_2_cross": ids live as long as the program. */
  g_autofree char *id = g_strdup_printf("%s_%s", stack == MT_STACK_ENCODER ? "encoder" : "decoder",
                                        s->point_names[p]);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = g_intern_string(g_strdelimit(id, " ", '_')),
      .title = _("Contributions"),
      .value_name = _("share"),
      .model_name = mt_model_name(layers->model),
      .rows = regard_axis_texts((const char *const *) s->token_texts, s->n_tokens,
                                C_("text", "tokens")),
      .cols = regard_axis_texts(titles, columns, _("what gave")),
      .values = values,
      .range = REGARD_RANGE_SHARES,
  });
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  regard_words_add_sentence(caption, _("Contributions of tokens to each other through every "
                                       "sub-layer (Ferrando 2022)."));
}

static void
clear_figure(gpointer subject)
{
  GraphPicture *self = subject;
  g_array_unref(self->edges);
  regard_graph_unref(self->graph);
}

RegardFigure *
regard_figure_new_graph(RegardGraph *graph, const RegardGraphOptions *look,
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
  GraphPicture *self = regard_subject_alloc(sizeof *self, clear_figure);
  self->graph = regard_graph_ref(graph);
  self->look = *look;
  self->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  for (guint stack = 0; stack < MT_N_STACKS; stack++)
    for (guint p = 1; p < graph->layers->stacks[stack].n_points; p++)
      add_point(self, (mt_stack) stack, p);
  g_array_sort(self->edges, compare);
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}
