/* regard-figure-menu.c — what the secondary button opens on a figure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-figure-menu.h"

#include <glib/gi18n.h>

static gboolean
on_closed_idle(gpointer popover)
{
  if (gtk_widget_get_parent(popover))
    gtk_widget_unparent(popover);
  g_object_unref(popover);
  return G_SOURCE_REMOVE;
}

/* The action that was chosen is still to be done. */
static void
on_closed(GtkWidget *popover)
{
  g_idle_add(on_closed_idle, g_object_ref(popover));
}

void
regard_popover_attach(GtkWidget *popover, GtkWidget *widget)
{
  gtk_widget_set_parent(popover, widget);
  g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
  g_signal_connect_object(widget, "destroy", G_CALLBACK(gtk_widget_unparent), popover,
                          G_CONNECT_SWAPPED);
}

void
regard_menu_popup_at(GtkWidget *widget, double x, double y, GMenuModel *menu)
{
  GtkWidget *popover = gtk_popover_menu_new_from_model(menu);

  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){(int) x, (int) y, 1, 1});
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  regard_popover_attach(popover, widget);
  gtk_popover_popup(GTK_POPOVER(popover));
}

void
regard_figure_menu_popup(GtkWidget *figure, double x, double y, GMenuModel *first,
                         gboolean has_number)
{
  g_autoptr(GMenu) menu = g_menu_new();

  if (first)
    g_menu_append_section(menu, NULL, first);
  if (has_number)
    g_menu_append(menu, _("Copy _This Number"), "figure.copy-spot");
  g_menu_append(menu, _("_Copy Picture"), "win.copy");
  g_menu_append(menu, _("Copy _Values (CSV)"), "win.copy-values");
  g_menu_append(menu, _("Copy C_aption"), "win.copy-caption");
  g_menu_append(menu, _("_Export…"), "win.export");
  regard_menu_popup_at(figure, x, y, G_MENU_MODEL(menu));
}
