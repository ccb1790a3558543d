/* regard-accessible.h — names of buttons for a screen reader.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* In GTK 4.8 GtkMenuButton and GtkDropDown give the focus to a button inside them, which a screen
 * reader calls by its type. Names those below root: by the tooltip of the outer widget, a
 * drop-down's with what is chosen. A menu button with a label of its own keeps that. Check buttons
 * with a mnemonic, which it calls by the label with its underline, are named without. */
void regard_accessible_name_inner_buttons(GtkWidget *root);

G_END_DECLS
