/* test-window-task.c — what a model is told to do, by words before the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-task-choice.h"
#include "suite.h"
#include "window-test.h"

#include <string.h>

static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *tiny = app_test_checkpoint("t5-tiny");
  window_test_set_up(t, tiny);
}

static GtkWidget *
choice(WindowTest *t)
{
  return GTK_WIDGET(window_test_part(t, "source", "task"));
}

static GtkDropDown *
list(WindowTest *t)
{
  return window_test_find(choice(t), GTK_TYPE_DROP_DOWN);
}

static GtkEditable *
entry(WindowTest *t)
{
  return window_test_find(choice(t), GTK_TYPE_ENTRY);
}

/* As a person does. */
static void
choose(WindowTest *t, const char *name)
{
  GListModel *names = gtk_drop_down_get_model(list(t));
  for (guint i = 0; i < g_list_model_get_n_items(names); i++)
    if (g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(names), i), name)) {
      gtk_drop_down_set_selected(list(t), i);
      window_test_settle(t);
      return;
    }
  g_error("no task %s", name);
}

static void
type_prefix(WindowTest *t, const char *text)
{
  gtk_editable_set_text(entry(t), text);
  g_signal_emit_by_name(entry(t), "activate");
  window_test_settle(t);
}

/* How many tokens of the source that is shown are of the prefix. */
static guint
n_prefix(WindowTest *t)
{
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  const mt_tokens *source = mt_capture_source(capture);
  guint n = 0;
  while (mt_tokens_get(source, n)->is_prefix)
    n++;
  return n;
}

static void
assert_told(WindowTest *t, const char *task, const char *prefix, gsize beams)
{
  const RegardResult *result = regard_document_get_result(t->document);
  g_assert_cmpstr(gtk_editable_get_text(entry(t)), ==, prefix);
  g_assert_cmpstr(result->params.task ? result->params.task->name : "", ==, task);
  g_assert_cmpstr(result->params.task_prefix, ==, prefix);
  g_assert_cmpuint(result->params.beam_size, ==, beams);
  g_assert_true((n_prefix(t) > 0) == (*prefix != '\0'));
}

static void
test_choose(WindowTest *t, gconstpointer data)
{
  g_assert_true(gtk_widget_get_visible(choice(t)));
  g_assert_cmpuint(g_list_model_get_n_items(gtk_drop_down_get_model(list(t))), ==, 3);
  window_test_translate(t, "A cat. A dog.");
  assert_told(t, "", "", 1);
  g_assert_cmpuint(regard_document_get_result(t->document)->n_sentences, ==, 2);
  g_assert_false(regard_selection_get_matrix(t->selection)->col_labels[0].is_task);
  /* A summary is of the whole text. */
  choose(t, "summarization");
  assert_told(t, "summarization", "summarize: ", 3);
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_part(t, "target", "search_button")), ==,
                  "beam 3");
  g_assert_cmpuint(regard_document_get_result(t->document)->n_sentences, ==, 1);
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "A cat. A dog.");
  regard_selection_set_place(t->selection, MT_CROSS, 0, 0);
  window_test_settle(t);
  const RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_true(m->col_labels[0].is_task);
  g_assert_false(m->col_labels[m->cols - 1].is_task);
  choose(t, "translation_en_to_de");
  assert_told(t, "translation_en_to_de", "translate English to German: ", 4);
  g_assert_cmpuint(regard_document_get_result(t->document)->n_sentences, ==, 2);
}

/* Another prefix keeps the settings of the task, is one step of undo, and has room. */
static void
test_type(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "a cat");
  choose(t, "summarization");
  type_prefix(t, "say: ");
  assert_told(t, "summarization", "say: ", 3);
  regard_document_undo(t->document);
  window_test_settle(t);
  assert_told(t, "summarization", "summarize: ", 3);
  regard_document_undo(t->document);
  window_test_settle(t);
  assert_told(t, "", "", 1);
  regard_document_redo(t->document);
  regard_document_redo(t->document);
  window_test_settle(t);
  assert_told(t, "summarization", "say: ", 3);

  g_autofree char *x = g_strnfill(MT_PREFIX_SIZE, 'x');
  type_prefix(t, x);
  g_assert_true(gtk_widget_has_css_class(GTK_WIDGET(entry(t)), "error"));
  g_assert_cmpstr(regard_document_get_search(t->document)->task_prefix, ==, "say: ");
  /* That of the task is nothing of one's own. */
  type_prefix(t, "summarize: ");
  g_assert_false(gtk_widget_has_css_class(GTK_WIDGET(entry(t)), "error"));
  g_assert_false(regard_document_get_search(t->document)->has_task_prefix);
  type_prefix(t, "");
  assert_told(t, "summarization", "", 3);
}

