/* test-translator.c — the worker: newest wins, nothing stale is delivered, errors lose nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "base/regard-error.h"
#include "document/regard-sentences.h"
#include "document/regard-translator.h"
#include "export/regard-capture-meta.h"
#include "runner/regard-runner.h"
#include "suite.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  RegardTranslator *translator;
  mt_model *model;      /* the last that was announced */
  RegardResult *result; /* the last that was delivered */
  guint n_results, n_complete, n_models;
} Fixture;

static const mt_request as_model;

static mt_request
beam_and_length(double beam_size, double max_length)
{
  mt_request request = {0};
  gsize row;
  g_assert_true(mt_search_find_field("beam_size", &row));
  g_assert_true(mt_request_set(&request, row, beam_size, NULL));
  g_assert_true(mt_search_find_field("max_length", &row));
  g_assert_true(mt_request_set(&request, row, max_length, NULL));
  return request;
}

static void
on_result(RegardTranslator *translator, RegardResult *result, Fixture *f)
{
  regard_result_ref(result);
  regard_result_unref(f->result);
  f->result = result;
  f->n_results++;
  f->n_complete += result->complete;
}

static void
on_model(RegardTranslator *translator, mt_model *model, Fixture *f)
{
  f->model = model;
  f->n_models++;
}

static void
set_up(Fixture *f, gconstpointer data)
{
  f->translator = regard_translator_new();
  g_signal_connect(f->translator, "result", G_CALLBACK(on_result), f);
  g_signal_connect(f->translator, "model-changed", G_CALLBACK(on_model), f);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
  g_object_unref(f->translator);
  regard_result_unref(f->result);
}

static gboolean
is_idle(gpointer data)
{
  return !regard_translator_is_busy(((Fixture *) data)->translator);
}

static void
use_model(Fixture *f, const char *dir)
{
  g_autoptr(mt_model) model = app_test_open(dir);
  f->n_models = 0;
  regard_translator_set_model(f->translator, model);
  app_test_until(f->n_models > 0);
}

static guint
ask(Fixture *f, const char *text, int active, int alternative)
{
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  return regard_translator_request(f->translator, text, sentences, active, alternative, &as_model);
}

static void
test_translate(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  guint serial = ask(f, "I have two dogs.", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->serial, ==, serial);
  g_assert_true(f->result->complete);
  g_assert_null(regard_result_error(f->result));
  const mt_hypothesis *h = regard_result_hypothesis(f->result, 0);
  g_assert_cmpstr(h->text, ==, "Ich habe zwei Hunde.");
  /* The picture is that of the words that are shown. */
  g_assert_nonnull(f->result->capture);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(f->result->capture)), ==, "I have two dogs.");
  g_assert_cmpuint(mt_tokens_count(mt_capture_output(f->result->capture)), ==,
                   mt_tokens_count(h->tokens));
}

static void
prepare(Fixture *f, const char *text)
{
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  regard_translator_prepare(f->translator, text, sentences, 0, 0, &as_model);
}

static void
check_answer(Fixture *f, guint serial, const char *source, const char *translation)
{
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->serial, ==, serial);
  g_assert_cmpstr(regard_result_hypothesis(f->result, 0)->text, ==, translation);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(f->result->capture)), ==, source);
}

/* Nobody is told of what is made ahead, and whatever is asked for comes before it. */
static void
test_ahead(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  prepare(f, "I have two dogs.");
  check_answer(f, ask(f, "I have a cat.", 0, -1), "I have a cat.", "Ich habe eine Katze.");
  prepare(f, "I have two dogs.");
  app_test_run_for(50);
  prepare(f, "It rains.");
  g_assert_false(regard_translator_is_busy(f->translator));
  check_answer(f, ask(f, "I have two dogs.", 0, -1), "I have two dogs.", "Ich habe zwei Hunde.");
  prepare(f, "It rains.");
  regard_translator_cancel(f->translator);
  prepare(f, "It rains.");
  app_test_run_for(50);
  check_answer(f, ask(f, "It rains.", 0, -1), "It rains.", "Es regnet.");
  g_assert_cmpuint(f->n_complete, ==, 3);
  prepare(f, "The house is old."); /* and it goes in the middle of that */
}

/* A sentence whose translation is given is not searched for, whatever was remembered; others are.
 */
