/* test-window-changes.c — heads switched off in the window: the translation follows, and everything
 * says so until it is taken back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-interventions-bar.h"
#include "parts/regard-messages.h"
#include "suite.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-piece-chooser.h"
#include "window-test.h"
#include "window/regard-interventions-dialog.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define DOGS "I have two dogs."

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
  g_assert_cmpstr(mt_interventions_text(regard_document_get_search(t->document)->interventions), ==,
                  text);
  g_assert_cmpstr(mt_interventions_text(mt_translation_interventions(sentence(t)->translation)), ==,
                  text);
  g_assert_cmpstr(mt_interventions_text(
                      mt_capture_interventions(regard_selection_get_capture(t->selection))),
                  ==, text);
}

static RegardInterventionsBar *
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
  g_autoptr(mt_translation) first = mt_translation_ref(sentence(t)->translation);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard");

  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "cross 4.1 zero");
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_find(bar(t), GTK_TYPE_MENU_BUTTON)), ==,
                  "1 change");
  g_assert_cmpfloat(score(t), !=, plain);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard – 1 change");
  g_assert_cmpstr(adw_window_title_get_subtitle(window_test_child(t, "title")), ==, "1 change");
  g_autofree char *said = window_test_caption(t);
  g_assert_nonnull(strstr(said, "Changed in the model: cross 4.1 zero."));

  regard_selection_set_place(t->selection, MT_ENCODER_SELF, 0, 7);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "cross 4.1 zero\nencoder 1.8 zero");

  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "encoder 1.8 zero");
  regard_selection_set_place(t->selection, MT_ENCODER_SELF, 0, 7);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  assert_changes(t, "");
  regard_document_undo(t->document);
  assert_changes(t, "encoder 1.8 zero");
  regard_document_redo(t->document);
  assert_changes(t, "");
  /* Nothing was forgotten: it is the translation that stood there at first. */
  g_assert_true(sentence(t)->translation == first);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(t->window)), ==, "Regard");
}

/* The button of the banner, and what the status and the thumbnails say. */
static void
test_reset(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_DECODER_SELF, 2, 1);
  window_test_act(t, "win.switch-head", NULL);
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
  g_assert_null(regard_document_get_search(t->document)->interventions);
}

/* A model that has no such head: the text says so, and Reset helps. */
static void
test_other_model(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 5, 7);
  window_test_key(t, GDK_KEY_x, 0);
  assert_changes(t, "cross 6.8 zero");
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, small);
  window_test_settle(t);
  const GError *error = regard_result_error(regard_document_get_result(t->document));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "cross 6.8 zero"));
  window_test_act(t, "win.reset-changes", NULL);
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
  mt_capture *capture = regard_selection_get_capture(t->selection);
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

static RegardInterventionsDialog *
open_list(WindowTest *t)
{
  window_test_act(t, "win.edit-changes", NULL);
  GListModel *windows = gtk_window_get_toplevels(); /* GTK keeps it */
  for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
    g_autoptr(GObject) window = g_list_model_get_item(windows, i);
    if (REGARD_IS_INTERVENTIONS_DIALOG(window))
      return REGARD_INTERVENTIONS_DIALOG(window);
  }
  g_assert_not_reached();
}

static void
type(RegardInterventionsDialog *dialog, const char *text, const char *message)
{
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(window_test_find(dialog, GTK_TYPE_TEXT_VIEW)),
                           text, -1);
  app_test_until(strstr(window_test_label(dialog, "caption"), message) != NULL);
}

/* What can be read is made while one types, what cannot is said, and undo is seen there too. */
static void
test_list(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  g_assert_true(window_test_key(t, GDK_KEY_x, 0));
  RegardInterventionsDialog *dialog = open_list(t);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(window_test_find(dialog, GTK_TYPE_TEXT_VIEW));
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
  app_test_until(strstr(window_test_label(dialog, "caption"), "1 change") != NULL);
  assert_changes(t, "cross 4.1 zero");
  type(dialog, "", "0 changes");
  assert_changes(t, "");
  gtk_window_destroy(GTK_WINDOW(dialog));
}

/* ---- Layers, columns, kinds --------------------------------------------------------------------
 */

static void
make(WindowTest *t, const char *action, const char *line)
{
  g_assert_true(window_test_act(t, action, "s", line));
}

