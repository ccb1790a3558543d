/* regard-figure-tree.c — all hypotheses of a search as a tree, or those of two searches: drawn, in
 * words, as numbers, as a document, and as a graph.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The document:
 * {"program", "model", "source", "searches": [{"beam_size", "length_penalty", "top", "request":
 * what the model itself does not ask for (mt_request_to_json: settings, prefix, forbidden),
 * "changes", "precision", "hypotheses": [{"text", "score", "sum_logprob", "node", "forced",
 * "ids"}], "steps": [{"step", "rows": [{"node", "entropy",
 * "options":
 * [{"id", "piece", "logprob", "after", "rule"}]}], "nodes": [{"node", "parent", "id", "piece",
 * "held", "forced", "end", "cut", "rank", "logprob", "sum", "score", "fate", "end_step", "margin",
 * "result"}]}]}]}. Steps, ranks and results count from 1; nodes from 0 through all steps, and the
 * start is null.
 * Entropy is in nats. "after" is null where a rule took the token away.
 */
#include "figures/regard-figure-tree.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-figure-steps.h"
#include "figures/regard-language.h"
#include "figures/regard-steps.h"

#include "figures/regard-figure-tree.h"
#include "figures/regard-words.h"

#include <json.h>
#include <math.h>
#include <string.h>

#define TREE_MOST 2

/* One search, laid out for letters of one size. */
typedef struct {
  RegardSteps *steps;
  RegardBeamTree *tree;
  gboolean *is_on_path; /* [items] of the node that stands out */
  char **labels;        /* [items] */
  double *widths;       /* [items] of the labels */
  double *columns;      /* [columns + 1] where each begins, from 0 */
  double width;         /* with the scores behind the last one */
} TreeLayout;

/* Of one figure, which lays it out when it is first drawn. */
typedef struct {
  RegardSubject subject;
  RegardTreeOptions look;
  guint n;
  TreeLayout layouts[TREE_MOST];
  double font; /* that they are for; 0: there are none yet */
  char *family;
} Tree;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const Tree *figure;
  const TreeLayout *layout;
  guint search; /* which one */
  double x, y, font;
  double scale; /* of the layout to what is drawn */
} Draw;

#define TREE_ROW    1.55 /* height of a row, in letters */
#define TREE_GUTTER 2.2  /* before a column, where edges go up and down */

/* "−2.20", in text of 32 bytes. */
static const char *
tree_number(char *text, double value, int decimals)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  g_snprintf(format, sizeof format, "%%.%df", decimals);
  regard_formatd(number, sizeof number, format, fabs(value));
  g_snprintf(text, 32, "%s%s", value < 0 ? "−" : "", number);
  return text;
}

/* "−3.68 / 18^1 = −0.204": how a score comes of a sum. Caller frees. */
static char *
tree_dup_score(const RegardSteps *steps, const mt_step_node *node)
{
  char sum[32], score[32], alpha[G_ASCII_DTOSTR_BUF_SIZE];

  regard_formatd(alpha, sizeof alpha, "%g", (double) steps->steps->length_penalty);
  return g_strdup_printf("%s / %" G_GSIZE_FORMAT "^%s = %s", tree_number(sum, node->sum, 2),
                         mt_steps_counted(steps->steps, node), alpha,
                         tree_number(score, node->score, 4));
}

/* "beam 4, length penalty 1". Caller frees. */
static char *
tree_dup_settings(const RegardSteps *steps)
{
  char alpha[G_ASCII_DTOSTR_BUF_SIZE];
  const gsize beam = steps->steps->beam_size;

  regard_formatd(alpha, sizeof alpha, "%g", (double) steps->steps->length_penalty);
  return beam == 1 ? g_strdup_printf(_("greedy search, length penalty %s"), alpha)
                   : g_strdup_printf(_("beam %zu, length penalty %s"), beam, alpha);
}

static void
append_fate(GString *text, const mt_step_node *node)
{
  char margin[32];

  tree_number(margin, node->margin, 2);
  switch (node->fate) {
  case MT_FATE_WENT_ON:
    return;
  case MT_FATE_FINISHED:
    if (node->result >= 0)
      g_string_append_printf(text,
                             node->is_cut ? _("\nfinished, rank %d, cut off at the greatest length")
                                          : _("\nfinished, rank %d"),
                             node->result + 1);
    else
      g_string_append(text, node->is_cut ? _("\nfinished, cut off at the greatest length")
                                         : _("\nfinished"));
    return;
  case MT_FATE_OUTDONE:
    g_string_append_printf(text,
                           _("\nended, but its score was %s below the last of the finished in "
                             "step %zu"),
                           tree_number(margin, node->margin, 4), node->end_step + 1);
    return;
  case MT_FATE_PRUNED:
    g_string_append_printf(text,
                           _("\npruned in step %zu: its sum was %s below the last that was kept"),
                           node->end_step + 1, margin);
    return;
  case MT_FATE_STOPPED:
    g_string_append(text, _("\nheld when the search ended: nothing better was to be expected"));
    return;
  }
}

/* Of a node, one after the other in lines. Caller frees. */
static char *
tree_describe(const RegardSteps *steps, int at)
{
  const mt_step_node *node = &steps->steps->nodes[(gsize) at];
  g_autofree char *piece = regard_steps_dup_piece(steps, node->id);
  g_autofree char *words = regard_steps_dup_words(steps, at);
  g_autofree char *score = tree_dup_score(steps, node);
  char percent[32], logprob[32];
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, _("%s, step %zu\n“%s”\nprobability %s, log p %s\n%s"), piece,
                         node->step + 1, words,
                         regard_steps_percent(percent, exp((double) node->logprob)),
                         tree_number(logprob, node->logprob, 2), score);
  if (node->is_forced)
    g_string_append(text, _("\nforced"));
  append_fate(text, node);
  return g_string_free(text, FALSE);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

