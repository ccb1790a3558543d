/* test-window-layout.c — the room that texts, pictures and header get.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "window-test.h"

#include "widgets/regard-cell-panel.h"
#include "widgets/regard-figure-area.h"

/* Where the title would lie over the buttons, or take the room of Simple and Full, it is not there.
 */
static void
test_header(WindowTest *t, gconstpointer data)
{
  static const int widths[] = {800, 1024, 1440};
  for (guint i = 0; i < G_N_ELEMENTS(widths); i++) {
    g_settings_set_int(t->settings, "window-width", widths[i]);
    g_settings_set_int(t->settings, "window-height", 600);
    WindowTest other = window_test_another(t);
    gtk_window_present(GTK_WINDOW(other.window));
    regard_document_open_model(other.document, "");
    window_test_settle(&other);
    GtkWidget *title = window_test_child(&other, "title");
    graphene_rect_t place;
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(other.window)), <=, widths[i]);
    g_assert_true(widths[i] <= 1024 || gtk_widget_get_mapped(title));
    g_assert_true(widths[i] <= 800 ||
                  gtk_widget_get_mapped(window_test_child(&other, "simple_button")));
    if (gtk_widget_get_mapped(title)) {
      GtkWidget *button = window_test_find_action(window_test_child(&other, "header"), "win.copy");
      graphene_rect_t after;
      g_assert_true(gtk_widget_compute_bounds(title, GTK_WIDGET(other.window), &place));
      g_assert_true(gtk_widget_compute_bounds(button, GTK_WIDGET(other.window), &after));
      g_assert_cmpfloat(place.origin.x + place.size.width, <, after.origin.x);
    }
    gtk_window_destroy(GTK_WINDOW(other.window));
  }
}

/* The texts take what they need; a divider moved by hand stays where it was put. */
static void
test_layout(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  app_test_run_for(100);
  int small = gtk_paned_get_position(window_test_child(t, "text_paned"));
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 12; i++)
    g_string_append(text, "The animal didn't cross the street because it was too tired. ");
  window_test_translate(t, text->str);
  app_test_run_for(300); /* GtkTextView measures its lines when idle */
  int large = gtk_paned_get_position(window_test_child(t, "text_paned"));
  g_assert_cmpint(large, >, small);
  g_assert_cmpint(large, <=,
                  gtk_widget_get_height(GTK_WIDGET(window_test_child(t, "text_paned"))) * 35 / 100);

  gtk_paned_set_position(window_test_child(t, "text_paned"), 200);
  g_assert_cmpint(g_settings_get_int(t->settings, "text-height"), ==, 200);
  window_test_translate(t, "I have two dogs.");
  app_test_run_for(100);
  g_assert_cmpint(gtk_paned_get_position(window_test_child(t, "text_paned")), ==, 200);
  gtk_paned_set_position(window_test_child(t, "split"), 500);
  g_assert_cmpfloat(g_settings_get_double(t->settings, "text-split"), <, 0.45);

  window_test_act(t, "win.reset-layout", NULL);
  app_test_run_for(300);
  g_assert_cmpint(gtk_paned_get_position(window_test_child(t, "text_paned")), ==, small);
}

/* Labels below a widget whose text is cut off. */
static guint
count_cut(GtkWidget *widget)
{
  guint n = 0;
  if (!gtk_widget_get_mapped(widget))
    return 0;
  if (GTK_IS_LABEL(widget))
    return pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(widget)));
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += count_cut(child);
  return n;
}

/* A page that is seen asks for no more than the window has, both ways; what it lacks is scrolled.
 */