static void
test_targets(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  g_autoptr(GHashTable) targets = g_hash_table_new(g_str_hash, g_str_equal);
  g_hash_table_insert(targets, (gpointer) "I have two dogs.", (gpointer) "Ich habe zwei Katzen.");
  for (guint i = 0; i < 4; i++) {
    gboolean is_given = i % 2;
    regard_translator_set_targets(f->translator, is_given ? targets : NULL);
    ask(f, "I have two dogs. Thank you.", (int) (i / 2), -1);
    app_test_wait(is_idle, f);
    g_assert_null(regard_result_error(f->result));
    const RegardResultSentence *s = f->result->sentences;
    g_assert_cmpint(s[0].is_given, ==, is_given);
    g_assert_false(s[1].is_given);
    g_assert_cmpstr(regard_result_hypothesis(f->result, 0)->text, ==,
                    is_given ? "Ich habe zwei Katzen." : "Ich habe zwei Hunde.");
    g_assert_cmpuint(mt_translation_count(s[0].translation), ==, is_given ? 1 : 4);
  }
}

/* What is remembered of a text belongs to the precision that it was translated in. */
static void
test_precision(Fixture *f, gconstpointer data)
{
  static const mt_precision order[] = {MT_PRECISION_STORED, MT_PRECISION_INT8, MT_PRECISION_STORED,
                                       MT_PRECISION_BF16};
  for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
    mt_error error = {0};
    g_autoptr(mt_model) model =
        mt_model_open(app_test_model_dir(), &(mt_load_options){.precision = order[i]}, &error);
    g_assert_cmpstr(error.message, ==, "");
    f->n_models = 0;
    regard_translator_set_model(f->translator, model);
    app_test_until(f->n_models > 0);
    for (guint again = 0; again < 2; again++) {
      ask(f, "I have two dogs. Thank you.", (int) again, -1);
      app_test_wait(is_idle, f);
      for (guint s = 0; s < f->result->n_sentences; s++)
        g_assert_cmpint(mt_translation_precision(f->result->sentences[s].translation), ==,
                        order[i]);
      g_assert_cmpint(mt_capture_precision(f->result->capture), ==, MT_PRECISION_STORED);
      g_assert_cmpint(mt_capture_translation_precision(f->result->capture), ==, order[i]);
    }
  }
}

/* A request that waits for the first model is answered when it is there. */
static void
test_before_model(Fixture *f, gconstpointer data)
{
  ask(f, "I have two dogs.", 0, -1);
  app_test_run_for(30);
  g_assert_null(f->result);
  g_assert_true(regard_translator_is_busy(f->translator));
  use_model(f, app_test_model_dir());
  app_test_wait(is_idle, f);
  g_assert_nonnull(f->result->capture);
}

static void
test_newest_wins(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  const char *text = "It is in this spirit that a majority of American governments have passed new "
                     "laws since 2009 making the registration or voting process more difficult.";
  guint serial = 0;
  /* As if typed in one burst, without the main loop coming round. */
  for (gsize n = 1; n <= strlen(text); n++) {
    g_autofree char *typed = g_strndup(text, n);
    serial = ask(f, typed, 0, -1);
  }
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->serial, ==, serial);
  g_assert_cmpstr(f->result->text, ==, text);
  g_assert_cmpuint(f->n_complete, ==, 1);
}

/* Typed slowly: each key stops the work for the one before, and no older answer comes through. */
static void
test_interrupted(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  const char *text = "She sat on the bank of the river and then went to the bank for money.";
  for (gsize n = 40; n <= strlen(text); n++) {
    g_autofree char *typed = g_strndup(text, n);
    guint serial = ask(f, typed, 0, -1);
    guint before = f->n_results;
    app_test_run_for(2);
    if (f->n_results > before)
      g_assert_cmpuint(f->result->serial, ==, serial);
  }
  app_test_wait(is_idle, f);
  g_assert_cmpstr(f->result->text, ==, text);
}

