/* steps-page-test.c — the page Steps of a window, for tests: what is on it, and what it knows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "steps-page-test.h"

#include "figures/regard-figure-steps.h"
#include "views/regard-view.h"

RegardView *
steps_page_page(WindowTest *t)
{
  return REGARD_VIEW(adw_view_stack_get_visible_child(window_test_child(t, "views")));
}

/* ---- What is on the page ----------------------------------------------------------------------
 */

/* The first that can be seen. */
GtkWidget *
steps_page_find(GtkWidget *root, GType type, StepsPageMatches matches, const char *text)
{
  if (g_type_is_a(G_OBJECT_TYPE(root), type) && gtk_widget_get_mapped(root) &&
      (!matches || matches(root, text)))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = steps_page_find(child, type, matches, text);
    if (found)
      return found;
  }
  return NULL;
}

gboolean
steps_page_is_called(GtkWidget *widget, const char *name)
{
  char *differs = gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget),
                                                     GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gboolean is_same = differs == NULL;
  g_free(differs);
  return is_same;
}

static gboolean
steps_page_begins_with(GtkWidget *label, const char *text)
{
  return g_str_has_prefix(gtk_label_get_text(GTK_LABEL(label)), text);
}

gboolean
steps_page_has_label(GtkWidget *button, const char *text)
{
  return g_strcmp0(gtk_button_get_label(GTK_BUTTON(button)), text) == 0;
}

RegardFigureArea *
steps_page_candidates(WindowTest *t)
{
  GtkWidget *area = steps_page_find(GTK_WIDGET(steps_page_page(t)), REGARD_TYPE_FIGURE_AREA,
                                    steps_page_is_called, "What there was to choose from");
  g_assert_nonnull(area);
  return REGARD_FIGURE_AREA(area);
}

GtkWidget *
steps_page_says(WindowTest *t, const char *text)
{
  return steps_page_find(GTK_WIDGET(steps_page_page(t)), GTK_TYPE_LABEL, steps_page_begins_with,
                         text);
}

/* Nothing is left to export; where the examples stand in its place, nothing else can be seen. */
gboolean
steps_page_is_empty(gpointer data)
{
  guint n;
  regard_view_get_export_choices(steps_page_page(data), &n);
  return n == 0;
}

GtkWidget *
steps_page_model_way(WindowTest *t)
{
  return steps_page_find(GTK_WIDGET(steps_page_page(t)), GTK_TYPE_BUTTON, steps_page_has_label,
                         "The Mode_l’s Own Way");
}

GtkWidget *
steps_page_entry(WindowTest *t)
{
  GtkWidget *found = steps_page_find(GTK_WIDGET(steps_page_page(t)), GTK_TYPE_ENTRY,
                                     steps_page_is_called, "Another word at this step");
  g_assert_nonnull(found);
  return found;
}

/* As its key does it. */
void
steps_page_open(WindowTest *t)
{
  g_auto(GStrv) actions =
      gtk_application_get_actions_for_accel(GTK_APPLICATION(t->application), "<Alt>4");
  g_assert_cmpstr(actions[0], ==, "win.go-to-view::steps");
  g_action_group_activate_action(G_ACTION_GROUP(t->window), "view", g_variant_new_string("steps"));
  app_test_until(!regard_document_is_busy(t->document) && regard_selection_get_steps(t->selection));
  window_test_settle(t);
}

void
steps_page_settle(WindowTest *t)
{
  app_test_until(!regard_document_is_busy(t->document) && regard_selection_get_steps(t->selection));
  window_test_settle(t);
}

void
steps_page_press(WindowTest *t, guint keyval)
{
  g_assert_true(window_test_key(t, keyval, 0));
}

/* ---- What is known ----------------------------------------------------------------------------
 */

const RegardSteps *
steps_page_steps(WindowTest *t)
{
  const RegardSteps *steps = regard_selection_get_steps(t->selection);
  g_assert_nonnull(steps);
  return steps;
}

int32_t
steps_page_token_at(WindowTest *t, guint step)
{
  const RegardSteps *steps = steps_page_steps(t);
  g_assert_cmpuint(step, <, steps->n);
  return steps->steps->nodes[(gsize) steps->nodes[step]].id;
}

const char *
steps_page_translation(WindowTest *t)
{
  const RegardResult *result = regard_document_get_result(t->document);
  g_assert_no_error(result->sentences[result->active].error);
  return regard_result_hypothesis(result, (guint) result->active)->text;
}

/* Candidate i of the step that is looked at, by keys; its id. */
int32_t
steps_page_point_at(WindowTest *t, int i)
{
  RegardFigureArea *area = steps_page_candidates(t);
  while (regard_figure_area_get_spot(area))
    steps_page_press(t, GDK_KEY_Escape);
  for (int k = 0; k <= i; k++)
    steps_page_press(t, GDK_KEY_Down);
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  g_assert_nonnull(spot);
  g_assert_cmpint(spot->part, ==, REGARD_STEPS_SPOT_CANDIDATE);
  g_assert_cmpint(spot->row, ==, i);
  return spot->col;
}

void
steps_page_go_to(WindowTest *t, int step)
{
  steps_page_press(t, GDK_KEY_Home);
  for (int i = 0; i < step; i++)
    steps_page_press(t, GDK_KEY_Right);
  window_test_settle(t);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, step);
}
