/* regard-view-steps-tree.c — all hypotheses of the search as a tree, and those of another one
 * beside it. The hypothesis that is pointed at is followed: its words beside the title, what it
 * shares with the translation in the text, and its attention in a matrix beside the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The matrix of a hypothesis that died is not known: it is computed in a thread when the pointer
 * rests, by a search that has to begin with its tokens.
 */
#include "figures/regard-figure-tree.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-attention.h"
#include "views/regard-view-steps-private.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>
#include <string.h>

/* Until a figure of another width is laid out, and the scroller knows it. */
#define FRAMES 3
#define REST   60 /* milliseconds, of the pointer */
/* Of a tree, in pixels; in less the page is scrolled. */
#define LEAST_HEIGHT 150

/* ---- The hypothesis that is pointed at --------------------------------------------------------
 */

/* Tokens up to a node. Caller frees. */
static int32_t *
dup_ids(const RegardSteps *steps, int node, gsize *n)
{
  *n = steps->steps->nodes[(gsize) node].step + 1;
  int32_t *ids = g_new(int32_t, *n);
  for (gsize t = *n; t-- > 0; node = steps->steps->nodes[(gsize) node].parent)
    ids[t] = steps->steps->nodes[(gsize) node].id;
  return ids;
}

static gsize
count_shared(const RegardSteps *shown, const int32_t *ids, gsize n)
{
  gsize t = 0;

  while (t < n && t < shown->n && shown->steps->nodes[(gsize) shown->nodes[t]].id == ids[t])
    t++;
  return t;
}

/* ---- Its attention ----------------------------------------------------------------------------
 */

static gboolean
is_beside(RegardViewSteps *self)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(self->path_check));
}

static void
show_matrix(RegardViewSteps *self, RegardMatrix *m, int computed, const char *caption)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardHeatmap *map = REGARD_HEATMAP(self->path_map);

  regard_heatmap_set_matrix(map, m);
  regard_heatmap_set_colors(map, regard_selection_get_scale(s),
                            m && m->lo < 0 ? NULL : regard_selection_get_colormap(s));
  regard_heatmap_set_computed(map, computed);
  gtk_label_set_text(GTK_LABEL(self->path_caption), caption);
  gtk_widget_set_tooltip_text(self->path_caption, caption);
}

static int
rows_up_to(const RegardMatrix *m, gsize n_tokens)
{
  int n = 0;

  for (guint r = 0; r < m->rows; r++)
    n += m->row_labels[r].first_token < n_tokens;
  return n;
}

static void
on_attended(gpointer owner, RegardRun *run)
{
  RegardViewSteps *self = owner;
  const RegardPathParams *path = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardMatrix) m = NULL;
  RegardMatrixSpec spec;
  mt_capture *capture = regard_run_finish(run, &error);

  if (!capture) {
    gtk_label_set_text(GTK_LABEL(self->path_caption), error->message);
    return;
  }
  regard_selection_get_spec(regard_view_get_selection(REGARD_VIEW(self)), &spec);
  m = regard_matrix_new_attention(capture, &spec);
  mt_capture_unref(capture);
  if (!m)
    return;
  g_autofree char *caption =
      g_strdup_printf(_("%s: of the hypothesis that is pointed at"), m->title);
  show_matrix(self, m, spec.kind == MT_ENCODER_SELF ? -1 : rows_up_to(m, path->n), caption);
}

static void
start_path(gpointer owner)
{
  RegardViewSteps *self = owner;
  g_autoptr(RegardPass) pass = regard_view_steps_pass_of(self->path_of);
  RegardPathParams params = {0};

  params.ids = dup_ids(self->path_of, self->path_node, &params.n);
  regard_work_run(self->attending, &regard_analysis_path, pass, &params, on_attended);
}

/* Another step, another head, other colours. */
static void
show_path(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  int reached = regard_view_steps_get_step(self);

  regard_work_drop(self->attending);
  gtk_widget_set_visible(self->path_box, is_beside(self));
  if (!is_beside(self) || !m)
    return;
  g_autofree char *caption = g_strdup_printf(_("%s: a row for each step so far"), m->title);
  if (self->path_of) {
    gsize n;
    g_autofree int32_t *ids = dup_ids(self->path_of, self->path_node, &n);
    const gsize shared = count_shared(self->steps, ids, n);

    reached = (int) shared - 1;
    if (shared < n) /* what it shares is there at once */
      regard_work_wait(self->attending, REST, start_path);
  }
  show_matrix(self, m,
              regard_selection_get_kind(s) == MT_ENCODER_SELF
                  ? -1
                  : rows_up_to(m, (gsize) (reached + 1)),
              caption);
}

