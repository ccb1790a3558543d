/* regard-newer.c — what newer releases of libadwaita show in a better way than the oldest one
 * supported.
 *
 * The choice is made when this is compiled. Each older way can go, and its #if with it, when the
 * floor (libadwaita 1.2, GTK 4.8) reaches the release that its #if names. The headers are held to
 * the floor for the whole project, so newer functions would be warned of here.
 *
 * Not chosen: GtkFileDialog (GTK 4.10) opens the same dialog of the desktop as
 * GtkFileChooserNative; AdwSqueezer has no successor that measures what fits (AdwBreakpoint knows
 * only widths); and the window of shortcuts is our own (regard-shortcuts.c) in every release.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-newer.h"

#include <glib/gi18n.h>

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

void
regard_newer_show_preferences(AdwPreferencesPage *page, GtkWindow *parent)
{
#if ADW_CHECK_VERSION(1, 5, 0)
  AdwDialog *dialog = adw_preferences_dialog_new();
  adw_dialog_set_content_width(dialog, 560);
  adw_dialog_set_content_height(dialog, 620);
  adw_preferences_dialog_add(ADW_PREFERENCES_DIALOG(dialog), page);
  adw_dialog_present(dialog, GTK_WIDGET(parent));
#else
  GtkWidget *window = adw_preferences_window_new();
  g_object_set(window, "transient-for", parent, "modal", TRUE, "search-enabled", FALSE,
               "default-width", 560, "default-height", 620, NULL);
  adw_preferences_window_add(ADW_PREFERENCES_WINDOW(window), page);
  gtk_window_present(GTK_WINDOW(window));
#endif
}

void
regard_newer_show_about(GtkWindow *parent, const char *version, const char *comments,
                        const char *debug_info)
{
#if ADW_CHECK_VERSION(1, 5, 0)
  adw_show_about_dialog(GTK_WIDGET(parent),
#else
  adw_show_about_window(parent,
#endif
                        "application-name", "Regard", "application-icon", "io.github.regard.Regard",
                        "version", version, "developer-name", _("The Regard contributors"),
                        "license-type", GTK_LICENSE_GPL_3_0, "debug-info", debug_info,
                        "debug-info-filename", "regard.txt", "comments", comments, NULL);
}

G_GNUC_END_IGNORE_DEPRECATIONS
