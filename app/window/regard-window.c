/* regard-window.c — the window: the object, and what is remembered about it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "base/regard-settings.h"
#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>
#include <string.h>

/* Settings are no place for a book. */
#define MOST_REMEMBERED_BYTES 4000

G_DEFINE_FINAL_TYPE(RegardWindow, regard_window, ADW_TYPE_APPLICATION_WINDOW)

RegardDocument *
regard_window_get_document(RegardWindow *self)
{
  return self->document;
}

/* ---- Parts --------------------------------------------------------------------------------- */

static void
add_views(RegardWindow *self)
{
  guint n;
  const RegardViewInfo *infos = regard_view_registry(&n);
  for (guint i = 0; i < n; i++) {
    GtkWidget *view = g_object_new(infos[i].get_type(), NULL);
    regard_view_set_selection(REGARD_VIEW(view), self->selection);
    adw_view_stack_add_titled_with_icon(self->views, view, infos[i].id, _(infos[i].title),
                                        infos[i].icon_name);
  }
  g_settings_bind(self->settings, "view", self->views, "visible-child-name",
                  G_SETTINGS_BIND_DEFAULT);
}

/* What observes the document by itself. */
static void
add_parts(RegardWindow *self)
{
  regard_source_pane_set_document(self->source, self->document, self->settings);
  regard_target_pane_set_document(self->target, self->document, self->settings);
  regard_training_bar_set_document(self->training_bar, self->document);
  regard_compare_bar_set_document(self->compare_bar, self->document);
  regard_changes_bar_set_document(self->changes_bar, self->document, self->settings);
  self->messages = regard_messages_new(self->document, self->banner);
  self->exporter = regard_exporter_new(GTK_WINDOW(self), self->document, self->settings);
}

/* ---- What is remembered -------------------------------------------------------------------- */

/* Who begins to type at once means another text: it replaces what is there, the example or the text
 * of last time, which is selected, and which Undo brings back. */
static void
offer_text(RegardWindow *self, const char *text)
{
  GtkWidget *view = regard_source_pane_get_view(self->source);
  gtk_widget_grab_focus(view);
  if (*text)
    g_signal_emit_by_name(view, "select-all", TRUE);
}

static void
restore(RegardWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  g_autofree char *text = g_settings_get_string(self->settings, "text");
  regard_document_set_text(self->document, text);
  regard_document_forget_history(self->document);
  offer_text(self, text);
}

static void
remember(RegardWindow *self)
{
  int width, height;
  gtk_window_get_default_size(GTK_WINDOW(self), &width, &height);
  if (width >= 640 && height >= 480) {
    g_settings_set_int(self->settings, "window-width", width);
    g_settings_set_int(self->settings, "window-height", height);
  }
  g_settings_set_boolean(self->settings, "window-maximized",
                         gtk_window_is_maximized(GTK_WINDOW(self)));
  const char *text = regard_document_get_own_text(self->document);
  if (!g_settings_get_boolean(self->settings, "remember-text"))
    g_settings_reset(self->settings, "text");
  else if (strlen(text) <= MOST_REMEMBERED_BYTES)
    g_settings_set_string(self->settings, "text", text);
}

static gboolean
is_last(RegardWindow *self)
{
  GtkApplication *application = gtk_window_get_application(GTK_WINDOW(self));
  GList *windows = application ? gtk_application_get_windows(application) : NULL;
  for (; windows; windows = windows->next)
    if (windows->data != self && REGARD_IS_WINDOW(windows->data))
      return FALSE;
  return TRUE;
}

static gboolean
regard_window_close_request(GtkWindow *window)
{
  RegardWindow *self = REGARD_WINDOW(window);
  remember(self);
  if (is_last(self))
    regard_settings_keep(self->settings);
  regard_document_cancel_loading(self->document);
  return GTK_WINDOW_CLASS(regard_window_parent_class)->close_request(window);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_window_dispose(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  regard_window_remove_setting_actions(self);
  g_clear_handle_id(&self->layout_idle, g_source_remove);
  regard_window_forget_session(self);
  regard_window_forget_letter(self);
  regard_window_forget_wish(self);
  g_clear_object(&self->corpus_opening);
  regard_document_close(self->document);
  g_clear_object(&self->messages);
  g_clear_object(&self->exporter);
  G_OBJECT_CLASS(regard_window_parent_class)->dispose(object);
}

static void
regard_window_finalize(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  g_clear_object(&self->document);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_window_parent_class)->finalize(object);
}

#define BIND_CHILD(name) gtk_widget_class_bind_template_child(widget_class, RegardWindow, name)

static void
regard_window_class_init(RegardWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_window_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_window_finalize;
  GTK_WINDOW_CLASS(klass)->close_request = regard_window_close_request;

  g_type_ensure(REGARD_TYPE_BANNER);
  g_type_ensure(REGARD_TYPE_SOURCE_PANE);
  g_type_ensure(REGARD_TYPE_TARGET_PANE);
  g_type_ensure(REGARD_TYPE_START_PAGE);
  g_type_ensure(REGARD_TYPE_TRAINING_BAR);
  g_type_ensure(REGARD_TYPE_COMPARE_BAR);
  g_type_ensure(REGARD_TYPE_CHANGES_BAR);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/regard/Regard/regard-window.ui");
  BIND_CHILD(root);
  BIND_CHILD(model_button);
  BIND_CHILD(model_label);
  BIND_CHILD(model_detail);
  BIND_CHILD(choices_section);
  BIND_CHILD(views_menu);
  BIND_CHILD(scale_menu);
  BIND_CHILD(colormap_menu);
  BIND_CHILD(examples_menu);
  BIND_CHILD(recent_menu);
  BIND_CHILD(header);
  BIND_CHILD(menu_button);
  BIND_CHILD(view_bar);
  BIND_CHILD(changes_row);
  BIND_CHILD(banner);
  BIND_CHILD(title);
  BIND_CHILD(text_paned);
  BIND_CHILD(split);
  BIND_CHILD(source);
  BIND_CHILD(target);
  BIND_CHILD(content);
  BIND_CHILD(views);
  BIND_CHILD(switcher);
  BIND_CHILD(wide_switcher);
  BIND_CHILD(start);
  BIND_CHILD(training_bar);
  BIND_CHILD(compare_bar);
  BIND_CHILD(changes_bar);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_example);
  regard_window_install_actions(widget_class);
}

static void
regard_window_init(RegardWindow *self)
{
  self->document = regard_document_new();
  self->selection = regard_document_get_selection(self->document);
  gtk_widget_init_template(GTK_WIDGET(self));
}

RegardWindow *
regard_window_new(GtkApplication *application, GSettings *settings)
{
  RegardWindow *self = g_object_new(REGARD_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref(settings);
  add_views(self);
  add_parts(self);
  /* In the order in which they are told: what is shown before what can be done with it. */
  regard_window_observe_look(self);
  regard_window_observe_model(self);
  regard_window_observe_changes(self);
  regard_window_observe_effects(self);
  regard_window_observe_content(self);
  regard_window_observe_choices(self);
  regard_window_observe_actions(self);
  regard_window_observe_session(self);
  regard_window_observe_title(self);
  regard_window_observe_corpus(self);
  regard_window_observe_panes(self);
  regard_window_observe_layout(self);
  regard_window_add_keys(self);
  regard_window_add_capture_keys(self);
  restore(self);
  return self;
}
