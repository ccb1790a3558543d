/* regard-view-steps-tree.c — all hypotheses of the search as a tree, and of another one below it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-tree.h"
#include "views/regard-view-steps-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Until a figure of another width is laid out, and the scroller knows it. */
#define FRAMES 3

static RegardFigureArea *
area_of(RegardViewSteps *self)
{
  return REGARD_FIGURE_AREA(self->tree);
}

static gboolean
is_active(GtkWidget *button)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(button));
}

RegardFigure *
regard_view_steps_new_tree(RegardViewSteps *self, const RegardFigureStyle *style)
{
  RegardSteps *const steps[] = {self->steps, self->other};
  const RegardTreeLook look = {.fold = is_active(self->fold),
                               .held_only = is_active(self->held_only),
                               .node = -1,
                               .step = -1,
                               .ghost = self->before};

  return regard_figure_new_tree(steps, self->other ? 2 : 1, &look, style);
}

/* What is pointed at stands out, and what comes after the step is dimmed. */
static void
look_at(RegardViewSteps *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area_of(self));
  RegardFigure *figure = regard_figure_area_get_figure(area_of(self));
  const int node = spot && spot->part == REGARD_TREE_SPOT_NODE && spot->row == 0 ? spot->col : -1;

  if (figure && regard_figure_tree_look(figure, node, regard_view_steps_get_step(self)))
    regard_figure_area_redraw(area_of(self));
}

/* The token of the step comes into sight. The tree has its width some frames later. */
static gboolean
on_tick(GtkWidget *tree, GdkFrameClock *clock, gpointer data)
{
  RegardViewSteps *self = data;
  const int step = regard_view_steps_get_step(self);

  if (step >= 0 && regard_figure_area_get_figure(area_of(self)))
    regard_figure_area_scroll_to(area_of(self), REGARD_TREE_SPOT_NODE, 0, self->steps->nodes[step]);
  if (--self->n_ticks > 0)
    return G_SOURCE_CONTINUE;
  return G_SOURCE_REMOVE;
}

static void
follow_step(RegardViewSteps *self)
{
  const int step = regard_view_steps_get_step(self);

  if (self->followed == self->steps && self->followed_step == step)
    return;
  self->followed = self->steps;
  self->followed_step = step;
  if (self->n_ticks == 0)
    gtk_widget_add_tick_callback(self->tree, on_tick, self, NULL);
  self->n_ticks = FRAMES;
}

void
regard_view_steps_show_tree(RegardViewSteps *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  const gpointer shown[] = {self->steps,
                            self->other,
                            self->before,
                            GINT_TO_POINTER(is_active(self->fold)),
                            GINT_TO_POINTER(is_active(self->held_only)),
                            GINT_TO_POINTER(regard_figure_area_is_dark(area_of(self)))};
  const char *family;
  const double font = regard_figure_area_get_font(area_of(self), &family);
  RegardFigure *figure;

  G_STATIC_ASSERT(sizeof shown == sizeof self->shown);
  if (memcmp(shown, self->shown, sizeof shown) == 0 &&
      regard_figure_area_get_figure(area_of(self)) && self->shown_font == font) {
    look_at(self);
    follow_step(self);
    return;
  }
  memcpy(self->shown, shown, sizeof shown);
  self->shown_font = font;
  style.dark = regard_figure_area_is_dark(area_of(self));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  figure = regard_view_steps_new_tree(self, &style);
  regard_figure_area_set_least_width(area_of(self),
                                     (int) ceil(regard_figure_tree_width(figure, font, family)));
  regard_figure_area_set_figure(area_of(self), figure);
  look_at(self);
  follow_step(self);
}

/* ---- Pointing ----------------------------------------------------------------------------------
 */

/* The token of the translation is lit in texts and matrices, if it is on the way that is shown. */
static void
on_spot(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const RegardSpot *spot = regard_figure_area_get_spot(area_of(self));
  int token = -1;

  for (guint t = 0;
       spot && spot->part == REGARD_TREE_SPOT_NODE && spot->row == 0 && t < self->steps->n; t++)
    if (self->steps->nodes[t] == spot->col)
      token = (int) t;
  regard_selection_hover_target(s, token);
  look_at(self);
  regard_view_steps_show_status(self);
}

