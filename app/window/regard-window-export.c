/* regard-window-export.c — pictures and numbers out of the window: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "base/regard-error.h"
#include "export/regard-export-dialog.h"
#include "export/regard-export-job.h"
#include "export/regard-export-name.h"
#include <glib/gi18n.h>

/* Of a picture on the clipboard: sharp on a slide, small enough for a chat. */
#define CLIPBOARD_DPI 220

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
update_choices(RegardWindow *self)
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

void
regard_window_observe_choices(RegardWindow *self)
{
  g_signal_connect_object(self->selection, "matrix-changed", G_CALLBACK(update_choices), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "notify::foreign", G_CALLBACK(update_choices), self,
                          G_CONNECT_SWAPPED);
  regard_window_observe_pages(self, G_CALLBACK(update_choices));
  update_choices(self);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void
show_in_folder(GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(folder ? folder : file);
  gtk_show_uri(GTK_WINDOW(widget), uri, GDK_CURRENT_TIME);
}

static void
on_exported(GObject *dialog, GFile *file, RegardWindow *self)
{
  g_autofree char *name = g_file_get_basename(file);
  g_autofree char *display = g_filename_display_name(name);
  g_autofree char *text = g_strdup_printf(_("Saved %s"), display);
  g_autofree char *uri = g_file_get_uri(file);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("Show in Folder"));
  adw_toast_set_action_name(toast, "win.show-in-folder");
  adw_toast_set_action_target(toast, "s", uri);
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH); /* not after the ones before */
  adw_toast_overlay_add_toast(self->toasts, toast);
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
}

static void
open_dialog(RegardWindow *self, const char *choice)
{
  RegardView *view = regard_window_get_view(self);
  if (!view)
    return;
  RegardExportDialog *dialog =
      regard_export_dialog_new(GTK_WINDOW(self), self->settings, view, choice);
  g_signal_connect_object(dialog, "exported", G_CALLBACK(on_exported), self, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
export_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  open_dialog(REGARD_WINDOW(widget), NULL);
}

static void
export_choice(GtkWidget *widget, const char *name, GVariant *parameter)
{
  open_dialog(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

typedef struct {
  RegardWindow *self;
  GFile *file;
} Saving;

static void
on_capture_written(GObject *source, GAsyncResult *result, gpointer data)
{
  Saving *saving = data;
  g_autoptr(RegardWindow) self = saving->self;
  g_autoptr(GFile) file = saving->file;
  g_autoptr(GError) error = NULL;
  g_free(saving);
  if (regard_export_job_capture_finish(result, &error))
    on_exported(NULL, file, self);
  else if (!regard_document_is_closed(self->document)) /* else the window is closed */
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                       _("Nothing was changed. Choose another place, or make room, and save "
                         "again."),
                       NULL);
}

/* What the file chooser for a capture leads to; an action of its own so that it can be driven
 * without one. */
static void
save_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  RegardResult *result = regard_document_get_result(self->document);
  const char *path = g_variant_get_string(parameter, NULL);
  if (!result || !result->capture)
    return;
  Saving *saving = g_new(Saving, 1);
  *saving = (Saving){g_object_ref(self), g_file_new_for_path(path)};
  regard_export_job_capture_async(result, path, NULL, on_capture_written, saving);
}

static void
on_capture_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      gtk_widget_activate_action(GTK_WIDGET(self), "win.save-capture", "s", path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

static void
export_capture(GtkWidget *widget, const char *action, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  mt_capture *capture = regard_selection_get_capture(self->selection);
  g_autofree char *name = regard_export_name_for(capture, "capture", "npz");
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Save Whole Capture"), GTK_WINDOW(self),
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_autofree char *folder = g_settings_get_string(self->settings, "export-folder");
  regard_export_name_offer(GTK_FILE_CHOOSER(dialog), folder, name);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_capture_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* ---- The clipboard ------------------------------------------------------------------------- */

/* The first choice is what the eye is on. */
static RegardFigure *
create_first_figure(RegardWindow *self)
{
  guint n = 0;
  RegardView *view = regard_window_get_view(self);
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n) : NULL;
  return n ? regard_view_create_figure(view, choices[0].id) : NULL;
}

static void
on_picture_drawn(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = regard_export_job_render_finish(result, &error);
  g_autoptr(GdkTexture) texture = bytes ? gdk_texture_new_from_bytes(bytes, &error) : NULL;
  if (regard_document_is_closed(self->document)) /* closed meanwhile */
    return;
  if (texture) {
    gdk_clipboard_set_texture(gtk_widget_get_clipboard(GTK_WIDGET(self)), texture);
    regard_window_toast(self, _("Picture copied"));
  } else
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message, NULL, NULL);
}

static void
copy(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  RegardFigure *figure = create_first_figure(self);
  if (!figure)
    return;
  RegardExportOptions options = {g_settings_get_double(self->settings, "export-width"),
                                 g_settings_get_double(self->settings, "export-font"),
                                 CLIPBOARD_DPI};
  regard_export_job_render_async(figure, regard_export_format_find("png"), &options, NULL,
                                 on_picture_drawn, g_object_ref(self));
}

static void
copy_caption(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autoptr(RegardFigure) figure = create_first_figure(self);
  if (!figure)
    return;
  g_autofree char *caption = regard_figure_caption(figure);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), caption);
  regard_window_toast(self, _("Caption copied"));
}

static void
copy_values(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autoptr(RegardFigure) figure = create_first_figure(self);
  g_autoptr(GError) error = NULL;
  if (!figure)
    return;
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autoptr(GBytes) bytes = regard_export_format_find("csv")->render(figure, &options, &error);
  if (!bytes) {
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message, NULL, NULL);
    return;
  }
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
  regard_window_toast(self, _("Values copied"));
}

void
regard_window_install_export_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.export", NULL, export_);
  gtk_widget_class_install_action(klass, "win.export-choice", "s", export_choice);
  gtk_widget_class_install_action(klass, "win.export-capture", NULL, export_capture);
  gtk_widget_class_install_action(klass, "win.save-capture", "s", save_capture);
  gtk_widget_class_install_action(klass, "win.show-in-folder", "s", show_in_folder);
  gtk_widget_class_install_action(klass, "win.copy", NULL, copy);
  gtk_widget_class_install_action(klass, "win.copy-caption", NULL, copy_caption);
  gtk_widget_class_install_action(klass, "win.copy-values", NULL, copy_values);
}
