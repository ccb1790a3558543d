/* regard-window-actions.c — menus, and what they do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything a key does is an action that a menu has too. Keys that mean something while typing are
 * no accelerators: regard-window-keys.c.
 */
#include "window/regard-window-private.h"

#include "base/regard-settings.h"
#include "parts/regard-legend.h"
#include "parts/regard-newer.h"
#include "parts/regard-shortcuts.h"
#include "widgets/regard-gtk.h"
#include "window/regard-preferences.h"
#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>
#include <string.h>

/* ---- Actions ------------------------------------------------------------------------------- */

static void
step_head(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_selection_step(REGARD_WINDOW(widget)->selection, 0, g_variant_get_int32(parameter));
}

static void
step_layer(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_selection_step(REGARD_WINDOW(widget)->selection, g_variant_get_int32(parameter), 0);
}

static void
step_sentence(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_step_sentence(REGARD_WINDOW(widget)->document, g_variant_get_int32(parameter));
}

static void
let_go(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_forget_wish(REGARD_WINDOW(widget));
  regard_selection_let_go(REGARD_WINDOW(widget)->selection);
}

/* A field for words has an undo of its own. */
static gboolean
is_in_field(RegardWindow *self, const char *action)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (!focus || !GTK_IS_TEXT(focus))
    return FALSE;
  gtk_widget_activate_action(focus, action, NULL);
  return TRUE;
}

static void
undo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!is_in_field(self, "text.undo"))
    regard_document_undo(self->document);
}

static void
redo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!is_in_field(self, "text.redo"))
    regard_document_redo(self->document);
}

static void
example(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_on_example(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

static void
legend(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_window_present(regard_legend_new(GTK_WINDOW(widget)));
}

static void
show_help_overlay(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_window_present(regard_shortcuts_new(GTK_WINDOW(widget)));
}

static void
own_translation(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_target_pane_give_translation(REGARD_WINDOW(widget)->target);
}

static void
focus_source(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  /* Of a decoder from a file there is the other text only. */
  gboolean has_source = gtk_widget_get_visible(GTK_WIDGET(self->source));
  gtk_widget_grab_focus(has_source ? regard_source_pane_get_view(self->source)
                                   : regard_target_pane_get_view(self->target));
}

/* Pictures that take keys: of the open view the heads, the large one, … */
static void
add_pictures(GtkWidget *widget, GPtrArray *panes)
{
  if (!gtk_widget_get_mapped(widget))
    return;
  if (regard_view_is_picture(widget))
    g_ptr_array_add(panes, widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    add_pictures(child, panes);
}

/* Caller frees. Without a picture the start page is a pane. */
static GPtrArray *
list_panes(RegardWindow *self)
{
  GPtrArray *panes = g_ptr_array_new();
  g_ptr_array_add(panes, self->source);
  g_ptr_array_add(panes, self->target);
  guint n_texts = panes->len;
  add_pictures(GTK_WIDGET(self->content), panes);
  if (panes->len == n_texts)
    g_ptr_array_add(panes, self->content);
  g_ptr_array_add(panes, self->training_bar);
  g_ptr_array_add(panes, self->switcher);
  return panes;
}

static gboolean
enter_pane(RegardWindow *self, GtkWidget *pane)
{
  if (!gtk_widget_get_visible(pane))
    return FALSE;
  if (REGARD_IS_SOURCE_PANE(pane))
    return gtk_widget_grab_focus(regard_source_pane_get_view(REGARD_SOURCE_PANE(pane)));
  if (REGARD_IS_TARGET_PANE(pane))
    return gtk_widget_grab_focus(regard_target_pane_get_view(REGARD_TARGET_PANE(pane)));
  if (gtk_widget_get_focusable(pane))
    return gtk_widget_grab_focus(pane);
  return gtk_widget_child_focus(pane, GTK_DIR_TAB_FORWARD);
}

/* F6: source, translation, each picture, training, view switcher, and round again. */
static void
next_pane(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autoptr(GPtrArray) panes = list_panes(self);
  int n = (int) panes->len, step = g_variant_get_int32(parameter), at = step > 0 ? -1 : n;
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  for (int i = 0; i < n; i++)
    if (focus && (focus == panes->pdata[i] || gtk_widget_is_ancestor(focus, panes->pdata[i])))
      at = i;
  for (int k = 1; k <= n; k++)
    if (enter_pane(self, panes->pdata[((at + k * step) % n + n) % n]))
      return;
}

static void
show_view(GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name(REGARD_WINDOW(widget)->views,
                                        g_variant_get_string(parameter, NULL));
}

/* The same with the keyboard: it is where the eye is then. */
static void
go_to_view(GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_view(widget, name, parameter);
  regard_window_focus_picture(REGARD_WINDOW(widget));
}

static void
reset_layout(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_reset_layout(REGARD_WINDOW(widget));
}

static void
preferences(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_newer_show_preferences(ADW_PREFERENCES_PAGE(regard_preferences_new(self->settings)),
                                GTK_WINDOW(self));
}

void
regard_window_install_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.step-head", "i", step_head);
  gtk_widget_class_install_action(klass, "win.step-layer", "i", step_layer);
  gtk_widget_class_install_action(klass, "win.step-sentence", "i", step_sentence);
  gtk_widget_class_install_action(klass, "win.let-go", NULL, let_go);
  gtk_widget_class_install_action(klass, "win.undo", NULL, undo);
  gtk_widget_class_install_action(klass, "win.redo", NULL, redo);
  gtk_widget_class_install_action(klass, "win.example", "s", example);
  gtk_widget_class_install_action(klass, "win.legend", NULL, legend);
  gtk_widget_class_install_action(klass, "win.show-help-overlay", NULL, show_help_overlay);
  gtk_widget_class_install_action(klass, "win.own-translation", NULL, own_translation);
  gtk_widget_class_install_action(klass, "win.focus-source", NULL, focus_source);
  gtk_widget_class_install_action(klass, "win.next-pane", "i", next_pane);
  gtk_widget_class_install_action(klass, "win.show-view", "s", show_view);
  gtk_widget_class_install_action(klass, "win.go-to-view", "s", go_to_view);
  gtk_widget_class_install_action(klass, "win.reset-layout", NULL, reset_layout);
  gtk_widget_class_install_action(klass, "win.preferences", NULL, preferences);
  regard_window_install_key_actions(klass);
  regard_window_install_present_actions(klass);
  regard_window_install_model_actions(klass);
  regard_window_install_capture_actions(klass);
  regard_window_install_session_actions(klass);
  regard_window_install_title_actions(klass);
  regard_window_install_corpus_actions(klass);
  regard_window_install_change_actions(klass);
  regard_window_install_effects_actions(klass);
  regard_window_install_export_actions(klass);
}

/* Actions with a state are the settings themselves: radio and check items for nothing. */
static const char *const setting_keys[] = {
    "kind",         "combine",  "scale", "colormap", "merge-words",
    "hide-special", "label-by", "view",  "form",
};

static void
add_setting_actions(RegardWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(setting_keys); i++) {
    g_autoptr(GAction) action = g_settings_create_action(self->settings, setting_keys[i]);
    g_action_map_add_action(G_ACTION_MAP(self), action);
  }
}

/* The settings outlive the window, and would tell its actions of changes. */
void
regard_window_remove_setting_actions(RegardWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(setting_keys); i++)
    g_action_map_remove_action(G_ACTION_MAP(self), setting_keys[i]);
}

