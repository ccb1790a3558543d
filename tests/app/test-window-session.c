/* test-window-session.c — how a session was looked at: page, colours, cell, zoom, chosen heads,
 * panes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats/regard-export.h"
#include "suite.h"
#include "widgets/regard-heatmap.h"
#include "window-test.h"

#include <glib/gstdio.h>

#define DOGS "I have two dogs."

static RegardHeatmap *
heatmap(WindowTest *t)
{
  return window_test_find(regard_window_get_view(t->window), REGARD_TYPE_HEATMAP);
}

static void
set_look(WindowTest *t)
{
  RegardSelection *s = t->selection;
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
  RegardSelection *s = t->selection;
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
  RegardSelection *s = t->selection;
  double top, left, top_now, left_now;
  window_test_translate(t, DOGS);
  set_look(t);
  const double zoom = regard_heatmap_get_zoom(heatmap(t));
  g_assert_cmpfloat(zoom, >, 1);
  regard_heatmap_get_corner(heatmap(t), &top, &left);
  window_test_act(t, "win.write-session", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  window_test_settle(t);

  set_defaults(t);
  window_test_act(t, "win.read-session", "s", path);
  app_test_until(regard_selection_get_pin(t->selection).row >= 0);
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

/* ---- Files -------------------------------------------------------------------------------------
 */

static gboolean
is_named(gpointer data)
{
  const WindowTest *t = data;
  return g_str_equal(gtk_window_get_title(GTK_WINDOW(t->window)), "a.regard – Regard");
}

static void
write_as(WindowTest *t, const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  window_test_translate(t, text);
  window_test_act(t, "win.write-session", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  app_test_run_for(50);
}

/* What has a file is saved there without a question; the title says whose it is, and whether all of
 * it is in the file. */
static void
test_save(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "a.regard", NULL);
  write_as(t, folder, "a.regard", DOGS);
  app_test_wait(is_named, t);
  /* To look elsewhere is no change; another text is one, until it is as it was. */
  regard_selection_set_place(t->selection, MT_CROSS, 3, 3);
  regard_document_set_caret(t->document, 3);
  window_test_settle(t);
  app_test_run_for(50);
  g_assert_true(is_named(t));
  window_test_translate(t, "It rains.");
  app_test_until(g_str_equal(gtk_window_get_title(GTK_WINDOW(t->window)), "• a.regard – Regard"));
  regard_document_undo(t->document);
  app_test_wait(is_named, t);
  window_test_translate(t, "It rains.");
  app_test_until(g_str_equal(gtk_window_get_title(GTK_WINDOW(t->window)), "• a.regard – Regard"));

  window_test_act(t, "win.save-session", NULL);
  app_test_wait(is_named, t);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSession) session = regard_session_read(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(session->state->text, ==, "It rains.");

  /* And it is among the recent files. */
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  g_assert_true(gtk_recent_manager_has_item(gtk_recent_manager_get_default(), uri));
  app_test_until(g_menu_model_get_n_items(window_test_child(t, "recent_menu")) > 0);
  window_test_translate(t, DOGS);
  window_test_act(t, "win.open-recent", "s", path);
  app_test_wait(is_named, t);
  window_test_settle(t);
  app_test_wait(is_named, t);
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "It rains.");
  gtk_recent_manager_remove_item(gtk_recent_manager_get_default(), uri, NULL);
  app_test_remove(folder);
}

static gboolean
has_rain(gpointer data)
{
  g_autofree char *text = window_test_source(data);
  return g_str_equal(text, "It rains.");
}

/* Sessions that were prepared are shown one after the other, in the order of their names, and to a
 * room in the colours for one. */
