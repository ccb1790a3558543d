/* test-window-changes.c — heads switched off in the window: the translation follows, and everything
 * says so until it is taken back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-changes-bar.h"
#include "widgets/regard-heads.h"
#include "window-test.h"
#include "window/regard-changes-dialog.h"

#include <string.h>

#define DOGS "I have two dogs."

static RegardSelection *
selection(WindowTest *t)
{
  return regard_document_get_selection(t->document);
}

static const RegardResultSentence *
sentence(WindowTest *t)
{
  return regard_result_active(regard_document_get_result(t->document));
}

static double
score(WindowTest *t)
{
  return mt_translation_hypothesis(sentence(t)->translation, 0)->score;
}

static void
assert_changes(WindowTest *t, const char *text)
{
  window_test_settle(t);
  g_assert_cmpstr(mt_changes_text(regard_document_get_changes(t->document)), ==, text);
  g_assert_cmpstr(mt_changes_text(mt_translation_changes(sentence(t)->translation)), ==, text);
  g_assert_cmpstr(mt_changes_text(mt_capture_changes(regard_selection_get_capture(selection(t)))),
                  ==, text);
}

static RegardChangesBar *
bar(WindowTest *t)
{
  return window_test_child(t, "changes_bar");
}

/* X switches the head that is looked at; another one beside it, and each on again by itself. */
static void
test_key(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  double plain = score(t);
  mt_translation *first = mt_translation_ref(sentence(t)->translation);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard");

  regard_selection_set_place(selection(t), MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "cross 4.1 zero");
  g_assert_cmpstr(regard_changes_bar_get_label(bar(t)), ==, "1 change");
  g_assert_cmpfloat(score(t), !=, plain);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard – 1 change");
  g_assert_cmpstr(adw_window_title_get_subtitle(window_test_child(t, "title")), ==, "1 change");
  g_autofree char *said = window_test_caption(t);
  g_assert_nonnull(strstr(said, "Changed in the model: cross 4.1 zero."));

  regard_selection_set_place(selection(t), MT_ENCODER_SELF, 0, 7);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "cross 4.1 zero\nencoder 1.8 zero");

  regard_selection_set_place(selection(t), MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "encoder 1.8 zero");
  regard_selection_set_place(selection(t), MT_ENCODER_SELF, 0, 7);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "");
  regard_document_undo(t->document);
  assert_changes(t, "encoder 1.8 zero");
  regard_document_redo(t->document);
  assert_changes(t, "");
  /* Nothing was forgotten: it is the translation that stood there at first. */
  g_assert_true(sentence(t)->translation == first);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard");
  mt_translation_unref(first);
}

/* The button of the banner, and what the status and the thumbnails say. */
static void
test_reset(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(selection(t), MT_DECODER_SELF, 2, 1);
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.switch-head", NULL);
  assert_changes(t, "decoder 3.2 zero");
  GtkWidget *heads = window_test_find(t->window, REGARD_TYPE_HEADS);
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Decoder self-attention, layer 3, head 2, off");
  g_autofree char *status = NULL;
  g_object_get(window_test_part(t, "target", "status"), "tooltip-text", &status, NULL);
  g_assert_nonnull(strstr(status, "changed in 1 place"));

  g_signal_emit_by_name(window_test_find_action(bar(t), "win.reset-changes"), "clicked");
  assert_changes(t, "");
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Decoder self-attention, layer 3, head 2");
  /* Without a picture there is no head to switch. */
  window_test_translate(t, "");
  window_test_key(t, GDK_KEY_x, 0);
  g_assert_null(regard_document_get_changes(t->document));
}

/* A model that has no such head: the text says so, and Reset helps. */
static void
test_other_model(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(selection(t), MT_CROSS, 5, 7);
  window_test_key(t, GDK_KEY_x, 0);
  assert_changes(t, "cross 6.8 zero");
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, small);
  window_test_settle(t);
  const GError *error = regard_result_error(regard_document_get_result(t->document));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "cross 6.8 zero"));
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.reset-changes", NULL);
  window_test_settle(t);
  g_assert_null(regard_result_error(regard_document_get_result(t->document)));
}

