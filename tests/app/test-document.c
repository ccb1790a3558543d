/* test-document.c — the document without a window: text, answer, file, training, JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "document/regard-document.h"

#include "base/regard-error.h"
#include "models/regard-training-steps.h"
#include <string.h>

#define TWO     "The cat sat on the mat. I have two dogs."
#define EXAMPLE "today the small cat has seen the old dog"

typedef struct {
  RegardDocument *document;
  GString *told; /* names of the properties that were notified, and of signals */
} Fixture;

static void
on_notify(GObject *object, GParamSpec *pspec, Fixture *f)
{
  g_string_append_printf(f->told, "%s ", pspec->name);
}

static void
on_failed(RegardDocument *document, const char *dir, const GError *error, Fixture *f)
{
  g_string_append_printf(f->told, "failed(%s) ", error->message);
}

static gboolean
is_settled(gpointer data)
{
  return !regard_document_is_busy(data);
}

static void
settle(Fixture *f)
{
  app_test_wait(is_settled, f->document);
}

static void
set_up(Fixture *f, gconstpointer data)
{
  g_setenv("REGARD_MODEL_DIR", app_test_model_dir(), TRUE);
  f->document = regard_document_new();
  f->told = g_string_new(NULL);
  g_signal_connect(f->document, "notify", G_CALLBACK(on_notify), f);
  g_signal_connect(f->document, "load-failed", G_CALLBACK(on_failed), f);
  regard_document_open_model(f->document, "");
  settle(f);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
  g_object_add_weak_pointer(G_OBJECT(f->document), (gpointer *) &f->document);
  g_object_unref(f->document);
  g_assert_null(f->document);
  g_string_free(f->told, TRUE);
}

static gboolean
was_told(Fixture *f, const char *name)
{
  g_autofree char *word = g_strdup_printf("%s ", name);
  return strstr(f->told->str, word) != NULL;
}

static char *
data_file(const char *name)
{
  return g_build_filename(g_getenv("REGARD_TEST_DATA"), name, NULL);
}

static void
set_text(Fixture *f, const char *text)
{
  regard_document_set_text(f->document, text);
  settle(f);
}

/* What is typed is answered, and whoever observes hears of it. */
static void
test_answers(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  g_assert_true(was_told(f, "model"));
  g_string_truncate(f->told, 0);
  set_text(f, TWO);
  g_assert_true(was_told(f, "text") && was_told(f, "caret") && was_told(f, "waiting") &&
                was_told(f, "result"));
  const RegardResult *result = regard_document_get_result(d);
  g_assert_cmpint(result->active, ==, 0);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) == result->capture);
  regard_document_step_sentence(d, 1);
  settle(f);
  result = regard_document_get_result(d);
  g_assert_cmpint(result->active, ==, 1);
  g_assert_cmpstr(regard_result_hypothesis(result, 1)->text, ==, "Ich habe zwei Hunde.");
  regard_document_choose_alternative(d, 1);
  settle(f);
  g_assert_cmpuint(regard_document_get_result(d)->sentences[1].chosen, ==, 1);

  /* The same again is no news. */
  g_string_truncate(f->told, 0);
  regard_document_edit(d, TWO, regard_document_get_caret(d));
  settle(f);
  g_assert_cmpstr(f->told->str, ==, "");
  set_text(f, " \n");
  g_assert_null(regard_document_get_result(d));
  g_assert_null(regard_selection_get_capture(regard_document_get_selection(d)));
}

/* A file stands before the text, which stays, and nothing is typed into it. */
static void
test_file(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  g_autofree char *path = data_file("foreign-encoder.npz");
  set_text(f, TWO);
  regard_document_set_place(d, (RegardPlace){MT_DECODER_SELF, 4, 6});
  regard_document_open_path(d, path);
  settle(f);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) ==
                regard_document_get_foreign(d));
  g_assert_cmpint(regard_document_get_place(d)->kind, ==, MT_ENCODER_SELF);
  regard_document_edit(d, "typed", 5);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_close_capture(d);
  settle(f);
  g_assert_null(regard_document_get_foreign(d));
  g_assert_cmpint(regard_document_get_place(d)->kind, ==, MT_DECODER_SELF);
  g_assert_cmpuint(regard_document_get_place(d)->layer, ==, 4);
  g_assert_cmpuint(regard_document_get_place(d)->head, ==, 6);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(d)) ==
                regard_document_get_result(d)->capture);
}

