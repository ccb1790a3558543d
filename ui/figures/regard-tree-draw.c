/* regard-tree-draw.c — branches and labels of a beam tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tree of 64 beams has ten thousand nodes. Where each stands is known (TreeLayout), so only those
 * that are seen are drawn; places that can be pointed at are told for all.
 */
#include "figures/regard-tree-draw.h"
#include "figures/regard-figure-steps.h"

#include <math.h>
#include <string.h>

#define CURVE 10 /* points of an edge */
#define BLUE  0xff1a5fb4
#define LIGHT 0xff62a0ea
#define RED   0xffc01c28

/* A log-probability, as the legend says it. */
#define LEAST_TINT (-8.0)

/* a + share * (b - a), opaque. */
static guint32
mix(guint32 a, guint32 b, double share)
{
  guint32 color = 0xff000000;

  for (guint shift = 0; shift < 24; shift += 8) {
    const double from = (a >> shift) & 0xff, to = (b >> shift) & 0xff;

    color |= (guint32) (from + share * (to - from) + 0.5) << shift;
  }
  return color;
}

static const mt_step_node *
node_of(const TreeDraw *d, const RegardTreeItem *item)
{
  return item->node >= 0 ? mt_steps_node(d->layout->steps->steps, (gsize) item->node) : NULL;
}

/* Of its own end, and of the token that it begins with. */
static double
probability(const TreeDraw *d, const RegardTreeItem *item)
{
  return item->first >= 0
             ? exp((double) mt_steps_node(d->layout->steps->steps, (gsize) item->first)->logprob)
             : 0;
}

static gboolean
is_late(const TreeDraw *d, const RegardTreeItem *item)
{
  const int step = d->figure->look.step;
  const mt_step_node *node = node_of(d, item);

  return step >= 0 && node && (int) node->step > step;
}

static double
x_of(const TreeDraw *d, guint column)
{
  return d->x + d->layout->columns[column] * d->scale;
}

static double
width_of(const TreeDraw *d, int item)
{
  return d->layout->widths[item] * d->scale;
}

static double
y_of(const TreeDraw *d, guint row)
{
  return d->y + (row + 0.5) * TREE_ROW * d->font;
}

static gboolean
is_seen(const TreeDraw *d, double left, double right, double top, double bottom)
{
  const RegardRect *v = &d->canvas->visible;

  return regard_figure_draws(d->canvas) && regard_canvas_shows(d->canvas, top, bottom) &&
         (v->height <= 0 || (left <= v->x + v->width && right >= v->x));
}

/* ---- Edges ------------------------------------------------------------------------------------
 */

