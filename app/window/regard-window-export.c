/* regard-window-export.c — menu and actions of what leaves, and what the window says of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "parts/regard-toast.h"
#include <glib/gi18n.h>

/* ---- The menu ------------------------------------------------------------------------------ */

/* A menu that is built again costs a millisecond, and this is asked with every key. */
static gboolean
has_items(GMenuModel *menu, const RegardPicture *choices, guint n)
{
  if ((guint) g_menu_model_get_n_items(menu) != n)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_autofree char *id = NULL;
    if (!g_menu_model_get_item_attribute(menu, (int) i, G_MENU_ATTRIBUTE_TARGET, "s", &id) ||
        !g_str_equal(id, choices[i].id))
      return FALSE;
  }
  return TRUE;
}

static void
show_choices(RegardWindow *self)
{
  guint n = 0;
  RegardView *page = regard_window_get_page(self);
  const RegardPicture *choices = page ? regard_view_get_export_choices(page, &n) : NULL;
  if (has_items(G_MENU_MODEL(self->choices_section), choices, n))
    return;
  g_menu_remove_all(self->choices_section);
  for (guint i = 0; i < n; i++) {
    g_autofree char *label = g_strdup_printf(_("%s…"), _(choices[i].name));
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.export-choice", "s", choices[i].id);
    g_menu_append_item(self->choices_section, item);
  }
}

/* ---- Asked for before it is there ---------------------------------------------------------- */

static gboolean
has_picture(RegardWindow *self)
{
  guint n = 0;
  RegardView *view = regard_window_get_view(self);
  if (view)
    regard_view_get_export_choices(view, &n);
  return n > 0;
}

void
regard_window_forget_wish(RegardWindow *self)
{
  g_clear_handle_id(&self->wish_idle, g_source_remove);
  g_clear_pointer(&self->wish, g_free);
  g_clear_pointer(&self->wish_parameter, g_variant_unref);
  self->wish_page = NULL;
}

/* A key that comes while the picture is being computed is not lost: what it asks for is done when
 * the picture is there, unless the page is left or Escape is pressed. Returns TRUE if it waits. */
static gboolean
waits(RegardWindow *self, const char *action, GVariant *parameter)
{
  regard_window_forget_wish(self);
  if (has_picture(self))
    return FALSE;
  self->wish = g_strdup(action);
  self->wish_parameter = parameter ? g_variant_ref_sink(parameter) : NULL;
  self->wish_page = regard_window_get_view(self);
  regard_toast(self->root, _("Waiting until the picture is there"));
  return TRUE;
}

static gboolean
grant(gpointer data)
{
  RegardWindow *self = data;
  g_autofree char *action = g_steal_pointer(&self->wish);
  g_autoptr(GVariant) parameter = g_steal_pointer(&self->wish_parameter);
  self->wish_idle = 0;
  self->wish_page = NULL;
  gtk_widget_activate_action_variant(GTK_WIDGET(self), action, parameter);
  return G_SOURCE_REMOVE;
}

/* When all who hear of the picture have heard of it. */
static void
update_wish(RegardWindow *self)
{
  if (self->wish && self->wish_page != regard_window_get_view(self))
    regard_window_forget_wish(self);
  if (self->wish && !self->wish_idle && has_picture(self))
    self->wish_idle = g_idle_add(grant, self);
}

static void
update_choices(RegardWindow *self)
{
  show_choices(self);
  update_wish(self);
}

/* ---- What became of it --------------------------------------------------------------------- */

static void
on_saved(RegardWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename(file);
  g_autofree char *display = g_filename_display_name(name);
  g_autofree char *text = g_strdup_printf(_("Saved %s"), display);
  g_autofree char *uri = g_file_get_uri(file);
  regard_toast_with_button(self->root, text, _("Show in Folder"), "win.show-in-folder", uri);
  regard_messages_file_stands(self->messages);
}

static void
on_copied(RegardWindow *self, const char *text)
{
  regard_toast(self->root, text);
}

static void
on_failed(RegardWindow *self, const char *title, const char *advice)
{
  regard_messages_file_failed(self->messages, title, advice);
}

void
regard_window_observe_choices(RegardWindow *self)
{
  g_signal_connect_object(self->exporter, "saved", G_CALLBACK(on_saved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->exporter, "copied", G_CALLBACK(on_copied), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->exporter, "failed", G_CALLBACK(on_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "matrix-changed", G_CALLBACK(update_choices), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "changed::foreign", G_CALLBACK(update_choices), self,
                          G_CONNECT_SWAPPED);
  regard_window_observe_pages(self, G_CALLBACK(update_choices));
  update_choices(self);
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void
export_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *choice = parameter ? g_variant_get_string(parameter, NULL) : NULL;
  if (!waits(self, name, parameter))
    regard_exporter_open_dialog(self->exporter, regard_window_get_view(self), choice);
}

static void
export_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_exporter_choose_capture(REGARD_WINDOW(widget)->exporter);
}

/* What the file chooser for a capture leads to; an action of its own so that it can be driven
 * without one. */
static void
save_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_exporter_save_capture(REGARD_WINDOW(widget)->exporter,
                               g_variant_get_string(parameter, NULL));
}

static void
show_in_folder(GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(folder ? folder : file);
  gtk_show_uri(GTK_WINDOW(widget), uri, GDK_CURRENT_TIME);
}

static void
copy(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!waits(self, name, parameter))
    regard_exporter_copy_picture(self->exporter, regard_window_get_view(self));
}

static void
copy_caption(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!waits(self, name, parameter))
    regard_exporter_copy_caption(self->exporter, regard_window_get_view(self));
}

static void
copy_values(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!waits(self, name, parameter))
    regard_exporter_copy_values(self->exporter, regard_window_get_view(self));
}

void
regard_window_install_export_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.export", NULL, export_);
  gtk_widget_class_install_action(klass, "win.export-choice", "s", export_);
  gtk_widget_class_install_action(klass, "win.export-capture", NULL, export_capture);
  gtk_widget_class_install_action(klass, "win.save-capture", "s", save_capture);
  gtk_widget_class_install_action(klass, "win.show-in-folder", "s", show_in_folder);
  gtk_widget_class_install_action(klass, "win.copy", NULL, copy);
  gtk_widget_class_install_action(klass, "win.copy-caption", NULL, copy_caption);
  gtk_widget_class_install_action(klass, "win.copy-values", NULL, copy_values);
}
