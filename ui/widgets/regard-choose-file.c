/* regard-choose-file.c — a file that is to be opened, chosen by the desktop's own dialog.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-choose-file.h"

#include <glib/gi18n.h>

#define ACTION "regard-action"

static void
on_chosen(GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      gtk_widget_activate_action(widget, g_object_get_data(G_OBJECT(dialog), ACTION), "s", path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

void
regard_choose_file(GtkWidget *widget, const char *title, const char *accept, const char *files,
                   const char *suffix, gboolean with_all, const char *action)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(title, GTK_WINDOW(gtk_widget_get_root(widget)),
                                  GTK_FILE_CHOOSER_ACTION_OPEN, accept, _("_Cancel"));
  if (suffix) {
    g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, files);
    gtk_file_filter_add_suffix(filter, suffix);
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  }
  if (with_all) {
    g_autoptr(GtkFileFilter) all = gtk_file_filter_new();
    gtk_file_filter_set_name(all, _("All Files"));
    gtk_file_filter_add_pattern(all, "*");
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), all);
  }
  g_object_set_data_full(G_OBJECT(dialog), ACTION, g_strdup(action), g_free);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_chosen), widget, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}