#define CURVE 10 /* points of an edge */
#define BLUE  0xff1a5fb4
#define LIGHT 0xff62a0ea
#define RED   0xffc01c28

/* A log-probability, as the legend says it. */
#define LEAST_TINT (-8.0)

static const mt_step_node *
node_of(const Draw *d, const RegardTreeItem *item)
{
  return item->node >= 0 ? &d->layout->steps->steps->nodes[(gsize) item->node] : NULL;
}

/* Of its own end, and of the token that it begins with. */
static double
probability(const Draw *d, const RegardTreeItem *item)
{
  return item->first >= 0
             ? exp((double) d->layout->steps->steps->nodes[(gsize) item->first].logprob)
             : 0;
}

static gboolean
is_late(const Draw *d, const RegardTreeItem *item)
{
  const int step = d->figure->look.step;
  const mt_step_node *node = node_of(d, item);

  return step >= 0 && node && (int) node->step > step;
}

/* Whether the search has not come to it. */
static gboolean
is_hidden(const Draw *d, const RegardTreeItem *item)
{
  return d->figure->look.hides_later && is_late(d, item);
}

/* Whether the search has ended, and it is known which hypothesis is the result. */
static gboolean
is_over(const Draw *d)
{
  const RegardTreeOptions *look = &d->figure->look;

  return !look->hides_later || look->step < 0 ||
         (gsize) look->step + 1 >= d->layout->steps->steps->n_steps;
}

/* What is known of it after the step. */
static mt_fate
fate_of(const Draw *d, const mt_step_node *node)
{
  const gboolean is_decided = is_over(d) || node->end_step <= (gsize) d->figure->look.step;

  if (is_decided && (node->fate != MT_FATE_STOPPED || is_over(d)))
    return node->fate;
  return node->is_end ? MT_FATE_FINISHED : MT_FATE_WENT_ON;
}

static gboolean
is_dead(const Draw *d, const mt_step_node *node)
{
  return !node || fate_of(d, node) == MT_FATE_PRUNED || fate_of(d, node) == MT_FATE_OUTDONE;
}

static gboolean
stands_out(const Draw *d, guint i)
{
  return d->layout->is_on_path[i] && is_over(d);
}

static double
x_of(const Draw *d, guint column)
{
  return d->x + d->layout->columns[column] * d->scale;
}

static double
width_of(const Draw *d, int item)
{
  return d->layout->widths[item] * d->scale;
}

static double
y_of(const Draw *d, guint row)
{
  return d->y + (row + 0.5) * TREE_ROW * d->font;
}

static gboolean
is_seen(const Draw *d, double left, double right, double top, double bottom)
{
  const RegardRect *v = &d->canvas->visible;

  return regard_figure_draws(d->canvas) && regard_canvas_shows(d->canvas, top, bottom) &&
         (v->height <= 0 || (left <= v->x + v->width && right >= v->x));
}

/* ---- Edges ------------------------------------------------------------------------------------
 */

static void
draw_edge(const Draw *d, guint i)
{
  const RegardTreeItem *item = &d->layout->tree->items[i];
  const RegardTreeItem *from = item->parent >= 0 ? &d->layout->tree->items[item->parent] : NULL;
  const double f = d->font, p = probability(d, item);
  const double x0 =
      from ? x_of(d, from->column) + width_of(d, item->parent) + 0.25 * f : x_of(d, 0) + 0.5 * f;
  const double y0 = y_of(d, from ? from->row : 0);
  const double x1 = x_of(d, item->column) - 0.25 * f, y1 = y_of(d, item->row);
  const mt_step_node *node = node_of(d, item);
  RegardPoint points[CURVE + 1];
  RegardPen pen = {.width = f * (0.06 + 0.34 * p), .argb = regard_color_blend(LIGHT, BLUE, p)};

  if (is_hidden(d, item) || !is_seen(d, x0, x1, MIN(y0, y1) - f, MAX(y0, y1) + f))
    return;
  if (is_dead(d, node) && !stands_out(d, i))
    pen.argb = regard_color_blend(d->palette->background, d->palette->dim, 0.45 + 0.4 * p);
  if (is_late(d, item))
    pen.argb = regard_color_blend(d->palette->background, pen.argb, 0.35);
  if (item->ghost >= 0)
    pen = (RegardPen){.width = f * 0.1, .dash = 0.4 * f, .space = 0.3 * f, .argb = d->palette->dim};
  /* Level as far as there may be labels above and below, then a cubic. */
  const double bend = MIN(x1 - x0, (TREE_GUTTER - 0.25) * f), from_x = x1 - bend;
  for (guint k = 0; k <= CURVE; k++) {
    const double t = (double) k / CURVE, s = 1 - t;

    points[k].x = s * s * s * from_x + 3 * s * s * t * (from_x + bend / 2) +
                  3 * s * t * t * (x1 - bend / 2) + t * t * t * x1;
    points[k].y = (s * s * s + 3 * s * s * t) * y0 + (3 * s * t * t + t * t * t) * y1;
  }
  points[0].x = x0;
  regard_canvas_polyline(d->canvas, points, CURVE + 1, &pen);
}

/* ---- Labels -----------------------------------------------------------------------------------
 */

static void
put(const Draw *d, double x, double baseline, const char *text, guint32 argb, gboolean bold,
    double size)
{
  regard_figure_text(d->canvas, x, baseline, text, argb, bold, size, REGARD_ANCHOR_START, 0);
}