static void
test_cancel(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  ask(f, "The animal didn't cross the street because it was too tired.", 0, -1);
  regard_translator_cancel(f->translator);
  g_assert_false(regard_translator_is_busy(f->translator));
  app_test_run_for(300);
  g_assert_cmpuint(f->n_results, ==, 0);
  /* And it goes on afterwards. */
  ask(f, "I have two dogs.", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_nonnull(f->result->capture);
}

/* ---- Beside analyses -------------------------------------------------------------------------
 */

typedef struct {
  gint n_begun, may_end, n_asked;
} Analysis;

static gpointer
go_on(RegardRun *run, mt_error *error)
{
  Analysis *analysis = *(Analysis **) regard_run_get_params(run);
  g_atomic_int_inc(&analysis->n_begun);
  while (!g_atomic_int_get(&analysis->may_end) && !regard_run_should_stop(run)) {
    g_atomic_int_inc(&analysis->n_asked);
    g_usleep(100);
  }
  return run;
}

/* What is typed does not wait for analyses, however many run; the rest of a text does, and so is no
 * hindrance for what is typed next. */
static void
test_beside_analyses(Fixture *f, gconstpointer data)
{
  static const RegardTask task = {.priority = REGARD_RUN_SHOWN,
                                  .params_size = sizeof(Analysis *),
                                  .compute = go_on};
  Analysis analysis = {0}, *params = &analysis;
  use_model(f, app_test_model_dir());
  for (guint i = 0; i <= REGARD_MOST_SHOWN; i++) /* the last one waits for its turn */
    regard_runner_start(&task, NULL, &params, NULL, NULL);
  while (g_atomic_int_get(&analysis.n_begun) < REGARD_MOST_SHOWN)
    g_usleep(100);

  ask(f, "I have two dogs. She sees the small elephant.", 0, -1);
  app_test_until(f->n_results > 0 && f->result->capture);
  app_test_run_for(30);
  g_assert_false(f->result->complete);
  const gint before = g_atomic_int_get(&analysis.n_asked);
  while (g_atomic_int_get(&analysis.n_asked) == before) /* they are not held any more */
    g_usleep(100);

  f->n_results = 0;
  const guint serial = ask(f, "The cat sat on the mat.", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->serial, ==, serial);
  g_assert_true(f->result->complete);

  f->n_results = 0;
  ask(f, "I have two dogs. She sees the small elephant.", 0, -1);
  app_test_until(f->n_results > 0 && f->result->capture);
  g_assert_false(f->result->complete);
  g_atomic_int_set(&analysis.may_end, TRUE);
  app_test_wait(is_idle, f);
  g_assert_true(f->result->complete);
  g_assert_cmpint(analysis.n_begun, ==, REGARD_MOST_SHOWN + 1);
}

static void
test_paragraph(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  ask(f, "The cat sat on the mat.  I have two dogs.\n\nShe sees the small elephant.", 1, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->n_sentences, ==, 3);
  g_assert_cmpint(f->result->active, ==, 1);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(f->result->capture)), ==, "I have two dogs.");

  g_autoptr(GArray) spans = NULL;
  g_autofree char *layout = regard_result_layout(f->result, &spans);
  g_autofree char *expected =
      g_strdup_printf("%s  %s\n\n%s", regard_result_hypothesis(f->result, 0)->text,
                      regard_result_hypothesis(f->result, 1)->text,
                      regard_result_hypothesis(f->result, 2)->text);
  g_assert_cmpstr(layout, ==, expected);
  const RegardSentence *span = &g_array_index(spans, RegardSentence, 1);
  g_assert_true(g_str_has_prefix(layout + span->begin, "Ich habe zwei Hunde."));

  /* Only the edited sentence is done again. */
  g_autoptr(mt_translation) first = mt_translation_ref(f->result->sentences[0].translation);
  g_autoptr(mt_translation) last = mt_translation_ref(f->result->sentences[2].translation);
  ask(f, "The cat sat on the mat.  I have three dogs.\n\nShe sees the small elephant.", 1, -1);
  app_test_wait(is_idle, f);
  g_assert_true(f->result->sentences[0].translation == first);
  g_assert_true(f->result->sentences[2].translation == last);
}

static void
test_alternatives(Fixture *f, gconstpointer data)
{
  const char *text = "The old man did not cross the street. I have two dogs.";
  use_model(f, app_test_model_dir());
  ask(f, text, 0, -1);
  app_test_wait(is_idle, f);
  const RegardResultSentence *s = regard_result_active(f->result);
  g_assert_cmpuint(mt_translation_count(s->translation), ==, 4);
  g_assert_cmpuint(s->chosen, ==, 0);

  ask(f, text, 0, 2);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(regard_result_active(f->result)->chosen, ==, 2);
  const mt_hypothesis *h = regard_result_hypothesis(f->result, 0);
  const mt_tokens *output = mt_capture_output(f->result->capture);
  g_assert_cmpuint(mt_tokens_count(output), ==, mt_tokens_count(h->tokens));
  for (size_t i = 0; i < mt_tokens_count(output); i++)
    g_assert_cmpint(mt_tokens_get(output, i)->id, ==, mt_tokens_get(h->tokens, i)->id);

  /* The choice survives the caret going elsewhere; an impossible one is the last. */
  ask(f, text, 1, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->sentences[0].chosen, ==, 2);
  ask(f, text, 1, 99);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(f->result->sentences[1].chosen, ==, 3);
}