/* ---- A model that learns ------------------------------------------------------------------- */

static guint64
step_of(Fixture *f)
{
  const char *name = mt_model_name(regard_document_get_model(f->document));
  g_assert_true(g_str_has_prefix(name, "step-"));
  return g_ascii_strtoull(name + strlen("step-"), NULL, 10);
}

/* It begins at the beginning, with a sentence of its own, and the text comes back. */
static void
test_learn(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  set_text(f, TWO);
  regard_document_set_caret(d, 30);
  regard_document_learn(d);
  settle(f);
  g_assert_cmpuint(step_of(f), ==, 0);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  g_assert_cmpstr(regard_document_get_own_text(d), ==, TWO);
  g_assert_false(regard_document_needs_example(d));
  /* From one checkpoint to the next, and something else typed on the way. */
  const GArray *steps = regard_document_get_training(d);
  regard_document_open_model(d, g_array_index(steps, RegardTrainingStep, steps->len - 1).path);
  settle(f);
  g_assert_cmpuint(step_of(f), ==, 1000);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  set_text(f, "the dog sees the cat");
  g_assert_true(regard_document_needs_example(d));
  regard_document_open_model(d, "");
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  g_assert_cmpuint(regard_document_get_caret(d), ==, 30);
  g_assert_cmpint(regard_document_get_result(d)->active, ==, 1);
  g_assert_false(regard_document_is_learning(d));

  /* The way back without looking for the model in a list. */
  regard_document_stop_learning(d);
  g_assert_false(regard_document_is_opening(d));
  g_autofree char *own = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(d, own);
  settle(f);
  regard_document_learn(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_model_title(d), ==, "English → German, in training");
  regard_document_stop_learning(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, own);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
}

/* Given up before it began: the text is back at once. Without a text there is none to come back,
 * and what was typed to it is not lost. */
