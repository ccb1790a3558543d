/* test-window-lesson.c — lessons in the window: the panel, what is opened and read again, and what
 * is back when a lesson is left.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-learn-panel.h"
#include "suite.h"
#include "window-test.h"

#include <glib/gstdio.h>
#include <string.h>

#define OWN "I have two dogs."

static gpointer
part(WindowTest *t, const char *name)
{
  GtkWidget *panel = window_test_child(t, "learn_panel");
  GObject *found = gtk_widget_get_template_child(panel, REGARD_TYPE_LEARN_PANEL, name);
  g_assert_nonnull(found);
  return found;
}

static const char *
label(WindowTest *t, const char *name)
{
  return gtk_label_get_label(part(t, name));
}

static gboolean
is_shown(WindowTest *t, const char *name)
{
  return gtk_widget_get_mapped(part(t, name));
}

static gboolean
is_done(WindowTest *t)
{
  return gtk_widget_is_sensitive(part(t, "next"));
}

static GtkCheckButton *
option(WindowTest *t, guint i)
{
  GtkWidget *group = window_test_find(part(t, "prose"), GTK_TYPE_CHECK_BUTTON);
  for (group = gtk_widget_get_first_child(gtk_widget_get_parent(group)); i > 0; i--)
    group =
        gtk_widget_get_next_sibling(gtk_widget_get_next_sibling(group)); /* its answer between */
  return GTK_CHECK_BUTTON(group);
}

static void
press(WindowTest *t, const char *name)
{
  g_signal_emit_by_name(part(t, name), "clicked");
}

/* The list, a lesson of it by its id, and its first question. */
static void
test_panel(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, OWN);
  window_test_act(t, "win.learn", NULL);
  GtkListBox *list = part(t, "list");
  app_test_until(gtk_list_box_get_row_at_index(list, 14));
  window_test_act(t, "win.lesson", "s", "row");
  app_test_until(is_shown(t, "step_title"));
  g_assert_cmpstr(label(t, "title"), ==, "A row");
  g_assert_cmpstr(label(t, "progress"), ==, "1 of 6");
  g_assert_false(is_done(t));
  app_test_until(g_str_equal(regard_document_get_text(t->document), "I love my dog."));
  window_test_settle(t);
  app_test_until(regard_selection_get_matrix(t->selection));
  regard_selection_set_pin(t->selection, (RegardCell){1, 1});
  app_test_until(is_done(t));

  window_test_act(t, "win.lesson-next", NULL);
  g_assert_cmpstr(label(t, "step_title"), ==, "Predict");
  g_assert_false(gtk_widget_is_sensitive(part(t, "ask")));
  gtk_check_button_set_active(option(t, 0), TRUE);
  press(t, "ask");
  app_test_until(is_done(t));
  /* The small model of the tests does not show it. */
  g_assert_true(g_str_has_prefix(label(t, "verdict"), "Not clear in this sentence"));
  g_assert_false(gtk_widget_is_sensitive(GTK_WIDGET(option(t, 0))));

  /* A number by Enter, with a comma, and what is said of it. */
  press(t, "next");
  g_assert_cmpstr(label(t, "step_title"), ==, "See");
  window_test_act(t, "win.lesson-next", NULL);
  g_assert_cmpstr(label(t, "step_title"), ==, "The sum of a row");
  app_test_until(is_shown(t, "number"));
  gtk_editable_set_text(part(t, "number"), "2,5");
  g_signal_emit_by_name(part(t, "number"), "activate");
  app_test_until(g_str_equal(label(t, "verdict"), "Too large. Try again."));
  gtk_editable_set_text(part(t, "number"), "1,0");
  g_signal_emit_by_name(part(t, "number"), "activate");
  app_test_until(is_done(t));

  window_test_act(t, "win.lesson-back", NULL);
  g_assert_cmpstr(label(t, "step_title"), ==, "See");
  press(t, "know");
  g_assert_cmpstr(label(t, "progress"), ==, "6 of 6");
  window_test_act(t, "win.lesson-next", NULL);
  window_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  app_test_until(is_shown(t, "list"));
  /* Behind the last step the keyboard is at the lesson that comes next. */
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(t->window)) ==
                GTK_WIDGET(gtk_list_box_get_row_at_index(list, 3)));
}

