/* test-document-constraints.c — translations that go on from what a person chose: what they begin
 * with, what they must not have, and what becomes of that while the text changes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"
#include "suite.h"

#include "base/regard-error.h"
#include "document/regard-overrides.h"
#include <string.h>

#define DOGS  "I have two dogs."
#define CAT   "The cat sat on the mat."
#define TIRED "The animal didn't cross the street because it was too tired."

/* ---- What is asked for ------------------------------------------------------------------------
 */

static mt_constraints *
new_constraints(const GArray *prefix, const mt_forbidden *forbidden, gsize n_forbidden)
{
  mt_error error = {0};
  mt_constraints *constraints =
      mt_constraints_new(prefix ? (const int32_t *) prefix->data : NULL, prefix ? prefix->len : 0,
                         forbidden, n_forbidden, &error);
  g_assert_nonnull(constraints);
  return constraints;
}

/* The ids of words, without the end of the sentence. */
static GArray *
ids_of(RegardDocument *d, const char *words)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens =
      mt_model_tokenize(regard_document_get_model(d), MT_STACK_DECODER, words, &error);
  g_assert_nonnull(tokens);
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (gsize i = 0; i + 1 < mt_tokens_count(tokens); i++)
    g_array_append_val(ids, mt_tokens_get(tokens, i)->id);
  return ids;
}

static void
begin_with(RegardDocument *d, const char *words)
{
  g_autoptr(GArray) ids = ids_of(d, words);
  g_autoptr(mt_constraints) constraints = new_constraints(ids, NULL, 0);
  regard_document_constrain(d, constraints);
}

static const char *
translation(RegardDocument *d)
{
  const RegardResult *result = regard_document_get_result(d);
  g_assert_nonnull(result);
  g_assert_no_error(result->sentences[result->active].error);
  return regard_result_hypothesis(result, (guint) result->active)->text;
}

static void
assert_begins(RegardDocument *d, const char *words)
{
  if (!g_str_has_prefix(translation(d), words))
    g_error("“%s” does not begin with “%s”", translation(d), words);
}

static void
on_dropped(RegardDocument *d, const char *words, GPtrArray *dropped)
{
  g_ptr_array_add(dropped, g_strdup(words));
}

static GPtrArray *
watch(RegardDocument *d)
{
  GPtrArray *dropped = g_ptr_array_new_with_free_func(g_free);
  g_signal_connect(d, "constraints-dropped", G_CALLBACK(on_dropped), dropped);
  return dropped;
}

static void
unwatch(RegardDocument *d, GPtrArray *dropped)
{
  g_signal_handlers_disconnect_by_data(d, dropped);
  g_ptr_array_unref(dropped);
}

/* One character, then whatever the main loop has to do; with an answer to each where it is said. */
static void
type(DocumentTest *t, const char *letters, gboolean waits)
{
  for (const char *c = letters; *c; c++) {
    gsize at = regard_document_get_caret(t->document);
    g_autoptr(GString) text = g_string_new(regard_document_get_text(t->document));
    if (*c == '\b')
      g_string_erase(text, (gssize) --at, 1);
    else
      g_string_insert_c(text, (gssize) at++, *c);
    regard_document_edit(t->document, text->str, at);
    if (waits)
      document_test_settle(t);
    while (g_main_context_iteration(NULL, FALSE))
      ;
  }
}

/* ---- Tests ------------------------------------------------------------------------------------
 */

/* Terms that are typed are in the translation, beside what it begins with; they are written as they
 * were typed, undone, kept with the session, and refused as a whole. */