/* ---- Menus made from lists ----------------------------------------------------------------- */

/* key: what does the same, as it is written beside it; NULL: none does. */
static void
append_choice(GMenu *menu, const char *label, const char *action, const char *target,
              const char *key)
{
  g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
  g_menu_item_set_action_and_target(item, action, "s", target);
  if (key)
    g_menu_item_set_attribute(item, "accel", "s", key);
  g_menu_append_item(menu, item);
}

static void
fill_menus(RegardWindow *self)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *key = i < 9 ? g_strdup_printf("<Alt>%u", i + 1) : NULL;
    append_choice(self->views_menu, _(views[i].title), "win.view", views[i].id, key);
  }
  for (int i = 0; i < REGARD_N_SCALES; i++) {
    const RegardScaleInfo *info = regard_scale_info((RegardScale) i);
    append_choice(self->scale_menu, _(info->name), "win.scale", info->id, NULL);
  }
  const RegardColormap *const *maps = regard_colormaps(&n);
  for (guint i = 0; i < n; i++)
    if (!maps[i]->diverging)
      append_choice(self->colormap_menu, _(maps[i]->name), "win.colormap", maps[i]->id, NULL);
  /* What opens menus and lists must not be called "GtkMenuButton". */
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

/* Of the field that is written in, if it is one for words, else of the document. */
static void
update_undo(RegardWindow *self)
{
  GtkWidget *widget = GTK_WIDGET(self), *focus = gtk_window_get_focus(GTK_WINDOW(self));
  gboolean is_field = focus && GTK_IS_TEXT(focus);
  gtk_widget_action_set_enabled(widget, "win.undo",
                                is_field || regard_document_can_undo(self->document));
  gtk_widget_action_set_enabled(widget, "win.redo",
                                is_field || regard_document_can_redo(self->document));
}

/* What cannot be done is grey, not silent. */
static void
update(RegardWindow *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  gboolean has_capture = regard_selection_get_capture(self->selection) != NULL;
  static const char *const pictures[] = {"win.export", "win.copy", "win.copy-caption",
                                         "win.copy-values", "win.export-choice"};
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) /* one that is being computed is waited for */
    gtk_widget_action_set_enabled(widget, pictures[i], regard_window_get_view(self) != NULL);
  /* What came from a file need not be saved again, and no model can make it. */
  gboolean shows_file = regard_document_get_foreign(self->document) != NULL;
  gtk_widget_action_set_enabled(widget, "win.export-capture", has_capture && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.close-capture", shows_file);
  update_undo(self);
  static const char *const places[] = {"win.step-head", "win.step-layer", "win.let-go"};
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    gtk_widget_action_set_enabled(widget, places[i], has_capture);
  const RegardResult *result = regard_document_get_result(self->document);
  gtk_widget_action_set_enabled(widget, "win.step-sentence",
                                result && result->n_sentences > 1 && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.own-translation",
                                result && result->active >= 0 && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.step-training",
                                regard_document_get_training(self->document) && !shows_file);
}

void
regard_window_observe_actions(RegardWindow *self)
{
  static const char *const observed[] = {"changed::model",    "changed::result",
                                         "changed::foreign",  "changed::training",
                                         "changed::can-undo", "changed::can-redo"};
  add_setting_actions(self);
  fill_menus(self);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(update), self,
                            G_CONNECT_SWAPPED);
  /* Start page or view: what can be saved is another. */
  g_signal_connect_object(self->content, "notify::visible-child", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  regard_window_observe_pages(self, G_CALLBACK(update));
  g_signal_connect(self, "notify::focus-widget", G_CALLBACK(update_undo), NULL);
  g_signal_connect_object(self->selection, "matrix-changed", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  update(self);
}