/* Page, head, form, panes and cell are as they were; a session is not saved meanwhile. */
static void
test_look(WindowTest *t, gconstpointer data)
{
  RegardHeadRef place = {MT_ENCODER_SELF, 1, 2};
  window_test_translate(t, OWN);
  regard_document_set_place(t->document, place);
  window_test_act(t, "win.form", "s", "lines");
  g_settings_set_boolean(t->settings, "show-details", FALSE);
  window_test_settle(t);
  regard_selection_set_pin(t->selection, (RegardCell){2, 1});

  window_test_act(t, "win.lesson", "s", "heads");
  app_test_until(is_shown(t, "step_title"));
  app_test_until(regard_selection_get_form(t->selection) == REGARD_FORM_MATRIX);
  window_test_settle(t);
  window_test_act(t, "win.go-to-view", "s", "steps");
  app_test_until(is_shown(t, "away"));
  g_autofree char *folder = app_test_folder(), *path = g_strdup_printf("%s/a.regard", folder);
  window_test_act(t, "win.write-session", "s", path);
  window_test_act(t, "win.learn", NULL);
  window_test_settle(t);
  app_test_until(regard_selection_get_pin(t->selection).row == 2);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  g_assert_cmpint(regard_selection_get_form(t->selection), ==, REGARD_FORM_LINES);
  g_assert_cmpint(regard_document_get_place(t->document)->kind, ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_document_get_place(t->document)->head, ==, 2);
  g_autofree char *page = g_settings_get_string(t->settings, "view");
  g_assert_cmpstr(page, ==, "attention");
  g_assert_false(g_settings_get_boolean(t->settings, "show-details"));
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "learn_panel")));
  app_test_remove(folder);
}

/* The first widget of that name; NULL: there is none. */
static gpointer
find_named(GtkWidget *widget, const char *name)
{
  gpointer found = g_str_equal(gtk_widget_get_name(widget), name) ? widget : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_named(child, name);
  return found;
}

static void
begin_lesson(WindowTest *t, const char *id, const char *title)
{
  window_test_act(t, "win.lesson", "s", id);
  app_test_until(g_str_equal(label(t, "title"), title));
  window_test_settle(t);
}

/* Every lesson begins from one state, whatever the person or the lesson before it made of the
 * pages; what the person made of them is back after it. */
static void
test_pages(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, OWN);
  window_test_act(t, "win.go-to-view", "s", "steps");
  window_test_settle(t);
  GtkCheckButton *compare = find_named(GTK_WIDGET(t->window), "compare");
  window_test_act(t, "win.go-to-view", "s", "inside");
  window_test_settle(t);
  RegardView *inside = regard_window_get_view(t->window);
  g_assert_true(regard_view_show_part(inside, "weight"));
  gtk_check_button_set_active(compare, TRUE);
  g_settings_set_boolean(t->settings, "hide-special", TRUE);
  g_settings_set_string(t->settings, "colormap", "magma");
  regard_document_keep_reference(t->document);
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  window_test_settle(t);

  begin_lesson(t, "row", "A row");
  g_assert_false(gtk_check_button_get_active(compare));
  g_assert_null(regard_view_get_part(inside));
  g_assert_false(regard_selection_get_hide_special(t->selection));
  g_assert_null(regard_document_get_compared(t->document)->reference);
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_OFF);
  g_autofree char *colours = g_settings_get_string(t->settings, "colormap");
  g_assert_cmpstr(colours, ==, "magma"); /* of who looks */

  gtk_check_button_set_active(compare, TRUE);
  g_assert_true(regard_view_show_part(inside, "weight"));
  regard_document_keep_reference(t->document);
  begin_lesson(t, "pieces", "Pieces"); /* without leaving the other */
  g_assert_false(gtk_check_button_get_active(compare));
  g_assert_null(regard_view_get_part(inside));
  g_assert_null(regard_document_get_compared(t->document)->reference);

  window_test_act(t, "win.leave-lesson", NULL);
  window_test_settle(t);
  app_test_until(gtk_check_button_get_active(compare));
  g_assert_cmpstr(regard_view_get_part(inside), ==, "weight");
  g_assert_true(regard_selection_get_hide_special(t->selection));
  g_assert_nonnull(regard_document_get_compared(t->document)->reference);
}

