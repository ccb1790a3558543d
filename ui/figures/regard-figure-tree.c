/* regard-figure-tree.c — all hypotheses of a search as a tree, or those of two searches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-tree.h"

#include "figures/regard-tree-draw.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

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
    return regard_steps_dup_piece(
        ghost, mt_steps_node(ghost->steps, (gsize) ghost->nodes[item->ghost])->id);
  for (int at = item->node;; at = mt_steps_node(layout->steps->steps, (gsize) at)->parent) {
    g_autofree char *piece =
        regard_steps_dup_piece(layout->steps, mt_steps_node(layout->steps->steps, (gsize) at)->id);

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
  for (; node >= 0; node = mt_steps_node(layout->steps->steps, (gsize) node)->parent)
    if (layout->tree->items_of[node] >= 0)
      layout->is_on_path[layout->tree->items_of[node]] = TRUE;
}

static void
lay_out(TreeLayout *layout, const RegardTreeLook *look, gboolean is_first, RegardCanvas *canvas,
        double font)
{
  const RegardTreeShape shape = {look->fold, look->held_only, is_first ? look->ghost : NULL};
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  RegardBeamTree *tree = regard_beam_tree_new(layout->steps, &shape);
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
    const double needed = width + (tree->items[i].is_leaf ? END + TREE_GUTTER : EDGE) * font;
    /* Scores have the room to the right for themselves. */
    const gboolean is_finished =
        tree->items[i].node >= 0 &&
        mt_steps_node(layout->steps->steps, (gsize) tree->items[i].node)->fate == MT_FATE_FINISHED;
    double *column = &layout->columns[tree->items[i].column];

    *column = MAX(*column, is_finished ? width + font : needed);
    if (is_finished)
      layout->width = MAX(layout->width, 1);
  }
  /* From widths to places. */
  for (guint c = 0; c <= tree->n_columns; c++) {
    const double width = c == 0 ? EDGE * font : layout->columns[c];

    layout->columns[c] = x;
    x += c < tree->n_columns ? width : 0;
  }
  layout->width = 0;
  for (guint i = 0; i < tree->n; i++) {
    const RegardTreeItem *item = &tree->items[i];
    const gboolean is_finished =
        item->node >= 0 &&
        mt_steps_node(layout->steps->steps, (gsize) item->node)->fate == MT_FATE_FINISHED;

    layout->width = MAX(layout->width, layout->columns[item->column] + layout->widths[i] +
                                           (is_finished ? SCORE : END) * font);
  }
}

static void
forget(TreeFigure *self)
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
ensure_layouts(TreeFigure *self, RegardCanvas *canvas, double font)
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
natural_width(const TreeFigure *self)
{
  double width = 0;

  for (guint i = 0; i < self->n; i++)
    width = MAX(width, self->layouts[i].width);
  return width + 2 * REGARD_FIGURE_MARGIN * self->font;
}

gboolean
regard_figure_tree_look(RegardFigure *figure, int node, int step)
{
  TreeFigure *self = (TreeFigure *) figure;
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
  TreeFigure *self = (TreeFigure *) figure;
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();

  canvas->family = family;
  ensure_layouts(self, canvas, font_pt);
  return natural_width(self);
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static void
text(const TreeDraw *d, double x, double baseline, const char *words, gboolean dim, gboolean bold)
{
  regard_figure_text(d->canvas, x, baseline, words, dim ? d->palette->dim : d->palette->text, bold,
                     d->font, REGARD_ANCHOR_START, 0);
}

/* The sum, what it is divided by, what comes of it, and how near the next one was. */
static double
draw_score(const TreeDraw *d, double y)
{
  const RegardSteps *steps = d->layout->steps;
  const mt_steps *s = steps->steps;
  const mt_step_node *best = mt_steps_node(s, (gsize) mt_steps_result(s, 0));
  const gsize n = mt_translation_count(steps->translation);
  const double f = d->font, line = 1.5 * f, top = y;

  /* "and 1 more" would take the line that the one takes. */
  const gsize n_told = n <= MOST_TOLD ? n : MOST_TOLD - 1;
  for (gsize i = 0; i < n_told; i++) {
    const mt_step_node *node = mt_steps_node(s, (gsize) mt_steps_result(s, i));
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
    g_autofree char *more =
        g_strdup_printf(_("and %" G_GSIZE_FORMAT " more · Σ log p / length^α"), n - n_told);

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
draw_legend(const TreeDraw *d, double y, double width)
{
  regard_figure_text_within(d->canvas, d->x + 0.6 * d->font, y + d->font, width,
                            regard_tree_signs(), d->palette->dim, FALSE, d->font * 0.9,
                            REGARD_ANCHOR_START);
  return 1.6 * d->font;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  TreeFigure *self = (TreeFigure *) figure;
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
    const TreeDraw heading = {canvas, palette, self, &self->layouts[i], i, margin, y, f, shrink};
    g_autofree char *settings = tree_dup_settings(self->layouts[i].steps);
    TreeDraw d = heading;

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
  return tree_n_matrices((TreeFigure *) figure);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  TreeFigure *self = (TreeFigure *) figure;

  return tree_matrix(self, i);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const TreeFigure *self = (const TreeFigure *) figure;

  for (guint i = 0; i < self->n; i++) {
    g_autofree char *settings = tree_dup_settings(self->layouts[i].steps);

    g_string_append_printf(caption, "%s%s",
                           i ? "; " : "Hypotheses of a search as a tree: ", settings);
  }
  g_string_append_printf(caption, ". Source: %s Translation: %s",
                         mt_tokens_text(mt_translation_source(self->layouts[0].steps->translation)),
                         mt_translation_hypothesis(self->layouts[0].steps->translation,
                                                   self->layouts[0].steps->hypothesis)
                             ->text);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const TreeFigure *self = (const TreeFigure *) figure;
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
  const TreeFigure *self = (const TreeFigure *) figure;
  const RegardSteps *ghost = self->look.ghost;

  return spot->part == REGARD_TREE_SPOT_GHOST
             ? regard_steps_dup_words(ghost, ghost->nodes[spot->col])
             : regard_steps_dup_words(self->layouts[spot->row].steps, spot->col);
}

static void
release(RegardFigure *figure)
{
  TreeFigure *self = (TreeFigure *) figure;

  forget(self);
  g_clear_pointer(&self->look.ghost, regard_steps_unref);
  for (guint i = 0; i < self->n; i++)
    regard_steps_unref(self->layouts[i].steps);
}

RegardFigure *
regard_figure_new_tree(RegardSteps *const *steps, guint n, const RegardTreeLook *look,
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
      .to_json = tree_to_json,
      .to_dot = tree_to_dot,
      .free = release,
  };
  TreeFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);

  self->look = *look;
  if (look->ghost)
    regard_steps_ref(look->ghost);
  self->n = MIN(n, TREE_MOST);
  for (guint i = 0; i < self->n; i++)
    self->layouts[i].steps = regard_steps_ref(steps[i]);
  return &self->parent;
}