/* Behind the token, how likely it was: from nothing at LEAST_TINT to its full colour at 0. */
static void
draw_tint(const Draw *d, const RegardTreeItem *item, const mt_step_node *node, double x, double y,
          double width)
{
  const double f = d->font, of = is_late(d, item) ? 0.4 : 1;
  const double share = 1 - MAX((double) node->logprob, LEAST_TINT) / LEAST_TINT;
  const RegardRect rect = {x - 0.22 * f, y - 0.58 * f, width + 0.44 * f, 1.16 * f};

  if (share > 0)
    regard_canvas_fill_rect(d->canvas, rect, 0.3 * f,
                            regard_color_blend(d->palette->background, LIGHT, 0.42 * share * of));
}

/* Behind a label: what became of it, if nothing goes on. */
/* Numbers are smaller than words. How much larger than asked they are on a screen, where no text is
 * too small to be read. */
#define SMALL 0.72
static double
small_scale(const RegardCanvas *canvas, double font)
{
  return regard_canvas_text_size(canvas, SMALL * font) / (SMALL * font);
}

static void
draw_end(const Draw *d, const RegardTreeItem *item, const mt_step_node *node, double x,
         double baseline)
{
  const gboolean has_numbers = regard_figure_has(d->style, REGARD_PART_NUMBERS);
  const double f = d->font;
  const guint32 dim = is_late(d, item)
                          ? regard_color_blend(d->palette->background, d->palette->dim, 0.4)
                          : d->palette->dim;
  char margin[32], number[16];

  if (fate_of(d, node) == MT_FATE_FINISHED) {
    g_autofree char *score = tree_dup_score(d->layout->steps, node);

    g_snprintf(number, sizeof number, node->result >= 0 && is_over(d) ? "%d." : "·",
               node->result + 1);
    put(d, x, baseline, number, d->palette->text, TRUE, f);
    /* What will be outdone has no room for it. */
    if (node->fate == MT_FATE_FINISHED)
      put(d, x + 1.8 * f, baseline, score, d->palette->text, node->result == 0 && is_over(d),
          f * 0.9);
  } else if (is_dead(d, node)) {
    const double r = 0.24 * f, cx = x + r, cy = baseline - 0.33 * f;
    const RegardPoint a[] = {{cx - r, cy - r}, {cx + r, cy + r}},
                      b[] = {{cx - r, cy + r}, {cx + r, cy - r}};
    const RegardPen pen = {.width = 0.11 * f,
                           .argb = is_late(d, item)
                                       ? regard_color_blend(d->palette->background, RED, 0.35)
                                       : RED};

    regard_canvas_polyline(d->canvas, a, 2, &pen);
    regard_canvas_polyline(d->canvas, b, 2, &pen);
    if (!has_numbers)
      return;
    g_snprintf(number, sizeof number, "%" G_GSIZE_FORMAT, node->end_step + 1);
    put(d, x + 0.62 * f, baseline, number, pen.argb, FALSE, f * SMALL);
    /* Scores are smaller than sums. */
    put(d, x + (0.9 + 0.44 * (double) strlen(number) * small_scale(d->canvas, f)) * f, baseline,
        tree_number(margin, -node->margin, node->fate == MT_FATE_PRUNED ? 2 : 3), dim, FALSE,
        f * SMALL);
  } else if (fate_of(d, node) == MT_FATE_STOPPED)
    put(d, x, baseline, "…", d->palette->dim, FALSE, f);
}

static void
draw_label(const Draw *d, guint i)
{
  const RegardTreeItem *item = &d->layout->tree->items[i];
  const double f = d->font, x = x_of(d, item->column), y = y_of(d, item->row);
  const double width = width_of(d, (int) i), baseline = y + 0.34 * f;
  const double end = item->is_leaf ? 5.4 * f : 0;
  const mt_step_node *node = node_of(d, item);
  const gboolean on_path = stands_out(d, i);
  const RegardRect rect = {x - 0.2 * f, y - 0.6 * f, width + 0.4 * f, 1.2 * f};
  guint32 color = d->palette->text;
  char percent[32];

  if (is_hidden(d, item))
    return;
  regard_canvas_spot(d->canvas, rect,
                     item->ghost >= 0 ? REGARD_TREE_SPOT_GHOST : REGARD_TREE_SPOT_NODE,
                     (int) d->search, item->ghost >= 0 ? item->ghost : item->node);
  if (!is_seen(d, x - 4 * f, x + width + MAX(end, 14 * f), y - f, y + f))
    return;
  if (is_dead(d, node))
    color = d->palette->dim;
  if (is_late(d, item))
    color = regard_color_blend(d->palette->background, color, 0.4);
  if (node)
    draw_tint(d, item, &d->layout->steps->steps->nodes[(gsize) item->first], x, y, width);
  put(d, x, baseline, d->layout->labels[i], color, on_path, f);
  if (node && node->is_forced)
    regard_canvas_fill_rect(d->canvas, (RegardRect){x, y + 0.52 * f, width, 0.12 * f}, 0,
                            d->palette->text);
  /* Before what goes on or is a result there is room to say it above the edge. */
  if (node && (on_path || node->fate == MT_FATE_WENT_ON || node->fate == MT_FATE_FINISHED) &&
      regard_figure_has(d->style, REGARD_PART_NUMBERS))
    regard_figure_text(d->canvas, x - 0.5 * f, y - 0.3 * f,
                       regard_steps_percent(percent, probability(d, item)),
                       is_late(d, item)
                           ? regard_color_blend(d->palette->background, d->palette->dim, 0.4)
                           : d->palette->dim,
                       FALSE, f * 0.68, REGARD_ANCHOR_END, 0);
  if (node && item->is_leaf)
    draw_end(d, item, node, x + width + 0.45 * f, baseline);
}