static void
test_learn_given_up(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  set_text(f, TWO);
  regard_document_learn(d);
  regard_document_cancel_loading(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  settle(f);

  set_text(f, "");
  regard_document_learn(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  set_text(f, "the dog sees the cat");
  regard_document_open_model(d, "");
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, "the dog sees the cat");
}

static RegardDocument *
reopen(const char *json)
{
  g_autoptr(GError) error = NULL;
  RegardDocument *other = regard_document_new();
  g_assert_true(regard_document_from_json(other, json, &error));
  g_assert_no_error(error);
  app_test_wait(is_settled, other);
  return other;
}

/* ---- Undo ---------------------------------------------------------------------------------- */

/* As keys do it: one character, then the main loop. */
static void
type(Fixture *f, const char *letters)
{
  RegardDocument *d = f->document;
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
assert_state(Fixture *f, const char *text, gsize caret)
{
  g_assert_cmpstr(regard_document_get_text(f->document), ==, text);
  g_assert_cmpuint(regard_document_get_caret(f->document), ==, caret);
}

/* Words are steps; so is each row of deletions; the caret goes where it was. */
static void
test_undo_typing(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  g_assert_false(regard_document_can_undo(d));
  type(f, "It rains  lotss\b\b");
  assert_state(f, "It rains  lot", 13);
  regard_document_undo(d);
  assert_state(f, "It rains  lotss", 15);
  regard_document_undo(d);
  assert_state(f, "It rains  ", 10);
  regard_document_undo(d);
  assert_state(f, "It ", 3);
  regard_document_undo(d);
  assert_state(f, "", 0);
  g_assert_false(regard_document_can_undo(d));
  regard_document_undo(d);
  for (guint i = 0; i < 4; i++)
    regard_document_redo(d);
  assert_state(f, "It rains  lot", 13);
  g_assert_false(regard_document_can_redo(d));

  /* In another place it is another step, and what was undone is gone when something is typed. */
  regard_document_undo(d);
  regard_document_set_caret(d, 0);
  settle(f);
  type(f, "ab");
  g_assert_false(regard_document_can_redo(d));
  assert_state(f, "abIt rains  lotss", 2);
  regard_document_undo(d);
  assert_state(f, "It rains  lotss", 0);
  settle(f);
  g_assert_cmpstr(regard_document_get_result(d)->text, ==, "It rains  lotss");
}

/* What the main loop has not seen apart is one step: a word replaced, a text put in its place. */
static void
test_undo_replacing(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  set_text(f, TWO);
  regard_document_edit(d, "The  sat on the mat.", 4);
  regard_document_edit(d, "The dog sat on the mat.", 7);
  settle(f);
  g_assert_true(was_told(f, "can-undo"));
  regard_document_undo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_redo(d);
  assert_state(f, "The dog sat on the mat.", 7);
  regard_document_forget_history(d);
  g_assert_false(regard_document_can_undo(d));
  /* Undoing at once takes the newest change with it. */
  regard_document_edit(d, "", 0);
  regard_document_undo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, "The dog sat on the mat.");
  /* Nothing while a file is shown. */
  g_autofree char *path = data_file("foreign-encoder.npz");
  regard_document_open_capture(d, path);
  settle(f);
  g_assert_false(regard_document_can_redo(d));
  regard_document_redo(d);
  g_assert_nonnull(regard_document_get_foreign(d));
  g_assert_cmpstr(regard_document_get_text(d), ==, "The dog sat on the mat.");
}

static void
set_beam(Fixture *f, double beams)
{
  mt_request search = mt_request_copy(regard_document_get_search(f->document));
  g_assert_true(mt_request_set(&search, 0, beams, NULL));
  regard_document_set_search(f->document, &search);
  mt_request_clear(&search);
}

/* Model, search and text in one row; a model that is gone by then leaves the other that runs. */
static void
test_undo_model(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  set_text(f, "It rains.");
  set_beam(f, 3);
  set_beam(f, 2);
  regard_document_open_model(d, small);
  settle(f);
  set_text(f, "I have two dogs.");

  regard_document_undo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, "It rains.");
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, small);
  regard_document_undo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, "");
  double beams;
  g_assert_true(mt_request_get(regard_document_get_search(d), 0, &beams));
  g_assert_cmpfloat(beams, ==, 2);
  g_string_truncate(f->told, 0);
  regard_document_undo(d); /* one number that is turned is one step */
  g_assert_true(was_told(f, "search"));
  g_assert_false(mt_request_get(regard_document_get_search(d), 0, NULL));
  /* All the way forward, and not waiting for the model. */
  regard_document_redo(d);
  regard_document_redo(d);
  regard_document_redo(d);
  g_assert_cmpstr(regard_document_get_text(d), ==, "I have two dogs.");
  regard_document_undo(d);
  regard_document_undo(d);
  regard_document_redo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, small);
  g_assert_cmpstr(regard_document_get_text(d), ==, "It rains.");
  g_assert_true(regard_document_can_redo(d));
  regard_document_redo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_result(d)->text, ==, "I have two dogs.");
  g_assert_false(regard_document_can_redo(d));
}

/* What is changed in the model goes by the same row. */
static void
test_undo_changes(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  mt_request asked = {0};
  const char *json = "{\"changes\": [\"cross 4.1 scale 0.5\"]}";
  g_assert_true(mt_request_from_json(&asked, "asked", json, strlen(json), NULL));
  set_text(f, TWO);
  regard_document_set_changes(d, asked.changes);
  settle(f);
  g_assert_nonnull(regard_document_get_result(d)->changes);
  g_string_truncate(f->told, 0);
  regard_document_undo(d);
  settle(f);
  g_assert_true(was_told(f, "changes"));
  g_assert_null(regard_document_get_changes(d));
  g_assert_null(regard_document_get_result(d)->changes);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  regard_document_redo(d);
  g_assert_true(mt_changes_equal(regard_document_get_changes(d), asked.changes));
  mt_request_clear(&asked);
}

