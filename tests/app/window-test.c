/* window-test.c — a window with a model, for tests; needs a display.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window-test.h"

#include "learn/regard-progress.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static RegardApplication *application;

static GLogFunc log_otherwise;

/* Warnings end a test, but for those of GTK about itself: once in many hundred windows, and more
 * often on a machine that is busy, 4.8 paints a widget of its own, such as the trough of a scroll
 * bar, in the frame before that gets its size; and 4.24 is not sure of the times of a frame, for
 * itself and for the moving icons in it. */
static gboolean
is_about_gtk(const char *message)
{
  return g_str_has_prefix(message, "Trying to snapshot Gtk") ||
         strstr(message, "gdk_frame_timings_") || strstr(message, "gtk_svg_advance: time went");
}

static GLogWriterOutput
write_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal(fields[i].key, "MESSAGE") && is_about_gtk(fields[i].value)) {
      g_test_message("%s", (const char *) fields[i].value);
      return G_LOG_WRITER_HANDLED;
    }
  if (level & G_LOG_LEVEL_WARNING)
    level |= G_LOG_FLAG_FATAL;
  return g_log_writer_default(level, fields, n_fields, data);
}

/* What g_log and g_warn_if_fail say does not begin with the writer, and would end the test before
 * that is asked: warnings are not fatal for GLib, and end the test here. */
static void
on_log(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (is_about_gtk(message)) {
    g_test_message("%s", message);
    return;
  }
  log_otherwise(domain, level, message, data);
  if (level & G_LOG_LEVEL_WARNING)
    abort();
}

gboolean
window_test_begin(void)
{
  g_log_set_writer_func(write_log, NULL, NULL);
  log_otherwise = g_log_set_default_handler(on_log, NULL);
  g_log_set_always_fatal(g_log_set_always_fatal(G_LOG_FATAL_MASK) & ~G_LOG_LEVEL_WARNING);
  if (!gtk_init_check())
    return FALSE;
  application = regard_application_new();
  g_application_set_flags(G_APPLICATION(application),
                          G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_COMMAND_LINE);
  g_autoptr(GError) error = NULL;
  g_application_register(G_APPLICATION(application), NULL, &error);
  g_assert_no_error(error);
  return TRUE;
}

void
window_test_settle(WindowTest *t)
{
  app_test_until(!regard_document_is_busy(t->document));
  gtk_widget_queue_draw(GTK_WIDGET(t->window));
  gtk_test_widget_wait_for_draw(GTK_WIDGET(t->window));
}

/* No lesson was begun. */
static void
forget_lessons(void)
{
  RegardProgress *progress = regard_progress_get_default();
  app_test_until(regard_progress_is_loaded(progress));
  while (regard_progress_get_all(progress)->len > 0) {
    const RegardLessonRecord *record = regard_progress_get_all(progress)->pdata[0];
    g_autofree char *id = g_strdup(record->id);
    regard_progress_forget(progress, id);
  }
}

void
window_test_set_up(WindowTest *t, gconstpointer dir)
{
  t->application = application;
  t->settings = regard_application_get_settings(application);
  g_auto(GStrv) keys = NULL;
  g_autoptr(GSettingsSchema) schema = NULL;
  g_object_get(t->settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys(schema);
  for (guint i = 0; keys[i]; i++)
    g_settings_reset(t->settings, keys[i]);
  forget_lessons();
  g_settings_set_string(t->settings, "text", "");
  g_setenv("REGARD_MODEL_DIR", dir ? dir : app_test_model_dir(), TRUE);
  t->window = regard_application_add_window(application);
  t->document = regard_window_get_document(t->window);
  t->selection = regard_document_get_selection(t->document);
  g_object_add_weak_pointer(G_OBJECT(t->window), (gpointer *) &t->window);
  gtk_window_present(GTK_WINDOW(t->window));
  window_test_settle(t);
}

void
window_test_tear_down(WindowTest *t, gconstpointer dir)
{
  /* Hidden first: GTK 4.8 lets go of its tooltip before it hides what is destroyed, and the
   * pointer's leaving takes it up again. It then asks a window that is gone for its actions, which
   * makes an object that nobody frees. */
  gtk_widget_set_visible(GTK_WIDGET(t->window), FALSE);
  gtk_window_destroy(GTK_WINDOW(t->window));
  /* Nothing may keep a closed window alive. */
  app_test_until(t->window == NULL);
}

void
window_test_translate(WindowTest *t, const char *text)
{
  regard_document_set_text(t->document, text);
  window_test_settle(t);
}

WindowTest
window_test_another(WindowTest *t)
{
  WindowTest other = *t;
  other.window = regard_application_add_window(t->application);
  other.document = regard_window_get_document(other.window);
  other.selection = regard_document_get_selection(other.document);
  return other;
}

gpointer
window_test_child(WindowTest *t, const char *name)
{
  GObject *child = gtk_widget_get_template_child(GTK_WIDGET(t->window), REGARD_TYPE_WINDOW, name);
  g_assert_nonnull(child);
  return child;
}

gpointer
window_test_part(WindowTest *t, const char *pane, const char *name)
{
  GtkWidget *widget = window_test_child(t, pane);
  GObject *part = gtk_widget_get_template_child(widget, G_OBJECT_TYPE(widget), name);
  g_assert_nonnull(part);
  return part;
}

gpointer
window_test_card(WindowTest *t, const char *pane)
{
  return window_test_part(t, pane, "card");
}

gpointer
window_test_popover(gpointer button)
{
  return gtk_menu_button_get_popover(button);
}

typedef gboolean (*Matches)(gpointer widget, gconstpointer data);

static gpointer
find(gpointer root, Matches matches, gconstpointer data)
{
  if (matches(root, data))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    gpointer found = find(child, matches, data);
    if (found)
      return found;
  }
  return NULL;
}

