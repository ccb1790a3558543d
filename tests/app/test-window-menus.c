/* test-window-menus.c — presenting to a room, and the menus of examples and of the picture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "window-test.h"

#include <string.h>

/* Presenting puts panes away and makes letters large, and leaves no trace in the settings. */
static void
test_presenting(WindowTest *t, gconstpointer data)
{
  RegardSelection *s = t->selection;
  GtkWidget *window = GTK_WIDGET(t->window);
  window_test_translate(t, "I have two dogs.");
  GtkWidget *heads = window_test_find(window_test_child(t, "content"), REGARD_TYPE_HEADS);
  g_autofree char *colors = g_settings_get_string(t->settings, "colormap");
  gtk_widget_activate_action(window, "win.present", NULL);
  window_test_settle(t);
  g_assert_true(gtk_widget_has_css_class(window, "presenting"));
  g_assert_nonnull(gtk_widget_get_cursor(window));
  g_assert_false(gtk_widget_get_mapped(heads));
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "header")));
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "grey");
  /* Panes are shown to the room by the keys that show them at other times, from the first press on.
   */
  gtk_widget_activate_action(window, "win.show-heads", NULL);
  g_assert_true(gtk_widget_get_mapped(heads));
  gtk_widget_activate_action(window, "win.show-heads", NULL);
  g_assert_false(gtk_widget_get_mapped(heads));
  gtk_widget_activate_action(window, "win.show-heads", NULL);
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
  g_assert_true(window_test_key(t, GDK_KEY_F10, 0));
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "header")));
  gtk_menu_button_popdown(window_test_child(t, "menu_button"));
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "header")));
  regard_selection_set_pin(s, (RegardCell){1, 1});
  g_assert_true(window_test_key(t, GDK_KEY_Escape, 0));
  g_assert_true(gtk_widget_has_css_class(window, "presenting"));
  g_assert_true(window_test_key(t, GDK_KEY_Escape, 0));
  window_test_settle(t);
  g_assert_false(gtk_widget_has_css_class(window, "presenting"));
  g_assert_null(gtk_widget_get_cursor(window));
  g_assert_true(gtk_widget_get_mapped(heads));
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "header")));
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, colors);
  g_autofree char *after = g_settings_get_string(t->settings, "colormap");
  g_assert_cmpstr(after, ==, colors);
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
}

/* A further window has the model of the one before, and goes its own way. */
static void
test_new_window(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_action_group_activate_action(G_ACTION_GROUP(t->application), "new-window", NULL);
  GList *windows = gtk_application_get_windows(GTK_APPLICATION(t->application));
  g_assert_cmpuint(g_list_length(windows), ==, 2);
  WindowTest other = *t;
  other.window = windows->data != t->window ? windows->data : windows->next->data;
  other.document = regard_window_get_document(other.window);
  window_test_settle(&other);
  window_test_translate(&other, "It rains.");
  gtk_widget_activate_action(GTK_WIDGET(other.window), "win.show-view", "s", "positions");
  gtk_widget_activate_action(GTK_WIDGET(other.window), "win.show-heads", NULL);
  regard_selection_set_colormap(regard_document_get_selection(other.document), "magma");
  g_autofree char *view = g_settings_get_string(t->settings, "view");
  g_assert_cmpstr(view, ==, "attention");
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
  g_assert_cmpstr(regard_selection_get_colormap(t->selection)->id, ==, "viridis");
  g_autofree char *text = window_test_source(t), *of_other = window_test_source(&other);
  g_assert_cmpstr(text, ==, "I have two dogs.");
  g_assert_cmpstr(of_other, ==, "It rains.");
  gtk_window_close(GTK_WINDOW(other.window));
  app_test_run_for(50);
  g_autofree char *still = g_settings_get_string(t->settings, "view");
  g_assert_cmpstr(still, ==, "attention");
}

/* Sentences to begin with are in a menu, too. */
static void
test_examples_menu(WindowTest *t, gconstpointer data)
{
  GMenuModel *menu = window_test_child(t, "examples_menu");
  const int n = g_menu_model_get_n_items(menu);
  GtkListBox *list = window_test_part(t, "start", "list");
  g_assert_nonnull(gtk_list_box_get_row_at_index(list, n - 1));
  g_assert_null(gtk_list_box_get_row_at_index(list, n));
  g_autofree char *text = NULL;
  g_assert_true(g_menu_model_get_item_attribute(menu, 0, G_MENU_ATTRIBUTE_TARGET, "s", &text));
  window_test_translate(t, "I have two dogs.");
  window_test_act(t, "win.example", "s", text);
  window_test_settle(t);
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, text);
}

/* The model by-hand is called so, and has words of its own to begin with: others it does not know.
 */
static void
test_by_hand(WindowTest *t, gconstpointer data)
{
  static const char *const pairs[][2] = {{"cat", "Katze"},
                                         {"fish", "Fisch"},
                                         {"bird cat", "Vogel Katze"}};
  GMenuModel *menu = window_test_child(t, "examples_menu");
  g_assert_cmpstr(regard_document_get_slot(t->document)->own.title, ==, "By hand");
  g_assert_cmpint(g_menu_model_get_n_items(menu), ==, G_N_ELEMENTS(pairs));
  for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
    g_autofree char *text = NULL;
    g_assert_true(
        g_menu_model_get_item_attribute(menu, (int) i, G_MENU_ATTRIBUTE_TARGET, "s", &text));
    g_assert_cmpstr(text, ==, pairs[i][0]);
    window_test_act(t, "win.example", "s", text);
    window_test_settle(t);
    g_autofree char *target = window_test_target(t);
    g_assert_cmpstr(target, ==, pairs[i][1]);
  }
}

