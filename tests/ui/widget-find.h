/* widget-find.h — a selection to look at, and finding one's way in a tree of widgets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sample-capture.h"
#include "widgets/regard-cell-panel.h"
#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

static inline RegardSelection *
new_selection(void)
{
  RegardSelection *s = regard_selection_new();
  mt_capture *capture = sample_capture(6);

  regard_selection_set_capture(s, capture);
  mt_capture_unref(capture);
  return s;
}

/* First descendant of a type, in order. */
static inline GtkWidget *
find(GtkWidget *widget, GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE(widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find(child, type);

    if (found)
      return found;
  }
  return NULL;
}

static inline GtkWidget *
find_class(GtkWidget *widget, const char *css_class)
{
  if (gtk_widget_has_css_class(widget, css_class))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_class(child, css_class);

    if (found)
      return found;
  }
  return NULL;
}

static inline void
wait_for_draw(GtkWidget *widget)
{
  gtk_widget_queue_draw(widget);
  gtk_test_widget_wait_for_draw(widget);
}

static inline void
assert_says(GtkWidget *panel, const char *line)
{
  g_autofree char *text = regard_cell_panel_get_text(REGARD_CELL_PANEL(panel), FALSE);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  if (!g_strv_contains((const char *const *) lines, line))
    g_error("the panel does not say \"%s\" but:\n%s", line, text);
}