static void
draw_edge(const TreeDraw *d, guint i)
{
  const RegardTreeItem *item = &d->layout->tree->items[i];
  const RegardTreeItem *from = item->parent >= 0 ? &d->layout->tree->items[item->parent] : NULL;
  const double f = d->font, p = probability(d, item);
  const double x0 =
      from ? x_of(d, from->column) + width_of(d, item->parent) + 0.25 * f : x_of(d, 0) + 0.5 * f;
  const double y0 = y_of(d, from ? from->row : 0);
  const double x1 = x_of(d, item->column) - 0.25 * f, y1 = y_of(d, item->row);
  const mt_step_node *node = node_of(d, item);
  const gboolean is_dead = !node || node->fate == MT_FATE_PRUNED || node->fate == MT_FATE_OUTDONE;
  RegardPoint points[CURVE + 1];
  RegardPen pen = {.width = f * (0.06 + 0.34 * p), .argb = mix(LIGHT, BLUE, p)};

  if (!is_seen(d, x0, x1, MIN(y0, y1) - f, MAX(y0, y1) + f))
    return;
  if (is_dead && !d->layout->is_on_path[i])
    pen.argb = mix(d->palette->background, d->palette->dim, 0.45 + 0.4 * p);
  if (is_late(d, item))
    pen.argb = mix(d->palette->background, pen.argb, 0.35);
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
put(const TreeDraw *d, double x, double baseline, const char *text, guint32 argb, gboolean bold,
    double size)
{
  regard_figure_text(d->canvas, x, baseline, text, argb, bold, size, REGARD_ANCHOR_START, 0);
}

/* Behind the token, how likely it was: from nothing at LEAST_TINT to its full colour at 0. */
static void
draw_tint(const TreeDraw *d, const RegardTreeItem *item, const mt_step_node *node, double x,
          double y, double width)
{
  const double f = d->font, of = is_late(d, item) ? 0.4 : 1;
  const double share = 1 - MAX((double) node->logprob, LEAST_TINT) / LEAST_TINT;
  const RegardRect rect = {x - 0.22 * f, y - 0.58 * f, width + 0.44 * f, 1.16 * f};

  if (share > 0)
    regard_canvas_fill_rect(d->canvas, rect, 0.3 * f,
                            mix(d->palette->background, LIGHT, 0.42 * share * of));
}

/* Behind a label: what became of it, if nothing goes on. */
static void
draw_end(const TreeDraw *d, const RegardTreeItem *item, const mt_step_node *node, double x,
         double baseline)
{
  const gboolean has_numbers = regard_figure_has(&d->figure->parent.style, REGARD_PART_NUMBERS);
  const double f = d->font;
  const guint32 dim =
      is_late(d, item) ? mix(d->palette->background, d->palette->dim, 0.4) : d->palette->dim;
  char margin[32], number[16];

  if (node->fate == MT_FATE_FINISHED) {
    g_autofree char *score = tree_dup_score(d->layout->steps, node);

    g_snprintf(number, sizeof number, node->result >= 0 ? "%d." : "·", node->result + 1);
    put(d, x, baseline, number, d->palette->text, TRUE, f);
    put(d, x + 1.8 * f, baseline, score, d->palette->text, node->result == 0, f * 0.9);
  } else if (node->fate == MT_FATE_PRUNED || node->fate == MT_FATE_OUTDONE) {
    const double r = 0.24 * f, cx = x + r, cy = baseline - 0.33 * f;
    const RegardPoint a[] = {{cx - r, cy - r}, {cx + r, cy + r}},
                      b[] = {{cx - r, cy + r}, {cx + r, cy - r}};
    const RegardPen pen = {.width = 0.11 * f,
                           .argb = is_late(d, item) ? mix(d->palette->background, RED, 0.35) : RED};

    regard_canvas_polyline(d->canvas, a, 2, &pen);
    regard_canvas_polyline(d->canvas, b, 2, &pen);
    if (!has_numbers)
      return;
    g_snprintf(number, sizeof number, "%" G_GSIZE_FORMAT, node->end_step + 1);
    put(d, x + 0.62 * f, baseline, number, pen.argb, FALSE, f * 0.72);
    /* Scores are smaller than sums. */
    put(d, x + (0.9 + 0.44 * (double) strlen(number)) * f, baseline,
        tree_number(margin, -node->margin, node->fate == MT_FATE_PRUNED ? 2 : 3), dim, FALSE,
        f * 0.72);
  } else if (node->fate == MT_FATE_STOPPED)
    put(d, x, baseline, "…", d->palette->dim, FALSE, f);
}

static void
draw_label(const TreeDraw *d, guint i)
{
  const RegardTreeItem *item = &d->layout->tree->items[i];
  const double f = d->font, x = x_of(d, item->column), y = y_of(d, item->row);
  const double width = width_of(d, (int) i), baseline = y + 0.34 * f;
  const double end = item->is_leaf ? 5.4 * f : 0;
  const mt_step_node *node = node_of(d, item);
  const gboolean on_path = d->layout->is_on_path[i];
  const RegardRect rect = {x - 0.2 * f, y - 0.6 * f, width + 0.4 * f, 1.2 * f};
  guint32 color = d->palette->text;
  char percent[32];

  regard_canvas_spot(d->canvas, rect,
                     item->ghost >= 0 ? REGARD_TREE_SPOT_GHOST : REGARD_TREE_SPOT_NODE,
                     (int) d->search, item->ghost >= 0 ? item->ghost : item->node);
  if (!is_seen(d, x - 4 * f, x + width + MAX(end, 14 * f), y - f, y + f))
    return;
  if (!node || node->fate == MT_FATE_PRUNED || node->fate == MT_FATE_OUTDONE)
    color = d->palette->dim;
  if (is_late(d, item))
    color = mix(d->palette->background, color, 0.4);
  if (node)
    draw_tint(d, item, mt_steps_node(d->layout->steps->steps, (gsize) item->first), x, y, width);
  put(d, x, baseline, d->layout->labels[i], color, on_path, f);
  if (node && node->is_forced)
    regard_canvas_fill_rect(d->canvas, (RegardRect){x, y + 0.52 * f, width, 0.12 * f}, 0,
                            d->palette->text);
  /* Before what goes on or is a result there is room to say it above the edge. */
  if (node && (on_path || node->fate == MT_FATE_WENT_ON || node->fate == MT_FATE_FINISHED) &&
      regard_figure_has(&d->figure->parent.style, REGARD_PART_NUMBERS))
    regard_figure_text(d->canvas, x - 0.5 * f, y - 0.3 * f,
                       regard_steps_percent(percent, probability(d, item)),
                       is_late(d, item) ? mix(d->palette->background, d->palette->dim, 0.4)
                                        : d->palette->dim,
                       FALSE, f * 0.68, REGARD_ANCHOR_END, 0);
  if (node && item->is_leaf)
    draw_end(d, item, node, x + width + 0.45 * f, baseline);
}

/* Above the columns; a folded one has tokens of several steps. */
static void
draw_step_numbers(const TreeDraw *d)
{
  const double baseline = d->y - 0.35 * d->font;
  char number[16];

  for (guint c = 1; c < d->layout->tree->n_columns; c++) /* the start is in column 0 */
    if (is_seen(d, x_of(d, c), x_of(d, c) + 2 * d->font, baseline - d->font, baseline)) {
      g_snprintf(number, sizeof number, "%u", c);
      put(d, x_of(d, c), baseline, number, d->palette->dim, d->figure->look.step + 1 == (int) c,
          d->font * 0.72);
    }
}

double
tree_draw(const TreeDraw *d)
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