/* ---- Following --------------------------------------------------------------------------------
 */

/* Its words: what the translation has too, and, bold, what it has not. */
static void
show_words(RegardViewSteps *self, gsize shared)
{
  const RegardSteps *steps = self->path_of;
  int at = self->path_node;
  g_autofree char *whole = regard_steps_dup_words(steps, at), *common = NULL, *markup = NULL,
                  *first = NULL, *rest = NULL;
  gsize n = 0;

  while (at >= 0 && steps->steps->nodes[(gsize) at].step >= shared)
    at = steps->steps->nodes[(gsize) at].parent;
  common = regard_steps_dup_words(steps, at);
  while (common[n] && common[n] == whole[n])
    n++;
  while (n > 0 && ((guchar) whole[n] & 0xc0) == 0x80) /* within a character */
    n--;
  first = g_strndup(whole, n);
  rest = g_markup_escape_text(whole + n, -1);
  g_free(common);
  common = g_markup_escape_text(first, -1);
  markup = g_strdup_printf("%s<b>%s</b>", common, rest);
  regard_view_steps_set_note(self, markup, whole);
}

/* Up to a node of a search; steps NULL: nothing is pointed at. */
static void
follow_path(RegardViewSteps *self, RegardSteps *steps, int node)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  gsize n = 0, shared = 0;
  g_autofree int32_t *ids = NULL;

  if (steps == self->path_of && node == self->path_node)
    return;
  if (steps)
    regard_steps_ref(steps);
  g_clear_pointer(&self->path_of, regard_steps_unref);
  self->path_of = steps;
  self->path_node = node;
  if (steps && self->steps) {
    ids = dup_ids(steps, node, &n);
    shared = count_shared(self->steps, ids, n);
  }
  regard_selection_set_peek(s, steps ? (int) shared : -1);
  if (!self->steps)
    return;
  if (steps && shared < n)
    show_words(self, shared);
  else
    regard_view_steps_show_before(self);
  show_path(self);
}

void
regard_view_steps_forget_path(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  regard_work_drop(self->attending);
  g_clear_pointer(&self->path_of, regard_steps_unref);
  self->path_node = -1;
  if (s)
    regard_selection_set_peek(s, -1);
}

/* ---- Trees -------------------------------------------------------------------------------------
 */

static RegardFigureArea *
area_of(RegardViewSteps *self, guint i)
{
  return REGARD_FIGURE_AREA(self->trees[i]);
}

static RegardSteps *
steps_of(RegardViewSteps *self, guint i)
{
  return i ? self->other : self->steps;
}

static gboolean
is_active(GtkWidget *button)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(button));
}

/* Of searches first to last. */
static RegardFigure *
new_tree(RegardViewSteps *self, guint first, guint last, gboolean no_signs,
         const RegardFigureStyle *style)
{
  RegardSteps *const steps[] = {self->steps, self->other};
  const RegardTreeOptions look = {.fold = is_active(self->fold),
                                  .held_only = is_active(self->held_only),
                                  .node = -1,
                                  .step = -1,
                                  .ghost = first ? NULL : self->before,
                                  .no_signs = no_signs};

  return regard_figure_new_tree(steps + first, last - first + 1, &look, style);
}

RegardFigure *
regard_view_steps_new_tree(RegardViewSteps *self, const RegardFigureStyle *style)
{
  return new_tree(self, 0, self->other ? 1 : 0, FALSE, style);
}

/* Of the search that is looked at alone, as it is shown. */
RegardFrames *
regard_view_steps_new_growing_tree(RegardViewSteps *self, const RegardFigureStyle *style)
{
  const RegardTreeOptions look = {.held_only = is_active(self->held_only), .node = -1, .step = -1};

  return regard_frames_new_tree(self->steps, &look, style);
}

/* What is pointed at stands out, and what comes after the step is dimmed. */
static void
look_at(RegardViewSteps *self, guint i)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area_of(self, i));
  RegardFigure *figure = regard_figure_area_get_figure(area_of(self, i));
  const int node = spot && spot->part == REGARD_TREE_SPOT_NODE ? spot->col : -1;

  if (figure && regard_figure_tree_look(figure, node, regard_view_steps_get_step(self)))
    regard_figure_area_redraw(area_of(self, i));
}

