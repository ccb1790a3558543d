/* regard-own-translation.c — a popover to type a translation of one's own in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-own-translation.h"

#include <glib/gi18n.h>

struct _RegardOwnTranslation {
  GtkPopover parent_instance;
  RegardDocument *document;
  GtkTextView *view;
  GtkWidget *back;
  char *before;        /* given when it was opened; NULL: nothing */
  gboolean is_setting; /* the program writes, not the person */
};

G_DEFINE_FINAL_TYPE(RegardOwnTranslation, regard_own_translation, GTK_TYPE_POPOVER)

GtkTextView *
regard_own_translation_get_view(RegardOwnTranslation *self)
{
  return self->view;
}

static void
on_changed(GtkTextBuffer *buffer, RegardOwnTranslation *self)
{
  if (self->is_setting)
    return;
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
  regard_document_give_translation(self->document, text);
  gtk_widget_set_sensitive(self->back, regard_document_get_given(self->document) != NULL);
}

/* What stands there now, all of it selected: to be changed or typed over. */
static void
fill(RegardOwnTranslation *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const mt_hypothesis *shown = result && result->active >= 0
                                   ? regard_result_hypothesis(result, (guint) result->active)
                                   : NULL;
  const char *given = regard_document_get_given(self->document);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(self->view);
  g_free(self->before);
  self->before = g_strdup(given);
  self->is_setting = TRUE;
  gtk_text_buffer_begin_irreversible_action(buffer);
  gtk_text_buffer_set_text(buffer, given ? given : shown ? shown->text : "", -1);
  gtk_text_buffer_end_irreversible_action(buffer);
  self->is_setting = FALSE;
  gtk_widget_set_sensitive(self->back, given != NULL);
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  gtk_text_buffer_select_range(buffer, &end, &start);
}

static void
go_back(RegardOwnTranslation *self)
{
  regard_document_give_translation(self->document, NULL);
  gtk_popover_popdown(GTK_POPOVER(self));
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardOwnTranslation *self)
{
  switch (keyval) {
  case GDK_KEY_Escape:
    regard_document_give_translation(self->document, self->before);
    break;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    break;
  default:
    return FALSE;
  }
  gtk_popover_popdown(GTK_POPOVER(self));
  return TRUE;
}

/* ---- The text that it follows -------------------------------------------------------------- */

static void
on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, RegardOwnTranslation *self)
{
  GtkWidget *button = gtk_widget_get_parent(GTK_WIDGET(self));
  if (n_press == 2 && gtk_widget_get_visible(button) && gtk_widget_get_sensitive(button))
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
}

static gboolean
on_text_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
            RegardOwnTranslation *self)
{
  if (keyval != GDK_KEY_Escape || !regard_document_get_given(self->document))
    return FALSE;
  regard_document_give_translation(self->document, NULL);
  return TRUE;
}

static void
follow(RegardOwnTranslation *self, GtkWidget *text)
{
  GtkGesture *click = gtk_gesture_click_new();
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(click), "own-translation");
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
  g_signal_connect_object(click, "pressed", G_CALLBACK(on_pressed), self, 0);
  gtk_widget_add_controller(text, GTK_EVENT_CONTROLLER(click));
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "models-own");
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_text_key), self, 0);
  gtk_widget_add_controller(text, keys);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_own_translation_map(GtkWidget *widget)
{
  RegardOwnTranslation *self = REGARD_OWN_TRANSLATION(widget);
  fill(self);
  GTK_WIDGET_CLASS(regard_own_translation_parent_class)->map(widget);
  gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static void
regard_own_translation_finalize(GObject *object)
{
  RegardOwnTranslation *self = REGARD_OWN_TRANSLATION(object);
  g_free(self->before);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_own_translation_parent_class)->finalize(object);
}

static void
regard_own_translation_class_init(RegardOwnTranslationClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_own_translation_finalize;
  GTK_WIDGET_CLASS(klass)->map = regard_own_translation_map;
}

static void
regard_own_translation_init(RegardOwnTranslation *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *scroller = gtk_scrolled_window_new();
  GtkWidget *hint = gtk_label_new(_("The model is asked how likely this is, and what it attends to "
                                    "in writing it. Enter keeps it, Escape takes it back."));
  self->view = GTK_TEXT_VIEW(gtk_text_view_new());
  self->back = gtk_button_new_with_mnemonic(_("The _Model’s Own"));

  gtk_text_view_set_wrap_mode(self->view, GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(self->view, FALSE);
  g_object_set(self->view, "left-margin", 8, "right-margin", 8, "top-margin", 6, "bottom-margin", 6,
               NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Your translation"), -1);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "propagate-natural-height", TRUE,
               "max-content-height", 200, "min-content-width", 380, "has-frame", TRUE, "child",
               self->view, NULL);
  gtk_label_set_wrap(GTK_LABEL(hint), TRUE);
  gtk_label_set_xalign(GTK_LABEL(hint), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(hint), 48);
  gtk_widget_add_css_class(hint, "regard-hint");
  gtk_widget_set_halign(self->back, GTK_ALIGN_END);
  gtk_box_append(GTK_BOX(box), scroller);
  gtk_box_append(GTK_BOX(box), hint);
  gtk_box_append(GTK_BOX(box), self->back);
  gtk_popover_set_child(GTK_POPOVER(self), box);

  g_signal_connect(gtk_text_view_get_buffer(self->view), "changed", G_CALLBACK(on_changed), self);
  g_signal_connect_swapped(self->back, "clicked", G_CALLBACK(go_back), self);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "keep-or-not");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
}

GtkWidget *
regard_own_translation_new(RegardDocument *document, GtkWidget *text)
{
  RegardOwnTranslation *self = g_object_new(REGARD_TYPE_OWN_TRANSLATION, NULL);
  self->document = g_object_ref(document);
  follow(self, text);
  return GTK_WIDGET(self);
}