static void
test_whole(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 3, 2);
  g_assert_true(window_test_key(t, GDK_KEY_X, GDK_SHIFT_MASK));
  assert_changes(t, "cross 4 zero");
  g_assert_true(window_test_key(t, GDK_KEY_x, 0)); /* this one on again */
  assert_changes(t, "cross 4.1-2 zero\ncross 4.4-8 zero");
  g_assert_true(window_test_key(t, GDK_KEY_X, GDK_SHIFT_MASK)); /* not all were off */
  assert_changes(t, "cross 4 zero");
  g_assert_true(window_test_key(t, GDK_KEY_X, GDK_SHIFT_MASK));
  assert_changes(t, "");
  g_assert_true(window_test_key(t, GDK_KEY_X, GDK_SHIFT_MASK | GDK_CONTROL_MASK));
  assert_changes(t, "cross *.3 zero");
  make(t, "win.make-change", "cross 4.3 uniform");
  assert_changes(t, "cross 1-3.3 zero\ncross 5-6.3 zero\ncross 4.3 uniform");
  for (guint i = 0; i < 6; i++)
    regard_document_undo(t->document);
  assert_changes(t, "");
  for (guint i = 0; i < 6; i++)
    regard_document_redo(t->document);
  assert_changes(t, "cross 1-3.3 zero\ncross 5-6.3 zero\ncross 4.3 uniform");
  /* What cannot be made changes nothing. */
  make(t, "win.make-change", "cross 9.1 zero");
  make(t, "win.make-change", "cross 4.3 mean");
  assert_changes(t, "cross 1-3.3 zero\ncross 5-6.3 zero\ncross 4.3 uniform");
}

/* "mean" is there where a file of means is: beside the model's weights. */
static void
test_means(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  const RegardSlotModel *own = &regard_document_get_slot(t->document)->own;
  g_assert_null(own->means);
  /* A change that wants some is refused with the same words. */
  g_autoptr(GError) refused = NULL;
  g_assert_false(regard_document_set_interventions_text(t->document, "cross 6.1 mean", &refused));
  g_assert_cmpstr(refused->message, ==, own->why_no_means);
  g_assert_nonnull(strstr(own->why_no_means, "There are no means beside the model"));
  mt_error error = {0};
  mt_model *model = regard_document_get_model(t->document);
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  g_autoptr(mt_means_sum) sum = mt_means_sum_new(session, &error);
  g_assert_true(mt_means_sum_add(sum, sentence(t)->translation, 0, NULL, &error));
  g_autoptr(mt_means) means = mt_means_sum_finish(sum, "dogs", &error);
  g_assert_nonnull(means);
  /* A folder like the model's, with one more file. */
  g_autofree char *dir = g_dir_make_tmp("regard-means-XXXXXX", NULL);
  g_autoptr(GDir) files = g_dir_open(app_test_model_dir(), 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(files))) {
    g_autofree char *from = g_build_filename(app_test_model_dir(), name, NULL),
                    *to = g_build_filename(dir, name, NULL);
    g_assert_cmpint(symlink(from, to), ==, 0);
  }
  /* Under either name: what effects find, changes find. */
  g_autofree char *path = g_build_filename(dir, "some.means.npz", NULL);
  g_assert_true(mt_means_write(means, path, &error));
  regard_document_open_model(t->document, dir);
  window_test_settle(t);
  g_assert_nonnull(own->means);
  g_assert_null(own->why_no_means);
  double plain = score(t);
  make(t, "win.make-mean", "cross 6.1 mean");
  assert_changes(t, "cross 6.1 mean");
  g_assert_cmpfloat(score(t), !=, plain);
  regard_document_undo(t->document);
  assert_changes(t, "");
  regard_document_redo(t->document);
  assert_changes(t, "cross 6.1 mean");
  g_assert_null(regard_result_error(regard_document_get_result(t->document)));
  g_dir_rewind(files);
  g_remove(path);
  while ((name = g_dir_read_name(files))) {
    g_autofree char *to = g_build_filename(dir, name, NULL);
    g_remove(to);
  }
  g_rmdir(dir);
}

/* In every frame there is a text: the old one until the new one is there. */
typedef struct {
  GtkTextBuffer *buffer;
  char *old;
  guint n_old, n_new;
} Frames;

static void
on_painted(GdkFrameClock *clock, Frames *frames)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(frames->buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text(frames->buffer, &start, &end, FALSE);
  g_assert_cmpstr(text, !=, "");
  if (g_str_equal(text, frames->old))
    frames->n_old++;
  else
    frames->n_new++;
}