/* Above the columns; a folded one has tokens of several steps. */
static void
draw_step_numbers(const Draw *d)
{
  const double baseline = d->y - 0.35 * d->font;
  char number[16];

  for (guint c = 1; c < d->layout->tree->n_columns; c++) /* the start is in column 0 */
    if (is_seen(d, x_of(d, c), x_of(d, c) + 2 * d->font, baseline - d->font, baseline)) {
      g_snprintf(number, sizeof number, "%u", c);
      put(d, x_of(d, c), baseline, number, d->palette->dim, d->figure->look.step + 1 == (int) c,
          d->font * SMALL);
    }
}

/* Branches and labels. Returns the height. */
static double
tree_draw(const Draw *d)
{
  const RegardBeamTree *tree = d->layout->tree;
  const double f = d->font, x = x_of(d, 0) + 0.25 * f, y = y_of(d, 0);

  if (!d->figure->look.fold)
    draw_step_numbers(d);
  regard_canvas_begin_group(d->canvas, "edges");
  for (guint pass = 0; pass < 2; pass++) /* the path lies above the others */
    for (guint i = 0; i < tree->n; i++)
      if (d->layout->is_on_path[i] == (pass == 1))
        draw_edge(d, i);
  regard_canvas_end_group(d->canvas);
  regard_canvas_begin_group(d->canvas, "nodes");
  if (is_seen(d, x - f, x + f, y - f, y + f))
    regard_canvas_fill_rect(d->canvas, (RegardRect){x - 0.3 * f, y - 0.3 * f, 0.6 * f, 0.6 * f},
                            0.3 * f, BLUE);
  for (guint i = 0; i < tree->n; i++)
    draw_label(d, i);
  regard_canvas_end_group(d->canvas);
  return tree->n_rows * TREE_ROW * f;
}

/* ---- Files ----------------------------------------------------------------------------------- */

enum { NODES, ROWS, OPTIONS, N_MATRICES };

static const char *const node_columns[] = {"step",  "parent", "id",       "held",    "forced",
                                           "end",   "cut",    "rank",     "logprob", "sum",
                                           "score", "fate",   "end_step", "margin",  "result"};
static const char *const row_columns[] = {"step", "node", "entropy"};
static const char *const option_columns[] = {"row", "id", "rule", "logprob", "after"};

/* ---- Matrices ---------------------------------------------------------------------------------
 */

