/* regard-changes-bar.c — "3 changes · Reset · Keep as Reference", and behind the number the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-changes-bar.h"

#include <glib/gi18n.h>

struct _RegardChangesBar {
  GtkWidget parent_instance;
  GtkWidget *box, *button, *popover, *message, *stack;
  GtkWidget *rows, *presets, *slider;
  RegardDocument *document;
};

G_DEFINE_FINAL_TYPE(RegardChangesBar, regard_changes_bar, GTK_TYPE_WIDGET)

RegardChangeRows *
regard_changes_bar_get_rows(RegardChangesBar *self)
{
  return REGARD_CHANGE_ROWS(self->rows);
}

RegardChangePresets *
regard_changes_bar_get_presets(RegardChangesBar *self)
{
  return REGARD_CHANGE_PRESETS(self->presets);
}

RegardWindowSlider *
regard_changes_bar_get_slider(RegardChangesBar *self)
{
  return REGARD_WINDOW_SLIDER(self->slider);
}

const char *
regard_changes_bar_get_message(RegardChangesBar *self)
{
  return gtk_label_get_text(GTK_LABEL(self->message));
}

const char *
regard_changes_bar_get_label(RegardChangesBar *self)
{
  return gtk_menu_button_get_label(GTK_MENU_BUTTON(self->button));
}

static void
say(RegardChangesBar *self, const char *message)
{
  gtk_label_set_text(GTK_LABEL(self->message), message);
  gtk_widget_set_visible(self->message, *message != '\0');
}

static void
update(RegardChangesBar *self)
{
  const gboolean shows_file = regard_document_get_foreign(self->document) != NULL;
  const guint n =
      shows_file ? 0 : (guint) mt_changes_count(regard_document_get_changes(self->document));
  g_autofree char *text =
      n ? g_strdup_printf(ngettext("%u change", "%u changes", n), n) : g_strdup(_("Changes"));
  gtk_menu_button_set_label(GTK_MENU_BUTTON(self->button), text);
  gtk_widget_set_sensitive(self->button, !shows_file);
  if (n)
    gtk_widget_add_css_class(self->button, "changed");
  else
    gtk_widget_remove_css_class(self->button, "changed");
  say(self, "");
}

void
regard_changes_bar_open(RegardChangesBar *self)
{
  gtk_menu_button_popup(GTK_MENU_BUTTON(self->button));
}

static void
copy(RegardChangesBar *self)
{
  say(self, "");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.copy-changes", NULL);
}

static void
paste(RegardChangesBar *self)
{
  say(self, "");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.paste-changes", NULL);
}

static void
edit_text(RegardChangesBar *self)
{
  gtk_popover_popdown(GTK_POPOVER(self->popover));
  gtk_widget_activate_action(GTK_WIDGET(self), "win.edit-changes", NULL);
}

/* ---- The object --------------------------------------------------------------------------------
 */

static GtkWidget *
new_button(const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label(label);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_widget_add_css_class(button, "flat");
  return button;
}

static GtkWidget *
new_action(const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = new_button(label, tooltip);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  return button;
}

static void
append_button(GtkWidget *box, const char *label, const char *tooltip, GCallback callback,
              RegardChangesBar *self)
{
  GtkWidget *button = new_button(label, tooltip);
  g_signal_connect_swapped(button, "clicked", callback, self);
  gtk_box_append(GTK_BOX(box), button);
}

static GtkWidget *
build_list(RegardChangesBar *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10),
            *tools = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  append_button(tools, _("Copy as Text"), _("A line each, as regard-cli has them (Ctrl+Alt+C)"),
                G_CALLBACK(copy), self);
  append_button(tools, _("Paste"), _("Changes as text, in the place of these (Shift+Ctrl+V)"),
                G_CALLBACK(paste), self);
  append_button(tools, _("Edit as Text…"), _("All of them in a window (Shift+Ctrl+K)"),
                G_CALLBACK(edit_text), self);
  gtk_box_append(GTK_BOX(box), self->rows);
  gtk_box_append(GTK_BOX(box), tools);
  gtk_box_append(GTK_BOX(box), gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append(GTK_BOX(box), self->slider);
  return box;
}

static void
fill_popover(RegardChangesBar *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10), *switcher = gtk_stack_switcher_new();
  self->stack = gtk_stack_new();
  gtk_stack_set_hhomogeneous(GTK_STACK(self->stack), TRUE);
  gtk_stack_set_vhomogeneous(GTK_STACK(self->stack), FALSE);
  gtk_stack_add_titled(GTK_STACK(self->stack), build_list(self), "list", _("Changes"));
  gtk_stack_add_titled(GTK_STACK(self->stack), self->presets, "presets", _("Presets"));
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), GTK_STACK(self->stack));
  gtk_widget_set_halign(switcher, GTK_ALIGN_CENTER);
  self->message = gtk_label_new("");
  gtk_label_set_wrap(GTK_LABEL(self->message), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(self->message), 56);
  gtk_label_set_xalign(GTK_LABEL(self->message), 0);
  gtk_widget_add_css_class(self->message, "error");
  gtk_widget_set_visible(self->message, FALSE);
  gtk_box_append(GTK_BOX(box), switcher);
  gtk_box_append(GTK_BOX(box), self->stack);
  gtk_box_append(GTK_BOX(box), self->message);
  gtk_widget_add_css_class(box, "changes-popover");
  gtk_popover_set_child(GTK_POPOVER(self->popover), box);
}

void
regard_changes_bar_set_document(RegardChangesBar *self, RegardDocument *document,
                                GSettings *settings)
{
  static const char *const observed[] = {"changed::changes", "changed::foreign"};
  g_return_if_fail(REGARD_IS_CHANGES_BAR(self) && !self->document);
  self->document = g_object_ref(document);
  self->rows = regard_change_rows_new(document);
  self->presets = regard_change_presets_new(document, settings);
  self->slider = regard_window_slider_new(document);
  fill_popover(self);
  g_signal_connect_swapped(self->rows, "failed", G_CALLBACK(say), self);
  g_signal_connect_swapped(self->presets, "failed", G_CALLBACK(say), self);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(document, observed[i], G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}

static void
regard_changes_bar_dispose(GObject *object)
{
  RegardChangesBar *self = REGARD_CHANGES_BAR(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_changes_bar_parent_class)->dispose(object);
}

static void
regard_changes_bar_class_init(RegardChangesBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_changes_bar_dispose;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "changesbar");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_changes_bar_init(RegardChangesBar *self)
{
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
  self->popover = gtk_popover_new();
  self->button = gtk_menu_button_new();
  gtk_menu_button_set_direction(GTK_MENU_BUTTON(self->button), GTK_ARROW_UP);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->button), self->popover);
  gtk_menu_button_set_always_show_arrow(GTK_MENU_BUTTON(self->button), TRUE);
  gtk_widget_set_tooltip_text(self->button,
                              _("What is changed in the model: switch, edit, presets (Ctrl+K)"));
  gtk_widget_add_css_class(self->button, "flat");
  gtk_box_append(GTK_BOX(row), self->button);
  gtk_box_append(GTK_BOX(row),
                 new_action(_("Reset"), _("The model as it was trained"), "win.reset-changes"));
  gtk_box_append(GTK_BOX(row), new_action(_("Keep as Reference"),
                                          _("What is there now is A from now on (Ctrl+R)"),
                                          "win.keep-reference"));
  gtk_widget_set_valign(row, GTK_ALIGN_CENTER);
  self->box = row;
  gtk_widget_set_parent(row, GTK_WIDGET(self));
}
