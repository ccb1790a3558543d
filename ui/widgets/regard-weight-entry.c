/* regard-weight-entry.c — a weight that is typed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-weight-entry.h"

#include "widgets/regard-figure-menu.h"
#include <glib/gi18n.h>

struct _RegardWeightEntry {
  GtkPopover parent_instance;
  GtkWidget *title, *spin, *rescales;
};

G_DEFINE_FINAL_TYPE(RegardWeightEntry, regard_weight_entry, GTK_TYPE_POPOVER)

static guint entered_signal;

static void
on_enter(RegardWeightEntry *self)
{
  gtk_spin_button_update(GTK_SPIN_BUTTON(self->spin));
  g_signal_emit(self, entered_signal, 0, gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->spin)),
                gtk_check_button_get_active(GTK_CHECK_BUTTON(self->rescales)));
  gtk_popover_popdown(GTK_POPOVER(self));
}

static void
regard_weight_entry_class_init(RegardWeightEntryClass *klass)
{
  entered_signal = g_signal_new("entered", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_BOOLEAN);
}

static void
regard_weight_entry_init(RegardWeightEntry *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *row, *set;
  row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  self->title = gtk_label_new(NULL);
  gtk_widget_add_css_class(self->title, "heading");
  gtk_label_set_xalign(GTK_LABEL(self->title), 0);
  self->spin = gtk_spin_button_new_with_range(0, 1, 0.01);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(self->spin), 3);
  gtk_widget_set_hexpand(self->spin, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Weight"), -1);
  self->rescales = gtk_check_button_new_with_mnemonic(_("_Rescale the rest of the row"));
  set = gtk_button_new_with_mnemonic(_("_Set"));
  gtk_widget_add_css_class(set, "suggested-action");
  g_signal_connect_swapped(set, "clicked", G_CALLBACK(on_enter), self);
  g_signal_connect_swapped(gtk_editable_get_delegate(GTK_EDITABLE(self->spin)), "activate",
                           G_CALLBACK(on_enter), self);
  gtk_box_append(GTK_BOX(row), self->spin);
  gtk_box_append(GTK_BOX(row), set);
  gtk_box_append(GTK_BOX(box), self->title);
  gtk_box_append(GTK_BOX(box), row);
  gtk_box_append(GTK_BOX(box), self->rescales);
  gtk_popover_set_child(GTK_POPOVER(self), box);
}

RegardWeightEntry *
regard_weight_entry_open(GtkWidget *widget, const graphene_rect_t *cell, const char *title,
                         double value, gboolean rescales)
{
  RegardWeightEntry *self = g_object_new(REGARD_TYPE_WEIGHT_ENTRY, NULL);
  const GdkRectangle place = {(int) cell->origin.x, (int) cell->origin.y, (int) cell->size.width,
                              (int) cell->size.height};
  gtk_label_set_text(GTK_LABEL(self->title), title);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->spin), value);
  gtk_check_button_set_active(GTK_CHECK_BUTTON(self->rescales), rescales);
  regard_popover_attach(GTK_WIDGET(self), widget);
  gtk_popover_set_pointing_to(GTK_POPOVER(self), &place);
  gtk_popover_popup(GTK_POPOVER(self));
  gtk_widget_grab_focus(self->spin);
  return self;
}