/* Watching a model learn is one step, and walking through its checkpoints another. */
static void
test_undo_learning(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  set_text(f, TWO);
  regard_document_learn(d);
  settle(f);
  for (guint i = 1; i < 3; i++) {
    const GArray *steps = regard_document_get_training(d);
    g_autofree char *path = g_strdup(g_array_index(steps, RegardTrainingStep, i).path);
    regard_document_open_model(d, path);
    settle(f);
  }
  regard_document_undo(d);
  settle(f);
  g_assert_cmpuint(step_of(f), ==, 0);
  regard_document_undo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, "");
  regard_document_redo(d);
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, EXAMPLE);
  g_assert_true(regard_document_is_learning(d));
  regard_document_open_model(d, "");
  settle(f);
  g_assert_cmpstr(regard_document_get_text(d), ==, TWO);
}

/* ---- A translation of one's own ------------------------------------------------------------ */

static void
test_given(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  regard_document_give_translation(d, "Nichts.");
  g_assert_null(regard_document_get_given(d)); /* of no sentence */
  set_text(f, TWO);
  const RegardResult *result = regard_document_get_result(d);
  g_autofree char *own = g_strdup(regard_result_hypothesis(result, 0)->text);
  regard_document_give_translation(d, " Der Hund saß da. ");
  settle(f);
  result = regard_document_get_result(d);
  g_assert_true(result->sentences[0].is_given);
  g_assert_false(result->sentences[1].is_given);
  g_assert_cmpstr(regard_result_hypothesis(result, 0)->text, ==, "Der Hund saß da.");
  g_assert_cmpstr(mt_tokens_text(mt_capture_output(result->capture)), ==, "Der Hund saß da.");
  g_assert_cmpstr(regard_document_get_given(d), ==, "Der Hund saß da.");

  /* It stays with its sentence, wherever that stands, and is written and read. */
  regard_document_edit(d, "It rains. The cat sat on the mat.", 20);
  settle(f);
  result = regard_document_get_result(d);
  g_assert_true(result->sentences[1].is_given && result->active == 1);
  g_autofree char *json = regard_document_to_json(d);
  g_autoptr(RegardDocument) other = reopen(json);
  g_assert_cmpstr(regard_document_get_given(other), ==, "Der Hund saß da.");
  g_assert_true(regard_document_get_result(other)->sentences[1].is_given);

  regard_document_give_translation(d, NULL);
  settle(f);
  result = regard_document_get_result(d);
  g_assert_false(result->sentences[1].is_given);
  g_assert_cmpstr(regard_result_hypothesis(result, 1)->text, ==, own);
  regard_document_undo(d);
  settle(f);
  g_assert_true(regard_document_get_result(d)->sentences[1].is_given);
  regard_document_undo(d);
  regard_document_undo(d);
  settle(f);
  g_assert_false(regard_document_get_result(d)->sentences[0].is_given);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
count(guint *n)
{
  ++*n;
}

static void
test_round_trip(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  static const char asked[] = "{\"beam_size\": 3, \"max_length\": 40, \"length_penalty\": 0.7, "
                              "\"changes\": [\"cross 4.1 scale 0.5\", \"encoder window 2\"]}";
  mt_request search = {0};
  g_assert_true(mt_request_from_json(&search, "asked", asked, strlen(asked), NULL));
  set_text(f, "Ärzte say \"no\". I have two dogs.");
  regard_document_step_sentence(d, 1);
  guint n_notified = 0;
  g_signal_connect_swapped(d, "notify::changes", G_CALLBACK(count), &n_notified);
  regard_document_set_search(d, &search);
  g_assert_null(regard_document_get_changes(d)); /* which is for the next line to say */
  regard_document_set_changes(d, search.changes);
  regard_document_set_changes(d, search.changes);
  g_assert_cmpuint(n_notified, ==, 1);
  g_assert_true(mt_changes_equal(regard_document_get_changes(d), search.changes));
  regard_document_choose_alternative(d, 2);
  settle(f);
  regard_document_set_place(d, (RegardPlace){MT_CROSS, 3, 5});
  g_autofree char *json = regard_document_to_json(d);
  g_autoptr(RegardDocument) other = reopen(json);
  g_autofree char *again = regard_document_to_json(other);
  g_assert_cmpstr(again, ==, json);
  g_assert_cmpstr(regard_document_get_text(other), ==, regard_document_get_text(d));
  const RegardResult *result = regard_document_get_result(other);
  g_assert_true(mt_changes_equal(result->changes, search.changes));
  g_assert_true(mt_changes_equal(mt_capture_changes(result->capture), search.changes));
  mt_request_clear(&search);
  g_assert_cmpint(result->active, ==, 1);
  g_assert_cmpuint(result->sentences[1].chosen, ==, 2);
  g_assert_cmpuint(mt_translation_count(result->sentences[1].translation), ==, 3);

  /* Into one that runs another model, and has another text. */
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(other, small);
  regard_document_set_text(other, "It rains.");
  app_test_wait(is_settled, other);
  g_assert_true(regard_document_from_json(other, json, NULL));
  app_test_wait(is_settled, other);
  g_autofree char *third = regard_document_to_json(other);
  g_assert_cmpstr(third, ==, json);
}

/* A checkpoint, a precision, a file by its name. */
static void
test_round_trip_of_the_rest(Fixture *f, gconstpointer data)
{
  RegardDocument *d = f->document;
  g_autofree char *path = data_file("foreign-translation.npz");
  regard_document_learn(d);
  settle(f);
  const GArray *steps = regard_document_get_training(d);
  regard_document_open_model(d, g_array_index(steps, RegardTrainingStep, 3).path);
  settle(f);
  regard_document_set_precision(d, MT_PRECISION_BF16);
  settle(f);
  regard_document_open_capture(d, path);
  settle(f);
  g_autofree char *json = regard_document_to_json(d);
  g_assert_nonnull(strstr(json, "foreign-translation.npz"));
  g_assert_nonnull(strstr(json, "\"checkpoint\": 80"));
  g_autoptr(RegardDocument) other = reopen(json);
  g_autofree char *again = regard_document_to_json(other);
  g_assert_cmpstr(again, ==, json);
  g_assert_cmpuint(regard_document_get_step(other), ==, 3);
  g_assert_cmpint(mt_model_precision(regard_document_get_model(other)), ==, MT_PRECISION_BF16);
  g_assert_cmpstr(mt_capture_file_name(regard_document_get_foreign(other)), ==,
                  "foreign-translation.npz");
}

/* What is not whole changes nothing, and says where it is not. */
static void
test_refused(Fixture *f, gconstpointer data)
{
  static const struct {
    const char *from, *to, *said;
  } cases[] = {
      {"{", "[", "JSON"},
      {"\"format\"", "\"form\"", "format"},
      {"regard-document", "another", "format"},
      {"\"version\": 1", "\"version\": 2", "version"},
      {"\"text\"", "\"test\"", "text"},
      {"\"text\": \"It", "\"text\": \"\\u0000It", "text"},
      {"\"caret\": 9", "\"caret\": 10", "caret"},
      {"\"caret\": 9", "\"caret\": -1", "caret"},
      {"\"caret\": 9", "\"caret\": \"9\"", "caret"},
      {"\"path\": \"\"", "\"path\": null", "path"},
      {"\"path\": \"\",", "\"path\": \"/x/step-3\", \"checkpoint\": 4,", "checkpoint"},
      {"\"request\": {", "\"request\": [], \"r\": {", "request"},
      {"\"search\"", "\"search\": [], \"s\"", "search"},
      {"\"search\"", "\"search\": {\"beam_size\": 1.5}, \"s\"", "beam_size"},
      {"\"search\"", "\"search\": {\"changes\": [\"cross hid\"]}, \"s\"", "\"hid\""},
      {"\"search\"", "\"search\": {\"max_length\": 9999999999}, \"s\"", "max_length"},
      {"\"search\"", "\"search\": {\"length_penalty\": \"x\"}, \"s\"", "length_penalty"},
      {"\"search\"", "\"search\": {\"length_penalty\": 1e300}, \"s\"", "length_penalty"},
      {"\"search\"",
       "\"search\": {\"language\": \"a code that is longer than any code of a language can be\"}, "
       "\"s\"",
       "language"},
      {"\"search\"", "\"search\": {\"beams\": 3}, \"s\"", "beams"},
      {"\"precision\": \"stored\"", "\"precision\": \"f99\"", "precision"},
      {"\"alternative\": 0", "\"alternative\": null", "alternative"},
      {"\"translations\": {", "\"translations\": [], \"t\": {", "translations"},
      {"\"translations\": {", "\"translations\": {\"It rains.\": 3", "translations"},
      {"\"kind\": \"", "\"kind\": \"de", "kind"},
      {"\"layer\": 1", "\"layer\": 0", "layer"},
      {"\"head\": 1", "\"head\": true", "head"},
      {"\"capture\": null", "\"capture\": 7", "capture"},
  };
  set_text(f, "It rains.");
  g_autofree char *json = regard_document_to_json(f->document);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *at = strstr(json, cases[i].from);
    g_assert_nonnull(at);
    g_autofree char *front = g_strndup(json, (gsize) (at - json));
    g_autofree char *broken = g_strconcat(front, cases[i].to, at + strlen(cases[i].from), NULL);
    g_autoptr(GError) error = NULL;
    g_string_truncate(f->told, 0);
    g_assert_false(regard_document_from_json(f->document, broken, &error));
    g_assert_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT);
    g_assert_nonnull(strstr(error->message, cases[i].said));
    g_assert_cmpstr(f->told->str, ==, "");
    g_assert_false(regard_document_is_busy(f->document));
  }
  /* Cut off anywhere. */
  for (gsize n = 0; n < strlen(json) - 1; n++) {
    g_autofree char *cut = g_strndup(json, n);
    g_assert_false(regard_document_from_json(f->document, cut, NULL));
  }
}