static gboolean
has_no_menu(gpointer heatmap)
{
  return window_test_find(heatmap, GTK_TYPE_POPOVER_MENU) == NULL;
}

/* The menu of the picture knows the cell that it was opened at. */
static void
test_picture_menu(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  GtkWidget *heatmap = window_test_find(window_test_child(t, "content"), REGARD_TYPE_HEATMAP);
  graphene_rect_t at;
  g_assert_true(regard_heatmap_get_cell_rect(REGARD_HEATMAP(heatmap), 1, 2, &at));
  g_signal_emit_by_name(window_test_controller(heatmap, "menu"), "pressed", 1,
                        (double) at.origin.x + at.size.width / 2,
                        (double) at.origin.y + at.size.height / 2);
  GtkWidget *menu = window_test_find(heatmap, GTK_TYPE_POPOVER_MENU);
  g_assert_nonnull(menu);
  GMenuModel *model = gtk_popover_menu_get_menu_model(GTK_POPOVER_MENU(menu));
  g_autoptr(GMenuModel) first = g_menu_model_get_item_link(model, 0, G_MENU_LINK_SECTION);
  g_autoptr(GVariant) cell =
      g_menu_model_get_item_attribute_value(first, 0, G_MENU_ATTRIBUTE_TARGET, NULL);
  g_assert_true(gtk_widget_activate_action_variant(heatmap, "picture.keep", cell));
  RegardCell pin = regard_selection_get_pin(t->selection);
  g_assert_cmpint(pin.row, ==, 1);
  g_assert_cmpint(pin.col, ==, 2);
  gtk_popover_popdown(GTK_POPOVER(menu));
  app_test_wait(has_no_menu, heatmap);
  /* By a key, and closed with the window. */
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(heatmap, "menu-key"), "key-pressed", GDK_KEY_F10, 0u,
                        GDK_SHIFT_MASK, &is_used);
  g_assert_true(is_used);
}

/* ---- Mnemonics ------------------------------------------------------------------------------- */

/* What a label belongs to: the page of a stack or of a menu, or the popover; NULL: the window. */
static GtkWidget *
find_group(GtkWidget *widget)
{
  for (; widget && !GTK_IS_POPOVER(widget); widget = gtk_widget_get_parent(widget))
    if (gtk_widget_get_parent(widget) && GTK_IS_STACK(gtk_widget_get_parent(widget)))
      return widget;
  return widget;
}

typedef struct {
  GHashTable *seen; /* of texts, by group and letter */
  GString *twice;
} Mnemonics;

static void
note_mnemonic(Mnemonics *m, gconstpointer group, gunichar letter, const char *text)
{
  char *key = g_strdup_printf("%p %u", group, g_unichar_tolower(letter));
  const char *other = g_hash_table_lookup(m->seen, key);
  if (other && !g_str_equal(other, text))
    g_string_append_printf(m->twice, "%s | %s; ", other, text);
  g_hash_table_insert(m->seen, key, g_strdup(text));
}

/* What a menu has, hidden entries too; sections are one menu. */
static void
collect_of_menu(Mnemonics *m, GMenuModel *menu, gconstpointer group)
{
  for (int i = 0; i < g_menu_model_get_n_items(menu); i++) {
    g_autofree char *text = NULL;
    g_menu_model_get_item_attribute(menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &text);
    const char *line = text ? strchr(text, '_') : NULL;
    if (line && line[1] != '_')
      note_mnemonic(m, group, g_utf8_get_char(line + 1), text);
    g_autoptr(GMenuModel) section = g_menu_model_get_item_link(menu, i, G_MENU_LINK_SECTION);
    g_autoptr(GMenuModel) below = g_menu_model_get_item_link(menu, i, G_MENU_LINK_SUBMENU);
    if (section)
      collect_of_menu(m, section, group);
    if (below)
      collect_of_menu(m, below, below);
  }
}

static void
collect_mnemonics(Mnemonics *m, GtkWidget *widget)
{
  if (GTK_IS_POPOVER_MENU(widget)) {
    GMenuModel *menu = gtk_popover_menu_get_menu_model(GTK_POPOVER_MENU(widget));
    if (menu)
      collect_of_menu(m, menu, menu);
    return;
  }
  if (GTK_IS_LABEL(widget)) {
    const guint letter = gtk_label_get_mnemonic_keyval(GTK_LABEL(widget));
    if (letter && letter != GDK_KEY_VoidSymbol)
      note_mnemonic(m, find_group(widget), gdk_keyval_to_unicode(letter),
                    gtk_label_get_text(GTK_LABEL(widget)));
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    collect_mnemonics(m, child);
}

/* Of labels that are seen together no two have the same letter. */
static void
test_mnemonics(WindowTest *t, gconstpointer data)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  g_autoptr(GString) twice = g_string_new(NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  Mnemonics m = {seen, twice};
  window_test_translate(t, "I have two dogs.");
  for (guint i = 0; i < n; i++) { /* pages are built when they are shown */
    window_test_act(t, "win.show-view", "s", views[i].id);
    window_test_settle(t);
  }
  collect_mnemonics(&m, GTK_WIDGET(t->window));
  g_assert_cmpuint(g_hash_table_size(seen), >, 50);
  g_assert_cmpstr(twice->str, ==, "");
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window/presenting", test_presenting);
  WINDOW_TEST("/window/new-window", test_new_window);
  WINDOW_TEST("/window/examples-menu", test_examples_menu);
  WINDOW_TEST("/window/picture-menu", test_picture_menu);
  WINDOW_TEST("/window/mnemonics", test_mnemonics);
  g_test_add("/window/by-hand", WindowTest, REGARD_SOURCE_ROOT "/models/by-hand",
             window_test_set_up, test_by_hand, window_test_tear_down);
}
