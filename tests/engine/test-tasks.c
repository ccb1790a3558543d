/* test-tasks.c — what a model is told to do, by words before the text and by settings of its
 * config.json.
 *
 * tests/data/tasks.json (written by tests/reference/make_tasks.py) has what `generate` makes of
 * texts behind prefixes, searched as the tasks of the checkpoint t5-tiny ask.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <json-c/json.h>
#include <mt.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#define CHECKPOINT "tests/data/checkpoints/t5-tiny"
#define TOLERANCE  1e-4

static const mt_task *
task_of(const mt_model *model, const char *name)
{
  const mt_task *task = mt_model_find_task(model, name);
  g_assert_nonnull(task);
  return task;
}

static void
put_prefix(mt_search_params *params, const char *prefix)
{
  g_strlcpy(params->task_prefix, prefix, sizeof params->task_prefix);
}

/* ---- Against transformers -------------------------------------------------------------------- */

static json_object *
member(json_object *object, const char *key)
{
  return json_object_object_get(object, key);
}

static void
assert_ids(json_object *expected, const mt_tokens *tokens)
{
  g_assert_cmpuint(mt_tokens_count(tokens), ==, json_object_array_length(expected));
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    g_assert_cmpint(mt_tokens_get(tokens, i)->id, ==,
                    json_object_get_int(json_object_array_get_idx(expected, i)));
}

static void
check_case(mt_session *session, json_object *c, const char *text)
{
  const mt_model *model = mt_session_model(session);
  const char *name = json_object_get_string(member(c, "task"));
  json_object *hypotheses = member(c, "hypotheses");
  mt_error error = {0};
  mt_search_params params = mt_search_params_of_task(model, name ? task_of(model, name) : NULL);
  if (!name)
    put_prefix(&params, json_object_get_string(member(c, "prefix")));
  g_assert_cmpstr(params.task_prefix, ==, json_object_get_string(member(c, "prefix")));
  params.n_best = json_object_array_length(hypotheses);
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, text, &params, NULL, &error);
  if (!translation)
    g_error("%s", error.message);
  assert_ids(member(c, "source"), mt_translation_source(translation));
  g_assert_cmpstr(mt_translation_task(translation), ==, name ? name : "");
  g_assert_cmpstr(mt_translation_task_prefix(translation), ==, params.task_prefix);
  g_assert_cmpuint(mt_translation_count(translation), ==, params.n_best);
  for (size_t h = 0; h < params.n_best; h++) {
    json_object *expected = json_object_array_get_idx(hypotheses, h);
    const mt_hypothesis *found = mt_translation_hypothesis(translation, h);
    assert_ids(member(expected, "ids"), found->tokens);
    if (member(expected, "score"))
      g_assert_cmpfloat_with_epsilon((double) found->score,
                                     json_object_get_double(member(expected, "score")), TOLERANCE);
  }
}

static void
test_golden(void)
{
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  mt_session *session = sentences_session(model, 1, false);
  g_autofree char *path = golden_path("tests/data/tasks.json"), *lines = NULL;
  g_autofree char *sentences = golden_path("tests/data/sentences.en.txt");
  json_object *cases = json_object_from_file(path);
  g_assert_true(g_file_get_contents(sentences, &lines, NULL, NULL));
  g_auto(GStrv) texts = g_strsplit(lines, "\n", -1);
  g_assert_cmpuint(json_object_array_length(cases), ==, 15);
  for (size_t i = 0; i < json_object_array_length(cases); i++) {
    json_object *c = json_object_array_get_idx(cases, i);
    check_case(session, c, texts[json_object_get_int(member(c, "sentence"))]);
  }
  json_object_put(cases);
  mt_session_free(session);
}

/* ---- Reading config.json --------------------------------------------------------------------- */