static void
test_terms(DocumentTest *t, gconstpointer data)
{
  static const struct {
    const char *terms, *said;
  } wrong[] = {{"Zeit, \xe4\xb8\x96", "\xe4\xb8\x96"}, {"\xe4\xb8\x96; Zeit", "\xe4\xb8\x96"}};
  RegardDocument *d = t->document;
  g_autoptr(GError) error = NULL;
  g_assert_true(regard_document_want_terms(d, "Zeit", &error)); /* of no sentence */
  document_test_set_text(t, DOGS);
  g_autofree char *own = g_strdup(translation(d)),
                  *none = regard_constraints_dup_terms(regard_document_get_constraints(d),
                                                       regard_document_get_model(d));
  g_assert_cmpstr(none, ==, "");
  g_assert_null(strstr(own, "Zeit"));
  g_assert_true(regard_document_want_terms(d, " Zeit ,, keine\n", &error));
  document_test_settle(t);
  g_autofree char *terms = regard_constraints_dup_terms(regard_document_get_constraints(d),
                                                        regard_document_get_model(d));
  g_assert_cmpstr(terms, ==, "Zeit, keine");
  g_assert_true(strstr(translation(d), "Zeit") && strstr(translation(d), "keine"));
  /* One place for each number of pieces, where no beam is asked for. */
  const mt_constraints *constraints = regard_document_get_constraints(d);
  g_assert_cmpuint(mt_constraints_n_wanted(constraints), ==, 2);

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_assert_false(regard_document_want_terms(d, wrong[i].terms, &error));
    g_assert_nonnull(strstr(error->message, wrong[i].said));
    g_clear_error(&error);
    g_assert_true(regard_document_get_constraints(d) == constraints);
  }

  RegardDocument *reopened = document_test_reopen(d);
  g_autofree char *again = regard_constraints_dup_terms(regard_document_get_constraints(reopened),
                                                        regard_document_get_model(reopened));
  g_assert_cmpstr(again, ==, terms);
  g_assert_cmpstr(translation(reopened), ==, translation(d));
  g_object_unref(reopened);

  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, own);
  begin_with(d, "Ich habe keine");
  document_test_settle(t);
  g_assert_true(regard_document_want_terms(d, "Zeit", &error));
  document_test_settle(t);
  assert_begins(d, "Ich habe keine");
  g_assert_nonnull(strstr(translation(d), "Zeit"));
  g_assert_true(regard_document_want_terms(d, "", &error));
  document_test_settle(t);
  assert_begins(d, "Ich habe keine");
  g_assert_no_error(error);
}

/* The translation begins so, its search is traced, and it is undone like anything else. */
static void
test_begins(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  begin_with(d, "Ich");
  g_assert_null(regard_document_get_constraints(d)); /* of no sentence */
  document_test_set_text(t, DOGS);
  g_autofree char *own = g_strdup(translation(d));
  g_string_truncate(t->told, 0);
  begin_with(d, "Wir sehen");
  g_assert_true(document_test_was_told(t, "constraints") && document_test_was_told(t, "can-undo"));
  document_test_settle(t);
  assert_begins(d, "Wir sehen ");
  const RegardResult *result = regard_document_get_result(d);
  const mt_translation *found = result->sentences[0].translation;
  g_assert_false(result->sentences[0].is_given);
  g_assert_true(mt_constraints_equal(mt_translation_search(found)->constraints,
                                     regard_document_get_constraints(d)));
  g_assert_nonnull(mt_translation_steps(found));
  for (gsize i = 0; i < mt_translation_count(found); i++)
    g_assert_true(g_str_has_prefix(mt_translation_hypothesis(found, i)->text, "Wir sehen"));

  /* The same again is no news; another alternative is of the same search. */
  g_string_truncate(t->told, 0);
  begin_with(d, "Wir sehen");
  document_test_settle(t);
  g_assert_cmpstr(t->told->str, ==, "");
  regard_document_choose_alternative(d, 1);
  document_test_settle(t);
  assert_begins(d, "Wir sehen");
  regard_document_choose_alternative(d, 0);

  begin_with(d, "Sie");
  document_test_settle(t);
  assert_begins(d, "Sie ");
  regard_document_undo(d);
  document_test_settle(t);
  assert_begins(d, "Wir sehen ");
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_null(regard_document_get_constraints(d));
  g_assert_cmpstr(translation(d), ==, own);
  regard_document_redo(d);
  document_test_settle(t);
  assert_begins(d, "Wir sehen ");

  /* The model's own way, by nothing and by an empty list. */
  regard_document_constrain(d, NULL);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, own);
  regard_document_undo(d);
  g_autoptr(mt_constraints) empty = new_constraints(NULL, NULL, 0);
  regard_document_constrain(d, empty);
  document_test_settle(t);
  g_assert_null(regard_document_get_constraints(d));
  g_assert_cmpstr(translation(d), ==, own);
}

