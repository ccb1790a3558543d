/* regard-combo-rows.h — rows of a list to choose from, for a screen reader.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* In libadwaita 1.2 a row says that it is one to choose from, and not what is chosen. Those below
 * root say that, too, and again when it has become another. Lists have no name of their type. */
void regard_combo_rows_say_choice(GtkWidget *root);

G_END_DECLS