/* The token of the step comes into sight. The tree has its width some frames later. */
static gboolean
on_tick(GtkWidget *tree, GdkFrameClock *clock, gpointer data)
{
  RegardViewSteps *self = data;
  const int step = regard_view_steps_get_step(self);

  for (guint i = 0; i < G_N_ELEMENTS(self->trees); i++) {
    const RegardSteps *steps = steps_of(self, i);

    if (step >= 0 && steps && regard_figure_area_get_figure(area_of(self, i)))
      regard_figure_area_scroll_to(area_of(self, i), REGARD_TREE_SPOT_NODE, 0,
                                   steps->nodes[MIN(step, (int) steps->n - 1)]);
  }
  if (--self->n_ticks > 0)
    return G_SOURCE_CONTINUE;
  return G_SOURCE_REMOVE;
}

static void
follow_step(RegardViewSteps *self)
{
  const int step = regard_view_steps_get_step(self);

  if (self->followed[0] == self->steps && self->followed[1] == self->other &&
      self->followed_step == step)
    return;
  self->followed[0] = self->steps;
  self->followed[1] = self->other;
  self->followed_step = step;
  if (self->n_ticks == 0)
    gtk_widget_add_tick_callback(self->trees[0], on_tick, self, NULL);
  self->n_ticks = FRAMES;
}

static void
show_one(RegardViewSteps *self, guint i)
{
  RegardFigureArea *area = area_of(self, i);
  const gpointer shown[] = {steps_of(self, i), i ? NULL : self->before,
                            GINT_TO_POINTER(is_active(self->fold)),
                            GINT_TO_POINTER(is_active(self->held_only)),
                            GINT_TO_POINTER(regard_figure_area_is_dark(area))};
  const char *family;
  const double font = regard_figure_area_get_font(area, &family);

  G_STATIC_ASSERT(sizeof shown == sizeof self->shown[0]);
  if (memcmp(shown, self->shown[i], sizeof shown) == 0 &&
      !regard_figure_area_get_figure(area) == !steps_of(self, i) && self->shown_font == font)
    return;
  memcpy(self->shown[i], shown, sizeof shown);
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), area);
  RegardFigure *figure = steps_of(self, i) ? new_tree(self, i, i, TRUE, &style) : NULL;
  if (figure)
    regard_figure_area_set_least_width(area,
                                       (int) ceil(regard_figure_tree_width(figure, font, family)));
  regard_figure_area_set_figure(area, figure);
}

void
regard_view_steps_show_tree(RegardViewSteps *self)
{
  const char *family;

  for (guint i = 0; i < G_N_ELEMENTS(self->trees); i++) {
    show_one(self, i);
    look_at(self, i);
  }
  self->shown_font = regard_figure_area_get_font(area_of(self, 0), &family);
  gtk_widget_set_visible(self->beside, self->other != NULL);
  follow_step(self);
  show_path(self);
}

/* ---- Pointing ----------------------------------------------------------------------------------
 */

/* The token of the translation is lit in texts and matrices, if it is on the way that is shown; and
 * the hypothesis is followed. */
static void
on_spot(RegardViewSteps *self, RegardFigureArea *area)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  RegardSteps *steps = steps_of(self, area == area_of(self, 1));
  int token = -1;

  if (spot && spot->part == REGARD_TREE_SPOT_GHOST)
    follow_path(self, self->before, self->before->nodes[spot->col]);
  else if (spot && steps)
    follow_path(self, steps, spot->col);
  else
    follow_path(self, NULL, -1);
  for (guint t = 0;
       spot && spot->part == REGARD_TREE_SPOT_NODE && steps == self->steps && t < steps->n; t++)
    if (steps->nodes[t] == spot->col)
      token = (int) t;
  regard_selection_hover_target(s, token);
  look_at(self, area == area_of(self, 1));
}