/* A folder with the files of the checkpoint and these tasks. Caller removes it. */
static char *
write_model(const char *tasks, const char *generation)
{
  static const char *const files[] = {"model.safetensors", "spiece.model", "tokenizer_config.json",
                                      "special_tokens_map.json", "generation_config.json"};
  char *folder = g_dir_make_tmp("regard-tasks-XXXXXX", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *inside = g_build_filename(CHECKPOINT, files[i], NULL);
    g_autofree char *from = golden_path(inside);
    g_autofree char *to = g_build_filename(folder, files[i], NULL), *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(from, &bytes, &n, NULL));
    if (generation && g_str_equal(files[i], "generation_config.json"))
      g_assert_true(g_file_set_contents(to, generation, -1, NULL));
    else
      g_assert_true(g_file_set_contents(to, bytes, (gssize) n, NULL));
  }
  g_autofree char *from = golden_path(CHECKPOINT "/config.json");
  g_autofree char *to = g_build_filename(folder, "config.json", NULL);
  json_object *config = json_object_from_file(from);
  json_object_object_del(config, "task_specific_params");
  if (tasks)
    json_object_object_add(config, "task_specific_params", json_tokener_parse(tasks));
  g_assert_cmpint(json_object_to_file(to, config), ==, 0);
  json_object_put(config);
  return folder;
}

static void
remove_model(char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_remove(path);
  }
  g_rmdir(folder);
  g_free(folder);
}

static mt_model *
open_with(const char *tasks, const char *generation, mt_error *error)
{
  char *folder = write_model(tasks, generation);
  mt_model *model = mt_model_open(folder, NULL, error);
  remove_model(folder);
  return model;
}

static void
test_read(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  const mt_task *summary = task_of(model, "summarization");
  const mt_config *c = summary->settings;
  g_assert_cmpuint(mt_model_n_tasks(model), ==, 2);
  g_assert_null(mt_model_find_task(model, "summariz"));
  g_assert_true(mt_model_takes_prefix(model));
  g_assert_cmpuint(c->num_beams, ==, 3);
  g_assert_cmpuint(c->max_length, ==, 20);
  g_assert_cmpuint(c->min_length, ==, 6);
  g_assert_cmpuint(c->generation.no_repeat_ngram_size, ==, 3);
  g_assert_cmpint(c->early_stopping, ==, MT_EARLY_STOPPING_TRUE);
  g_assert_cmpfloat(c->length_penalty, ==, 2);
  g_assert_null(c->generation.not_honoured);
  g_assert_cmpuint(mt_model_config(model)->num_beams, ==, 1);

  mt_search_params params = mt_search_params_default(model);
  g_assert_cmpint(mt_search_unit(&params, model), ==, MT_UNIT_SENTENCE);
  put_prefix(&params, "summarize: ");
  g_assert_cmpint(mt_search_unit(&params, model), ==, MT_UNIT_TEXT);
  params = mt_search_params_of_task(model, summary);
  put_prefix(&params, "");
  g_assert_cmpint(mt_search_unit(&params, model), ==, MT_UNIT_TEXT);
  params = mt_search_params_of_task(model, task_of(model, "translation_en_to_de"));
  g_assert_cmpint(mt_search_unit(&params, model), ==, MT_UNIT_SENTENCE);

  /* Settings of the model stay where the task says nothing; max_new_tokens has precedence. What a
   * task cannot change, or nobody knows, is named. */
  g_autoptr(mt_model) other = open_with(
      "{\"a\": {\"max_length\": 9, \"min_length\": 2, \"decoder_start_token_id\": 3,"
      " \"renormalize_logits\": true, \"forced_bos_token_id\": 4, \"do_sample\": true,"
      " \"what\": 1, \"top_k\": 5, \"bad_words_ids\": [[7], [8, 9]]}, \"b\": {\"prefix\": null}}",
      "{\"max_new_tokens\": 5, \"repetition_penalty\": 1.5, \"bad_words_ids\": [[6]]}", &error);
  if (!other)
    g_error("%s", error.message);
  c = task_of(other, "a")->settings;
  g_assert_cmpstr(task_of(other, "b")->prefix, ==, "");
  g_assert_cmpuint(c->max_length, ==, 6);
  g_assert_cmpuint(c->min_length, ==, 2);
  g_assert_cmpuint(c->n_bad_words, ==, 2);
  g_assert_cmpuint(mt_model_config(other)->n_bad_words, ==, 1);
  g_assert_cmpfloat(c->generation.repetition_penalty, ==, 1.5f);
  g_assert_cmpstr(c->generation.not_honoured, ==,
                  "decoder_start_token_id, renormalize_logits, forced_bos_token_id, do_sample, "
                  "what");
  g_assert_false(c->generation.renormalize_logits);

  g_autoptr(mt_model) none = open_with(NULL, NULL, &error);
  g_assert_cmpuint(mt_model_n_tasks(none), ==, 0);
  g_assert_true(mt_model_takes_prefix(none));
  g_autoptr(mt_model) marian = sentences_model("tests/data/checkpoints/zero-pad");
  g_assert_false(mt_model_takes_prefix(marian));
}

