/* test-document.c — the document without a window: text, answer, file, training, undo.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"
#include "suite.h"

#include "base/regard-error.h"
#include "models/regard-training-steps.h"
#include <string.h>

#define TWO     "The cat sat on the mat. I have two dogs."
#define EXAMPLE "today the small cat has seen the old dog"

/* What is typed is answered, and whoever observes hears of it. */
static void
test_answers(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_assert_true(document_test_was_told(t, "model"));
  g_string_truncate(t->told, 0);
  document_test_set_text(t, TWO);
  g_assert_true(document_test_was_told(t, "text") && document_test_was_told(t, "caret") &&
                document_test_was_told(t, "waiting") && document_test_was_told(t, "result"));
  const RegardResult *result = regard_document_get_result(d);
  g_assert_cmpint(result->active, ==, 0);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) == result->capture);
  regard_document_step_sentence(d, 1);
  document_test_settle(t);
  result = regard_document_get_result(d);
  g_assert_cmpint(result->active, ==, 1);
  g_assert_cmpstr(regard_result_hypothesis(result, 1)->text, ==, "Ich habe zwei Hunde.");
  regard_document_choose_alternative(d, 1);
  document_test_settle(t);
  g_assert_cmpuint(regard_document_get_result(d)->sentences[1].chosen, ==, 1);

  /* The same again is no news. */
  g_string_truncate(t->told, 0);
  regard_document_edit(d, TWO, regard_document_get_caret(d));
  document_test_settle(t);
  g_assert_cmpstr(t->told->str, ==, "");
  document_test_set_text(t, " \n");
  g_assert_null(regard_document_get_result(d));
  g_assert_null(regard_selection_get_capture(regard_document_get_selection(d)));
}

static void
clear_text(RegardDocument *d)
{
  if (!*regard_document_get_text(d))
    return;
  regard_document_edit(d, "", 0);
  regard_document_ask(d);
}

/* Who hears of an answer may clear the text at once. */
static void
test_cleared_by_listener(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_signal_connect(d, "changed::result", G_CALLBACK(clear_text), NULL);
  document_test_set_text(t, TWO);
  g_assert_cmpstr(regard_document_get_text(d), ==, "");
  g_assert_null(regard_document_get_result(d));
}

/* A file stands before the text, which stays, and nothing is typed into it. */
static void
test_file(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_autofree char *path = document_test_data_file("foreign-encoder.npz");
  document_test_set_text(t, TWO);
  regard_document_set_place(d, (RegardHeadRef){MT_DECODER_SELF, 4, 6});
  regard_document_open_path(d, path);
  document_test_settle(t);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) ==
                regard_document_get_imported_capture(d));
  g_assert_cmpint(regard_document_get_place(d)->kind, ==, MT_ENCODER_SELF);
  regard_document_edit(d, "typed", 5);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_close_capture(d);
  document_test_settle(t);
  g_assert_null(regard_document_get_imported_capture(d));
  g_assert_cmpint(regard_document_get_place(d)->kind, ==, MT_DECODER_SELF);
  g_assert_cmpuint(regard_document_get_place(d)->layer, ==, 4);
  g_assert_cmpuint(regard_document_get_place(d)->head, ==, 6);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) ==
                regard_document_get_result(d)->capture);
}

/* The first head of a model is where nobody has gone anywhere; what somebody chose stays, though
 * the model is another one. */
static void
test_first_head(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  RegardSelection *s = regard_document_get_selection(d);
  document_test_set_text(t, TWO);
  g_assert_false(regard_document_is_place_chosen(d));
  g_assert_cmpint(regard_document_get_place(d)->kind, ==, MT_CROSS);
  g_assert_cmpuint(regard_document_get_place(d)->layer, ==, 3);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 0);

  /* A smaller one, and back. */
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(d, small);
  document_test_settle(t);
  const mt_config *config = mt_model_config(regard_document_get_model(d));
  const RegardFirstHead first = regard_first_head_usual(regard_document_get_model(d));
  g_assert_cmpuint(config->n_layers[MT_STACK_DECODER], <, 4);
  g_assert_cmpuint(regard_document_get_place(d)->layer, ==, first.layer);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, first.layer);
  g_assert_false(regard_document_is_place_chosen(d));
  regard_document_open_model(d, "");
  document_test_settle(t);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  regard_selection_set_place(s, MT_CROSS, 0, 1);
  g_assert_true(regard_document_is_place_chosen(d));
  regard_document_open_model(d, small);
  document_test_settle(t);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);
}

