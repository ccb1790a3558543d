/* regard-window-capture.c — captures from files, shown in the place of the live translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While one is shown the typed text is put aside and the worker is not asked for anything. The
 * banner says whose attention it is, and leads back; so does any key that would have typed
 * something, which is then typed. A file that cannot be read changes nothing.
 */
#include "window/regard-window-private.h"

#include "base/regard-error.h"
#include "document/regard-capture-file.h"
#include "document/regard-capture-loader.h"
#include <glib/gi18n.h>
#include <string.h>

gboolean
regard_window_shows_file(RegardWindow *self)
{
  return self->foreign != NULL;
}

/* ---- Words --------------------------------------------------------------------------------- */

/* "6 layers × 8 heads" of the kind with most heads, for the heading. */
static char *
describe_size(const mt_capture *capture)
{
  gsize layers = 0, heads = 0, tokens = 0;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k) * mt_capture_n_heads(capture, k) > layers * heads) {
      layers = mt_capture_n_layers(capture, k);
      heads = mt_capture_n_heads(capture, k);
    }
  const mt_tokens *lists[] = {mt_capture_source(capture), mt_capture_output(capture)};
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    tokens += lists[i] ? mt_tokens_count(lists[i]) : 0;
  return g_strdup_printf(_("%zu layers × %zu heads, %zu tokens"), layers, heads, tokens);
}

/* What does not hold for every row, as it does for attention; or NULL. */
static char *
describe_rows(const mt_capture *capture)
{
  double least = 1, largest = 1;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    if (!mt_capture_n_layers(capture, k))
      continue;
    mt_weight_range range = mt_capture_weight_range(capture, k);
    least = MIN(least, range.least_sum);
    largest = MAX(largest, range.largest_sum);
  }
  if (least >= 0.998 && largest <= 1.002)
    return NULL;
  return g_strdup_printf(_("Its rows sum to %.2f…%.2f."), least, largest);
}

static void
show_banner(RegardWindow *self)
{
  g_autofree char *origin = regard_naming_origin(self->foreign);
  g_autofree char *size = describe_size(self->foreign);
  g_autofree char *rows = describe_rows(self->foreign);
  g_autofree char *title = g_strdup_printf("%s – %s", origin, size);
  g_autofree char *detail =
      g_strdup_printf("%s%s%s",
                      _("From a file, not from the open model. Your text is kept: go on typing to "
                        "come back to it."),
                      rows ? " " : "", rows ? rows : "");
  regard_banner_show(self->banner, REGARD_BANNER_CAPTURE, title, detail, _("Back to Typing"));
}

char *
regard_window_describe_file(RegardWindow *self, mt_stack stack)
{
  const mt_tokens *tokens = stack == MT_STACK_ENCODER ? mt_capture_source(self->foreign)
                                                      : mt_capture_output(self->foreign);
  guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;
  return g_strdup_printf(ngettext("%u piece", "%u pieces", n), n);
}

/* ---- Showing and going back ---------------------------------------------------------------- */

/* What belongs to translating only. */
static void
set_translating(RegardWindow *self, gboolean translating)
{
  const mt_capture *capture = self->foreign;
  g_object_set(self->source, "editable", translating, "title",
               _(regard_naming_stack_title(capture, MT_STACK_ENCODER)), NULL);
  g_object_set(self->target, "title", _(regard_naming_stack_title(capture, MT_STACK_DECODER)),
               NULL);
  gboolean has_source = translating || mt_capture_source(capture) != NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->target),
                         translating || mt_capture_output(capture) != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->source), has_source);
  gtk_widget_set_visible(GTK_WIDGET(self->search_button), translating);
  regard_language_choice_set_shown(self->language, translating);
  regard_window_show_training(self);
}

static void
show_text(RegardTextCard *card, const mt_tokens *tokens)
{
  const char *text = tokens ? mt_tokens_text(tokens) : "";
  regard_text_card_set_text(card, text);
  regard_text_card_set_caret(card, 0); /* long ones are read from their beginning */
  regard_text_card_set_sentence(card, 0, strlen(text), tokens, FALSE);
}

static void
put_aside(RegardWindow *self)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  regard_window_end_waiting(self);
  regard_translator_cancel(self->translator);
  g_clear_pointer(&self->asked_text, g_free);
  /* What a model answered that runs no more is not waited for. */
  if (self->result && self->result->model != self->model)
    g_clear_pointer(&self->result, regard_result_unref);
  regard_window_end_swap(self);
  self->kept_text = regard_text_card_dup_text(self->source);
  self->kept_caret = regard_text_card_get_caret(self->source);
  self->kept_kind = g_settings_get_string(self->settings, "kind");
  self->kept_layer = g_settings_get_uint(self->settings, "layer");
  self->kept_head = g_settings_get_uint(self->settings, "head");
}