/* For each model by itself; where there is no task, or languages are told, there is no choice. */
static void
test_models(WindowTest *t, gconstpointer data)
{
  g_autofree char *gated = app_test_checkpoint("t5-gated-tiny");
  g_autofree char *marian = app_test_checkpoint("post-norm-relu");
  g_autofree char *nllb = app_test_checkpoint("nllb-tiny");
  window_test_translate(t, "a cat");
  choose(t, "summarization");
  type_prefix(t, "say: ");
  regard_document_open_model(t->document, gated);
  window_test_settle(t);
  g_assert_true(gtk_widget_get_visible(choice(t)));
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(list(t))));
  assert_told(t, "", "", 1);
  type_prefix(t, "own: ");
  assert_told(t, "", "own: ", 1);
  regard_document_open_model(t->document, marian);
  window_test_settle(t);
  g_assert_false(gtk_widget_get_visible(choice(t)));
  g_assert_false(regard_document_get_search(t->document)->has_task_prefix);
  regard_document_open_model(t->document, nllb);
  window_test_settle(t);
  g_assert_false(gtk_widget_get_visible(choice(t)));
  regard_document_open_model(t->document, gated);
  window_test_settle(t);
  assert_told(t, "", "own: ", 1);

  /* The first one, which is the bundled one here, is told what it was told; in another window too.
   */
  regard_document_open_model(t->document, "");
  window_test_settle(t);
  assert_told(t, "summarization", "say: ", 3);
  WindowTest second = window_test_another(t);
  gtk_window_present(GTK_WINDOW(second.window));
  window_test_translate(&second, "a cat");
  assert_told(&second, "summarization", "say: ", 3);
  gtk_window_destroy(GTK_WINDOW(second.window));
}

/* A session has it, and a file that is shown has no choice. */
static void
test_session(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "a.regard", NULL);
  g_autofree char *file =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "foreign-translation.npz", NULL);
  window_test_translate(t, "a cat");
  choose(t, "summarization");
  type_prefix(t, "say: ");
  window_test_act(t, "win.write-session", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  choose(t, "no task");
  assert_told(t, "", "", 1);
  regard_document_open_session(t->document, path, NULL);
  app_test_until(regard_document_get_search(t->document)->has_task_prefix);
  window_test_settle(t);
  assert_told(t, "summarization", "say: ", 3);
  app_test_remove(folder);

  regard_document_open_capture(t->document, file);
  window_test_settle(t);
  g_assert_false(gtk_widget_get_visible(choice(t)));
  g_assert_true(window_test_act(t, "win.close-capture", NULL));
  window_test_settle(t);
  g_assert_true(gtk_widget_get_visible(choice(t)));
}

/* A screen reader hears what they are for, and Alt+K leads there. */
static void
test_accessible(WindowTest *t, gconstpointer data)
{
  GtkLabel *label = window_test_find(choice(t), GTK_TYPE_LABEL);
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(list(t)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Task of the model");
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(entry(t)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Words before the text");
  g_assert_true(gtk_label_get_mnemonic_widget(label) == GTK_WIDGET(list(t)));
  g_assert_cmpuint(gtk_label_get_mnemonic_keyval(label), ==, GDK_KEY_k);
}

TESTS(.begin = window_test_begin)
{
#define ADD(name, function) \
  g_test_add("/window-task/" name, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("choose", test_choose);
  ADD("type", test_type);
  ADD("models", test_models);
  ADD("session", test_session);
  ADD("accessible", test_accessible);
}
