/* regard-window.c — the window: the object, and what is remembered about it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>
#include <string.h>

/* Settings are no place for a book. */
#define MOST_REMEMBERED_BYTES 4000

G_DEFINE_FINAL_TYPE(RegardWindow, regard_window, ADW_TYPE_APPLICATION_WINDOW)

RegardSelection *
regard_window_get_selection(RegardWindow *self)
{
  return self->selection;
}

RegardBanner *
regard_window_get_banner(RegardWindow *self)
{
  return self->banner;
}

RegardResult *
regard_window_get_result(RegardWindow *self)
{
  return self->result;
}

gboolean
regard_window_is_busy(RegardWindow *self)
{
  return self->loading || self->reading || self->ready_dir || self->request_idle ||
         (self->model && regard_translator_is_busy(self->translator));
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
    /* A view that has such a pane lets it be hidden. */
    static const char *const panes[][2] = {{"show-heads", "show-heads"},
                                           {"show-details", "show-panel"}};
    for (guint k = 0; k < G_N_ELEMENTS(panes); k++)
      if (g_object_class_find_property(G_OBJECT_GET_CLASS(view), panes[k][1]))
        g_settings_bind(self->settings, panes[k][0], view, panes[k][1], G_SETTINGS_BIND_GET);
  }
  g_settings_bind(self->settings, "view", self->views, "visible-child-name",
                  G_SETTINGS_BIND_DEFAULT);
}

static void
add_strips(RegardWindow *self)
{
  RegardTextCard *cards[] = {self->source, self->target};
  const RegardSide sides[] = {REGARD_SIDE_SOURCE, REGARD_SIDE_TARGET};
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++) {
    GtkWidget *strip = regard_token_strip_new(sides[i]);
    self->strips[i] = REGARD_TOKEN_STRIP(strip);
    gtk_widget_add_css_class(strip, "token-strip");
    regard_token_strip_set_selection(self->strips[i], self->selection);
    g_signal_connect_object(strip, "notify::summary", G_CALLBACK(regard_window_update_status), self,
                            G_CONNECT_SWAPPED);
    regard_text_card_append(cards[i], strip);
    g_settings_bind(self->settings, "show-tokens", strip, "visible", G_SETTINGS_BIND_GET);
  }
}

static void
on_show_tokens(RegardWindow *self)
{
  regard_window_queue_layout(self);
}

static void
on_view_changed(RegardWindow *self)
{
  regard_window_update_content(self);
  regard_window_update_choices(self);
}

/* ---- What is remembered -------------------------------------------------------------------- */

static void
restore(RegardWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  g_autofree char *text = g_settings_get_string(self->settings, "text");
  regard_window_set_text(self, text);
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
  g_autofree char *text = regard_window_shows_file(self) ? g_strdup(self->kept_text)
                                                         : regard_text_card_dup_text(self->source);
  if (!g_settings_get_boolean(self->settings, "remember-text"))
    g_settings_reset(self->settings, "text");
  else if (strlen(text) <= MOST_REMEMBERED_BYTES)
    g_settings_set_string(self->settings, "text", text);
}