/* ---- The end ------------------------------------------------------------------------------- */

static void
test_broken_model(Fixture *f, gconstpointer data)
{
  mt_model *before = regard_document_get_model(f->document);
  regard_document_open_model(f->document, "/nonexistent/model");
  settle(f);
  g_assert_nonnull(strstr(f->told->str, "failed(/nonexistent/model"));
  g_assert_true(regard_document_get_model(f->document) == before);
}

/* Whatever is under way, nothing is told after closing. */
static void
test_closed(Fixture *f, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  g_autofree char *path = data_file("foreign-encoder.npz");
  regard_document_set_text(f->document, TWO);
  regard_document_open_model(f->document, small);
  regard_document_open_capture(f->document, path);
  g_string_truncate(f->told, 0);
  regard_document_close(f->document);
  g_assert_true(regard_document_is_closed(f->document));
  app_test_run_for(300);
  g_assert_cmpstr(f->told->str, ==, "");
  g_assert_false(regard_document_is_busy(f->document));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add("/document/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("answers", test_answers);
  ADD("file", test_file);
  ADD("learn", test_learn);
  ADD("learn-given-up", test_learn_given_up);
  ADD("undo-typing", test_undo_typing);
  ADD("undo-replacing", test_undo_replacing);
  ADD("undo-model", test_undo_model);
  ADD("undo-changes", test_undo_changes);
  ADD("undo-learning", test_undo_learning);
  ADD("given", test_given);
  ADD("round-trip", test_round_trip);
  ADD("round-trip-of-the-rest", test_round_trip_of_the_rest);
  ADD("refused", test_refused);
  ADD("broken-model", test_broken_model);
  ADD("closed", test_closed);
  return g_test_run();
}