/* ---- A model that learns ------------------------------------------------------------------- */

static guint64
step_of(DocumentTest *t)
{
  const char *name = mt_model_name(regard_document_get_model(t->document));
  g_assert_true(g_str_has_prefix(name, "step-"));
  return g_ascii_strtoull(name + strlen("step-"), NULL, 10);
}

/* It begins at the beginning, with a sentence of its own, and the text comes back. */
static void
test_learn(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, TWO);
  regard_document_set_caret(d, 30);
  regard_document_learn(d);
  document_test_settle(t);
  g_assert_cmpuint(step_of(t), ==, 0);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  g_assert_cmpstr(regard_document_get_own_text(d), ==, TWO);
  g_assert_false(regard_training_needs_example(regard_document_get_training(d),
                                               regard_document_get_model_dir(d),
                                               regard_document_get_text(d)));
  /* From one checkpoint to the next, and something else typed on the way. */
  const GArray *steps = regard_document_get_training(d)->steps;
  regard_document_open_model(d, g_array_index(steps, RegardTrainingStep, steps->len - 1).path);
  document_test_settle(t);
  g_assert_cmpuint(step_of(t), ==, 1000);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  document_test_set_text(t, "the dog sees the cat");
  g_assert_true(regard_training_needs_example(regard_document_get_training(d),
                                              regard_document_get_model_dir(d),
                                              regard_document_get_text(d)));
  regard_document_open_model(d, "");
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  g_assert_cmpuint(regard_document_get_caret(d), ==, 30);
  g_assert_cmpint(regard_document_get_result(d)->active, ==, 1);
  g_assert_false(regard_training_is_learning(regard_document_get_training(d),
                                             regard_document_get_model_dir(d)));

  /* The way back without looking for the model in a list. */
  regard_document_stop_learning(d);
  g_assert_false(regard_document_is_opening(d));
  g_autofree char *own = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(d, own);
  document_test_settle(t);
  regard_document_learn(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_slot(d)->own.title, ==, "English → German, in training");
  regard_document_stop_learning(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, own);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
}

/* Given up before it began: the text is back at once. Without a text there is none to come back,
 * and what was typed to it is not lost. */
static void
test_learn_given_up(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, TWO);
  regard_document_learn(d);
  regard_document_cancel_loading(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  document_test_settle(t);

  document_test_set_text(t, "");
  regard_document_learn(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  document_test_set_text(t, "the dog sees the cat");
  regard_document_open_model(d, "");
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, "the dog sees the cat");
}

/* ---- Undo ---------------------------------------------------------------------------------- */

/* As keys do it: one character, then the main loop. */
static void
type(DocumentTest *t, const char *letters)
{
  RegardDocument *d = t->document;
  for (const char *c = letters; *c; c++) {
    gsize at = regard_document_get_caret(d);
    const char *text = regard_document_get_text(d);
    g_autofree char *front = g_strndup(text, *c == '\b' ? at - 1 : at);
    const char letter[] = {*c, '\0'};
    g_autofree char *typed = g_strconcat(front, *c == '\b' ? "" : letter, text + at, NULL);
    regard_document_edit(d, typed, *c == '\b' ? at - 1 : at + 1);
    while (g_main_context_iteration(NULL, FALSE))
      ;
  }
}

static void
assert_state(DocumentTest *t, const char *text, gsize caret)
{
  g_assert_cmpstr(regard_document_get_text(t->document), ==, text);
  g_assert_cmpuint(regard_document_get_caret(t->document), ==, caret);
}

/* Words are steps; so is each row of deletions; the caret goes where it was. */
static void
test_undo_typing(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_assert_false(regard_document_can_undo(d));
  type(t, "It rains  lotss\b\b");
  assert_state(t, "It rains  lot", 13);
  regard_document_undo(d);
  assert_state(t, "It rains  lotss", 15);
  regard_document_undo(d);
  assert_state(t, "It rains  ", 10);
  regard_document_undo(d);
  assert_state(t, "It ", 3);
  regard_document_undo(d);
  assert_state(t, "", 0);
  g_assert_false(regard_document_can_undo(d));
  regard_document_undo(d);
  for (guint i = 0; i < 4; i++)
    regard_document_redo(d);
  assert_state(t, "It rains  lot", 13);
  g_assert_false(regard_document_can_redo(d));

  /* In another place it is another step, and what was undone is gone when something is typed. */
  regard_document_undo(d);
  regard_document_set_caret(d, 0);
  document_test_settle(t);
  type(t, "ab");
  g_assert_false(regard_document_can_redo(d));
  assert_state(t, "abIt rains  lotss", 2);
  regard_document_undo(d);
  assert_state(t, "It rains  lotss", 0);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_result(d)->text, ==, "It rains  lotss");
}

