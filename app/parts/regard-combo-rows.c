/* regard-combo-rows.c — rows of a list to choose from, for a screen reader.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-combo-rows.h"

#include "widgets/regard-gtk.h"
#include <adwaita.h>

static void
say_choice(AdwComboRow *row)
{
  GObject *item = adw_combo_row_get_selected_item(row);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 GTK_IS_STRING_OBJECT(item)
                                     ? gtk_string_object_get_string(GTK_STRING_OBJECT(item))
                                     : "",
                                 -1);
}

static void
walk(GtkWidget *widget)
{
  if (ADW_IS_COMBO_ROW(widget)) {
    say_choice(ADW_COMBO_ROW(widget));
    g_signal_connect(widget, "notify::selected-item", G_CALLBACK(say_choice), NULL);
    return;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    walk(child);
}

void
regard_combo_rows_say_choice(GtkWidget *root)
{
  walk(root);
  regard_accessible_name_inner_buttons(root);
}