static void
test_search_settings(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  const char *text = "I have two dogs.";
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  mt_request search = beam_and_length(1, 4);
  regard_translator_request(f->translator, text, sentences, 0, -1, &search);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(mt_translation_count(f->result->sentences[0].translation), ==, 1);
  g_assert_cmpuint(mt_tokens_count(regard_result_hypothesis(f->result, 0)->tokens), <=, 4);
  /* What was found with other settings is not taken from memory. */
  ask(f, text, 0, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpuint(mt_translation_count(f->result->sentences[0].translation), ==, 4);
}

static mt_request
with_changes(const char *text)
{
  mt_request search = {0};
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = mt_interventions_parse("test", text, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_request_set_interventions(&search, interventions);
  return search;
}

/* Changes are made in the translation and in what is shown of it, and what was found without them
 * is there again when they are taken back. */
static void
test_changes(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  const char *text = "I have two dogs.";
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  ask(f, text, 0, -1);
  app_test_wait(is_idle, f);
  g_autoptr(mt_translation) first = mt_translation_ref(f->result->sentences[0].translation);
  g_assert_null(f->result->interventions);
  g_assert_null(mt_capture_interventions(f->result->capture));

  mt_request search = with_changes("cross scale 0\nencoder 2 window 1");
  regard_translator_request(f->translator, text, sentences, 0, -1, &search);
  mt_request_clear(&search); /* a copy was taken */
  app_test_wait(is_idle, f);
  const mt_translation *changed = f->result->sentences[0].translation;
  const char *asked = "cross scale 0\nencoder 2 window 1";
  g_assert_cmpstr(mt_interventions_text(f->result->interventions), ==, asked);
  g_assert_cmpstr(mt_interventions_text(mt_translation_interventions(changed)), ==, asked);
  g_assert_cmpstr(mt_interventions_text(mt_capture_interventions(f->result->capture)), ==, asked);
  g_assert_cmpfloat(mt_translation_hypothesis(changed, 0)->score, !=,
                    mt_translation_hypothesis(first, 0)->score);

  ask(f, text, 0, -1);
  app_test_wait(is_idle, f);
  g_assert_true(f->result->sentences[0].translation == first);
  g_assert_null(mt_capture_interventions(f->result->capture));

  search = with_changes("decoder 99 scale 2");
  regard_translator_request(f->translator, text, sentences, 0, -1, &search);
  mt_request_clear(&search);
  app_test_wait(is_idle, f);
  const GError *error = regard_result_error(f->result);
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "decoder 99 scale 2"));
}

/* A language is part of what a translation is remembered by, and a model without it does without.
 */
static void
test_languages(Fixture *f, gconstpointer data)
{
  static const char *const codes[] = {"deu", "swe", "deu", "xyz", ""};
  g_autofree char *multi_target = app_test_checkpoint("multi-target");
  const char *text = "the cat sat on the mat .";
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  g_autoptr(mt_translation) first = NULL;
  use_model(f, multi_target);
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++) {
    mt_request search = beam_and_length(1, 8);
    g_strlcpy(search.language, codes[i], sizeof search.language);
    regard_translator_request(f->translator, text, sentences, 0, -1, &search);
    app_test_wait(is_idle, f);
    g_assert_no_error(regard_result_error(f->result));
    mt_translation *translation = f->result->sentences[0].translation;
    const char *code = regard_capture_language(f->model, translation, MT_STACK_DECODER);
    g_assert_cmpstr(code, ==, i < 3 ? codes[i] : NULL);
    if (i == 0)
      first = mt_translation_ref(translation);
    else /* back to the first language: not done again */
      g_assert_true((translation == first) == (i == 2));
    const mt_tokens *shown = mt_capture_source(f->result->capture);
    g_assert_true(mt_tokens_get(shown, 0)->is_special == (i < 3));
  }

  use_model(f, app_test_model_dir());
  mt_request search = {.language = "deu"};
  g_array_index(sentences, RegardSentence, 0).end = strlen("I have two dogs.");
  regard_translator_request(f->translator, "I have two dogs.", sentences, 0, -1, &search);
  app_test_wait(is_idle, f);
  g_assert_cmpstr(regard_result_hypothesis(f->result, 0)->text, ==, "Ich habe zwei Hunde.");
}