/* All of the way up to a node, as what the translation begins with. */
static void
follow(RegardViewSteps *self, const RegardSteps *steps, int node)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  gsize n;
  const gboolean is_end = steps->steps->nodes[(gsize) node].is_end;
  g_autofree int32_t *ids = dup_ids(steps, node, &n);
  mt_error error = {0};
  mt_constraints *constraints = mt_constraints_new(ids, n, NULL, 0, &error);

  /* What ends lacks none; that of another search may. */
  if (!is_end)
    constraints = regard_view_steps_with_terms(self, constraints);
  regard_selection_set_step(s, (int) n - 1);
  if (constraints)
    regard_selection_want_constraints(s, constraints);
  mt_constraints_unref(constraints);
}

/* A step of what is shown is gone to; another branch is gone on with. */
static void
on_activated(RegardViewSteps *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardSteps *steps = steps_of(self, area == area_of(self, 1));

  if (!spot || !steps)
    return;
  if (spot->part == REGARD_TREE_SPOT_GHOST) {
    follow(self, self->before, self->before->nodes[spot->col]);
    return;
  }
  for (guint t = 0; steps == self->steps && t < steps->n; t++)
    if (steps->nodes[t] == spot->col) {
      regard_selection_set_step(s, (int) t);
      return;
    }
  follow(self, steps, spot->col);
}

/* ---- Another search ----------------------------------------------------------------------------
 */

/* Where the two part, or what went wrong. */
static void
show_difference(RegardViewSteps *self, const char *mistake)
{
  const RegardSteps *a = self->steps, *b = self->other;
  guint t = 0;

  if (mistake)
    gtk_widget_add_css_class(self->difference, "error");
  else
    gtk_widget_remove_css_class(self->difference, "error");
  while (a && b && t < MIN(a->n, b->n) &&
         a->steps->nodes[(gsize) a->nodes[t]].id == b->steps->nodes[(gsize) b->nodes[t]].id)
    t++;
  g_autofree char *text = mistake    ? g_strdup(mistake)
                          : !a || !b ? g_strdup("")
                          : t == a->n && t == b->n
                              ? g_strdup(_("both find the same"))
                              : g_strdup_printf(_("they part at step %u"), t + 1);
  gtk_label_set_text(GTK_LABEL(self->difference), text);
  gtk_widget_set_visible(self->difference, *text != '\0');
}

static void
on_searched(gpointer owner, RegardRun *run)
{
  RegardViewSteps *self = owner;
  g_autoptr(GError) error = NULL;
  RegardSteps *found = regard_run_finish(run, &error);

  g_clear_pointer(&self->other, regard_steps_unref);
  self->other = found;
  show_difference(self, error ? error->message : NULL);
  if (self->steps)
    regard_view_steps_show_tree(self);
}

void
regard_view_steps_compare(RegardViewSteps *self)
{
  g_autoptr(RegardPass) pass = NULL;

  regard_work_drop(self->comparing);
  if (!self->steps || !is_active(self->compare)) {
    g_clear_pointer(&self->other, regard_steps_unref);
    show_difference(self, NULL);
    if (self->steps)
      regard_view_steps_show_tree(self);
    return;
  }
  mt_search_params params =
      mt_request_resolve(mt_translation_search(self->steps->translation), self->steps->model);
  params.beam_size = (gsize) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->beams));
  params.length_penalty = (float) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->penalty));
  params.trace = self->steps->steps->top;
  mt_constraints_ref((mt_constraints *) params.constraints); /* that of the request */
  pass = regard_view_steps_pass_of(self->steps);
  regard_work_run(self->comparing, &regard_analysis_search, pass, &params, on_searched);
}

/* ---- Widgets -----------------------------------------------------------------------------------
 */

static GtkWidget *
new_check(RegardViewSteps *self, const char *label, const char *tooltip, GCallback toggled)
{
  GtkWidget *check = gtk_check_button_new_with_mnemonic(label);

  gtk_widget_set_tooltip_text(check, tooltip);
  g_signal_connect_swapped(check, "toggled", toggled, self);
  return check;
}

static GtkWidget *
new_number(RegardViewSteps *self, const char *name, double least, double most, double step,
           double value)
{
  GtkWidget *spin = gtk_spin_button_new_with_range(least, most, step);

  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), value);
  regard_widget_set_name(spin, name);
  g_signal_connect_swapped(spin, "value-changed", G_CALLBACK(regard_view_steps_compare), self);
  return spin;
}

static void
on_look(RegardViewSteps *self)
{
  if (self->steps)
    regard_view_steps_show_tree(self);
}

/* They stay on one line. */
static GtkWidget *
with_label(const char *name, GtkWidget *number)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  regard_box_append(box, gtk_label_new(name), number, NULL);
  return box;
}