/* What was selected, from its beginning on or from its end, and typed over by a key. */
static void
type_over(DocumentTest *t, const char *all, gsize begin, gsize end, gsize caret,
          const char *letters)
{
  RegardDocument *d = t->document;
  regard_document_edit(d, all, caret);
  document_test_settle(t);
  const char first[] = {*letters, '\0'};
  g_autofree char *front = g_strndup(all, begin),
                  *typed = g_strconcat(front, first, all + end, NULL),
                  *gone = g_strconcat(front, all + end, NULL);
  regard_document_edit(d, gone, begin); /* as a text view says it */
  regard_document_edit(d, typed, begin + 1);
  while (g_main_context_iteration(NULL, FALSE))
    ;
  type(t, letters + 1);
}

/* The first word is one step with what it took the place of, whichever letters both have. */
static void
test_undo_typing_over(DocumentTest *t, gconstpointer data)
{
  static const char all[] = "We see it.";
  static const char *const words[] = {"Rain", "it.", ".net", "Wet"};
  RegardDocument *d = t->document;
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    for (guint side = 0; side < 2; side++) {
      if (side && *words[i] == 'W')
        continue; /* from its end on, all but a letter may have been deleted */
      regard_document_forget_history(d);
      type_over(t, all, 0, strlen(all), side ? strlen(all) : 0, words[i]);
      g_assert_cmpstr(regard_document_get_text(d), ==, words[i]);
      regard_document_undo(d);
      g_assert_cmpstr(regard_document_get_text(d), ==, all);
    }
  /* A word in the middle, and the next one, which is another step. */
  type_over(t, all, 3, 6, 6, "like one");
  assert_state(t, "We like one it.", 11);
  regard_document_undo(d);
  assert_state(t, "We like  it.", 8);
  regard_document_undo(d);
  assert_state(t, all, 6);
  regard_document_redo(d);
  assert_state(t, "We like  it.", 8);
  /* What is deleted, and what is typed then, are two. */
  regard_document_edit(d, "We it.", 3);
  document_test_settle(t);
  type(t, "a");
  regard_document_undo(d);
  assert_state(t, "We it.", 3);
}

/* What the main loop has not seen apart is one step: a word replaced, a text put in its place. */
static void
test_undo_replacing(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, TWO);
  regard_document_edit(d, "The  sat on the mat.", 4);
  regard_document_edit(d, "The dog sat on the mat.", 7);
  document_test_settle(t);
  g_assert_true(document_test_was_told(t, "can-undo"));
  regard_document_undo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_redo(d);
  assert_state(t, "The dog sat on the mat.", 7);
  regard_document_forget_history(d);
  g_assert_false(regard_document_can_undo(d));
  /* Undoing at once takes the newest change with it. */
  regard_document_edit(d, "", 0);
  regard_document_undo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, "The dog sat on the mat.");
  /* Nothing while a file is shown. */
  g_autofree char *path = document_test_data_file("foreign-encoder.npz");
  regard_document_open_capture(d, path);
  document_test_settle(t);
  g_assert_false(regard_document_can_redo(d));
  regard_document_redo(d);
  g_assert_nonnull(regard_document_get_imported_capture(d));
  g_assert_cmpstr(regard_document_get_text(d), ==, "The dog sat on the mat.");
}

static void
set_beam(DocumentTest *t, double beams)
{
  mt_request search = mt_request_copy(regard_document_get_search(t->document));
  g_assert_true(mt_request_set(&search, 0, beams, NULL));
  regard_document_set_search(t->document, &search);
  mt_request_clear(&search);
}