/* All of the way up to a node, as what the translation begins with. */
static void
follow(RegardViewSteps *self, const RegardSteps *steps, int node)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const gsize n = mt_steps_node(steps->steps, (gsize) node)->step + 1;
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_error error = {0};
  mt_constraints *constraints;

  for (gsize t = n; t-- > 0; node = mt_steps_node(steps->steps, (gsize) node)->parent)
    ids[t] = mt_steps_node(steps->steps, (gsize) node)->id;
  constraints = mt_constraints_new(ids, n, NULL, 0, &error);
  regard_selection_set_step(s, (int) n - 1);
  if (constraints)
    regard_selection_want_constraints(s, constraints);
  mt_constraints_unref(constraints);
}

/* A step of what is shown is gone to; another branch is gone on with. */
static void
on_activated(RegardViewSteps *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area_of(self));
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!spot || !self->steps)
    return;
  if (spot->part == REGARD_TREE_SPOT_GHOST) {
    follow(self, self->before, self->before->nodes[spot->col]);
    return;
  }
  for (guint t = 0; spot->row == 0 && t < self->steps->n; t++)
    if (self->steps->nodes[t] == spot->col) {
      regard_selection_set_step(s, (int) t);
      return;
    }
  follow(self, spot->row ? self->other : self->steps, spot->col);
}

/* ---- Another search ----------------------------------------------------------------------------
 */

static void
on_searched(GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardViewSteps) self = data;
  g_autoptr(GError) error = NULL;
  RegardSteps *found = regard_selection_search_finish(REGARD_SELECTION(object), result, &error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_pointer(&self->other, regard_steps_unref);
  self->other = found;
  gtk_label_set_text(GTK_LABEL(self->compare_error), error ? error->message : "");
  gtk_widget_set_visible(self->compare_error, error != NULL);
  if (self->steps)
    regard_view_steps_show_tree(self);
}

void
regard_view_steps_compare(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_search_params params;

  if (self->comparing)
    g_cancellable_cancel(self->comparing);
  g_clear_object(&self->comparing);
  if (!self->steps || !is_active(self->compare)) {
    g_clear_pointer(&self->other, regard_steps_unref);
    if (self->steps)
      regard_view_steps_show_tree(self);
    return;
  }
  params = mt_request_resolve(mt_translation_search(self->steps->translation), self->steps->model);
  params.beam_size = (gsize) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->beams));
  params.length_penalty = (float) gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->penalty));
  params.trace = mt_steps_top(self->steps->steps);
  self->comparing = g_cancellable_new();
  regard_selection_search_async(s, &params, self->comparing, on_searched, g_object_ref(self));
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

static GtkWidget *
build_choices(RegardViewSteps *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *alpha, *beams;

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
  beams = gtk_label_new(_("beams"));
  alpha = gtk_label_new(_("α"));
  self->compare_error = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->compare_error), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->compare_error, "error");
  gtk_widget_set_visible(self->compare_error, FALSE);
  gtk_box_append(GTK_BOX(line), self->fold);
  gtk_box_append(GTK_BOX(line), self->held_only);
  gtk_box_append(GTK_BOX(line), self->compare);
  gtk_box_append(GTK_BOX(line), beams);
  gtk_box_append(GTK_BOX(line), self->beams);
  gtk_box_append(GTK_BOX(line), alpha);
  gtk_box_append(GTK_BOX(line), self->penalty);
  gtk_box_append(GTK_BOX(line), self->compare_error);
  return line;
}

GtkWidget *
regard_view_steps_build_tree(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *scroller = gtk_scrolled_window_new();

  self->tree = regard_figure_area_new(200);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->tree), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("All hypotheses of the search"), -1);
  g_signal_connect_swapped(self->tree, "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->tree, "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->tree, "look-changed", G_CALLBACK(on_look), self);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->tree);
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(self->tree)), FALSE);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(box), build_choices(self));
  gtk_box_append(GTK_BOX(box), scroller);
  return box;
}
