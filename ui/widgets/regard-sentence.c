/* regard-sentence.c — a sentence under a picture, and behind it an explanation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence stays a label, which a screen reader reads as it stands; the arrow behind it has the
 * keyboard. The pointer may click either.
 */
#include "widgets/regard-sentence.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

struct _RegardSentence {
  GtkWidget parent_instance;

  GtkWidget *box, *label, *arrow, *revealer, *explanation;
};

G_DEFINE_FINAL_TYPE(RegardSentence, regard_sentence, GTK_TYPE_WIDGET)

static void
set_text(GtkWidget *label, const char *text)
{
  if (g_strcmp0(gtk_label_get_text(GTK_LABEL(label)), text) != 0)
    gtk_label_set_text(GTK_LABEL(label), text);
}

void
regard_sentence_set_text(RegardSentence *self, const char *text)
{
  set_text(self->label, text);
}

const char *
regard_sentence_get_text(RegardSentence *self)
{
  return gtk_label_get_text(GTK_LABEL(self->label));
}

void
regard_sentence_set_explanation(RegardSentence *self, const char *text)
{
  set_text(self->explanation, text);
  gtk_widget_set_visible(self->arrow, *text != '\0');
  if (!*text)
    regard_sentence_set_open(self, FALSE);
}

const char *
regard_sentence_get_explanation(RegardSentence *self)
{
  return gtk_label_get_text(GTK_LABEL(self->explanation));
}

void
regard_sentence_set_open(RegardSentence *self, gboolean is_open)
{
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->arrow), is_open);
}

gboolean
regard_sentence_get_open(RegardSentence *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->arrow));
}

/* A sentence that is cut off is whole in the tooltip. */
static gboolean
on_tooltip(RegardSentence *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  if (!pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(self->label))))
    return FALSE;
  gtk_tooltip_set_text(tooltip, regard_sentence_get_text(self));
  return TRUE;
}

static void
on_toggled(RegardSentence *self)
{
  const gboolean is_open = regard_sentence_get_open(self);

  gtk_revealer_set_reveal_child(GTK_REVEALER(self->revealer), is_open);
  gtk_button_set_icon_name(GTK_BUTTON(self->arrow),
                           is_open ? "pan-up-symbolic" : "pan-down-symbolic");
  gtk_accessible_update_state(GTK_ACCESSIBLE(self->arrow), GTK_ACCESSIBLE_STATE_EXPANDED, is_open,
                              -1);
}

static void
on_pressed(RegardSentence *self)
{
  if (gtk_widget_get_visible(self->arrow))
    regard_sentence_set_open(self, !regard_sentence_get_open(self));
}

static void
dispose(GObject *object)
{
  g_clear_pointer(&REGARD_SENTENCE(object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_sentence_parent_class)->dispose(object);
}

static void
regard_sentence_class_init(RegardSentenceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_css_name(widget_class, "sentence");
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
regard_sentence_init(RegardSentence *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
  GtkGesture *click = gtk_gesture_click_new();

  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  self->label =
      regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "regard-status");
  gtk_widget_set_has_tooltip(self->label, TRUE);
  g_signal_connect_swapped(self->label, "query-tooltip", G_CALLBACK(on_tooltip), self);
  self->arrow = gtk_toggle_button_new();
  gtk_button_set_icon_name(GTK_BUTTON(self->arrow), "pan-down-symbolic");
  gtk_widget_add_css_class(self->arrow, "flat");
  gtk_widget_set_name(GTK_WIDGET(self), "sentence");
  regard_widget_set_name(self->arrow, _("Explain this picture"));
  gtk_widget_set_valign(self->arrow, GTK_ALIGN_CENTER);
  gtk_widget_set_visible(self->arrow, FALSE);
  gtk_accessible_update_relation(GTK_ACCESSIBLE(self->arrow), GTK_ACCESSIBLE_RELATION_DESCRIBED_BY,
                                 self->label, NULL, -1);
  g_signal_connect_swapped(self->arrow, "toggled", G_CALLBACK(on_toggled), self);
  regard_box_append(line, self->label, self->arrow, NULL);
  self->explanation = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-note");
  gtk_label_set_natural_wrap_mode(GTK_LABEL(self->explanation), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_max_width_chars(GTK_LABEL(self->explanation), 100);
  self->revealer = gtk_revealer_new();
  gtk_revealer_set_child(GTK_REVEALER(self->revealer), self->explanation);
  regard_box_append(self->box, line, self->revealer, NULL);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(click), "click");
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(on_pressed), self);
  gtk_widget_add_controller(self->label, GTK_EVENT_CONTROLLER(click));
}

GtkWidget *
regard_sentence_new(void)
{
  return g_object_new(REGARD_TYPE_SENTENCE, NULL);
}