/* Model, search and text in one row; a model that is gone by then leaves the other that runs. */
static void
test_undo_model(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  document_test_set_text(t, "It rains.");
  set_beam(t, 3);
  set_beam(t, 2);
  regard_document_open_model(d, small);
  document_test_settle(t);
  document_test_set_text(t, "I have two dogs.");

  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, "It rains.");
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, small);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, "");
  double beams;
  g_assert_true(mt_request_get(regard_document_get_search(d), 0, &beams));
  g_assert_cmpfloat(beams, ==, 2);
  g_string_truncate(t->told, 0);
  regard_document_undo(d); /* one number that is turned is one step */
  g_assert_true(document_test_was_told(t, "search"));
  g_assert_false(mt_request_get(regard_document_get_search(d), 0, NULL));
  /* All the way forward, and not waiting for the model. */
  regard_document_redo(d);
  regard_document_redo(d);
  regard_document_redo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, "I have two dogs.");
  regard_document_undo(d);
  regard_document_undo(d);
  regard_document_redo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, small);
  g_assert_cmpstr(regard_document_get_text(d), ==, "It rains.");
  g_assert_true(regard_document_can_redo(d));
  regard_document_redo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_result(d)->text, ==, "I have two dogs.");
  g_assert_false(regard_document_can_redo(d));
}

/* A model that summarises reads the whole text, one that translates a sentence. */
static void
test_units(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_autofree char *summarises = app_test_checkpoint("bart-tiny");
  document_test_set_text(t, "The cat.\nThe dog.");
  g_assert_cmpuint(regard_document_get_result(d)->n_sentences, ==, 2);
  regard_document_open_model(d, summarises);
  document_test_settle(t);
  g_assert_cmpuint(regard_document_get_result(d)->n_sentences, ==, 1);
  regard_document_edit(d, "The cat.\nThe dogs.", 3);
  document_test_settle(t);
  g_assert_cmpuint(regard_document_get_result(d)->n_sentences, ==, 1);
  regard_document_open_model(d, "");
  document_test_settle(t);
  g_assert_cmpuint(regard_document_get_result(d)->n_sentences, ==, 2);
}

/* What is changed in the model goes by the same row. */
static void
test_undo_changes(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  mt_request asked = {0};
  const char *json = "{\"changes\": [\"cross 4.1 scale 0.5\"]}";
  g_assert_true(mt_request_from_json(&asked, "asked", json, strlen(json), NULL));
  document_test_set_text(t, TWO);
  regard_document_set_interventions(d, asked.interventions);
  document_test_settle(t);
  g_assert_nonnull(regard_document_get_result(d)->interventions);
  g_string_truncate(t->told, 0);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_true(document_test_was_told(t, "changes"));
  g_assert_null(regard_document_get_search(d)->interventions);
  g_assert_null(regard_document_get_result(d)->interventions);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_redo(d);
  g_assert_true(
      mt_interventions_equal(regard_document_get_search(d)->interventions, asked.interventions));
  mt_request_clear(&asked);
}

/* Watching a model learn is one step, and walking through its checkpoints another. */
static void
test_undo_learning(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, TWO);
  regard_document_learn(d);
  document_test_settle(t);
  for (guint i = 1; i < 3; i++) {
    const GArray *steps = regard_document_get_training(d)->steps;
    g_autofree char *path = g_strdup(g_array_index(steps, RegardTrainingStep, i).path);
    regard_document_open_model(d, path);
    document_test_settle(t);
  }
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpuint(step_of(t), ==, 0);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, "");
  regard_document_redo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  g_assert_true(regard_training_is_learning(regard_document_get_training(d),
                                            regard_document_get_model_dir(d)));
  regard_document_open_model(d, "");
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
}

/* ---- A translation of one's own ------------------------------------------------------------ */