static RegardMatrix *
make_matrix(const RegardSteps *steps, const char *id, const char *title, guint n,
            const char *const *columns, guint n_columns, float *values)
{
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = "value",
      .model_name = mt_model_name(steps->model),
      .rows = regard_axis_numbers(n, _(title), REGARD_TICKS_DECIMAL),
      .cols = regard_axis_texts(columns, n_columns, C_("number", "value")),
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardMatrix *
nodes_matrix(const RegardSteps *steps, const char *id)
{
  const guint n = (guint) steps->steps->n_nodes, width = G_N_ELEMENTS(node_columns);
  float *values = g_new(float, (gsize) n *width);

  for (guint i = 0; i < n; i++) {
    const mt_step_node *node = &steps->steps->nodes[i];
    const float own[] = {(float) (node->step + 1),
                         (float) node->parent,
                         (float) node->id,
                         node->is_held,
                         node->is_forced,
                         node->is_end,
                         node->is_cut,
                         (float) (node->rank + 1),
                         node->logprob,
                         node->sum,
                         node->score,
                         (float) node->fate,
                         (float) (node->end_step + 1),
                         node->margin,
                         (float) (node->result + 1)};

    memcpy(values + (gsize) i * width, own, sizeof own);
  }
  return make_matrix(steps, id, N_("nodes"), n, node_columns, width, values);
}

static RegardMatrix *
rows_matrix(const RegardSteps *steps, const char *id)
{
  const guint n = (guint) steps->steps->n_rows, width = G_N_ELEMENTS(row_columns);
  float *values = g_new(float, (gsize) n *width);

  for (guint i = 0; i < n; i++) {
    const mt_step_row row = steps->steps->rows[i];
    const float own[] = {(float) (row.step + 1), (float) row.node, row.entropy};

    memcpy(values + (gsize) i * width, own, sizeof own);
  }
  return make_matrix(steps, id, "rows", n, row_columns, width, values);
}

static RegardMatrix *
options_matrix(const RegardSteps *steps, const char *id)
{
  const guint n_rows = (guint) steps->steps->n_rows, width = G_N_ELEMENTS(option_columns);
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(float));
  guint n = 0;

  for (guint i = 0; i < n_rows; i++) {
    const mt_step_row row = steps->steps->rows[i];

    for (gsize k = 0; k < row.n; k++, n++) {
      const mt_option *o = &row.options[k];
      const float own[] = {(float) i, (float) o->id, (float) o->rule, o->logprob, o->after};

      g_array_append_vals(values, own, G_N_ELEMENTS(own));
    }
  }
  return make_matrix(steps, id, "options", n, option_columns, width,
                     g_memdup2(values->data, values->len * sizeof(float)));
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  const Tree *tree = figure->subject;
  static const char *const ids[TREE_MOST][N_MATRICES] = {{"nodes", "rows", "options"},
                                                         {"nodes2", "rows2", "options2"}};
  const RegardSteps *steps = tree->layouts[i / N_MATRICES].steps;
  const char *id = ids[i / N_MATRICES][i % N_MATRICES];

  switch (i % N_MATRICES) {
  case NODES:
    return nodes_matrix(steps, id);
  case ROWS:
    return rows_matrix(steps, id);
  default:
    return options_matrix(steps, id);
  }
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void
put_text(json_object *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  json_object_object_add(object, name, json_object_new_string(valid));
}

/* With as many digits as it takes to read the same float back. */
static void
put_number(json_object *object, const char *name, float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  json_object_object_add(object, name,
                         *regard_exact_number(text, value)
                             ? json_object_new_double_s((double) value, text)
                             : NULL);
}

static void
put_whole(json_object *object, const char *name, gint64 value)
{
  json_object_object_add(object, name, json_object_new_int64(value));
}

static void
put_flag(json_object *object, const char *name, gboolean value)
{
  json_object_object_add(object, name, json_object_new_boolean(value));
}

/* null for what is not there. */
static void
put_index(json_object *object, const char *name, gint64 index)
{
  json_object_object_add(object, name, index < 0 ? NULL : json_object_new_int64(index));
}

static void
put_piece(const RegardSteps *steps, json_object *object, int32_t id)
{
  const char *piece = mt_model_piece(steps->model, MT_STACK_DECODER, id);

  put_whole(object, "id", id);
  put_text(object, "piece", piece ? piece : "");
}

static json_object *
json_row(const RegardSteps *steps, const mt_step_row *row)
{
  json_object *object = json_object_new_object(), *options = json_object_new_array();

  put_index(object, "node", row->node);
  put_number(object, "entropy", row->entropy);
  for (gsize i = 0; i < row->n; i++) {
    const mt_option *o = &row->options[i];
    json_object *option = json_object_new_object();

    put_piece(steps, option, o->id);
    put_number(option, "logprob", o->logprob);
    put_number(option, "after", o->after);
    put_text(option, "rule", mt_rule_name(o->rule));
    json_object_array_add(options, option);
  }
  json_object_object_add(object, "options", options);
  return object;
}

static json_object *
json_node(const RegardSteps *steps, gsize i)
{
  const mt_step_node *node = &steps->steps->nodes[i];
  json_object *object = json_object_new_object();

  put_whole(object, "node", (gint64) i);
  put_index(object, "parent", node->parent);
  put_piece(steps, object, node->id);
  put_flag(object, "held", node->is_held);
  put_flag(object, "forced", node->is_forced);
  put_flag(object, "end", node->is_end);
  put_flag(object, "cut", node->is_cut);
  put_whole(object, "rank", (gint64) node->rank + 1);
  put_number(object, "logprob", node->logprob);
  put_number(object, "sum", node->sum);
  put_number(object, "score", node->score);
  put_text(object, "fate", mt_fate_name(node->fate));
  put_whole(object, "end_step", (gint64) node->end_step + 1);
  put_number(object, "margin", node->margin);
  put_index(object, "result", node->result < 0 ? -1 : node->result + 1);
  return object;
}

static json_object *
json_steps(const RegardSteps *steps)
{
  json_object *all = json_object_new_array();
  gsize row = 0, node = 0;

  for (gsize t = 0; t < steps->steps->n_steps; t++) {
    json_object *step = json_object_new_object(), *rows = json_object_new_array(),
                *nodes = json_object_new_array();

    for (; row < steps->steps->n_rows; row++) {
      const mt_step_row at = steps->steps->rows[row];

      if (at.step != t)
        break;
      json_object_array_add(rows, json_row(steps, &at));
    }
    for (; node < steps->steps->n_nodes && steps->steps->nodes[node].step == t; node++)
      json_object_array_add(nodes, json_node(steps, node));
    put_whole(step, "step", (gint64) t + 1);
    json_object_object_add(step, "rows", rows);
    json_object_object_add(step, "nodes", nodes);
    json_object_array_add(all, step);
  }
  return all;
}

static json_object *
json_hypotheses(const RegardSteps *steps)
{
  json_object *all = json_object_new_array();

  for (gsize i = 0; i < mt_translation_count(steps->translation); i++) {
    const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, i);
    json_object *object = json_object_new_object(), *ids = json_object_new_array();

    put_text(object, "text", h->text);
    put_number(object, "score", h->score);
    put_number(object, "sum_logprob", h->sum_logprob);
    put_index(object, "node", mt_steps_result(steps->steps, i));
    put_whole(object, "forced", (gint64) h->n_forced);
    for (gsize k = 0; k < mt_tokens_count(h->tokens); k++)
      json_object_array_add(ids, json_object_new_int(mt_tokens_get(h->tokens, k)->id));
    json_object_object_add(object, "ids", ids);
    json_object_array_add(all, object);
  }
  return all;
}

/* A line each, as in a request. */
static json_object *
json_changes(const mt_interventions *interventions)
{
  json_object *all = json_object_new_array();
  g_auto(GStrv) lines =
      g_strsplit(mt_interventions_count(interventions) ? mt_interventions_text(interventions) : "",
                 "\n", -1);

  for (char **line = lines; *line; line++)
    if (**line)
      json_object_array_add(all, json_object_new_string(*line));
  return all;
}

/* null: there is no room for it. */
static json_object *
json_request(const RegardSteps *steps)
{
  char *text = mt_request_to_json(mt_translation_search(steps->translation), NULL);
  json_object *object = text ? json_tokener_parse(text) : NULL;

  mt_string_free(text);
  return object;
}

static char *
to_json(RegardFigure *figure)
{
  const Tree *self = figure->subject;
  json_object *root = json_object_new_object(), *searches = json_object_new_array();

  put_text(root, "program", "Regard " MT_VERSION);
  put_text(root, "model", mt_model_name(self->layouts[0].steps->model));
  put_text(root, "source",
           mt_tokens_text(mt_translation_source(self->layouts[0].steps->translation)));
  for (guint i = 0; i < self->n; i++) {
    const RegardSteps *steps = self->layouts[i].steps;
    json_object *search = json_object_new_object();

    put_whole(search, "beam_size", (gint64) steps->steps->beam_size);
    put_number(search, "length_penalty", steps->steps->length_penalty);
    put_whole(search, "top", (gint64) steps->steps->top);
    json_object_object_add(search, "request", json_request(steps));
    json_object_object_add(search, "changes",
                           json_changes(mt_translation_interventions(steps->translation)));
    put_text(search, "precision", mt_precision_name(mt_translation_precision(steps->translation)));
    json_object_object_add(search, "hypotheses", json_hypotheses(steps));
    json_object_object_add(search, "steps", json_steps(steps));
    json_object_array_add(searches, search);
  }
  json_object_object_add(root, "searches", searches);
  char *text = g_strconcat(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                    JSON_C_TO_STRING_SPACED |
                                                                    JSON_C_TO_STRING_NOSLASHESCAPE),
                           "\n", NULL);
  json_object_put(root);
  return text;
}

