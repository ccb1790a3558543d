/* regard-question.c — the question that an example asks, above the pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-question.h"

#include "base/regard-template.h"

struct _RegardQuestion {
  GtkWidget parent_instance;
  GtkRevealer *revealer;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE(RegardQuestion, regard_question, GTK_TYPE_WIDGET)

void
regard_question_ask(RegardQuestion *self, const char *question)
{
  const gboolean is_asked = question && *question;
  if (is_asked)
    gtk_label_set_text(self->label, question);
  gtk_revealer_set_reveal_child(self->revealer, is_asked);
  /* What is closed has no button that the keyboard could come to. */
  gtk_widget_set_visible(GTK_WIDGET(self), is_asked);
}

const char *
regard_question_get(RegardQuestion *self)
{
  return gtk_revealer_get_reveal_child(self->revealer) ? gtk_label_get_text(self->label) : NULL;
}

static void
on_close(RegardQuestion *self)
{
  regard_question_ask(self, NULL);
}

static void
regard_question_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_question_parent_class)->dispose(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardQuestion, name)

static void
regard_question_class_init(RegardQuestionClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(revealer), CHILD(label), {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_question_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  regard_set_template(klass, "regard-question.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_close);
}

static void
regard_question_init(RegardQuestion *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}