static void
check_page(WindowTest *t, int width, int height, const char *page)
{
  GtkWidget *window = GTK_WIDGET(t->window);
  int least, high;
  gtk_widget_measure(window, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure(window, GTK_ORIENTATION_VERTICAL, MAX(width, least), &high, NULL, NULL, NULL);
  if (least > width || high > height)
    g_error("%s needs %d × %d of %d × %d", page, least, high, width, height);
  g_assert_cmpint(gtk_widget_get_width(window), <=, width);
  g_assert_cmpint(gtk_widget_get_height(window), <=, height);
  /* All tabs are on it. */
  GtkWidget *tabs = window_test_child(t, "switcher");
  graphene_rect_t place;
  g_assert_true(gtk_widget_compute_bounds(tabs, window, &place));
  g_assert_cmpfloat(place.origin.x, >=, 0);
  g_assert_cmpfloat(place.origin.x + place.size.width, <=, width);
  g_assert_cmpfloat(place.origin.y + place.size.height, <=, height);
}

static void
test_pages(WindowTest *t, gconstpointer data)
{
  static const int sizes[][2] = {{800, 600}, {1024, 700}, {1440, 900}};
  static const char *const panes[] = {"heads", "alignment", "attributions", "quality"};
  GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(t->window));
  guint n_views;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  int usual;
  g_object_get(settings, "gtk-xft-dpi", &usual, NULL);
  window_test_translate(t, "I have two dogs.");
  regard_selection_set_pin(t->selection, (RegardCell){1, 1});
  for (int percent = 100; percent <= 200; percent += 100) {
    g_object_set(settings, "gtk-xft-dpi", 96 * 1024 * percent / 100, NULL);
    for (guint v = 0; v < n_views; v++) {
      const gboolean has_panes = g_str_equal(views[v].id, "measure");
      g_settings_set_string(t->settings, "view", views[v].id);
      for (guint p = 0; p < (has_panes ? G_N_ELEMENTS(panes) : 1); p++) {
        g_autofree char *page = g_strdup_printf("%s %s, letters of %d %%,", views[v].id,
                                                has_panes ? panes[p] : "", percent);
        if (has_panes)
          gtk_widget_activate_action(GTK_WIDGET(regard_window_get_view(t->window)), "measure.pane",
                                     "s", panes[p]);
        for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
          gtk_window_set_default_size(GTK_WINDOW(t->window), sizes[i][0], sizes[i][1]);
          window_test_settle(t);
          check_page(t, sizes[i][0], sizes[i][1], page);
          /* Cells keep the width of the beginning of a word: columns are scrolled. */
          if (g_str_equal(views[v].id, "layers") && percent == 200)
            g_assert_cmpint(gtk_widget_get_width(window_test_find(regard_window_get_view(t->window),
                                                                  REGARD_TYPE_FIGURE_AREA)),
                            >, 1024);
        }
      }
    }
  }
  g_object_set(settings, "gtk-xft-dpi", usual, NULL);
}

/* All keys, in a window that is no larger than the one it stands over, with whatever letters. */
static void
test_shortcuts(WindowTest *t, gconstpointer data)
{
  GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(t->window));
  int usual;
  g_object_get(settings, "gtk-xft-dpi", &usual, NULL);
  gtk_window_set_default_size(GTK_WINDOW(t->window), 800, 600);
  for (int percent = 100; percent <= 200; percent += 100) {
    g_object_set(settings, "gtk-xft-dpi", 96 * 1024 * percent / 100, NULL);
    window_test_settle(t);
    window_test_act(t, "win.show-help-overlay", NULL);
    GListModel *windows = gtk_window_get_toplevels();
    GtkWidget *shortcuts = NULL;
    for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
      g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
      if (gtk_window_get_transient_for(GTK_WINDOW(window)) == GTK_WINDOW(t->window))
        shortcuts = window;
    }
    g_assert_nonnull(shortcuts);
    app_test_run_for(100);
    g_assert_cmpint(gtk_widget_get_width(shortcuts), <=, 800);
    g_assert_cmpint(gtk_widget_get_height(shortcuts), <=, 600);
    /* A search leaves what has the words. */
    GtkWidget *entry = window_test_find(shortcuts, GTK_TYPE_SEARCH_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(entry), "preferences");
    app_test_run_for(300);
    GtkWidget *line = window_test_find(shortcuts, g_type_from_name("GtkShortcutsShortcut"));
    g_assert_false(gtk_widget_get_mapped(line));
    gtk_window_destroy(GTK_WINDOW(shortcuts));
  }
  g_object_set(settings, "gtk-xft-dpi", usual, NULL);
}

/* With large letters the window still fits on a small screen, its buttons on it, and on a usual one
 * the numbers keep their names. */
static void
test_large_text(WindowTest *t, gconstpointer data)
{
  GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(t->window));
  int usual;
  g_object_get(settings, "gtk-xft-dpi", &usual, NULL);
  for (int percent = 100; percent <= 200; percent += 50) {
    g_object_set(settings, "gtk-xft-dpi", 96 * 1024 * percent / 100, NULL);
    g_settings_set_int(t->settings, "window-width", 1440);
    g_settings_set_int(t->settings, "window-height", 900);
    WindowTest other = window_test_another(t);
    gtk_window_present(GTK_WINDOW(other.window));
    regard_document_open_model(other.document, "");
    window_test_translate(&other, "I have two dogs.");
    regard_selection_set_pin(regard_document_get_selection(other.document), (RegardCell){1, 1});
    app_test_run_for(300);
    int least;
    gtk_widget_measure(GTK_WIDGET(other.window), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                       NULL);
    g_assert_cmpint(least, <=, 800);
    g_assert_cmpuint(count_cut(window_test_find(other.window, REGARD_TYPE_CELL_PANEL)), ==, 0);
    gtk_window_destroy(GTK_WINDOW(other.window));
  }
  g_object_set(settings, "gtk-xft-dpi", usual, NULL);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-layout/header", test_header);
  WINDOW_TEST("/window-layout/layout", test_layout);
  WINDOW_TEST("/window-layout/pages", test_pages);
  WINDOW_TEST("/window-layout/shortcuts", test_shortcuts);
  WINDOW_TEST("/window-layout/large-text", test_large_text);
}