static void
test_given(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  regard_document_give_translation(d, "Nichts.");
  g_assert_null(regard_document_get_user_translation(d)); /* of no sentence */
  document_test_set_text(t, TWO);
  const RegardResult *result = regard_document_get_result(d);
  g_autofree char *own = g_strdup(regard_result_hypothesis(result, 0)->text);
  regard_document_give_translation(d, " Der Hund saß da. ");
  document_test_settle(t);
  result = regard_document_get_result(d);
  g_assert_true(result->sentences[0].is_given);
  g_assert_false(result->sentences[1].is_given);
  g_assert_cmpstr(regard_result_hypothesis(result, 0)->text, ==, "Der Hund saß da.");
  g_assert_cmpstr(mt_tokens_text(mt_capture_output(result->capture)), ==, "Der Hund saß da.");
  g_assert_cmpstr(regard_document_get_user_translation(d), ==, "Der Hund saß da.");

  /* It stays with its sentence, wherever that stands, and is written and read. */
  regard_document_edit(d, "It rains. The cat sat on the mat.", 20);
  document_test_settle(t);
  result = regard_document_get_result(d);
  g_assert_true(result->sentences[1].is_given && result->active == 1);
  g_autoptr(RegardDocument) other = document_test_reopen(d);
  g_assert_cmpstr(regard_document_get_user_translation(other), ==, "Der Hund saß da.");
  g_assert_true(regard_document_get_result(other)->sentences[1].is_given);

  regard_document_give_translation(d, NULL);
  document_test_settle(t);
  result = regard_document_get_result(d);
  g_assert_false(result->sentences[1].is_given);
  g_assert_cmpstr(regard_result_hypothesis(result, 1)->text, ==, own);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_true(regard_document_get_result(d)->sentences[1].is_given);
  regard_document_undo(d);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_false(regard_document_get_result(d)->sentences[0].is_given);
}

/* ---- The end ------------------------------------------------------------------------------- */

static void
test_broken_model(DocumentTest *t, gconstpointer data)
{
  mt_model *before = regard_document_get_model(t->document);
  regard_document_open_model(t->document, "/nonexistent/model");
  document_test_settle(t);
  g_assert_nonnull(strstr(t->told->str, "failed(/nonexistent/model"));
  g_assert_true(regard_document_get_model(t->document) == before);
}

/* Whatever is under way, nothing is told after closing. */
static void
test_closed(DocumentTest *t, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  g_autofree char *path = document_test_data_file("foreign-encoder.npz");
  regard_document_set_text(t->document, TWO);
  regard_document_open_model(t->document, small);
  regard_document_open_capture(t->document, path);
  g_string_truncate(t->told, 0);
  regard_document_close(t->document);
  g_assert_true(regard_document_is_closed(t->document));
  app_test_run_for(300);
  g_assert_cmpstr(t->told->str, ==, "");
  g_assert_false(regard_document_is_busy(t->document));
}

static void
count(guint *n)
{
  ++*n;
}

/* Everything of a document is in a session. */
static void
test_session(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  static const char asked[] = "{\"beam_size\": 3, \"max_length\": 40, \"length_penalty\": 0.7, "
                              "\"changes\": [\"cross 4.1 scale 0.5\", \"encoder window 2\"]}";
  mt_request search = {0};
  g_assert_true(mt_request_from_json(&search, "asked", asked, strlen(asked), NULL));
  document_test_set_text(t, "Ärzte say \"no\". I have two dogs.");
  regard_document_step_sentence(d, 1);
  guint n_notified = 0;
  g_signal_connect_swapped(d, "changed::changes", G_CALLBACK(count), &n_notified);
  regard_document_set_search(d, &search);
  g_assert_null(
      regard_document_get_search(d)->interventions); /* which is for the next line to say */
  regard_document_set_interventions(d, search.interventions);
  regard_document_set_interventions(d, search.interventions);
  g_assert_cmpuint(n_notified, ==, 1);
  g_assert_true(
      mt_interventions_equal(regard_document_get_search(d)->interventions, search.interventions));
  regard_document_choose_alternative(d, 2);
  document_test_settle(t);
  regard_document_set_place(d, (RegardHeadRef){MT_CROSS, 3, 5});
  g_autofree char *before = document_test_describe(d);
  g_autoptr(RegardDocument) other = document_test_reopen(d);
  g_autofree char *again = document_test_describe(other);
  g_assert_cmpstr(again, ==, before);
  g_assert_cmpstr(regard_document_get_text(other), ==, regard_document_get_text(d));
  const RegardResult *result = regard_document_get_result(other);
  g_assert_true(mt_interventions_equal(result->interventions, search.interventions));
  g_assert_true(
      mt_interventions_equal(mt_capture_interventions(result->capture), search.interventions));
  mt_request_clear(&search);
  g_assert_cmpint(result->active, ==, 1);
  g_assert_cmpuint(result->sentences[1].chosen, ==, 2);
  g_assert_cmpuint(mt_translation_count(result->sentences[1].translation), ==, 3);
}