/* ---- Graphviz ---------------------------------------------------------------------------------
 */

/* A string of the language: quotes and backslashes are escaped, lines are none. */
static void
append_quoted(GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  g_string_append_c(out, '"');
  for (const char *p = valid; *p; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c(out, '\\');
    g_string_append_c(out, (guchar) *p < ' ' ? ' ' : *p);
  }
  g_string_append_c(out, '"');
}

static void
append_node(GString *out, const RegardSteps *steps, guint search, gsize i)
{
  const mt_step_node *node = &steps->steps->nodes[i];
  g_autofree char *piece = regard_steps_dup_piece(steps, node->id);
  const gboolean is_dead = node->fate == MT_FATE_PRUNED || node->fate == MT_FATE_OUTDONE;
  const double p = exp((double) node->logprob);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(out, "    s%u_%" G_GSIZE_FORMAT " [label=", search, i);
  append_quoted(out, piece);
  if (node->fate == MT_FATE_FINISHED) {
    g_autofree char *score = tree_dup_score(steps, node);

    g_string_append(out, ", xlabel=");
    append_quoted(out, score);
  }
  g_string_append_printf(out, ", fontcolor=\"%s\"%s];\n    s%u_", is_dead ? "#888888" : "#000000",
                         node->is_forced ? ", shape=underline" : "", search);
  if (node->parent < 0)
    g_string_append(out, "start");
  else
    g_string_append_printf(out, "%d", node->parent);
  g_string_append_printf(out, " -> s%u_%" G_GSIZE_FORMAT " [penwidth=%s", search, i,
                         g_ascii_formatd(number, sizeof number, "%.3f", 0.5 + 4 * p));
  g_string_append_printf(out, ", label=\"%s\", color=\"%s\"%s];\n",
                         g_ascii_formatd(number, sizeof number, "%.4f", p),
                         is_dead ? "#bbbbbb" : "#1a5fb4", node->is_held ? "" : ", style=dashed");
}

static char *
to_dot(RegardFigure *figure)
{
  const Tree *self = figure->subject;
  GString *out = g_string_new("digraph beams {\n  rankdir=LR;\n  node [shape=plaintext];\n"
                              "  edge [arrowhead=none];\n");

  for (guint i = 0; i < self->n; i++) {
    const RegardSteps *steps = self->layouts[i].steps;
    g_autofree char *settings = tree_dup_settings(steps);

    g_string_append_printf(out, "  subgraph cluster_%u {\n    label=", i);
    append_quoted(out, settings);
    g_string_append_printf(out, ";\n    s%u_start [shape=point];\n", i);
    for (gsize k = 0; k < steps->steps->n_nodes; k++)
      append_node(out, steps, i, k);
    g_string_append(out, "  }\n");
  }
  g_string_append(out, "}\n");
  return g_string_free(out, FALSE);
}

/* ---- The figure ------------------------------------------------------------------------------ */

#define MOST_LABEL 24.0 /* letters; longer ones end in … */
#define EDGE       3.8  /* between two columns */
#define END        4.9  /* behind a label that nothing follows */
#define MOST_TOLD  4    /* hypotheses in words */
#define SCORE      17.0 /* behind the last column */

/* ---- Layout -----------------------------------------------------------------------------------
 */

static char *
dup_label(const TreeLayout *layout, const RegardTreeItem *item, const RegardSteps *ghost)
{
  GString *label = NULL;

  if (item->ghost >= 0)
    return regard_steps_dup_piece(ghost, ghost->steps->nodes[(gsize) ghost->nodes[item->ghost]].id);
  for (int at = item->node;; at = layout->steps->steps->nodes[(gsize) at].parent) {
    g_autofree char *piece =
        regard_steps_dup_piece(layout->steps, layout->steps->steps->nodes[(gsize) at].id);

    if (!label)
      label = g_string_new(piece);
    else {
      g_string_prepend_c(label, ' ');
      g_string_prepend(label, piece);
    }
    if (at == item->first)
      return g_string_free(label, FALSE);
  }
}

/* The same pieces stand in many places. */
static double
measure(RegardCanvas *canvas, GHashTable *known, const char *text, double font)
{
  double *width = g_hash_table_lookup(known, text);
  const RegardSpan span = {text, 0, FALSE};

  if (!width) {
    width = g_new(double, 1);
    *width = regard_canvas_text_width(canvas, &span, 1, font);
    g_hash_table_insert(known, g_strdup(text), width);
  }
  return *width;
}

static void
mark_path(TreeLayout *layout, int node)
{
  if (node < 0)
    node = layout->steps->nodes[layout->steps->n - 1];
  for (; node >= 0; node = layout->steps->steps->nodes[(gsize) node].parent)
    if (layout->tree->items_of[node] >= 0)
      layout->is_on_path[layout->tree->items_of[node]] = TRUE;
}