static gboolean
regard_window_close_request(GtkWindow *window)
{
  RegardWindow *self = REGARD_WINDOW(window);
  remember(self);
  regard_window_cancel_loading(self);
  return GTK_WINDOW_CLASS(regard_window_parent_class)->close_request(window);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_window_dispose(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  regard_window_remove_setting_actions(self);
  g_clear_handle_id(&self->request_idle, g_source_remove);
  g_clear_handle_id(&self->layout_idle, g_source_remove);
  g_clear_handle_id(&self->spinner_timeout, g_source_remove);
  g_clear_handle_id(&self->training_tick, g_source_remove);
  if (self->loading)
    g_cancellable_cancel(self->loading);
  g_clear_object(&self->loading);
  if (self->reading)
    g_cancellable_cancel(self->reading);
  g_clear_object(&self->reading);
  g_clear_object(&self->translator); /* waits for the worker, which stops at its next layer */
  g_clear_pointer(&self->ready_dir, g_free);
  g_clear_pointer(&self->result, regard_result_unref);
  regard_window_end_swap(self);
  G_OBJECT_CLASS(regard_window_parent_class)->dispose(object);
}

static void
regard_window_finalize(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  g_clear_pointer(&self->result, regard_result_unref);
  g_clear_pointer(&self->target_spans, g_array_unref);
  g_free(self->asked_text);
  g_free(self->model_dir);
  g_free(self->model_title);
  g_free(self->loading_dir);
  g_free(self->ready_dir);
  g_free(self->ready_title);
  g_clear_pointer(&self->ready_training, g_array_unref);
  g_clear_pointer(&self->training, g_array_unref);
  mt_model_unref(self->model);
  mt_capture_unref(self->foreign);
  g_free(self->kept_text);
  g_free(self->kept_kind);
  g_clear_object(&self->selection);
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
  g_type_ensure(REGARD_TYPE_TEXT_CARD);
  g_type_ensure(REGARD_TYPE_START_PAGE);
  g_type_ensure(REGARD_TYPE_LANGUAGE_CHOICE);
  g_type_ensure(REGARD_TYPE_TRAINING_BAR);
  g_type_ensure(REGARD_TYPE_WORDINGS);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/regard/Regard/regard-window.ui");
  BIND_CHILD(toasts);
  BIND_CHILD(root);
  BIND_CHILD(model_button);
  BIND_CHILD(copy_button);
  BIND_CHILD(export_button);
  BIND_CHILD(model_label);
  BIND_CHILD(model_detail);
  BIND_CHILD(choices_section);
  BIND_CHILD(views_menu);
  BIND_CHILD(scale_menu);
  BIND_CHILD(colormap_menu);
  BIND_CHILD(banner);
  BIND_CHILD(text_paned);
  BIND_CHILD(split);
  BIND_CHILD(source);
  BIND_CHILD(target);
  BIND_CHILD(language);
  BIND_CHILD(source_status);
  BIND_CHILD(target_status);
  BIND_CHILD(alternatives_label);
  BIND_CHILD(search_button);
  BIND_CHILD(alternatives_button);
  BIND_CHILD(spinner);
  BIND_CHILD(content);
  BIND_CHILD(views);
  BIND_CHILD(switcher);
  BIND_CHILD(start);
  BIND_CHILD(training_bar);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_banner);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_source_changed);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_source_caret);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_source_hover);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_target_caret);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_target_hover);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_language);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_example);
  regard_window_install_actions(widget_class);
}

static void
regard_window_init(RegardWindow *self)
{
  self->next_alternative = -1;
  self->asked_active = -1;
  self->selection = regard_selection_new();
  gtk_widget_init_template(GTK_WIDGET(self));
}

RegardWindow *
regard_window_new(GtkApplication *application, GSettings *settings)
{
  RegardWindow *self = g_object_new(REGARD_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref(settings);
  regard_window_connect_translator(self);

  self->alternatives = REGARD_ALTERNATIVES(regard_alternatives_new());
  gtk_menu_button_set_popover(self->alternatives_button, GTK_WIDGET(self->alternatives));
  g_signal_connect_swapped(self->alternatives, "chosen",
                           G_CALLBACK(regard_window_choose_alternative), self);
  self->search_popover = REGARD_SEARCH_POPOVER(regard_search_popover_new(settings));
  gtk_menu_button_set_popover(self->search_button, GTK_WIDGET(self->search_popover));
  regard_window_add_model_chooser(self);
  regard_language_choice_set_settings(self->language, settings);

  regard_window_add_setting_actions(self);
  regard_window_bind_look(self);
  add_strips(self);
  add_views(self);
  regard_window_fill_menus(self);
  regard_window_add_keys(self);
  regard_window_add_capture_keys(self);
  regard_window_add_drop_target(self);
  regard_window_add_layout(self);
  regard_window_add_training(self);
  g_signal_connect_swapped(self->views, "notify::visible-child", G_CALLBACK(on_view_changed), self);
  g_signal_connect_object(settings, "changed::show-tokens", G_CALLBACK(on_show_tokens), self,
                          G_CONNECT_SWAPPED);
  regard_window_clear_result(self);
  restore(self);
  regard_window_update_choices(self);
  gtk_widget_grab_focus(GTK_WIDGET(regard_text_card_get_view(self->source)));
  return self;
}
