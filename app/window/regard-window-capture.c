/* regard-window-capture.c — captures from files: choosing one, and the ways back to the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The banner says whose attention it is, and leads back; so does any key that would have typed
 * something, which is then typed.
 */
#include "window/regard-window-private.h"

#include <glib/gi18n.h>

/* ---- Opening ------------------------------------------------------------------------------- */

static void
on_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      regard_document_open_capture(self->document, path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Open Capture"), GTK_WINDOW(self), GTK_FILE_CHOOSER_ACTION_OPEN,
                                  _("_Open"), _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _("NumPy archives"));
  gtk_file_filter_add_suffix(filter, "npz");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* What the file chooser leads to; an action of its own so that it can be driven without one. */
static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_open_capture(REGARD_WINDOW(widget)->document,
                               g_variant_get_string(parameter, NULL));
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