/* The keyboard is in a text, where typing leads back, unless it was in the pictures. */
static void
keep_focus(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (!focus || !gtk_widget_is_ancestor(focus, GTK_WIDGET(self->content)))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.focus-source", NULL);
}

static void
show_capture(RegardWindow *self, mt_capture *capture)
{
  gboolean is_first = regard_selection_get_capture(self->selection) == NULL;
  if (!self->foreign)
    put_aside(self);
  mt_capture_unref(self->foreign);
  self->foreign = mt_capture_ref(capture);

  set_translating(self, FALSE);
  show_text(self->source, mt_capture_source(capture));
  show_text(self->target, mt_capture_output(capture));
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), FALSE);
  regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
  show_banner(self);
  regard_selection_set_capture(self->selection, capture);
  if (is_first)
    regard_window_apply_place(self);
  regard_selection_set_stale(self->selection, FALSE);
  regard_window_update_status(self);
  regard_window_update_lit(self);
  regard_window_update_choices(self);
  regard_window_update_content(self);
  regard_window_queue_layout(self);
  keep_focus(self);
}

void
regard_window_close_file(RegardWindow *self)
{
  if (self->reading)
    g_cancellable_cancel(self->reading);
  g_clear_object(&self->reading);
  if (!self->foreign)
    return;
  g_clear_pointer(&self->foreign, mt_capture_unref);
  regard_banner_clear(self->banner, REGARD_BANNER_CAPTURE);
  /* Before it is editable again: what was shown is nothing to undo to. */
  regard_text_card_set_text(self->source, self->kept_text);
  set_translating(self, TRUE);
  regard_text_card_set_caret(self->source, self->kept_caret);
  g_clear_pointer(&self->kept_text, g_free);

  if (self->result && self->result->capture)
    regard_window_show_result(self, self->result);
  else
    regard_window_clear_result(self);
  g_settings_set_string(self->settings, "kind", self->kept_kind);
  g_settings_set_uint(self->settings, "layer", self->kept_layer);
  g_settings_set_uint(self->settings, "head", self->kept_head);
  g_clear_pointer(&self->kept_kind, g_free);
  regard_window_apply_place(self);
  regard_window_update_choices(self);
  regard_window_update_request(self, TRUE);
}

/* ---- Opening ------------------------------------------------------------------------------- */

static void
on_read(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardWindow) self = data;
  g_autoptr(GError) error = NULL;
  mt_capture *capture = regard_capture_load_finish(result, &error);
  /* Another file was chosen meanwhile, or a text was typed, or the window is gone. */
  if (g_task_get_cancellable(G_TASK(result)) != self->reading || !self->translator) {
    mt_capture_unref(capture);
    return;
  }
  g_clear_object(&self->reading);
  if (capture)
    show_capture(self, capture);
  else
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                       _("Nothing was changed: what was shown is still there."), NULL);
  mt_capture_unref(capture);
}

void
regard_window_open_capture(RegardWindow *self, const char *path)
{
  g_return_if_fail(REGARD_IS_WINDOW(self) && path);
  if (self->reading)
    g_cancellable_cancel(self->reading);
  g_clear_object(&self->reading);
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
  self->reading = g_cancellable_new();
  regard_capture_load_async(path, self->reading, on_read, g_object_ref(self));
}

/* What a file that was dropped or named is decides who opens it. */
void
regard_window_open_path(RegardWindow *self, const char *path)
{
  if (regard_capture_file_recognises(path))
    regard_window_open_capture(self, path);
  else
    regard_window_open_model(self, path);
}

static void
on_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      regard_window_open_capture(self, path);
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
  regard_window_open_capture(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

static void
close_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_window_close_file(self);
  gtk_widget_grab_focus(GTK_WIDGET(regard_text_card_get_view(self->source)));
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
  if (!self->foreign || !is_typing(keyval, state))
    return FALSE;
  GtkWidget *source = GTK_WIDGET(regard_text_card_get_view(self->source));
  gboolean is_elsewhere =
      gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(controller)) != source;
  regard_window_close_file(self);
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
  RegardTextCard *cards[] = {self->source, self->target};
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++) {
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_name(keys, "typing-again");
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
    gtk_widget_add_controller(GTK_WIDGET(regard_text_card_get_view(cards[i])), keys);
  }
}