/* What is forbidden is not there: anywhere, or at its step. */
static void
test_forbids(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, DOGS);
  g_assert_nonnull(strstr(translation(d), "zwei"));
  g_autoptr(GArray) two = ids_of(d, "zwei");
  mt_forbidden forbidden = {MT_EVERY_STEP, (const int32_t *) two->data, two->len};
  mt_constraints *constraints = new_constraints(NULL, &forbidden, 1);
  regard_document_constrain(d, constraints);
  mt_constraints_unref(constraints);
  document_test_settle(t);
  const mt_translation *found = regard_document_get_result(d)->sentences[0].translation;
  for (gsize i = 0; i < mt_translation_count(found); i++)
    g_assert_null(strstr(mt_translation_hypothesis(found, i)->text, "zwei"));

  g_autoptr(GArray) i_am = ids_of(d, "Ich");
  forbidden = (mt_forbidden){0, (const int32_t *) i_am->data, i_am->len};
  constraints = new_constraints(NULL, &forbidden, 1);
  regard_document_constrain(d, constraints);
  mt_constraints_unref(constraints);
  document_test_settle(t);
  g_assert_false(g_str_has_prefix(translation(d), "Ich"));
}

/* They belong to a sentence, wherever that stands, and to no other. */
static void
test_sentences(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, DOGS " " CAT);
  const RegardResult *result = regard_document_get_result(d);
  g_autofree char *dogs = g_strdup(regard_result_hypothesis(result, 0)->text);
  regard_document_step_sentence(d, 1);
  begin_with(d, "Der Hund");
  document_test_settle(t);
  result = regard_document_get_result(d);
  g_assert_cmpint(result->active, ==, 1);
  assert_begins(d, "Der Hund");
  g_assert_cmpstr(regard_result_hypothesis(result, 0)->text, ==, dogs);
  regard_document_step_sentence(d, -1);
  document_test_settle(t);
  g_assert_null(regard_document_get_constraints(d));
  g_assert_true(g_str_has_prefix(regard_result_hypothesis(regard_document_get_result(d), 1)->text,
                                 "Der Hund"));

  /* Its own, before the other. */
  begin_with(d, "Wir");
  document_test_settle(t);
  assert_begins(d, "Wir ");
  g_assert_true(g_str_has_prefix(regard_result_hypothesis(regard_document_get_result(d), 1)->text,
                                 "Der Hund"));
  regard_document_undo(d);

  /* A sentence put before it, at once and letter by letter, takes nothing from it. */
  g_autoptr(GPtrArray) dropped = g_ptr_array_ref(watch(d));
  const char *put = "It rains. " DOGS " " CAT;
  regard_document_edit(d, put, strlen(put));
  document_test_settle(t);
  assert_begins(d, "Der Hund");
  regard_document_set_text(d, CAT);
  document_test_settle(t);
  assert_begins(d, "Der Hund");
  regard_document_set_caret(d, 0);
  type(t, "It rains. ", FALSE);
  regard_document_set_caret(d, strlen("It rains. ") + 3);
  document_test_settle(t);
  g_assert_cmpint(regard_document_get_result(d)->active, ==, 1);
  assert_begins(d, "Der Hund");
  g_assert_cmpuint(dropped->len, ==, 0);
  unwatch(d, dropped);
}

/* While its sentence is typed on they stay with it. */
static void
test_typed_on(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  GPtrArray *dropped = watch(d);
  document_test_set_text(t, "I have two dogs");
  begin_with(d, "Ich habe zwei");
  document_test_settle(t);
  regard_document_set_caret(d, strlen("I have two dogs"));
  type(t, " and a cat", TRUE);
  g_assert_cmpuint(dropped->len, ==, 0);
  assert_begins(d, "Ich habe zwei");
  const mt_constraints *constraints = regard_document_get_constraints(d);
  g_assert_nonnull(constraints);
  g_assert_true(mt_constraints_equal(
      mt_translation_search(regard_document_get_result(d)->sentences[0].translation)->constraints,
      constraints));
  /* And back, with what was typed. */
  while (g_str_has_prefix(regard_document_get_text(d), "I have two dogs "))
    regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, "I have two dogs");
  assert_begins(d, "Ich habe zwei");
  unwatch(d, dropped);
}