static void
test_present(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  RegardSelection *s = t->selection;
  regard_selection_set_colormap(s, "magma");
  write_as(t, folder, "10.regard", "It rains.");
  write_as(t, folder, "2.regard", DOGS);
  regard_selection_set_colormap(s, "viridis");
  window_test_act(t, "win.present", NULL);
  window_test_act(t, "win.step-session", "i", 1);
  app_test_wait(has_rain, t);
  window_test_settle(t);
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "grey");
  GtkWidget *strip = window_test_find(window_test_child(t, "source"), REGARD_TYPE_TOKEN_STRIP);
  g_assert_false(gtk_widget_get_visible(strip));
  window_test_act(t, "win.present", NULL);
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "magma");
  g_assert_true(gtk_widget_get_visible(strip));
  app_test_remove(folder);
}

/* ---- Of other releases -------------------------------------------------------------------------
 */

/* German, Chinese and a sign beyond the basic plane, in the text, in the pieces and in the name of
 * a language. */
#define SIGNS "Grüße, 狗 🐶."

/* The picture in a format, of what the eye is on. */
static GBytes *
draw(WindowTest *t, const char *folder, const char *format)
{
  guint n;
  RegardView *view = regard_window_get_view(t->window);
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, >, 0);
  g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choices[0].id);
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autofree char *path = g_build_filename(folder, format, NULL), *content = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  regard_export_write(figure, regard_export_format_find(format), &options, path, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &content, &length, NULL));
  return g_bytes_new_take(g_steal_pointer(&content), length);
}

static gboolean
has_signs(gpointer data)
{
  g_autofree char *text = window_test_source(data);
  return g_str_equal(text, SIGNS) && regard_selection_get_capture(((WindowTest *) data)->selection);
}

/* What Debian 12, 13 and unstable wrote, each with a model that is not here, is the same text and
 * the same picture. REGARD_WRITE_SESSION=FILE writes one instead (tests/data/README.md). */
static void
test_releases(WindowTest *t, gconstpointer data)
{
  static const char *const names[] = {"debian-12", "debian-13", "debian-sid"};
  static const char *const formats[] = {"png", "svg", "json"};
  g_autofree char *folder = app_test_folder();
  GBytes *first[G_N_ELEMENTS(formats)] = {NULL};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    /* The caption names the file, so that it must be the same. */
    g_autofree char *name = g_strdup_printf("sessions/%s.regard", names[i]), *content = NULL;
    g_autofree char *path = g_build_filename(g_getenv("REGARD_TEST_DATA"), name, NULL);
    g_autofree char *copy = g_build_filename(folder, "signs.regard", NULL);
    gsize length;
    g_assert_true(g_file_get_contents(path, &content, &length, NULL));
    g_assert_true(g_file_set_contents(copy, content, (gssize) length, NULL));
    window_test_translate(t, "It rains.");
    window_test_act(t, "win.read-session", "s", copy);
    app_test_wait(has_signs, t);
    window_test_settle(t);
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
      g_autoptr(GBytes) picture = draw(t, folder, formats[f]);
      g_assert_cmpuint(g_bytes_get_size(picture), >, 1000);
      if (!first[f])
        first[f] = g_bytes_ref(picture);
      if (!g_bytes_equal(first[f], picture))
        g_error("%s: another %s than of %s", names[i], formats[f], names[0]);
    }
  }
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    g_bytes_unref(first[f]);
  app_test_remove(folder);
}

/* Writes one of those files. */
static void
test_write(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, SIGNS);
  regard_selection_set_place(t->selection, MT_CROSS, 3, 2);
  window_test_settle(t);
  window_test_act(t, "win.write-session", "s", g_getenv("REGARD_WRITE_SESSION"));
  app_test_until(g_file_test(g_getenv("REGARD_WRITE_SESSION"), G_FILE_TEST_EXISTS));
  app_test_run_for(50);
}

TESTS(.begin = window_test_begin)
{
  if (g_getenv("REGARD_WRITE_SESSION")) {
    g_test_add("/window/session/write", WindowTest, g_getenv("REGARD_WRITE_SESSION_MODEL"),
               window_test_set_up, test_write, window_test_tear_down);
    return;
  }
  WINDOW_TEST("/window/session/releases", test_releases);
  WINDOW_TEST("/window/session/look", test_look);
  WINDOW_TEST("/window/session/save", test_save);
  WINDOW_TEST("/window/session/present", test_present);
}
