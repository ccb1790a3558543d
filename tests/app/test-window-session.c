/* test-window-session.c — how a session was looked at: page, colours, cell, zoom, chosen heads,
 * panes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heatmap.h"
#include "window-test.h"

#include <glib/gstdio.h>

#define DOGS "I have two dogs."

static RegardSelection *
selection(WindowTest *t)
{
  return regard_document_get_selection(t->document);
}

static RegardHeatmap *
heatmap(WindowTest *t)
{
  return window_test_find(regard_window_get_view(t->window), REGARD_TYPE_HEATMAP);
}

static gboolean
is_pinned(gpointer data)
{
  return regard_selection_get_pin(selection(data)).row >= 0;
}

static gboolean
is_written(gpointer data)
{
  return g_file_test(data, G_FILE_TEST_EXISTS);
}

static void
set_look(WindowTest *t)
{
  RegardSelection *s = selection(t);
  regard_selection_set_place(s, MT_ENCODER_SELF, 2, 3);
  regard_selection_set_scale(s, REGARD_SCALE_LOG);
  regard_selection_set_colormap(s, "magma");
  regard_selection_set_merge_words(s, TRUE);
  regard_selection_toggle_chosen(s, MT_ENCODER_SELF, 1, 5);
  regard_selection_toggle_chosen(s, MT_ENCODER_SELF, 2, 3);
  regard_selection_set_combine(s, REGARD_COMBINE_CHOSEN);
  g_settings_set_boolean(t->settings, "show-details", FALSE);
  window_test_settle(t);
  regard_selection_set_pin(s, (RegardCell){1, 2});
  regard_heatmap_set_zoom(heatmap(t), 1.25, -1, -1);
  window_test_settle(t);
}

static void
set_defaults(WindowTest *t)
{
  RegardSelection *s = selection(t);
  window_test_translate(t, "It rains.");
  regard_selection_let_go(s);
  regard_selection_clear_chosen(s);
  regard_selection_set_place(s, MT_CROSS, 0, 0);
  regard_selection_set_scale(s, REGARD_SCALE_SQRT);
  regard_selection_set_colormap(s, "viridis");
  regard_selection_set_merge_words(s, FALSE);
  regard_selection_set_combine(s, REGARD_COMBINE_HEAD);
  g_settings_set_boolean(t->settings, "show-details", TRUE);
  g_settings_set_string(t->settings, "view", "positions");
  window_test_settle(t);
}

static void
test_look(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "dogs.regard", NULL);
  RegardSelection *s = selection(t);
  double top, left, top_now, left_now;
  window_test_translate(t, DOGS);
  set_look(t);
  const double zoom = regard_heatmap_get_zoom(heatmap(t));
  g_assert_cmpfloat(zoom, >, 1);
  regard_heatmap_get_corner(heatmap(t), &top, &left);
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.write-session", "s", path);
  app_test_wait(is_written, path);
  window_test_settle(t);

  set_defaults(t);
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.read-session", "s", path);
  app_test_wait(is_pinned, t);
  window_test_settle(t);
  g_autofree char *text = window_test_source(t), *view = g_settings_get_string(t->settings, "view");
  g_assert_cmpstr(text, ==, DOGS);
  g_assert_cmpstr(view, ==, "attention");
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 2);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 3);
  g_assert_cmpint(regard_selection_get_scale(s), ==, REGARD_SCALE_LOG);
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "magma");
  g_assert_true(regard_selection_get_merge_words(s));
  g_assert_cmpint(regard_selection_get_combine(s), ==, REGARD_COMBINE_CHOSEN);
  g_assert_true(regard_selection_is_chosen(s, MT_ENCODER_SELF, 1, 5));
  g_assert_true(regard_selection_is_chosen(s, MT_ENCODER_SELF, 2, 3));
  g_assert_false(regard_selection_is_chosen(s, MT_ENCODER_SELF, 0, 0));
  g_assert_false(g_settings_get_boolean(t->settings, "show-details"));
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, 1);
  g_assert_cmpint(regard_selection_get_pin(s).col, ==, 2);
  g_assert_cmpfloat(regard_heatmap_get_zoom(heatmap(t)), ==, zoom);
  regard_heatmap_get_corner(heatmap(t), &top_now, &left_now);
  g_assert_cmpfloat_with_epsilon(top_now, top, 1e-6);
  g_assert_cmpfloat_with_epsilon(left_now, left, 1e-6);
  /* The keyboard is where the eye is. */
  g_assert_true(regard_view_is_picture(gtk_window_get_focus(GTK_WINDOW(t->window))));
  g_settings_reset(t->settings, "show-details");
  app_test_remove(folder);
}

int
main(int argc, char **argv)
{
  if (!window_test_init(&argc, &argv))
    return 0;
  g_test_add("/window/session/look", WindowTest, NULL, window_test_set_up, test_look,
             window_test_tear_down);
  return g_test_run();
}