/* What is remembered is the person's, though it is closed in the middle, with another model. */
static void
test_close(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, OWN);
  WindowTest other = window_test_another(t);
  gtk_window_present(GTK_WINDOW(other.window));
  regard_document_open_model(other.document, "");
  window_test_settle(&other);
  window_test_translate(&other, "We see it.");
  window_test_act(&other, "win.lesson", "s", "qkv");
  app_test_until(is_shown(&other, "step_title"));
  app_test_until(g_str_equal(regard_document_get_text(other.document), "cat"));
  g_assert_nonnull(strstr(regard_document_get_model_dir(other.document), "by-hand"));
  gtk_window_close(GTK_WINDOW(other.window));
  g_autofree char *text = g_settings_get_string(t->settings, "text");
  g_autofree char *model = g_settings_get_string(t->settings, "model");
  g_auto(GStrv) recent = g_settings_get_strv(t->settings, "recent-models");
  g_autofree char *page = g_settings_get_string(t->settings, "view");
  g_assert_cmpstr(text, ==, "We see it.");
  g_assert_cmpstr(model, ==, "");
  g_assert_cmpuint(g_strv_length(recent), ==, 0);
  g_assert_cmpstr(page, ==, "attention");
}

static void
write_lesson(const char *path, const char *steps)
{
  g_autofree char *text =
      g_strdup_printf("---\nregard-lesson: 1\nid: mine\ntitle: Mine\ntext: I see.\n---\n\n%s",
                      steps);
  g_autoptr(GError) error = NULL;
  g_file_set_contents(path, text, -1, &error);
  g_assert_no_error(error);
}

/* A teacher's file: what is saved is shown at once, at the same step; what is wrong is said with
 * its line, and the last good state stays. */
static void
test_file(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *path = g_strdup_printf("%s/a.lesson.md", folder);
  write_lesson(path, "## One\n\nFirst.\n\n## Two\n\nSecond <b>&.\n");
  regard_window_open_path(t->window, path);
  app_test_until(is_shown(t, "step_title"));
  window_test_act(t, "win.lesson-next", NULL);
  g_assert_cmpstr(label(t, "step_title"), ==, "Two");
  g_assert_cmpstr(window_test_label(part(t, "prose"), NULL), ==, "Second <b>&.");
  write_lesson(path, "## One\n\nFirst.\n\n## Other\n\n```regard\npage nowhere\n```\n");
  app_test_until(is_shown(t, "error"));
  g_assert_nonnull(strstr(label(t, "error"), "line 15"));
  g_assert_nonnull(strstr(label(t, "error"), "nowhere"));
  g_assert_cmpstr(label(t, "step_title"), ==, "Two");
  write_lesson(path, "## One\n\nFirst.\n\n## Other\n\nSecond, [here](regard:matrix).\n");
  app_test_until(!is_shown(t, "error"));
  g_assert_cmpstr(label(t, "step_title"), ==, "Other");
  g_assert_cmpstr(label(t, "progress"), ==, "2 of 2");
  gboolean handled = FALSE;
  g_signal_emit_by_name(window_test_find(part(t, "prose"), GTK_TYPE_LABEL), "activate-link",
                        "regard:matrix", &handled);
  g_assert_true(handled);
  window_test_act(t, "win.lesson-next", NULL); /* behind the last one is the list */
  app_test_until(!is_shown(t, "step_title"));
  g_unlink(path);
  regard_window_open_path(t->window, path);
  app_test_until(is_shown(t, "error"));
  app_test_remove(folder);
}