/* A checkpoint, a precision, a file by its name. */
static void
test_session_of_training(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_autofree char *path = document_test_data_file("foreign-translation.npz");
  regard_document_learn(d);
  document_test_settle(t);
  const GArray *steps = regard_document_get_training(d)->steps;
  regard_document_open_model(d, g_array_index(steps, RegardTrainingStep, 3).path);
  document_test_settle(t);
  regard_document_set_precision(d, MT_PRECISION_BF16);
  document_test_settle(t);
  regard_document_open_capture(d, path);
  document_test_settle(t);
  g_autofree char *before = document_test_describe(d);
  g_assert_nonnull(strstr(before, "\"checkpoint\": 80"));
  g_autoptr(RegardDocument) other = document_test_reopen(d);
  g_autofree char *again = document_test_describe(other);
  g_assert_cmpstr(again, ==, before);
  guint at;
  g_assert_true(regard_training_find(regard_document_get_training(other),
                                     regard_document_get_model_dir(other), &at));
  g_assert_cmpuint(at, ==, 3);
  g_assert_cmpint(mt_model_precision(regard_document_get_model(other)), ==, MT_PRECISION_BF16);
  g_assert_nonnull(regard_document_get_imported_capture(other));
}

/* What is kept stays as it was, whatever becomes of the document; it goes with a session. */
static void
test_reference(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  regard_document_keep_reference(d);
  g_assert_null(regard_document_get_compared(d)->reference); /* of nothing */
  document_test_set_text(t, "It rains. I have two dogs.");
  regard_document_set_place(d, (RegardHeadRef){MT_CROSS, 3, 5});
  g_string_truncate(t->told, 0);
  regard_document_keep_reference(d);
  g_assert_true(document_test_was_told(t, "reference"));
  const RegardSnapshot *kept = regard_document_get_compared(d)->reference;
  mt_capture *capture = kept->result->capture;
  g_assert_true(capture && capture == regard_document_get_result(d)->capture);

  regard_document_edit_interventions(d, "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  document_test_set_text(t, "I have two dogs.");
  g_assert_true(regard_document_get_compared(d)->reference == kept &&
                kept->result->capture == capture);
  g_assert_cmpstr(kept->text, ==, "It rains. I have two dogs.");
  g_assert_cmpstr(kept->model, ==, "");
  g_assert_null(kept->search.interventions);
  g_assert_true(kept->place.kind == MT_CROSS && kept->place.layer == 3 && kept->place.head == 5);

  /* Half of an answer is nothing to compare with, and a file is no text. */
  regard_document_edit(d, "I have two", 10);
  regard_document_keep_reference(d);
  g_assert_true(regard_document_get_compared(d)->reference == kept);
  document_test_settle(t);

  g_autofree char *before = document_test_describe(d);
  g_autoptr(RegardDocument) other = document_test_reopen(d);
  g_autofree char *again = document_test_describe(other);
  g_assert_cmpstr(again, ==, before);
  const RegardSnapshot *read = regard_document_get_compared(other)->reference;
  g_assert_cmpstr(read->text, ==, kept->text);
  g_assert_true(mt_request_equal(&read->search, &kept->search));

  g_string_truncate(t->told, 0);
  regard_document_drop_reference(d);
  g_assert_true(document_test_was_told(t, "reference"));
  g_assert_null(regard_document_get_compared(d)->reference);
}

TESTS()
{
#define ADD(name, function)                                                         \
  g_test_add("/document/" name, DocumentTest, NULL, document_test_set_up, function, \
             document_test_tear_down)
  ADD("answers", test_answers);
  ADD("cleared-by-listener", test_cleared_by_listener);
  ADD("file", test_file);
  ADD("first-head", test_first_head);
  ADD("learn", test_learn);
  ADD("learn-given-up", test_learn_given_up);
  ADD("undo-typing", test_undo_typing);
  ADD("undo-typing-over", test_undo_typing_over);
  ADD("undo-replacing", test_undo_replacing);
  ADD("undo-model", test_undo_model);
  ADD("units", test_units);
  ADD("undo-changes", test_undo_changes);
  ADD("undo-learning", test_undo_learning);
  ADD("given", test_given);
  ADD("broken-model", test_broken_model);
  ADD("closed", test_closed);
  ADD("session", test_session);
  ADD("session-of-training", test_session_of_training);
  ADD("reference", test_reference);
}