static void
lay_out(TreeLayout *layout, const RegardTreeOptions *look, gboolean is_first, RegardCanvas *canvas,
        double font)
{
  const RegardTreeShape shape = {look->fold, look->held_only, is_first ? look->ghost : NULL};
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  RegardBeamTree *tree = regard_beam_tree_new(layout->steps, &shape);
  const double small = small_scale(canvas, font), edge = EDGE * small, end = END * small;
  double x = font;

  layout->tree = tree;
  layout->labels = g_new0(char *, tree->n + 1);
  layout->widths = g_new(double, tree->n + 1);
  layout->is_on_path = g_new0(gboolean, tree->n + 1);
  layout->columns = g_new0(double, tree->n_columns + 1);
  mark_path(layout, is_first ? look->node : -1);
  for (guint i = 0; i < tree->n; i++) {
    g_autofree char *label = dup_label(layout, &tree->items[i], look->ghost);
    double width = measure(canvas, known, label, font);

    /* Bold letters are wider. */
    if (layout->is_on_path[i])
      width *= 1.1;
    if (width > MOST_LABEL * font) {
      layout->labels[i] =
          regard_canvas_ellipsize(canvas, label, layout->is_on_path[i], font, MOST_LABEL * font);
      width = MOST_LABEL * font;
    } else
      layout->labels[i] = g_steal_pointer(&label);
    layout->widths[i] = width;
    const double needed = width + (tree->items[i].is_leaf ? end + TREE_GUTTER : edge) * font;
    /* Scores have the room to the right for themselves. */
    const gboolean is_finished =
        tree->items[i].node >= 0 &&
        layout->steps->steps->nodes[(gsize) tree->items[i].node].fate == MT_FATE_FINISHED;
    double *column = &layout->columns[tree->items[i].column];

    *column = MAX(*column, is_finished ? width + font : needed);
    if (is_finished)
      layout->width = MAX(layout->width, 1);
  }
  /* From widths to places. */
  for (guint c = 0; c <= tree->n_columns; c++) {
    const double width = c == 0 ? edge * font : layout->columns[c];

    layout->columns[c] = x;
    x += c < tree->n_columns ? width : 0;
  }
  layout->width = 0;
  for (guint i = 0; i < tree->n; i++) {
    const RegardTreeItem *item = &tree->items[i];
    const gboolean is_finished =
        item->node >= 0 && layout->steps->steps->nodes[(gsize) item->node].fate == MT_FATE_FINISHED;

    layout->width = MAX(layout->width, layout->columns[item->column] + layout->widths[i] +
                                           (is_finished ? SCORE : end) * font);
  }
}

static void
forget(Tree *self)
{
  for (guint i = 0; i < self->n; i++) {
    TreeLayout *layout = &self->layouts[i];

    for (guint k = 0; layout->tree && k < layout->tree->n; k++)
      g_free(layout->labels[k]);
    g_clear_pointer(&layout->labels, g_free);
    g_clear_pointer(&layout->widths, g_free);
    g_clear_pointer(&layout->is_on_path, g_free);
    g_clear_pointer(&layout->columns, g_free);
    g_clear_pointer(&layout->tree, regard_beam_tree_free);
  }
  g_clear_pointer(&self->family, g_free);
  self->font = 0;
}

static void
ensure_layouts(Tree *self, RegardCanvas *canvas, double font)
{
  if (self->font == font && g_strcmp0(self->family, canvas->family) == 0)
    return;
  forget(self);
  for (guint i = 0; i < self->n; i++)
    lay_out(&self->layouts[i], &self->look, i == 0, canvas, font);
  self->font = font;
  self->family = g_strdup(canvas->family);
}

static double
natural_width(const Tree *self)
{
  double width = 0;

  for (guint i = 0; i < self->n; i++)
    width = MAX(width, self->layouts[i].width);
  return width + 2 * REGARD_FIGURE_MARGIN * self->font;
}

gboolean
regard_figure_tree_look(RegardFigure *figure, int node, int step)
{
  Tree *self = (Tree *) figure->subject;
  TreeLayout *layout = &self->layouts[0];

  if (node == self->look.node && step == self->look.step)
    return FALSE;
  self->look.node = node;
  self->look.step = step;
  if (layout->tree) {
    memset(layout->is_on_path, 0, layout->tree->n * sizeof *layout->is_on_path);
    mark_path(layout, node);
  }
  return TRUE;
}