/* The divider stays where it was put, in the next window, too. */
static void
test_width(WindowTest *t, gconstpointer data)
{
  GtkPaned *paned = window_test_child(t, "learn_paned");
  gtk_window_set_default_size(GTK_WINDOW(t->window), 1400, 800);
  app_test_until(gtk_widget_get_width(GTK_WIDGET(paned)) > 1300);
  window_test_act(t, "win.learn", NULL);
  app_test_until(is_shown(t, "list"));
  GtkWidget *panel = window_test_child(t, "learn_panel");
  app_test_until(gtk_widget_get_width(panel) > 0);
  gtk_paned_set_position(paned, gtk_widget_get_width(GTK_WIDGET(paned)) - 430);
  g_assert_cmpint(g_settings_get_int(t->settings, "learn-width"), ==, 430);
  window_test_act(t, "win.learn", NULL);
  gtk_window_set_default_size(GTK_WINDOW(t->window), 1300, 800);
  app_test_until(gtk_widget_get_width(GTK_WIDGET(paned)) < 1350);
  window_test_act(t, "win.learn", NULL);
  g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(paned)) - gtk_paned_get_position(paned), ==, 430);
  g_assert_cmpint(g_settings_get_int(t->settings, "learn-width"), ==, 430);
}

/* A window that is simple has all controls while a lesson needs them, and says so to who asks for
 * few; a term leads to the glossary. */
static void
test_simple(WindowTest *t, gconstpointer data)
{
  g_settings_set_boolean(t->settings, "simple", TRUE);
  window_test_translate(t, OWN);
  window_test_act(t, "win.lesson", "s", "why-root");
  app_test_until(is_shown(t, "step_title"));
  g_assert_false(regard_selection_get_simple(t->selection));
  gtk_toggle_button_set_active(window_test_child(t, "simple_button"), TRUE);
  g_assert_true(gtk_toggle_button_get_active(window_test_child(t, "full_button")));
  g_assert_true(g_settings_get_boolean(t->settings, "simple"));
  g_signal_emit_by_name(window_test_child(t, "learn_panel"), "link", "term nat");
  GList *windows = gtk_window_list_toplevels();
  GtkWindow *glossary = NULL;
  for (GList *it = windows; it; it = it->next)
    if (gtk_window_get_transient_for(it->data) == GTK_WINDOW(t->window))
      glossary = it->data;
  g_list_free(windows);
  g_assert_nonnull(glossary);
  gtk_window_close(glossary);
  window_test_act(t, "win.leave-lesson", NULL);
  g_assert_true(regard_selection_get_simple(t->selection));
}

/* In a narrow window the details give way. */
static void
test_room(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, OWN);
  GtkPaned *paned = window_test_child(t, "learn_paned");
  GAction *details = g_action_map_lookup_action(G_ACTION_MAP(t->window), "show-details");
  gtk_window_set_default_size(GTK_WINDOW(t->window), 1024, 700);
  app_test_until(gtk_widget_get_width(GTK_WIDGET(paned)) < 1100);
  window_test_act(t, "win.learn", NULL);
  app_test_until(is_shown(t, "list"));
  g_autoptr(GVariant) yielded = g_action_get_state(details);
  g_assert_false(g_variant_get_boolean(yielded));
  g_assert_true(g_settings_get_boolean(t->settings, "show-details"));
  g_assert_cmpint(gtk_orientable_get_orientation(GTK_ORIENTABLE(paned)), ==,
                  GTK_ORIENTATION_HORIZONTAL);
  gtk_window_set_default_size(GTK_WINDOW(t->window), 860, 700);
  app_test_until(gtk_orientable_get_orientation(GTK_ORIENTABLE(paned)) == GTK_ORIENTATION_VERTICAL);
  window_test_act(t, "win.learn", NULL);
  g_autoptr(GVariant) back = g_action_get_state(details);
  g_assert_true(g_variant_get_boolean(back));
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-lesson/panel", test_panel);
  WINDOW_TEST("/window-lesson/look", test_look);
  WINDOW_TEST("/window-lesson/pages", test_pages);
  WINDOW_TEST("/window-lesson/close", test_close);
  WINDOW_TEST("/window-lesson/file", test_file);
  WINDOW_TEST("/window-lesson/width", test_width);
  WINDOW_TEST("/window-lesson/simple", test_simple);
  WINDOW_TEST("/window-lesson/room", test_room);
}