static void
test_no_flicker(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  GtkWidget *view = GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "target")));
  Frames frames = {.buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)),
                   .old = window_test_target(t)};
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(t->window));
  gulong id = g_signal_connect(clock, "after-paint", G_CALLBACK(on_painted), &frames);
  make(t, "win.make-change", "cross zero");
  window_test_settle(t);
  g_signal_handler_disconnect(clock, id);
  g_assert_cmpuint(frames.n_new, >, 0);
  g_free(frames.old);
}

/* ---- The list in the bar -----------------------------------------------------------------------
 */

static void
test_rows(WindowTest *t, gconstpointer data)
{
  RegardInterventionRows *rows = window_test_find(bar(t), REGARD_TYPE_INTERVENTION_ROWS);
  gboolean is_made;
  window_test_translate(t, DOGS);
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_find(bar(t), GTK_TYPE_MENU_BUTTON)), ==,
                  "Changes");
  g_assert_true(regard_intervention_rows_add(rows, " cross  4.1 zero "));
  g_assert_true(regard_intervention_rows_add(rows, "source 3 hide"));
  g_assert_true(regard_intervention_rows_add(rows, "encoder window 2"));
  assert_changes(t, "cross 4.1 zero\nsource 3 hide\nencoder window 2");
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_find(bar(t), GTK_TYPE_MENU_BUTTON)), ==,
                  "3 changes");
  /* Not for now, and again, in its place. */
  regard_intervention_rows_set_made(rows, 1, FALSE);
  assert_changes(t, "cross 4.1 zero\nencoder window 2");
  g_assert_cmpuint(regard_intervention_rows_count(rows), ==, 3);
  g_assert_cmpstr(regard_intervention_rows_get(rows, 1, &is_made), ==, "source 3 hide");
  g_assert_false(is_made);
  regard_intervention_rows_set_made(rows, 1, TRUE);
  assert_changes(t, "cross 4.1 zero\nsource 3 hide\nencoder window 2");
  /* Edited; a mistake is said, and nothing is changed. */
  g_assert_true(regard_intervention_rows_edit(rows, 0, "cross 4.1 uniform"));
  assert_changes(t, "cross 4.1 uniform\nsource 3 hide\nencoder window 2");
  g_assert_false(regard_intervention_rows_edit(rows, 0, "cross 4.1 unform"));
  g_assert_nonnull(strstr(window_test_label(bar(t), "error"), "\"unform\""));
  g_assert_false(regard_intervention_rows_edit(rows, 0, "cross 9.1 uniform"));
  g_assert_nonnull(strstr(window_test_label(bar(t), "error"), "cross 9.1 uniform"));
  assert_changes(t, "cross 4.1 uniform\nsource 3 hide\nencoder window 2");
  regard_intervention_rows_set_made(rows, 2, FALSE);
  regard_intervention_rows_remove(rows, 0);
  assert_changes(t, "source 3 hide");
  g_assert_cmpuint(regard_intervention_rows_count(rows), ==, 2);
  g_assert_cmpstr(window_test_label(bar(t), "error"), ==, "");
  /* What undo brings back is seen, and what was put aside stays. */
  regard_document_undo(t->document);
  assert_changes(t, "cross 4.1 uniform\nsource 3 hide");
  g_assert_cmpuint(regard_intervention_rows_count(rows), ==, 3);
  g_signal_emit_by_name(window_test_find_action(bar(t), "win.reset-changes"), "clicked");
  assert_changes(t, "");
  g_assert_cmpuint(regard_intervention_rows_count(rows), ==, 1);
  /* By its widgets. */
  GtkWidget *made = window_test_find(rows, GTK_TYPE_CHECK_BUTTON);
  gtk_test_accessible_assert_property(made, GTK_ACCESSIBLE_PROPERTY_LABEL, "Make encoder window 2");
  gtk_check_button_set_active(GTK_CHECK_BUTTON(made), TRUE);
  assert_changes(t, "encoder window 2");
}

