/* regard-style.c — the program's style sheets, as the desktop's style asks for them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-style.h"

#define SHEETS "/io/github/regard/Regard/css/"

static void
add_sheet(GdkDisplay *display, const char *name, GtkCssProvider **sheet, gboolean is_wanted)
{
  if (is_wanted == (*sheet != NULL))
    return;
  if (is_wanted) {
    g_autofree char *path = g_strconcat(SHEETS, name, NULL);
    *sheet = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(*sheet, path);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(*sheet),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  } else {
    gtk_style_context_remove_provider_for_display(display, GTK_STYLE_PROVIDER(*sheet));
    g_clear_object(sheet);
  }
}

/* The later of two sheets of one priority counts: contrast comes after darkness. */
static void
update(AdwStyleManager *manager)
{
  static GtkCssProvider *all, *dark, *contrast;
  GdkDisplay *display = gdk_display_get_default();
  gboolean is_dark = adw_style_manager_get_dark(manager);
  if (is_dark != (dark != NULL))
    add_sheet(display, "contrast.css", &contrast, FALSE);
  add_sheet(display, "all.css", &all, TRUE);
  add_sheet(display, "dark.css", &dark, is_dark);
  add_sheet(display, "contrast.css", &contrast, adw_style_manager_get_high_contrast(manager));
}

void
regard_style_load(AdwStyleManager *manager)
{
  g_signal_connect(manager, "notify::dark", G_CALLBACK(update), NULL);
  g_signal_connect(manager, "notify::high-contrast", G_CALLBACK(update), NULL);
  update(manager);
}