static void
test_hostile(void)
{
  g_autoptr(GString) many = g_string_new("{");
  for (int i = 0; i <= MT_MAX_TASKS; i++)
    g_string_append_printf(many, "%s\"t%d\": {}", i ? ", " : "", i);
  g_string_append_c(many, '}');
  g_autofree char *x = g_strnfill(MT_PREFIX_SIZE, 'x');
  g_autofree char *long_prefix = g_strdup_printf("{\"a\": {\"prefix\": \"%s\"}}", x);
  g_autofree char *long_name = g_strdup_printf("{\"%.*s\": {}}", MT_TASK_SIZE, x);
  const struct {
    const char *tasks, *words;
  } cases[] = {
      {"3", "config.json|task_specific_params|at most 32 tasks|the number 3"},
      {"[{}]", "task_specific_params|a list"},
      {many->str, "task_specific_params|at most 32 tasks"},
      {"{\"a\": null}", "a in task_specific_params|an object|null"},
      {"{\"a\": \"b\"}", "a in task_specific_params|an object"},
      {"{\"\": {}}", "names in task_specific_params|0 bytes"},
      {"{\"a b\": {}}", "names in task_specific_params|3 bytes"},
      {"{\"\\u001b\": {}}", "names in task_specific_params|1 bytes"},
      {long_name, "names in task_specific_params|104 bytes"},
      {long_prefix, "a in task_specific_params|prefix|at most 256 bytes|257"},
      {"{\"a\": {\"prefix\": 7}}", "a in task_specific_params|prefix|a string"},
      {"{\"a\": {\"prefix\": \"b\\u0000c\"}}", "a in task_specific_params|prefix"},
      {"{\"a\": {\"num_beams\": 0}}", "a in task_specific_params|num_beams"},
      {"{\"a\": {\"num_beams\": 1e9}}", "a in task_specific_params|num_beams"},
      {"{\"a\": {\"bad_words_ids\": [[1], []]}}", "a in task_specific_params|bad_words_ids"},
      {"{\"a\": {}, \"b\": {\"min_length\": 9, \"max_length\": 8}}",
       "b in task_specific_params|min_length"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    g_assert_null(open_with(cases[i].tasks, NULL, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    g_auto(GStrv) words = g_strsplit(cases[i].words, "|", -1);
    for (gsize w = 0; words[w]; w++)
      if (!strstr(error.message, words[w]))
        g_error("%s: \"%s\" is missing", error.message, words[w]);
  }
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void
test_tokens(void)
{
  static const char *const models[] = {CHECKPOINT, "tests/data/checkpoints/byt5-tiny"};
  mt_error error = {0};
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    g_autoptr(mt_model) model = sentences_model(models[m]);
    mt_search_params params = mt_search_params_default(model);
    g_autoptr(mt_tokens) alone = mt_model_tokenize_for(model, "a cät naps", &params, &error);
    put_prefix(&params, "säy: ");
    g_autoptr(mt_tokens) behind = mt_model_tokenize_for(model, "a cät naps", &params, &error);
    g_autoptr(mt_tokens) both =
        mt_model_tokenize(model, MT_STACK_ENCODER, "säy: a cät naps", &error);
    size_t n = mt_tokens_count(both), n_prefix = 0;
    g_assert_cmpuint(mt_tokens_count(behind), ==, n);
    g_assert_cmpstr(mt_tokens_text(behind), ==, "a cät naps");
    for (size_t i = 0; i < n; i++) {
      const mt_token *token = mt_tokens_get(behind, i), *whole = mt_tokens_get(both, i);
      n_prefix += token->is_prefix;
      g_assert_cmpint(token->id, ==, whole->id);
      g_assert_cmpint(token->word, ==, whole->word);
      g_assert_true(token->is_prefix == (i < n_prefix)); /* they are first */
      g_assert_false(whole->is_prefix);
      if (token->is_prefix)
        g_assert_cmpuint(token->end, ==, 0);
      else
        g_assert_cmpuint(token->end, ==, whole->end > 6 ? whole->end - 6 : 0);
    }
    g_assert_cmpuint(n_prefix, >, 1);
    g_assert_cmpuint(mt_tokens_get(behind, n - 2)->end, ==, strlen("a cät naps"));
    g_assert_false(mt_tokens_get(alone, 0)->is_prefix);

    /* A prefix is no text, and an error is about the text. */
    g_assert_null(mt_model_tokenize_for(model, " ", &params, &error));
    g_assert_cmpstr(error.message, ==, "Expected some text, found only white space.");
    g_assert_null(mt_model_tokenize_for(model, "ab\xff", &params, &error));
    g_assert_nonnull(strstr(error.message, "at byte 2"));
    put_prefix(&params, "a\xff");
    g_assert_null(mt_model_tokenize_for(model, "b", &params, &error));
    g_assert_nonnull(strstr(error.message, "UTF-8"));
    memset(params.task_prefix, 'x', sizeof params.task_prefix); /* no end */
    g_assert_false(mt_search_params_check(&params, model, &error));
  }
  g_autoptr(mt_model) marian = sentences_model("tests/data/checkpoints/zero-pad");
  mt_search_params params = mt_search_params_default(marian);
  put_prefix(&params, "say: ");
  g_assert_null(mt_model_tokenize_for(marian, "cat", &params, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  /* A task of another model. */
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  params = mt_search_params_of_task(model, mt_model_task(model, 0));
  g_assert_false(mt_search_params_check(&params, marian, &error));
  g_assert_nonnull(strstr(error.message, "not one of the model's"));
}

/* ---- What follows from it -------------------------------------------------------------------- */

/* A given translation, a batch and a capture are of the same tokens as a search; files keep which
 * ones are of the prefix. */
static void
test_given(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  mt_session *session = sentences_session(model, 1, false);
  mt_search_params params = mt_search_params_of_task(model, task_of(model, "summarization"));
  g_autoptr(mt_translation) found = mt_session_translate(session, "a cat", &params, NULL, &error);
  g_autoptr(mt_translation) given =
      mt_session_score_for(session, "a cat", mt_translation_hypothesis(found, 0)->text, &params,
                           NULL, &error);
  g_assert_nonnull(given);
  const mt_tokens *a = mt_translation_source(found), *b = mt_translation_source(given);
  g_assert_cmpuint(mt_tokens_count(a), ==, mt_tokens_count(b));
  for (size_t i = 0; i < mt_tokens_count(a); i++) {
    g_assert_cmpint(mt_tokens_get(a, i)->id, ==, mt_tokens_get(b, i)->id);
    g_assert_true(mt_tokens_get(a, i)->is_prefix == mt_tokens_get(b, i)->is_prefix);
  }
  g_assert_cmpstr(mt_translation_task(given), ==, "summarization");
  g_assert_cmpstr(mt_translation_task_prefix(given), ==, "summarize: ");
  g_assert_null(mt_translation_search(given));

  g_autofree char *folder = g_dir_make_tmp("regard-tasks-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "a.npz", NULL);
  g_autoptr(mt_capture) capture = sentences_capture(session, found, NULL);
  g_assert_true(mt_capture_write_npz(capture, path, "{}", &error));
  g_autoptr(mt_capture) again = mt_capture_read_npz(path, NULL, &error);
  if (!again)
    g_error("%s", error.message);
  const mt_tokens *read = mt_capture_source(again);
  for (size_t i = 0; i < mt_tokens_count(a); i++)
    g_assert_true(mt_tokens_get(a, i)->is_prefix == mt_tokens_get(read, i)->is_prefix);
  g_assert_true(mt_tokens_get(read, 0)->is_prefix);
  g_remove(path);
  g_rmdir(folder);

  /* Words of the text have links, the prefix has none. */
  g_autoptr(mt_alignment_input) input =
      mt_alignment_input_new(session, "a cat", "b", NULL, NULL, &params, NULL, &error);
  g_assert_nonnull(input);
  g_assert_cmpuint(input->words[MT_STACK_ENCODER].n, ==, 2);
  g_assert_cmpuint(input->words[MT_STACK_ENCODER].pieces[0].begin, ==,
                   input->words[MT_STACK_ENCODER].pieces[0].end);
  mt_session_free(session);
}

typedef struct {
  const char *const *texts;
  size_t i, n_done;
} Batch;

static const char *
next_text(void *user)
{
  Batch *batch = user;
  return batch->texts[batch->i] ? batch->texts[batch->i++] : NULL;
}

static void
keep_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Batch *batch = user;
  g_assert_nonnull(translation);
  batch->n_done++;
  g_assert_cmpstr(mt_translation_task(translation), ==, "summarization");
  g_assert_true(mt_tokens_get(mt_translation_source(translation), 0)->is_prefix);
}

static void
test_many(void)
{
  static const char *const texts[] = {"a cat", "two dogs", NULL};
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  mt_session *session = sentences_session(model, 1, false);
  mt_search_params params = mt_search_params_of_task(model, task_of(model, "summarization"));
  Batch batch = {.texts = texts};
  const mt_texts many = {.next = next_text, .on_result = keep_result, .user = &batch};
  g_assert_true(mt_session_translate_many(session, &many, &params, &error));
  g_assert_cmpuint(batch.n_done, ==, 2);
  mt_session_free(session);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void
test_request(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(CHECKPOINT);
  g_autoptr(mt_model) marian = sentences_model("tests/data/checkpoints/zero-pad");
  mt_request request = {.task = "summarization"}, again = {0}, own;
  mt_search_params params = mt_request_resolve(&request, model);
  g_assert_true(params.task == task_of(model, "summarization"));
  g_assert_cmpstr(params.task_prefix, ==, "summarize: ");
  g_assert_cmpuint(params.beam_size, ==, 3);
  own = mt_request_of_params(&params, model);
  g_assert_true(mt_request_equal(&own, &request));
  mt_request_clear(&own);

  g_assert_true(mt_request_set_task_prefix(&request, "tl;dr \"x\": ", &error));
  params = mt_request_resolve(&request, model);
  g_assert_cmpstr(params.task_prefix, ==, "tl;dr \"x\": ");
  own = mt_request_of_params(&params, model);
  g_assert_true(mt_request_equal(&own, &request));
  mt_request_clear(&own);
  params = mt_request_resolve(&request, marian); /* which has neither */
  g_assert_null(params.task);
  g_assert_cmpstr(params.task_prefix, ==, "");

  char *json = mt_request_to_json(&request, &error);
  g_assert_true(mt_request_from_json(&again, "test", json, strlen(json), &error));
  g_assert_true(mt_request_equal(&request, &again));
  mt_string_free(json);
  again.has_task_prefix = false;
  g_assert_false(mt_request_equal(&request, &again));
  request = (mt_request){.has_task_prefix = true}; /* none, whatever the task says */
  json = mt_request_to_json(&request, &error);
  g_assert_true(mt_request_from_json(&again, "test", json, strlen(json), &error));
  g_assert_true(mt_request_equal(&request, &again));
  mt_string_free(json);

  g_autofree char *x = g_strnfill(MT_PREFIX_SIZE, 'x');
  g_autofree char *too_long = g_strdup_printf("{\"task_prefix\": \"%s\"}", x);
  const char *bad[] = {"{\"task\": 7}", "{\"task_prefix\": [1]}", too_long};
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
    g_assert_false(mt_request_from_json(&again, "test", bad[i], strlen(bad[i]), &error));
  g_assert_true(mt_request_equal(&request, &again));
  g_assert_false(mt_request_set_task_prefix(&again, x, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
  g_assert_false(mt_request_set_task_prefix(&again, "\xff", &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_true(mt_request_equal(&request, &again));
}

TESTS()
{
  g_test_add_func("/tasks/golden", test_golden);
  g_test_add_func("/tasks/read", test_read);
  g_test_add_func("/tasks/hostile", test_hostile);
  g_test_add_func("/tasks/tokens", test_tokens);
  g_test_add_func("/tasks/given", test_given);
  g_test_add_func("/tasks/many", test_many);
  g_test_add_func("/tasks/request", test_request);
}