static GtkWidget *
build_path_check(RegardViewSteps *self)
{
  self->path_check = gtk_check_button_new_with_mnemonic(_("_Matrix"));
  gtk_widget_set_tooltip_text(self->path_check,
                              _("The attention of the translation beside the tree, or of the "
                                "hypothesis that is pointed at"));
  g_signal_connect_swapped(self->path_check, "toggled", G_CALLBACK(show_path), self);
  return self->path_check;
}

static GtkWidget *
build_path(RegardViewSteps *self)
{
  self->path_box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  self->path_caption =
      regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "regard-note");
  self->path_map = regard_heatmap_new();
  gtk_widget_set_vexpand(self->path_map, TRUE);
  regard_box_append(self->path_box, self->path_caption, self->path_map, NULL);
  gtk_widget_set_margin_start(self->path_box, 12);
  gtk_widget_set_visible(self->path_box, FALSE);
  self->path_node = -1;
  return self->path_box;
}

static GtkWidget *
build_choices(RegardViewSteps *self)
{
  GtkWidget *line = regard_wrap_new(6), *alpha, *beams;

  gtk_widget_set_name(line, "tree-options");
  regard_wrap_set_balanced(line);
  self->difference = regard_label_new(NULL, REGARD_LABEL_ELLIPSIZE, "regard-note");
  gtk_widget_set_visible(self->difference, FALSE);
  self->fold =
      new_check(self, _("_Fold"), _("What does not branch is one node"), G_CALLBACK(on_look));
  self->held_only = new_check(self, _("_Held only"), _("Without what was considered and not kept"),
                              G_CALLBACK(on_look));
  self->compare =
      new_check(self, _("C_ompare"), _("Search again with these settings, and show both trees"),
                G_CALLBACK(regard_view_steps_compare));
  self->beams = new_number(self, _("Beams of the other search"), 1, 64, 1, 12);
  self->penalty = new_number(self, _("Length penalty of the other search"), 0, 5, 0.1, 1);
  gtk_widget_set_name(self->compare, "compare");
  gtk_widget_set_name(self->beams, "compare");
  gtk_widget_set_name(self->penalty, "compare");
  gtk_widget_set_tooltip_text(self->beams, _("How many beginnings the other search carries along"));
  gtk_widget_set_tooltip_text(self->penalty,
                              _("α of the other search: its score is log p divided by (number of "
                                "pieces) ^ α"));
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(self->penalty), 2);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->penalty));
  gtk_widget_set_name(self->beams, "beams");
  gtk_widget_set_name(self->penalty, "penalty");
  beams = with_label(_("beams"), self->beams);
  alpha = with_label(_("length penalty"), self->penalty);
  /* Of the other search: without one they would seem to be of the tree that is seen. */
  g_object_bind_property(self->compare, "active", beams, "visible", G_BINDING_SYNC_CREATE);
  g_object_bind_property(self->compare, "active", alpha, "visible", G_BINDING_SYNC_CREATE);
  regard_box_append(line, self->fold, self->held_only, build_path_check(self), self->compare, beams,
                    alpha, self->difference, NULL);
  return line;
}

/* A tree in a scroller of its own. */
static GtkWidget *
build_one(RegardViewSteps *self, guint i, const char *name)
{
  self->trees[i] = regard_view_new_part(REGARD_VIEW(self), 200, name);
  g_signal_connect_swapped(self->trees[i], "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->trees[i], "spot-activated", G_CALLBACK(on_activated), self);
  GtkWidget *scroller = regard_view_new_scroller(self->trees[i], LEAST_HEIGHT);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_hexpand(scroller, TRUE);
  return scroller;
}

GtkWidget *
regard_view_steps_build_tree(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6),
            *all = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_box_append(GTK_BOX(all), build_one(self, 0, _("All hypotheses of the search")));
  self->beside = build_one(self, 1, _("All hypotheses of the other search"));
  gtk_scrolled_window_set_has_frame(GTK_SCROLLED_WINDOW(self->beside), TRUE);
  gtk_widget_set_visible(self->beside, FALSE);
  regard_box_append(all, self->beside, build_path(self), NULL);
  gtk_box_set_homogeneous(GTK_BOX(all), TRUE);
  regard_box_append(box, build_choices(self), all, NULL);
  return box;
}
