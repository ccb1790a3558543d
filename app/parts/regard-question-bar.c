/* regard-question-bar.c — the question that an example asks, above the pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-question-bar.h"

#include "base/regard-template.h"

struct _RegardQuestionBar {
  GtkWidget parent_instance;
  GtkRevealer *revealer;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE(RegardQuestionBar, regard_question_bar, GTK_TYPE_WIDGET)

void
regard_question_bar_ask(RegardQuestionBar *self, const char *question)
{
  const gboolean is_asked = question && *question;
  if (is_asked)
    gtk_label_set_text(self->label, question);
  gtk_revealer_set_reveal_child(self->revealer, is_asked);
  /* What is closed has no button that the keyboard could come to. */
  gtk_widget_set_visible(GTK_WIDGET(self), is_asked);
}

const char *
regard_question_bar_get(RegardQuestionBar *self)
{
  return gtk_revealer_get_reveal_child(self->revealer) ? gtk_label_get_text(self->label) : NULL;
}

static void
on_close(RegardQuestionBar *self)
{
  regard_question_bar_ask(self, NULL);
}

static void
regard_question_bar_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_question_bar_parent_class)->dispose(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardQuestionBar, name)

static void
regard_question_bar_class_init(RegardQuestionBarClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(revealer), CHILD(label), {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_question_bar_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  regard_set_template(klass, "regard-question-bar.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_close);
}

static void
regard_question_bar_init(RegardQuestionBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}
