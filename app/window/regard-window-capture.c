/* regard-window-capture.c — captures from files: choosing one, and the ways back to the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The banner says whose attention it is, and leads back; so does any key that would have typed
 * something, which is then typed.
 */
#include "widgets/regard-gtk.h"
#include "window/regard-window-private.h"

#include <glib/gi18n.h>

/* ---- Opening ------------------------------------------------------------------------------- */

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Capture"), _("_Open"), _("NumPy archives"), "npz", FALSE,
                     "win.read-capture");
}

/* What the file chooser leads to; an action of its own so that it can be driven without one. */
static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *path = g_variant_get_string(parameter, NULL);
  regard_document_open_capture(REGARD_WINDOW(widget)->document, path);
  regard_window_note_recent(path);
}

static void
close_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_document_close_capture(self->document);
  gtk_widget_grab_focus(regard_source_pane_get_view(self->source));
}

void
regard_window_install_capture_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.open-capture", NULL, choose);
  gtk_widget_class_install_action(klass, "win.read-capture", "s", open_);
  gtk_widget_class_install_action(klass, "win.close-capture", NULL, close_);
}

/* ---- Typing again -------------------------------------------------------------------------- */

/* A key that would have changed the text. */
static gboolean
is_typing(guint keyval, GdkModifierType state)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  if (modifiers == GDK_CONTROL_MASK)
    return keyval == GDK_KEY_v;
  if (modifiers & ~GDK_SHIFT_MASK)
    return FALSE;
  return keyval == GDK_KEY_BackSpace || keyval == GDK_KEY_Delete || keyval == GDK_KEY_Return ||
         g_unichar_isprint(gdk_keyval_to_unicode(keyval));
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardWindow *self)
{
  if (!regard_document_get_foreign(self->document) || !is_typing(keyval, state))
    return FALSE;
  GtkWidget *source = regard_source_pane_get_view(self->source);
  gboolean is_elsewhere =
      gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(controller)) != source;
  regard_document_close_capture(self->document);
  if (!is_elsewhere)
    return FALSE; /* and then it is typed */
  /* A decoder alone has its tokens where the translation was. */
  gtk_widget_grab_focus(source);
  if (gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(controller)))
    gtk_event_controller_key_forward(GTK_EVENT_CONTROLLER_KEY(controller), source);
  return TRUE;
}

void
regard_window_add_capture_keys(RegardWindow *self)
{
  RegardTextCard *cards[] = {regard_source_pane_get_card(self->source),
                             regard_target_pane_get_card(self->target)};
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++) {
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_name(keys, "typing-again");
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
    gtk_widget_add_controller(GTK_WIDGET(regard_text_card_get_view(cards[i])), keys);
  }
}
