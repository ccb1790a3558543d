/* regard-figure-menu.h — what the secondary button opens on a figure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A popover of a widget that takes it over: it goes when it is closed, or the widget goes. */
void regard_popover_attach(GtkWidget *popover, GtkWidget *widget);
/* A menu at a point of the widget, which goes when it is closed. */
void regard_menu_popup_at(GtkWidget *widget, double x, double y, GMenuModel *menu);
/* At a point of the widget: the rows of first, which may be NULL, then "figure.copy-spot" if there
 * is a number to copy, then what the window can do with a picture. */
void regard_figure_menu_popup(GtkWidget *figure, double x, double y, GMenuModel *first,
                              gboolean has_number);

G_END_DECLS