static void
test_presets(WindowTest *t, gconstpointer data)
{
  RegardInterventionPresets *presets = window_test_find(bar(t), REGARD_TYPE_INTERVENTION_PRESETS);
  window_test_translate(t, DOGS);
  g_assert_false(regard_intervention_presets_save(presets, "nothing"));
  g_assert_true(regard_intervention_presets_apply(presets, "Encoder without positions"));
  assert_changes(t, "source position zero");
  g_assert_true(regard_intervention_presets_apply(presets, "Cross-attention uniform in layer 1"));
  assert_changes(t, "cross 1 uniform");
  make(t, "win.make-change", "cross 4.1 zero");
  g_assert_false(regard_intervention_presets_save(presets, "  "));
  g_assert_false(regard_intervention_presets_save(presets, "No cross-attention"));
  g_assert_true(regard_intervention_presets_save(presets, " mine "));
  regard_document_set_interventions(t->document, NULL);
  g_assert_true(regard_intervention_presets_apply(presets, "mine"));
  assert_changes(t, "cross 1 uniform\ncross 4.1 zero");
  g_assert_true(regard_intervention_presets_rename(presets, "mine", "ours"));
  g_assert_false(regard_intervention_presets_rename(presets, "mine", "theirs"));
  g_assert_false(regard_intervention_presets_rename(presets, "ours", "No cross-attention"));
  g_assert_false(regard_intervention_presets_apply(presets, "mine"));
  g_autoptr(GVariant) value = g_settings_get_value(t->settings, "change-presets");
  g_autofree char *kept = g_variant_print(value, FALSE);
  g_assert_cmpstr(kept, ==, "[('ours', 'cross 1 uniform\\ncross 4.1 zero')]");
  g_assert_true(regard_intervention_presets_delete(presets, "ours"));
  g_assert_false(regard_intervention_presets_delete(presets, "ours"));
  /* What this model does not have is said. */
  g_autoptr(GVariant) deep = g_variant_ref_sink(
      g_variant_new_parsed("[('deep', 'cross 60.1 zero'), ('damaged', 'cross')]"));
  g_settings_set_value(t->settings, "change-presets", deep);
  g_assert_false(regard_intervention_presets_apply(presets, "deep"));
  g_assert_nonnull(strstr(window_test_label(bar(t), "error"), "cross 60.1 zero"));
  g_assert_false(regard_intervention_presets_apply(presets, "damaged"));
  assert_changes(t, "cross 1 uniform\ncross 4.1 zero");
}

/* All places of a drag are one step back. */
static void
test_slider(WindowTest *t, gconstpointer data)
{
  GtkRange *range =
      window_test_find(window_test_find(bar(t), REGARD_TYPE_WINDOW_SLIDER), GTK_TYPE_SCALE);
  window_test_translate(t, DOGS);
  g_assert_cmpfloat(gtk_range_get_value(range), ==, REGARD_NO_WINDOW);
  for (int r = 8; r >= 2; r--)
    gtk_range_set_value(range, r);
  assert_changes(t, "encoder window 2\ndecoder window 2");
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_true(mt_capture_is_masked(capture, MT_ENCODER_SELF, 0, 0, 0, 3));
  g_assert_false(mt_capture_is_masked(capture, MT_ENCODER_SELF, 0, 0, 0, 2));
  regard_document_undo(t->document);
  assert_changes(t, "");
  g_assert_cmpfloat(gtk_range_get_value(range), ==, REGARD_NO_WINDOW);
  regard_document_redo(t->document);
  g_assert_cmpfloat(gtk_range_get_value(range), ==, 2);
  gtk_range_set_value(range, REGARD_NO_WINDOW);
  assert_changes(t, "");
}

static void
test_clipboard(WindowTest *t, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(t->window));
  window_test_translate(t, DOGS);
  make(t, "win.make-change", "cross 4.1 zero");
  make(t, "win.make-change", "source 3 hide");
  window_test_act(t, "win.copy-changes", NULL);
  regard_document_set_interventions(t->document, NULL);
  window_test_act(t, "win.paste-changes", NULL);
  for (guint i = 0; i < 1000 && !regard_document_get_search(t->document)->interventions; i++)
    g_main_context_iteration(NULL, FALSE);
  assert_changes(t, "cross 4.1 zero\nsource 3 hide");
  /* What is said of it is no markup, whatever is in it. */
  GtkWidget *overlay =
      gtk_widget_get_ancestor(window_test_child(t, "root"), ADW_TYPE_TOAST_OVERLAY);
  adw_toast_dismiss(g_object_get_data(G_OBJECT(overlay), "regard-said")); /* that it was copied */
  gdk_clipboard_set_text(clipboard, "<unk> & Hunde");
  window_test_act(t, "win.paste-changes", NULL);
  app_test_until(g_object_get_data(G_OBJECT(overlay), "regard-said") != NULL);
  assert_changes(t, "cross 4.1 zero\nsource 3 hide");
  app_test_run_for(50);
  GtkWidget *toast = gtk_widget_get_last_child(overlay);
  const char *said = window_test_label(toast, "heading");
  g_assert_true(said && g_str_has_prefix(said, "What was copied are no changes: "));
  g_assert_nonnull(strstr(said, "<unk>"));
  /* An error in another language has two lines, and both are there. */
  regard_toast(overlay, "Une phrase.\nDétails : <unk>");
  app_test_run_for(50);
  g_assert_cmpstr(window_test_label(gtk_widget_get_last_child(overlay), NULL), ==,
                  "Une phrase.\nDétails : <unk>");
}