double
regard_figure_tree_width(RegardFigure *figure, double font_pt, const char *family)
{
  Tree *self = (Tree *) figure->subject;
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();

  canvas->family = family;
  ensure_layouts(self, canvas, font_pt);
  return natural_width(self);
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static void
text(const Draw *d, double x, double baseline, const char *words, gboolean dim, gboolean bold)
{
  regard_figure_text(d->canvas, x, baseline, words, dim ? d->palette->dim : d->palette->text, bold,
                     d->font, REGARD_ANCHOR_START, 0);
}

/* The sum, what it is divided by, what comes of it, and how near the next one was. */
static double
draw_score(const Draw *d, double y)
{
  const RegardSteps *steps = d->layout->steps;
  const mt_steps *s = steps->steps;
  const mt_step_node *best = &s->nodes[(gsize) mt_steps_result(s, 0)];
  const gsize n = mt_translation_count(steps->translation);
  const double f = d->font, line = 1.5 * f, top = y;

  /* "and 1 more" would take the line that the one takes. */
  const gsize n_told = n <= MOST_TOLD ? n : MOST_TOLD - 1;
  if (!is_over(d))
    return (n_told + 1) * line;
  for (gsize i = 0; i < n_told; i++) {
    const mt_step_node *node = &s->nodes[(gsize) mt_steps_result(s, i)];
    g_autofree char *score = tree_dup_score(steps, node);
    const char *words = mt_translation_hypothesis(steps->translation, i)->text;
    char lost[32];
    g_autofree char *rank = g_strdup_printf("%" G_GSIZE_FORMAT ".", i + 1);
    g_autofree char *all = i == 0
                               ? g_strdup(words)
                               : g_strdup_printf(_("%s · lost by %s"), words,
                                                 tree_number(lost, best->score - node->score, 4));

    text(d, d->x + 0.6 * f, y + f, rank, FALSE, i == steps->hypothesis);
    text(d, d->x + 2.2 * f, y + f, score, FALSE, i == steps->hypothesis);
    regard_figure_text_within(d->canvas, d->x + 17 * f, y + f, d->layout->width * d->scale - 17 * f,
                              all, d->palette->dim, FALSE, f, REGARD_ANCHOR_START);
    y += line;
  }
  if (n > n_told) {
    g_autofree char *more = g_strdup_printf(_("and %zu more · Σ log p / length^α"), n - n_told);

    text(d, d->x + 2.2 * f, y + f, more, TRUE, FALSE);
  } else
    text(d, d->x + 2.2 * f, y + f, _("Σ log p / length^α"), TRUE, FALSE);
  return y + line - top;
}

const char *
regard_tree_signs(void)
{
  return _(
      "tint: log p, from −8 to 0 · width: probability · ×4 −0.20: pruned in step 4, 0.20 short "
      "of the last that was kept (of one that ended: its score) · underlined: forced · dashed: "
      "the branch before · …: held when the search ended");
}

static double
draw_legend(const Draw *d, double y, double width)
{
  regard_figure_text_within(d->canvas, d->x + 0.6 * d->font, y + d->font, width,
                            regard_tree_signs(), d->palette->dim, FALSE, d->font * 0.9,
                            REGARD_ANCHOR_START);
  return 1.6 * d->font;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  Tree *self = (Tree *) figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  double natural, shrink, f, margin, y;

  ensure_layouts(self, canvas, font);
  natural = natural_width(self);
  shrink = MIN(1, width / natural);
  /* What has no room is drawn in smaller letters, all of it alike. */
  f = font * shrink;
  margin = REGARD_FIGURE_MARGIN * f;
  y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE)) {
    g_autofree char *title =
        g_strdup_printf(_("Beam tree · %s"),
                        mt_tokens_text(mt_translation_source(self->layouts[0].steps->translation)));

    y += regard_figure_header(canvas, palette, margin, y, width - 2 * margin, title, NULL,
                              MAX(f, 0.7 * font)) +
         0.4 * font;
  }
  for (guint i = 0; i < self->n; i++) {
    const Draw heading = {canvas, palette, &figure->style, self, &self->layouts[i], i, margin,
                          y,      f,       shrink};
    g_autofree char *settings = tree_dup_settings(self->layouts[i].steps);
    Draw d = heading;

    text(&heading, margin + 0.6 * f, y + f, settings, FALSE, TRUE);
    y += 2.8 * f;
    d.y = y;
    y += tree_draw(&d) + 0.8 * f;
    y += draw_score(&d, y) + (i + 1 < self->n ? 2 * f : 0.4 * f);
    if (i + 1 == self->n && !self->look.no_signs)
      y += draw_legend(&d, y, width - 2 * margin);
  }
  const char *model = mt_model_name(self->layouts[0].steps->model);
  if (*model && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font;
    regard_figure_text_within(canvas, width - margin, y, width - 2 * margin, model, palette->dim,
                              FALSE, font * 0.9, REGARD_ANCHOR_END);
  }
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  return ((const Tree *) figure->subject)->n * N_MATRICES;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const Tree *self = figure->subject;

  g_autoptr(GString) searches = g_string_new(NULL);

  for (guint i = 0; i < self->n; i++) {
    g_autofree char *settings = tree_dup_settings(self->layouts[i].steps);

    regard_words_add_part(searches, settings);
  }
  /* Translators: "beam 4, length penalty 1", or two of them */
  regard_words_add_sentence(caption, _("Hypotheses of a search as a tree: %s."), searches->str);
  /* Translators: both are sentences, which end themselves */
  regard_words_add_sentence(caption, _("Source: %s"),
                            mt_tokens_text(
                                mt_translation_source(self->layouts[0].steps->translation)));
  regard_words_add_sentence(caption, _("Translation: %s"),
                            mt_translation_hypothesis(self->layouts[0].steps->translation,
                                                      self->layouts[0].steps->hypothesis)
                                ->text);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const Tree *self = figure->subject;
  const RegardSteps *ghost = self->look.ghost;

  if (spot->part == REGARD_TREE_SPOT_GHOST) {
    g_autofree char *own = ghost ? tree_describe(ghost, ghost->nodes[spot->col]) : NULL;

    return own ? g_strdup_printf(_("before: %s"), own) : NULL;
  }
  return tree_describe(self->layouts[spot->row].steps, spot->col);
}

/* The words up to there. */
static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const Tree *self = figure->subject;
  const RegardSteps *ghost = self->look.ghost;

  return spot->part == REGARD_TREE_SPOT_GHOST
             ? regard_steps_dup_words(ghost, ghost->nodes[spot->col])
             : regard_steps_dup_words(self->layouts[spot->row].steps, spot->col);
}

static void
clear(gpointer subject)
{
  Tree *self = subject;

  forget(self);
  g_clear_pointer(&self->look.ghost, regard_steps_unref);
  for (guint i = 0; i < self->n; i++)
    regard_steps_unref(self->layouts[i].steps);
}

RegardFigure *
regard_figure_new_tree(RegardSteps *const *steps, guint n, const RegardTreeOptions *look,
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
      .to_json = to_json,
      .to_dot = to_dot,
  };
  Tree *self = regard_subject_alloc(sizeof *self, clear);

  self->look = *look;
  if (look->ghost)
    regard_steps_ref(look->ghost);
  self->n = MIN(n, TREE_MOST);
  for (guint i = 0; i < self->n; i++)
    self->layouts[i].steps = regard_steps_ref(steps[i]);
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}
