/* regard-form-switch.c — whether the large picture is a matrix or lines: two buttons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-form-switch.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

struct _RegardFormSwitch {
  GtkWidget parent_instance;
  RegardSelection *selection;
  GtkWidget *buttons[REGARD_N_FORMS];
  gboolean loading;
};

G_DEFINE_FINAL_TYPE(RegardFormSwitch, regard_form_switch, GTK_TYPE_WIDGET)

static void
load(RegardFormSwitch *self)
{
  self->loading = TRUE;
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(
                                   self->buttons[regard_selection_get_form(self->selection)]),
                               TRUE);
  self->loading = FALSE;
}

static void
on_toggled(RegardFormSwitch *self)
{
  if (!self->loading && self->selection)
    for (guint i = 0; i < REGARD_N_FORMS; i++)
      if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->buttons[i])))
        regard_selection_set_form(self->selection, (RegardForm) i);
}

gboolean
regard_form_switch_handle_key(RegardFormSwitch *self, guint keyval, GdkModifierType state)
{
  if ((keyval != GDK_KEY_l && keyval != GDK_KEY_L) || !self->selection ||
      (state & gtk_accelerator_get_default_mod_mask()))
    return FALSE;
  regard_selection_set_form(self->selection,
                            regard_selection_get_form(self->selection) == REGARD_FORM_MATRIX
                                ? REGARD_FORM_LINES
                                : REGARD_FORM_MATRIX);
  return TRUE;
}

void
regard_form_switch_set_selection(RegardFormSwitch *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  regard_connect(selection, "notify::form", G_CALLBACK(load), self);
  load(self);
}

static void
dispose(GObject *object)
{
  RegardFormSwitch *self = REGARD_FORM_SWITCH(object);

  g_clear_object(&self->selection);
  while (gtk_widget_get_first_child(GTK_WIDGET(self)))
    gtk_widget_unparent(gtk_widget_get_first_child(GTK_WIDGET(self)));
  G_OBJECT_CLASS(regard_form_switch_parent_class)->dispose(object);
}

static void
regard_form_switch_class_init(RegardFormSwitchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "formswitch");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
regard_form_switch_init(RegardFormSwitch *self)
{
  const struct {
    const char *label, *tooltip;
  } forms[REGARD_N_FORMS] = {
      [REGARD_FORM_MATRIX] = {_("Matrix"), _("A cell for each weight (L)")},
      [REGARD_FORM_LINES] = {_("Lines"),
                             _("A line for each weight, between two lists of tokens (L)")},
  };

  gtk_widget_set_name(GTK_WIDGET(self), "form-switch");
  gtk_widget_add_css_class(GTK_WIDGET(self), "linked");
  regard_accessible_set_label(GTK_WIDGET(self), _("Form of the picture"));
  for (guint i = 0; i < REGARD_N_FORMS; i++) {
    self->buttons[i] = gtk_toggle_button_new_with_label(forms[i].label);
    gtk_widget_set_tooltip_text(self->buttons[i], forms[i].tooltip);
    gtk_widget_set_valign(self->buttons[i], GTK_ALIGN_CENTER);
    if (i > 0)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(self->buttons[i]),
                                  GTK_TOGGLE_BUTTON(self->buttons[0]));
    gtk_widget_set_parent(self->buttons[i], GTK_WIDGET(self));
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->buttons[0]), TRUE);
  for (guint i = 0; i < REGARD_N_FORMS; i++)
    g_signal_connect_swapped(self->buttons[i], "toggled", G_CALLBACK(on_toggled), self);
}

GtkWidget *
regard_form_switch_new(void)
{
  return g_object_new(REGARD_TYPE_FORM_SWITCH, NULL);
}