/* ---- Weights and pieces ------------------------------------------------------------------------
 */

static void
test_weights(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  regard_selection_set_pin(t->selection, (RegardCell){1, 2});
  for (guint i = 0; i < 5; i++) {
    g_autofree char *line = g_strdup_printf("cross 4.1 query 2 key 3 set 0.%u", 5 + i);
    window_test_act(t, "win.drag-change", "(st)", line, (guint64) 7);
  }
  assert_changes(t, "cross 4.1 query 2 key 3 set 0.9");
  RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_cmpfloat_with_epsilon(regard_matrix_get(m, 1, 2), 0.9f, 1e-5);
  g_assert_cmpfloat_with_epsilon(regard_matrix_row_sum(m, 1), 1, 1e-4);
  regard_document_undo(t->document); /* one drag */
  assert_changes(t, "");
  g_assert_true(window_test_key(t, GDK_KEY_Delete, 0));
  assert_changes(t, "cross 4.1 query 2 key 3 hide");
  g_assert_true(window_test_key(t, GDK_KEY_BackSpace, 0));
  assert_changes(t, "");
}

static void
test_pieces(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  const mt_model *model = regard_document_get_model(t->document);
  g_autoptr(GArray) found = regard_piece_chooser_find(model, "HAV", 10);
  g_assert_cmpuint(found->len, >, 0);
  g_assert_nonnull(
      strstr(mt_model_piece(model, MT_STACK_ENCODER, g_array_index(found, int32_t, 0)), "hav"));
  g_autoptr(GArray) word = regard_piece_chooser_find(model, "have", 10);
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_ENCODER, g_array_index(word, int32_t, 0)), ==,
                  "▁have");
  g_autoptr(GArray) none = regard_piece_chooser_find(model, "☃☃", 10);
  g_assert_cmpuint(none->len, ==, 0);
  g_autoptr(GArray) empty = regard_piece_chooser_find(model, " ", 10);
  g_assert_cmpuint(empty->len, ==, 0);

  GtkWidget *strip = window_test_find(window_test_card(t, "source"), REGARD_TYPE_TOKEN_STRIP);
  gtk_widget_grab_focus(strip);
  g_assert_true(strip_key(strip, GDK_KEY_Right));
  g_assert_true(strip_key(strip, GDK_KEY_F2));
  GtkWidget *chooser = window_test_find(strip, REGARD_TYPE_PIECE_CHOOSER);
  GtkWidget *entry = window_test_find(chooser, GTK_TYPE_ENTRY);
  gtk_editable_set_text(GTK_EDITABLE(entry), "see");
  g_signal_emit_by_name(entry, "activate");
  g_autoptr(GArray) see = regard_piece_chooser_find(model, "see", 1);
  g_autofree char *line = g_strdup_printf("source 2 piece %d", g_array_index(see, int32_t, 0));
  assert_changes(t, line);
  g_autofree char *now = window_test_target(t);
  g_assert_nonnull(now);
  g_assert_true(strip_key(strip, GDK_KEY_Delete)); /* on again */
  assert_changes(t, "");
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-changes/key", test_key);
  WINDOW_TEST("/window-changes/reset", test_reset);
  WINDOW_TEST("/window-changes/other-model", test_other_model);
  WINDOW_TEST("/window-changes/hidden-piece", test_hidden_piece);
  WINDOW_TEST("/window-changes/list", test_list);
  WINDOW_TEST("/window-changes/whole", test_whole);
  WINDOW_TEST("/window-changes/means", test_means);
  WINDOW_TEST("/window-changes/no-flicker", test_no_flicker);
  WINDOW_TEST("/window-changes/rows", test_rows);
  WINDOW_TEST("/window-changes/presets", test_presets);
  WINDOW_TEST("/window-changes/slider", test_slider);
  WINDOW_TEST("/window-changes/clipboard", test_clipboard);
  WINDOW_TEST("/window-changes/weights", test_weights);
  WINDOW_TEST("/window-changes/pieces", test_pieces);
}