/* When they do not fit any longer it is said, once, and the model goes its own way. */
static void
test_dropped(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  GPtrArray *dropped = watch(d);
  document_test_set_text(t, TIRED);
  g_autofree char *tired = g_strdup(translation(d));
  document_test_set_text(t, DOGS);
  begin_with(d, "Ich habe zwei Hunde");
  document_test_settle(t);
  assert_begins(d, "Ich habe zwei Hunde");
  regard_document_edit(d, TIRED, strlen(TIRED));
  document_test_settle(t);
  g_assert_cmpuint(dropped->len, ==, 1);
  g_assert_cmpstr(dropped->pdata[0], ==, "Ich habe zwei Hunde");
  g_assert_null(regard_document_get_constraints(d));
  g_assert_cmpstr(translation(d), ==, tired);

  /* One step back is both: the text, and what it began with. */
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, DOGS);
  assert_begins(d, "Ich habe zwei Hunde");
  regard_document_redo(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, tired);
  g_assert_cmpuint(dropped->len, ==, 1);

  /* What was unlikely from the beginning is what the person wanted. */
  begin_with(d, "Wir sehen");
  document_test_settle(t);
  regard_document_edit(d, "The animal didn't cross the street.", 3);
  document_test_settle(t);
  assert_begins(d, "Wir sehen");
  g_assert_cmpuint(dropped->len, ==, 1);
  unwatch(d, dropped);
}

/* Either goes on from a person's choice, or is the person's own. */
static void
test_given(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, DOGS);
  g_autofree char *own = g_strdup(translation(d));
  begin_with(d, "Wir");
  regard_document_give_translation(d, "Zwei Hunde.");
  document_test_settle(t);
  g_assert_null(regard_document_get_constraints(d));
  g_assert_cmpstr(translation(d), ==, "Zwei Hunde.");
  begin_with(d, "Sie");
  document_test_settle(t);
  g_assert_null(regard_document_get_user_translation(d));
  assert_begins(d, "Sie ");
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_true(regard_document_want_terms(d, "", NULL)); /* there were none: nothing changes */
  g_assert_cmpstr(regard_document_get_user_translation(d), ==, "Zwei Hunde.");
  g_assert_cmpstr(translation(d), ==, "Zwei Hunde.");
  regard_document_undo(d);
  document_test_settle(t);
  assert_begins(d, "Wir ");
  regard_document_redo(d);

  /* Who asks for the model's own way does not want that either. */
  regard_document_constrain(d, NULL);
  document_test_settle(t);
  g_assert_null(regard_document_get_user_translation(d));
  g_assert_cmpstr(translation(d), ==, own);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, "Zwei Hunde.");
}

/* A translation of the person's own is there to be looked at step by step, too. */
static void
test_given_steps(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  RegardSelection *s = regard_document_get_selection(d);
  document_test_set_text(t, DOGS);
  g_assert_null(regard_selection_get_steps(s)); /* nobody wants them */
  regard_selection_set_wants_steps(s, TRUE);
  document_test_settle(t);
  g_assert_nonnull(regard_selection_get_steps(s));
  regard_document_give_translation(d, "Zwei Hunde.");
  document_test_settle(t);
  const RegardSteps *steps = regard_selection_get_steps(s);
  g_assert_nonnull(steps);
  g_assert_true(regard_document_get_result(d)->sentences[0].is_given);
  g_assert_cmpstr(translation(d), ==, "Zwei Hunde.");
  float sum = 0;
  for (guint i = 0; i < steps->n; i++) {
    const mt_step_node *node = &steps->steps->nodes[(gsize) steps->nodes[i]];
    g_assert_true(node->is_forced);
    sum += node->logprob;
  }
  /* What it says is what scoring says. */
  regard_selection_set_wants_steps(s, FALSE);
  mt_error error = {0};
  g_autoptr(mt_session) session = mt_session_new(regard_document_get_model(d), NULL, &error);
  g_autoptr(mt_translation) scored =
      mt_session_score(session, DOGS, "Zwei Hunde.", -1, NULL, &error);
  g_assert_nonnull(scored);
  g_assert_cmpfloat_with_epsilon(mt_translation_hypothesis(scored, 0)->sum_logprob, sum, 1e-3);
  g_assert_cmpstr(mt_translation_hypothesis(scored, 0)->text, ==, translation(d));
}