static void
test_too_long(Fixture *f, gconstpointer data)
{
  use_model(f, app_test_model_dir());
  g_autoptr(GString) text = g_string_new("I have two dogs.\n");
  for (int i = 0; i < 600; i++)
    g_string_append(text, "dog ");
  ask(f, text->str, 1, -1);
  app_test_wait(is_idle, f);
  const GError *error = regard_result_error(f->result);
  g_assert_error(error, REGARD_ERROR, REGARD_ERROR_TOO_LONG);
  g_assert_nonnull(strstr(error->message, "512"));
  g_assert_nonnull(regard_error_advice(error));
  g_assert_null(f->result->capture);
  /* The others are translated all the same. */
  g_assert_nonnull(regard_result_hypothesis(f->result, 0));
  g_assert_true(f->result->complete);
}

static void
test_swap_models(Fixture *f, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  use_model(f, app_test_model_dir());
  ask(f, "I have two dogs.", 0, -1);
  app_test_wait(is_idle, f);
  use_model(f, small);
  ask(f, "I have two dogs.", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_cmpstr(mt_model_name(f->result->model), ==, "post-norm-relu");
  g_assert_cmpstr(mt_capture_model_name(f->result->capture), ==, "post-norm-relu");
}

/* Destroyed in the middle of its work: stops, joins, leaks nothing. */
static void
test_destroyed(void)
{
  for (int i = 0; i < 5; i++) {
    Fixture f = {0};
    set_up(&f, NULL);
    use_model(&f, app_test_model_dir());
    ask(&f, "The Law will never be perfect, but its application should be just.", 0, -1);
    app_test_run_for((guint) i * 3);
    tear_down(&f, NULL);
  }
}

/* Another program cuts the model's file off: an error that names it, until there is a good one. */
static void
test_cut_off(Fixture *f, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *dir = app_test_broken_model(folder, "model.safetensors", NULL);
  g_autofree char *path = g_build_filename(dir, "model.safetensors", NULL);
  g_autofree char *good = app_test_checkpoint("post-norm-relu");
  g_autofree char *good_path = g_build_filename(good, "model.safetensors", NULL);
  g_autoptr(GFile) from = g_file_new_for_path(good_path), to = g_file_new_for_path(path);
  g_assert_true(g_file_copy(from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  use_model(f, dir);
  ask(f, "the dog", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_null(regard_result_error(f->result));

  g_assert_cmpint(truncate(path, 0), ==, 0);
  ask(f, "the cat", 0, -1);
  app_test_wait(is_idle, f);
  const GError *error = regard_result_error(f->result);
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "/model.safetensors: the file became shorter"));

  use_model(f, good);
  ask(f, "the cat", 0, -1);
  app_test_wait(is_idle, f);
  g_assert_null(regard_result_error(f->result));
  g_assert_nonnull(f->result->capture);
  app_test_remove(folder);
}

TESTS()
{
  mt_guard_mapped_files();
#define ADD(path, function) g_test_add(path, Fixture, NULL, set_up, function, tear_down)
  ADD("/translator/translate", test_translate);
  ADD("/translator/ahead", test_ahead);
  ADD("/translator/precision", test_precision);
  ADD("/translator/targets", test_targets);
  ADD("/translator/before-model", test_before_model);
  ADD("/translator/newest-wins", test_newest_wins);
  ADD("/translator/interrupted", test_interrupted);
  ADD("/translator/cancel", test_cancel);
  ADD("/translator/beside-analyses", test_beside_analyses);
  ADD("/translator/paragraph", test_paragraph);
  ADD("/translator/alternatives", test_alternatives);
  ADD("/translator/search-settings", test_search_settings);
  ADD("/translator/changes", test_changes);
  ADD("/translator/languages", test_languages);
  ADD("/translator/too-long", test_too_long);
  ADD("/translator/swap-models", test_swap_models);
  ADD("/translator/cut-off", test_cut_off);
  g_test_add_func("/translator/destroyed", test_destroyed);
}