static gboolean
strip_key(GtkWidget *strip, guint keyval)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(strip, "keys"), "key-pressed", keyval, 0u, 0,
                        &is_used);
  return is_used;
}

/* Delete on a piece of the source hides it, from encoder and translation, and again shows it. */
static void
test_hidden_piece(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  GtkWidget *card = GTK_WIDGET(window_test_card(t, "source"));
  GtkWidget *strip = window_test_find(card, REGARD_TYPE_TOKEN_STRIP);
  gtk_widget_grab_focus(strip);
  g_autofree char *plain = window_test_target(t);
  for (guint i = 0; i < 2; i++)
    g_assert_true(strip_key(strip, GDK_KEY_Right));
  g_assert_true(strip_key(strip, GDK_KEY_Delete));
  assert_changes(t, "source 3 hide");
  mt_capture *capture = regard_selection_get_capture(selection(t));
  g_assert_true(mt_capture_is_masked(capture, MT_CROSS, 0, 0, 0, 2));
  g_assert_true(mt_capture_is_masked(capture, MT_ENCODER_SELF, 0, 0, 0, 2));
  g_autofree char *without = window_test_target(t);
  g_assert_cmpstr(plain, !=, without);
  g_assert_true(strip_key(strip, GDK_KEY_Delete));
  assert_changes(t, "");
  g_autofree char *again = window_test_target(t);
  g_assert_cmpstr(plain, ==, again);
}

/* ---- The list as a text -----------------------------------------------------------------------
 */

static RegardChangesDialog *
open_list(WindowTest *t)
{
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.edit-changes", NULL);
  GListModel *windows = gtk_window_get_toplevels(); /* GTK keeps it */
  for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
    g_autoptr(GObject) window = g_list_model_get_item(windows, i);
    if (REGARD_IS_CHANGES_DIALOG(window))
      return REGARD_CHANGES_DIALOG(window);
  }
  g_assert_not_reached();
}

typedef struct {
  RegardChangesDialog *dialog;
  const char *message;
} Said;

static gboolean
is_said(gpointer data)
{
  const Said *said = data;
  return strstr(regard_changes_dialog_get_message(said->dialog), said->message) != NULL;
}

static void
type(RegardChangesDialog *dialog, const char *text, const char *message)
{
  Said said = {dialog, message};
  gtk_text_buffer_set_text(regard_changes_dialog_get_buffer(dialog), text, -1);
  app_test_wait(is_said, &said);
}

/* What can be read is made while one types, what cannot is said, and undo is seen there too. */
static void
test_list(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(selection(t), MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  RegardChangesDialog *dialog = open_list(t);
  GtkTextBuffer *buffer = regard_changes_dialog_get_buffer(dialog);
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  g_autofree char *there = gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
  g_assert_cmpstr(there, ==, "cross 4.1 zero");

  type(dialog, "source 3 hide\nsource position 1 swap 2\n", "2 changes");
  assert_changes(t, "source 3 hide\nsource position 1 swap 2");
  type(dialog, "source 3 hide\nsource position 1 swop 2", "line 2");
  assert_changes(t, "source 3 hide\nsource position 1 swap 2"); /* still */
  type(dialog, "cross 9.1 zero", "is for layer 9");
  assert_changes(t, "source 3 hide\nsource position 1 swap 2");
  regard_document_undo(t->document);
  Said said = {dialog, "1 change"};
  app_test_wait(is_said, &said);
  assert_changes(t, "cross 4.1 zero");
  type(dialog, "", "0 changes");
  assert_changes(t, "");
  gtk_window_destroy(GTK_WINDOW(dialog));
}

int
main(int argc, char **argv)
{
  if (!window_test_init(&argc, &argv))
    return 0;
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, window_test_set_up, function, window_test_tear_down)
  ADD("/window-changes/key", test_key);
  ADD("/window-changes/reset", test_reset);
  ADD("/window-changes/other-model", test_other_model);
  ADD("/window-changes/hidden-piece", test_hidden_piece);
  ADD("/window-changes/list", test_list);
  return g_test_run();
}