/* They are ids of one model; with another there are none, and with the first they are back. */
static void
test_other_model(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  GPtrArray *dropped = watch(d);
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  document_test_set_text(t, DOGS);
  begin_with(d, "Wir");
  document_test_settle(t);
  regard_document_open_model(d, small);
  document_test_settle(t);
  g_assert_cmpuint(dropped->len, ==, 1);
  g_assert_cmpstr(dropped->pdata[0], ==, "");
  g_assert_null(regard_document_get_constraints(d));
  g_assert_no_error(regard_document_get_result(d)->sentences[0].error);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_model_dir(d), ==, "");
  assert_begins(d, "Wir ");
  g_assert_cmpuint(dropped->len, ==, 1);
  unwatch(d, dropped);
}

/* Nothing is chosen in a file, and what cannot be done is said and undone. */
static void
test_bad(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, DOGS);
  g_autofree char *own = g_strdup(translation(d));
  g_autoptr(GArray) ids = ids_of(d, "Wir");
  int32_t id = g_array_index(ids, int32_t, 0);
  while (ids->len < 5000)
    g_array_append_val(ids, id);
  g_autoptr(mt_constraints) too_long = new_constraints(ids, NULL, 0);
  regard_document_constrain(d, too_long);
  document_test_settle(t);
  g_assert_error(regard_document_get_result(d)->sentences[0].error, REGARD_ERROR,
                 REGARD_ERROR_TOO_LONG);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, own);

  g_array_set_size(ids, 0);
  id = (int32_t) mt_model_config(regard_document_get_model(d))->vocab_size[MT_STACK_DECODER];
  g_array_append_val(ids, id);
  g_autoptr(mt_constraints) unknown = new_constraints(ids, NULL, 0);
  regard_document_constrain(d, unknown);
  document_test_settle(t);
  g_assert_nonnull(regard_document_get_result(d)->sentences[0].error);
  /* Typing on does not stumble over it. */
  regard_document_edit(d, "I have two", 10);
  document_test_settle(t);
  regard_document_undo(d);
  regard_document_undo(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, own);

  g_autofree char *path = document_test_data_file("foreign-encoder.npz");
  regard_document_open_capture(d, path);
  document_test_settle(t);
  begin_with(d, "Wir");
  g_assert_null(regard_document_get_constraints(d));
  regard_document_close_capture(d);
  document_test_settle(t);
  g_assert_cmpstr(translation(d), ==, own);
}

/* In a session, and out of it. */
static void
test_session(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  document_test_set_text(t, "Ärzte say \"no\". " DOGS);
  regard_document_step_sentence(d, 1);
  document_test_settle(t);
  g_autoptr(GArray) prefix = ids_of(d, "Wir sehen"), two = ids_of(d, "zwei Hunde");
  const mt_forbidden forbidden[] = {
      {MT_EVERY_STEP, (const int32_t *) two->data, 1},
      {2, (const int32_t *) two->data, two->len},
  };
  g_autoptr(mt_constraints) constraints =
      new_constraints(prefix, forbidden, G_N_ELEMENTS(forbidden));
  regard_document_constrain(d, constraints);
  document_test_settle(t);
  g_autofree char *found = g_strdup(translation(d)), *before = document_test_describe(d);
  g_assert_true(g_str_has_prefix(found, "Wir sehen"));
  g_assert_null(strstr(found, "zwei"));
  g_autoptr(RegardDocument) other = document_test_reopen(d);
  g_autofree char *again = document_test_describe(other);
  g_assert_cmpstr(again, ==, before);
  g_assert_true(mt_constraints_equal(regard_document_get_constraints(other), constraints));
  g_assert_cmpstr(translation(other), ==, found);

  /* Another model does not know them. */
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(other, small);
  document_test_settle_other(other);
  g_assert_null(regard_document_get_constraints(other));
}

TESTS()
{
#define ADD(name, function)                                                                     \
  g_test_add("/document-constraints/" name, DocumentTest, NULL, document_test_set_up, function, \
             document_test_tear_down)
  ADD("terms", test_terms);
  ADD("begins", test_begins);
  ADD("forbids", test_forbids);
  ADD("sentences", test_sentences);
  ADD("typed-on", test_typed_on);
  ADD("dropped", test_dropped);
  ADD("given", test_given);
  ADD("given-steps", test_given_steps);
  ADD("other-model", test_other_model);
  ADD("bad", test_bad);
  ADD("session", test_session);
}
