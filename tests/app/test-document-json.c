/* test-document-json.c — the document and its reference as JSON, and out of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"

#include "base/regard-error.h"
#include "models/regard-training-steps.h"
#include <string.h>

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
count(guint *n)
{
  ++*n;
}

static void
test_round_trip(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  static const char asked[] = "{\"beam_size\": 3, \"max_length\": 40, \"length_penalty\": 0.7, "
                              "\"changes\": [\"cross 4.1 scale 0.5\", \"encoder window 2\"]}";
  mt_request search = {0};
  g_assert_true(mt_request_from_json(&search, "asked", asked, strlen(asked), NULL));
  document_test_set_text(t, "Ärzte say \"no\". I have two dogs.");
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
  document_test_settle(t);
  regard_document_set_place(d, (RegardPlace){MT_CROSS, 3, 5});
  g_autofree char *json = regard_document_to_json(d);
  g_autoptr(RegardDocument) other = document_test_reopen(json);
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
  document_test_settle_other(other);
  g_assert_true(regard_document_from_json(other, json, NULL));
  document_test_settle_other(other);
  g_autofree char *third = regard_document_to_json(other);
  g_assert_cmpstr(third, ==, json);
}

/* A checkpoint, a precision, a file by its name. */
static void
test_round_trip_of_the_rest(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  g_autofree char *path = document_test_data_file("foreign-translation.npz");
  regard_document_learn(d);
  document_test_settle(t);
  const GArray *steps = regard_document_get_training(d);
  regard_document_open_model(d, g_array_index(steps, RegardTrainingStep, 3).path);
  document_test_settle(t);
  regard_document_set_precision(d, MT_PRECISION_BF16);
  document_test_settle(t);
  regard_document_open_capture(d, path);
  document_test_settle(t);
  g_autofree char *json = regard_document_to_json(d);
  g_assert_nonnull(strstr(json, "foreign-translation.npz"));
  g_assert_nonnull(strstr(json, "\"checkpoint\": 80"));
  g_autoptr(RegardDocument) other = document_test_reopen(json);
  g_autofree char *again = regard_document_to_json(other);
  g_assert_cmpstr(again, ==, json);
  g_assert_cmpuint(regard_document_get_step(other), ==, 3);
  g_assert_cmpint(mt_model_precision(regard_document_get_model(other)), ==, MT_PRECISION_BF16);
  g_assert_cmpstr(mt_capture_file_name(regard_document_get_foreign(other)), ==,
                  "foreign-translation.npz");
}

/* ---- The reference ------------------------------------------------------------------------- */

/* What is kept stays as it was, whatever becomes of the document; it is written and read. */
static void
test_reference(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  regard_document_keep_reference(d);
  g_assert_null(regard_document_get_reference(d)); /* of nothing */
  document_test_set_text(t, "It rains. I have two dogs.");
  regard_document_set_place(d, (RegardPlace){MT_CROSS, 3, 5});
  g_string_truncate(t->told, 0);
  regard_document_keep_reference(d);
  g_assert_true(document_test_was_told(t, "reference"));
  const RegardState *kept = regard_document_get_reference(d);
  mt_capture *capture = kept->result->capture;
  g_assert_true(capture && capture == regard_document_get_result(d)->capture);

  regard_document_edit_changes(d, "cross 4.1 zero", REGARD_CHANGE_TOGGLE, NULL);
  document_test_set_text(t, "I have two dogs.");
  g_assert_true(regard_document_get_reference(d) == kept && kept->result->capture == capture);
  g_assert_cmpstr(kept->text, ==, "It rains. I have two dogs.");
  g_assert_cmpstr(kept->model, ==, "");
  g_assert_null(kept->search.changes);
  g_assert_true(kept->place.kind == MT_CROSS && kept->place.layer == 3 && kept->place.head == 5);

  /* Half of an answer is nothing to compare with, and a file is no text. */
  regard_document_edit(d, "I have two", 10);
  regard_document_keep_reference(d);
  g_assert_true(regard_document_get_reference(d) == kept);
  document_test_settle(t);

  g_autofree char *json = regard_document_to_json(d);
  g_autoptr(RegardDocument) other = document_test_reopen(json);
  g_autofree char *again = regard_document_to_json(other);
  g_assert_cmpstr(again, ==, json);
  const RegardState *read = regard_document_get_reference(other);
  g_assert_cmpstr(read->text, ==, kept->text);
  g_assert_true(mt_request_equal(&read->search, &kept->search));
  g_assert_null(read->result);

  g_string_truncate(t->told, 0);
  regard_document_drop_reference(d);
  g_assert_true(document_test_was_told(t, "reference"));
  g_assert_null(regard_document_get_reference(d));
}

/* What is not whole changes nothing, and says where it is not. */
static void
test_refused(DocumentTest *t, gconstpointer data)
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
      {"\"capture\": null", "\"capture\": \"a\\u0000b\"", "capture"},
      {"\"reference\": null", "\"reference\": 7", "reference"},
      {"\"reference\": null", "\"reference\": {}", "“reference”: “text”"},
  };
  document_test_set_text(t, "It rains.");
  g_autofree char *json = regard_document_to_json(t->document);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *at = strstr(json, cases[i].from);
    g_assert_nonnull(at);
    g_autofree char *front = g_strndup(json, (gsize) (at - json));
    g_autofree char *broken = g_strconcat(front, cases[i].to, at + strlen(cases[i].from), NULL);
    g_autoptr(GError) error = NULL;
    g_string_truncate(t->told, 0);
    g_assert_false(regard_document_from_json(t->document, broken, &error));
    g_assert_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT);
    g_assert_nonnull(strstr(error->message, cases[i].said));
    g_assert_cmpstr(t->told->str, ==, "");
    g_assert_false(regard_document_is_busy(t->document));
  }
  /* Cut off anywhere. */
  for (gsize n = 0; n < strlen(json) - 1; n++) {
    g_autofree char *cut = g_strndup(json, n);
    g_assert_false(regard_document_from_json(t->document, cut, NULL));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                              \
  g_test_add("/document-json/" name, DocumentTest, NULL, document_test_set_up, function, \
             document_test_tear_down)
  ADD("round-trip", test_round_trip);
  ADD("round-trip-of-the-rest", test_round_trip_of_the_rest);
  ADD("reference", test_reference);
  ADD("refused", test_refused);
  return g_test_run();
}