static gboolean
has_type(gpointer widget, gconstpointer type)
{
  return g_type_is_a(G_OBJECT_TYPE(widget), *(const GType *) type);
}

static gboolean
has_action(gpointer widget, gconstpointer action)
{
  return GTK_IS_ACTIONABLE(widget) &&
         g_strcmp0(gtk_actionable_get_action_name(GTK_ACTIONABLE(widget)), action) == 0;
}

gpointer
window_test_find(gpointer root, GType type)
{
  return find(root, has_type, &type);
}

gpointer
window_test_find_action(gpointer root, const char *action)
{
  return find(root, has_action, action);
}

static gboolean
is_label(gpointer widget, gconstpointer css)
{
  return GTK_IS_LABEL(widget) && (!css || gtk_widget_has_css_class(widget, css));
}

const char *
window_test_label(gpointer root, const char *css)
{
  GtkLabel *label = find(root, is_label, css);
  g_assert_nonnull(label);
  return gtk_label_get_text(label);
}

char *
window_test_name(gpointer widget)
{
  /* What it is instead of nothing. */
  char *name =
      gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, "");
  g_assert_nonnull(name);
  return name;
}

GtkEventController *
window_test_controller(gpointer widget, const char *name)
{
  g_autoptr(GListModel) list = gtk_widget_observe_controllers(GTK_WIDGET(widget));
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(list, i);
    if (g_strcmp0(gtk_event_controller_get_name(controller), name) == 0)
      return controller;
  }
  g_error("no controller %s", name);
}

gboolean
window_test_key(WindowTest *t, guint keyval, GdkModifierType state)
{
  gboolean is_used = FALSE;
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(t->window));
  /* A text leaves no letters over: they are for pictures. */
  if (focus && GTK_IS_TEXT_VIEW(focus) && !(state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) &&
      gdk_keyval_to_unicode(keyval) >= ' ' && regard_window_get_view(t->window))
    window_test_act(t, "win.go-to-view", "s",
                    adw_view_stack_get_visible_child_name(window_test_child(t, "views")));
  g_signal_emit_by_name(window_test_controller(window_test_child(t, "root"), "keys"), "key-pressed",
                        keyval, 0u, state, &is_used);
  return is_used;
}

char *
window_test_source(WindowTest *t)
{
  return regard_text_card_dup_text(window_test_card(t, "source"));
}

char *
window_test_target(WindowTest *t)
{
  return regard_text_card_dup_text(window_test_card(t, "target"));
}

char *
window_test_caption(WindowTest *t)
{
  RegardView *view = regard_window_get_view(t->window);
  guint n;
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);
  g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choices[0].id);
  return regard_figure_caption(figure);
}

/* ---- Who looks at files --------------------------------------------------------------------
 *
 * GLib's own functions, with a note of who called them: a program's come before a library's.
 */

static char *watched; /* NULL: nothing is */
static GThread *main_thread;
static int n_looks[2];

static void
note(const char *path)
{
  if (watched && path && g_str_has_prefix(path, watched))
    g_atomic_int_inc(&n_looks[g_thread_self() == main_thread]);
}

void
window_test_watch(const char *folder)
{
  n_looks[FALSE] = n_looks[TRUE] = 0;
  main_thread = g_thread_self();
  g_free(watched);
  watched = g_strdup(folder);
}

guint
window_test_looks(gboolean on_main)
{
  return (guint) g_atomic_int_get(&n_looks[on_main]);
}

gboolean
g_file_test(const char *path, GFileTest test)
{
  gboolean (*own)(const char *, GFileTest) = NULL;
  *(void **) &own = dlsym(RTLD_NEXT, "g_file_test");
  note(path);
  return own(path, test);
}

GDir *
g_dir_open(const char *path, guint flags, GError **error)
{
  GDir *(*own)(const char *, guint, GError **) = NULL;
  *(void **) &own = dlsym(RTLD_NEXT, "g_dir_open");
  note(path);
  return own(path, flags, error);
}
