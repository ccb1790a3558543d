/* regard-welcome.c — three doors, in place of the pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-welcome.h"

#include "base/regard-signals.h"
#include "base/regard-template.h"
#include "parts/regard-start-page.h"

#include <adwaita.h>

/* Narrower, the doors are below each other. */
#define LEAST_WIDTH 620

struct _RegardWelcome {
  GtkWidget parent_instance;
  GtkWidget *scroller;
  GtkMenuButton *examples;
  GtkListBox *list; /* of examples */
};

G_DEFINE_FINAL_TYPE(RegardWelcome, regard_welcome, GTK_TYPE_WIDGET)

void
regard_welcome_set_examples(RegardWelcome *self, const GPtrArray *examples)
{
  regard_examples_fill(self->list, examples);
}

static void
on_example(RegardWelcome *self, GtkListBoxRow *row)
{
  gtk_menu_button_popdown(self->examples);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.example", "s",
                             adw_preferences_row_get_title(ADW_PREFERENCES_ROW(row)));
}

static void
on_few(RegardWelcome *self)
{
  g_signal_emit_by_name(self, "explore", TRUE);
}

static void
on_all(RegardWelcome *self)
{
  g_signal_emit_by_name(self, "explore", FALSE);
}

/* The first door has the keyboard, not the scroller around it. */
static gboolean
regard_welcome_grab_focus(GtkWidget *widget)
{
  return gtk_widget_child_focus(REGARD_WELCOME(widget)->scroller, GTK_DIR_TAB_FORWARD);
}

static void
regard_welcome_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_welcome_parent_class)->dispose(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardWelcome, name)

static void
regard_welcome_class_init(RegardWelcomeClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(scroller),
                                                 CHILD(examples),
                                                 CHILD(list),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_welcome_dispose;
  widget_class->grab_focus = regard_welcome_grab_focus;
  regard_add_signal(klass, "explore", 1, G_TYPE_BOOLEAN);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "welcome");
  regard_set_template(klass, "regard-welcome.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_few);
  gtk_widget_class_bind_template_callback(widget_class, on_all);
  gtk_widget_class_bind_template_callback(widget_class, on_example);
}

static void
regard_welcome_init(RegardWelcome *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
