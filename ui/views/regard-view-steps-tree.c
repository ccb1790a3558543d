/* regard-view-steps-tree.c — all hypotheses of the search as a tree, and those of another one
 * beside it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-tree.h"
#include "views/regard-view-steps-private.h"
#include "widgets/regard-spin.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Until a figure of another width is laid out, and the scroller knows it. */
#define FRAMES 3
/* Of a tree, in pixels; in less the page is scrolled. */
#define LEAST_HEIGHT 150

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
  const RegardTreeLook look = {.fold = is_active(self->fold),
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
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  RegardFigureArea *area = area_of(self, i);
  const gpointer shown[] = {steps_of(self, i), i ? NULL : self->before,
                            GINT_TO_POINTER(is_active(self->fold)),
                            GINT_TO_POINTER(is_active(self->held_only)),
                            GINT_TO_POINTER(regard_figure_area_is_dark(area))};
  const char *family;
  const double font = regard_figure_area_get_font(area, &family);
  RegardFigure *figure;

  G_STATIC_ASSERT(sizeof shown == sizeof self->shown[0]);
  if (memcmp(shown, self->shown[i], sizeof shown) == 0 &&
      !regard_figure_area_get_figure(area) == !steps_of(self, i) && self->shown_font == font)
    return;
  memcpy(self->shown[i], shown, sizeof shown);
  style.dark = regard_figure_area_is_dark(area);
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  figure = steps_of(self, i) ? new_tree(self, i, i, TRUE, &style) : NULL;
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
  regard_view_steps_show_path(self);
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
    regard_view_steps_follow_path(self, self->before, self->before->nodes[spot->col]);
  else if (spot && steps)
    regard_view_steps_follow_path(self, steps, spot->col);
  else
    regard_view_steps_follow_path(self, NULL, -1);
  for (guint t = 0;
       spot && spot->part == REGARD_TREE_SPOT_NODE && steps == self->steps && t < steps->n; t++)
    if (steps->nodes[t] == spot->col)
      token = (int) t;
  regard_selection_hover_target(s, token);
  look_at(self, area == area_of(self, 1));
  regard_view_steps_show_status(self);
}

/* All of the way up to a node, as what the translation begins with. */
static void
follow(RegardViewSteps *self, const RegardSteps *steps, int node)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const gsize n = mt_steps_node(steps->steps, (gsize) node)->step + 1;
  const gboolean is_end = mt_steps_node(steps->steps, (gsize) node)->is_end;
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_error error = {0};
  mt_constraints *constraints;

  for (gsize t = n; t-- > 0; node = mt_steps_node(steps->steps, (gsize) node)->parent)
    ids[t] = mt_steps_node(steps->steps, (gsize) node)->id;
  constraints = mt_constraints_new(ids, n, NULL, 0, &error);
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
  g_autofree char *text = NULL;
  guint t = 0;

  if (mistake)
    gtk_widget_add_css_class(self->difference, "error");
  else
    gtk_widget_remove_css_class(self->difference, "error");
  while (a && b && t < MIN(a->n, b->n) &&
         mt_steps_node(a->steps, (gsize) a->nodes[t])->id ==
             mt_steps_node(b->steps, (gsize) b->nodes[t])->id)
    t++;
  text = mistake                  ? g_strdup(mistake)
         : !a || !b               ? g_strdup("")
         : t == a->n && t == b->n ? g_strdup(_("both find the same"))
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
  mt_search_params params;

  regard_work_drop(self->comparing);
  if (!self->steps || !is_active(self->compare)) {
    g_clear_pointer(&self->other, regard_steps_unref);
    show_difference(self, NULL);
    if (self->steps)
      regard_view_steps_show_tree(self);
    return;
  }
  params = mt_request_resolve(mt_translation_search(self->steps->translation), self->steps->model);
  params.beam_size = (gsize) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->beams));
  params.length_penalty = (float) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->penalty));
  params.trace = mt_steps_top(self->steps->steps);
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
  gtk_widget_set_tooltip_text(spin, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(spin), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
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

  gtk_box_append(GTK_BOX(box), gtk_label_new(name));
  gtk_box_append(GTK_BOX(box), number);
  return box;
}

static GtkWidget *
build_choices(RegardViewSteps *self)
{
  GtkWidget *line = regard_wrap_new(6), *alpha, *beams;

  regard_wrap_set_balanced(line);
  self->difference = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->difference), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->difference, "regard-note");
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
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(self->penalty), 2);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->penalty));
  beams = with_label(_("beams"), self->beams);
  alpha = with_label(_("α"), self->penalty);
  /* Of the other search: without one they would seem to be of the tree that is seen. */
  g_object_bind_property(self->compare, "active", beams, "visible", G_BINDING_SYNC_CREATE);
  g_object_bind_property(self->compare, "active", alpha, "visible", G_BINDING_SYNC_CREATE);
  regard_wrap_append(line, self->fold);
  regard_wrap_append(line, self->held_only);
  regard_wrap_append(line, regard_view_steps_build_path_check(self));
  regard_wrap_append(line, self->compare);
  regard_wrap_append(line, beams);
  regard_wrap_append(line, alpha);
  regard_wrap_append(line, self->difference);
  return line;
}

/* A tree in a scroller of its own. */
static GtkWidget *
build_one(RegardViewSteps *self, guint i, const char *name)
{
  GtkWidget *scroller = gtk_scrolled_window_new();

  self->trees[i] = regard_figure_area_new(200);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->trees[i]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 name, -1);
  g_signal_connect_swapped(self->trees[i], "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->trees[i], "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->trees[i], "look-changed", G_CALLBACK(on_look), self);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->trees[i]);
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(self->trees[i])), FALSE);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scroller), LEAST_HEIGHT);
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
  gtk_box_append(GTK_BOX(all), self->beside);
  gtk_box_append(GTK_BOX(all), regard_view_steps_build_path(self));
  gtk_box_set_homogeneous(GTK_BOX(all), TRUE);
  gtk_box_append(GTK_BOX(box), build_choices(self));
  gtk_box_append(GTK_BOX(box), all);
  return box;
}
