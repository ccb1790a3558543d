/* regard-accessible.c — names of buttons for a screen reader, and tooltips out of their way.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-accessible.h"

/* Newer GTK says of buttons and drop-downs that they are labelled by what they show, which goes
 * before a name that they were given. Those that were given one are not. */
static void
prefer_own_name(GtkWidget *widget)
{
  if (gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL))
    gtk_accessible_reset_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static void
set_name(GtkWidget *outer, const char *name)
{
  GtkWidget *button = gtk_widget_get_first_child(outer);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  prefer_own_name(button);
}

static void
name_drop_down(GtkDropDown *drop_down)
{
  GObject *item = gtk_drop_down_get_selected_item(drop_down);
  const char *what = gtk_widget_get_tooltip_text(GTK_WIDGET(drop_down));
  const char *chosen =
      GTK_IS_STRING_OBJECT(item) ? gtk_string_object_get_string(GTK_STRING_OBJECT(item)) : "";
  g_autofree char *name = g_strdup_printf("%s: %s", what, chosen);
  prefer_own_name(GTK_WIDGET(drop_down));
  set_name(GTK_WIDGET(drop_down), name);
}

/* A tooltip would lie on the list that its button has opened. */
static void
hide_tooltip_while_open(GtkWidget *widget, GtkWidget *button)
{
  if (GTK_IS_TOGGLE_BUTTON(button))
    g_object_bind_property(button, "active", widget, "has-tooltip",
                           G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}

/* "_Fold" is called Fold. */
static void
name_without_mnemonic(GtkWidget *button, const char *label)
{
  g_autoptr(GString) name = g_string_new(label);
  g_string_replace(name, "_", "", 1);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name->str,
                                 -1);
}

void
regard_accessible_name_inner_buttons(GtkWidget *root)
{
  const char *what = gtk_widget_get_tooltip_text(root);
  if (GTK_IS_BUTTON(root))
    prefer_own_name(root);
  if (GTK_IS_CHECK_BUTTON(root) && gtk_check_button_get_use_underline(GTK_CHECK_BUTTON(root)))
    name_without_mnemonic(root, gtk_check_button_get_label(GTK_CHECK_BUTTON(root)));
  else if (what && GTK_IS_DROP_DOWN(root)) {
    name_drop_down(GTK_DROP_DOWN(root));
    g_signal_connect(root, "notify::selected-item", G_CALLBACK(name_drop_down), NULL);
    hide_tooltip_while_open(root, gtk_widget_get_first_child(root));
  } else if (what && GTK_IS_MENU_BUTTON(root)) {
    if (!gtk_menu_button_get_label(GTK_MENU_BUTTON(root)))
      set_name(root, what);
    hide_tooltip_while_open(root, gtk_widget_get_first_child(root));
  } else
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
      regard_accessible_name_inner_buttons(child);
}
