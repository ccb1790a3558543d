/* test-steps.c — what a traced search says of itself holds together, and changes nothing.
 *
 * Every trace is checked against itself (steps-checks.h), and the search that was traced against
 * the same search without. Where the whole vocabulary is kept, the best continuations are found
 * again by sorting all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "steps-checks.h"
#include "suite.h"
#include "text/mt-tokens.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* ---- The same with and without ----------------------------------------------------------------
 */

static void
assert_same(const mt_translation *a, const mt_translation *b)
{
  g_assert_cmpuint(mt_translation_count(a), ==, mt_translation_count(b));
  for (size_t i = 0; i < mt_translation_count(a); i++) {
    const mt_hypothesis *x = mt_translation_hypothesis(a, i), *y = mt_translation_hypothesis(b, i);
    size_t n = mt_tokens_count(x->tokens);
    g_assert_cmpstr(x->text, ==, y->text);
    g_assert_cmpuint(x->n_forced, ==, y->n_forced);
    g_assert_cmpmem(mt_tokens_ids(x->tokens), n * sizeof(int32_t), mt_tokens_ids(y->tokens),
                    mt_tokens_count(y->tokens) * sizeof(int32_t));
    g_assert_cmpmem(x->logprobs, n * sizeof(float), y->logprobs, n * sizeof(float));
    g_assert_true(steps_same_bits(x->score, y->score));
  }
}

static void
assert_same_steps(const mt_steps *a, const mt_steps *b)
{
  g_assert_cmpuint(a->n_nodes, ==, b->n_nodes);
  g_assert_cmpuint(a->n_rows, ==, b->n_rows);
  for (size_t i = 0; i < a->n_nodes; i++) {
    const mt_step_node *x = &a->nodes[i], *y = &b->nodes[i];
    g_assert_true(x->step == y->step && x->parent == y->parent && x->id == y->id &&
                  x->is_held == y->is_held && x->fate == y->fate && x->result == y->result &&
                  x->end_step == y->end_step);
    g_assert_true(steps_same_bits(x->sum, y->sum) && steps_same_bits(x->margin, y->margin) &&
                  steps_same_bits(x->logprob, y->logprob));
  }
  for (size_t i = 0; i < a->n_rows; i++) {
    mt_step_row x = a->rows[i], y = b->rows[i];
    g_assert_true(steps_same_bits(x.entropy, y.entropy));
    g_assert_cmpmem(x.options, x.n * sizeof *x.options, y.options, y.n * sizeof *y.options);
  }
}

static mt_translation *
translate(mt_session *session, const char *text, const mt_search_params *params,
          const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(session, text, params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(t);
  return t;
}

/* Traced and not, after each other in one session, so that greedy search has a draft the second
 * time; and in new ones, of which one guesses ahead. */
static void
check_text(mt_model *model, mt_session *session, const char *text, mt_search_params params,
           const mt_hooks *hooks)
{
  mt_error error = {0};
  g_autoptr(mt_session) fresh =
      mt_session_new(model, &(mt_session_options){.n_threads = 1}, &error);
  mt_search_params plain = params;
  plain.trace = 0;
  g_autoptr(mt_translation) a = translate(session, text, &plain, hooks);
  g_autoptr(mt_translation) b = translate(session, text, &params, hooks);
  g_autoptr(mt_translation) c = translate(fresh, text, &params, hooks);
  g_autoptr(mt_session) guesser = sentences_guesser(model, 1, false);
  g_autoptr(mt_translation) guessed = translate(guesser, text, &params, hooks);
  g_assert_null(mt_translation_steps(a));
  assert_same(a, b);
  assert_same(b, c);
  assert_same(b, guessed);
  assert_same_steps(mt_translation_steps(b), mt_translation_steps(guessed));
  steps_check_translation(b, &params, model);
  assert_same_steps(mt_translation_steps(b), mt_translation_steps(c));
}

/* ---- Settings of every kind -------------------------------------------------------------------
 */

static const char *const texts[] = {
    "the cat sat on the mat .",
    "two dogs eat bread and the sun is warm today",
    "where",
};

/* Something to force and to forbid, of what the model says anyhow. */
static mt_constraints *
some_constraints(mt_session *session, const char *text, unsigned kind)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = params.n_best = 3;
  params.max_length = 10;
  g_autoptr(mt_translation) t = translate(session, text, &params, NULL);
  const mt_hypothesis *h = mt_translation_hypothesis(t, mt_translation_count(t) - 1);
  const int32_t *ids = mt_tokens_ids(h->tokens);
  size_t n = mt_tokens_count(h->tokens);
  mt_forbidden lists[] = {{MT_EVERY_STEP, ids, 1},
                          {1, ids + 1, 1},
                          {MT_EVERY_STEP, ids, MIN(n, 2)}};
  size_t n_prefix = kind == 1                ? 1
                    : kind == 2              ? n / 2
                    : kind == 3              ? n
                    : kind == 4 || kind == 8 ? 1
                                             : 0;
  size_t n_lists = kind >= 4 && kind < 7 && n > 2 ? kind - 3 : 0;
  mt_constraints *constraints = mt_constraints_new(ids, n_prefix, lists, MIN(n_lists, 3), &error);
  if (kind >= 7) { /* one that it says anyhow, or two of which it says one at most */
    const mt_term terms[] = {{ids + n / 2, 1}, {(const int32_t[]){ids[n / 2], ids[0]}, 2}};
    mt_constraints *with =
        mt_constraints_with_terms(kind == 8 ? constraints : NULL, terms, kind - 6, &error);
    mt_constraints_unref(constraints);
    constraints = with;
  }
  g_assert_cmpstr(error.message, ==, "");
  return constraints;
}

static void
test_settings(const void *data)
{
  static const size_t beams[] = {1, 2, 3, 4, 7, 12}, tops[] = {1, 5, 20, MT_MAX_TRACED};
  static const float penalties[] = {0, 0.6f, 1, 2, -1};
  mt_error error = {0};
  g_autofree char *dir = g_strconcat("tests/data/checkpoints/", data, NULL),
                  *file = golden_path(dir);
  g_autoptr(mt_model) model = mt_model_open(file, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_interventions) interventions = sentences_parse("decoder 1.1 zero");
  const mt_hooks hooks = {.interventions = interventions};
  for (unsigned i = 0; i < 90; i += suite_stride(1, 7)) { /* prime to all that is divided by */
    const char *text = texts[i % 3];
    g_autoptr(mt_constraints) constraints = some_constraints(session, text, i % 9);
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = beams[i % 6];
    params.n_best = 1 + i % params.beam_size;
    params.early_stopping = (mt_early_stopping) (i / 2 % 3);
    params.length_penalty = penalties[i / 3 % 5];
    params.max_length = i % 4 == 0 ? 24 : 12;
    params.min_length = i % 5 == 0 ? 8 : 0;
    params.trace = tops[i / 5 % 4];
    params.constraints = constraints;
    params.prefix_score = (mt_prefix_score) (i / 7 % 2);
    check_text(model, session, text, params, i % 11 == 3 ? &hooks : NULL);
  }
}

/* A model that was trained ends its hypotheses by itself, so that others are still held then. */
static void
test_trained(void)
{
  static const char *const sentences[] = {"I have two dogs and a cat.", "Where is the station?"};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  for (unsigned i = 0; i < 12; i += suite_stride(1, 7)) {
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = params.n_best = i / 2 % 2 ? 12 : 4;
    params.early_stopping = (mt_early_stopping) (i / 4);
    params.trace = 10;
    check_text(model, session, sentences[i % 2], params, NULL);
  }
}

static void
test_precisions(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("tests/data/checkpoints/odd-sizes-swish");
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    mt_load_options options = {.precision = p};
    g_autoptr(mt_model) model = mt_model_open(file, &options, &error);
    g_autoptr(mt_session) session = sentences_session(model, 0, false);
    g_assert_cmpstr(error.message, ==, "");
    for (size_t beam = 1; beam <= 5; beam += 2) {
      mt_search_params params = mt_search_params_default(model);
      params.beam_size = params.n_best = beam;
      params.max_length = 12;
      params.trace = 20;
      check_text(model, session, texts[1], params, NULL);
    }
  }
}

/* ---- The whole vocabulary ---------------------------------------------------------------------
 */

static int
descending(const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;
  return x > y ? -1 : x < y;
}

/* The nodes of each step are the best of all continuations that the rows have. */
static void
check_considered(const steps_traced *t)
{
  g_autoptr(GArray) sums = g_array_new(FALSE, FALSE, sizeof(float));
  size_t most = t->params->beam_size == 1 ? 1 : 2 * t->params->beam_size, node = 0, r = 0;
  for (size_t step = 0; step < t->steps->n_steps; step++) {
    g_array_set_size(sums, 0);
    for (; r < t->steps->n_rows && t->steps->rows[r].step == step; r++) {
      mt_step_row row = t->steps->rows[r];
      const mt_step_node *parent = steps_node_at(t, row.node);
      for (size_t i = 0; i < row.n; i++) {
        float sum = row.options[i].after + (parent ? parent->sum : 0);
        if (sum > -INFINITY)
          g_array_append_val(sums, sum);
      }
    }
    qsort(sums->data, sums->len, sizeof(float), descending);
    size_t n = 0;
    for (; node < t->steps->n_nodes && t->steps->nodes[node].step == step; node++, n++)
      g_assert_true(steps_same_bits(t->steps->nodes[node].sum, g_array_index(sums, float, n)));
    g_assert_cmpuint(n, ==, MIN(most, sums->len));
  }
}

static void
test_whole_vocabulary(void)
{
  for (unsigned i = 0; i < 60; i++) {
    toy_spec spec = toy_spec_default();
    spec.seed = 1 + i / 6;
    mt_model *model = toy_model_new(&spec);
    mt_error error = {0};
    mt_session *session = sentences_session(model, 0, false);
    int32_t ids[9];
    toy_ids(ids, 9, spec.vocab_size, i);
    mt_constraints *constraints =
        mt_constraints_new(ids, i % 4, &(mt_forbidden){MT_EVERY_STEP, ids + 4, 1 + i % 2}, 1,
                           &error);
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = params.n_best = 1 + i % 6 * 2;
    params.early_stopping = (mt_early_stopping) (i % 3);
    params.constraints = constraints;
    params.max_length = 14;
    params.trace = MT_MAX_TRACED;
    mt_search *search = mt_session_search(session, ids, 9, &params, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    mt_steps *steps = mt_search_take_steps(search);
    steps_traced t = {steps, &params, mt_model_config(model), spec.vocab_size};
    steps_check(&t);
    check_considered(&t);
    GPtrArray *finished = steps_finished(&t);
    g_assert_cmpuint(search->n_results, ==, MIN(params.n_best, finished->len));
    for (size_t h = 0; h < search->n_results; h++) {
      const mt_search_hypothesis *found = search->finished[h];
      steps_check_result(&t, h, finished->pdata[h], found->ids, found->logprobs, found->n,
                         found->score);
    }
    g_ptr_array_unref(finished);
    mt_steps_free(steps);
    mt_search_free(search);
    mt_constraints_unref(constraints);
    mt_session_free(session);
    toy_model_free(model);
  }
}

/* ---- Many texts ------------------------------------------------------------------------------ */

typedef struct {
  size_t n_asked;
  GPtrArray *translations;
} many;

static const char *
next_text(void *user)
{
  many *m = user;
  return m->n_asked < 12 ? texts[m->n_asked++ % 3] : NULL;
}

static void
keep_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  many *m = user;
  g_assert_null(error);
  g_assert_cmpuint(i, ==, m->translations->len);
  g_ptr_array_add(m->translations, mt_translation_ref(translation));
}

static void
test_many(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  for (size_t beam = 1; beam <= 4; beam += 3) {
    g_autoptr(mt_constraints) constraints = some_constraints(session, texts[0], 2);
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = params.n_best = beam;
    params.max_length = 14;
    params.trace = 7;
    params.constraints = constraints;
    many m = {.translations = g_ptr_array_new()};
    mt_texts list = {.next = next_text, .on_result = keep_result, .user = &m, .max_tokens = 24};
    g_assert_true(mt_session_translate_many(session, &list, &params, &error));
    g_assert_cmpuint(m.translations->len, ==, 12);
    for (size_t i = 0; i < 12; i++) {
      g_autoptr(mt_translation) alone = translate(session, texts[i % 3], &params, NULL);
      assert_same(m.translations->pdata[i], alone);
      steps_check_translation(m.translations->pdata[i], &params, model);
      assert_same_steps(mt_translation_steps(m.translations->pdata[i]),
                        mt_translation_steps(alone));
      mt_translation_unref(m.translations->pdata[i]);
    }
    g_ptr_array_unref(m.translations);
  }
}

/* ---- A forced translation is a scored one -----------------------------------------------------
 */

static void
test_scoring(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  static const char *const pairs[][2] = {{"I have two dogs and a cat.", "Ich habe zwei Katzen."},
                                         {"It rains.", "Es regnet heute nicht, sondern morgen."},
                                         {"Where is the train station?", "x"}};
  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
    for (size_t beam = 1; beam <= 4; beam += 3) {
      mt_translation *scored =
          mt_session_score(session, pairs[i][0], pairs[i][1], -1, NULL, &error);
      g_assert_cmpstr(error.message, ==, "");
      const mt_hypothesis *want = mt_translation_hypothesis(scored, 0);
      size_t n = mt_tokens_count(want->tokens);
      mt_constraints *constraints =
          mt_constraints_new(mt_tokens_ids(want->tokens), n, NULL, 0, &error);
      mt_search_params params = mt_search_params_default(model);
      params.beam_size = params.n_best = beam;
      params.constraints = constraints;
      g_autoptr(mt_translation) t = translate(session, pairs[i][0], &params, NULL);
      g_assert_cmpuint(mt_translation_count(t), ==, 1);
      const mt_hypothesis *found = mt_translation_hypothesis(t, 0);
      g_assert_cmpuint(mt_tokens_count(found->tokens), ==, n);
      g_assert_cmpuint(found->n_forced, ==, n);
      g_assert_cmpstr(found->text, ==, want->text);
      for (size_t k = 0; k < n; k++)
        g_assert_cmpfloat(golden_distance(found->logprobs[k], want->logprobs[k], 1), <, 1e-5);
      mt_translation_unref(scored);
      mt_constraints_unref(constraints);
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

/* With an error of this kind whose message has these words; and the session works as before. */
static void
assert_refused(mt_session *session, const int32_t *prefix, size_t n_prefix,
               const mt_forbidden *forbidden, size_t n_forbidden, mt_error_code code,
               const char *words)
{
  for (size_t beam = 1; beam <= 4; beam += 3) {
    mt_error error = {0};
    mt_constraints *constraints =
        mt_constraints_new(prefix, n_prefix, forbidden, n_forbidden, &error);
    mt_search_params params = mt_search_params_default(mt_session_model(session));
    params.beam_size = beam;
    params.max_length = 8;
    params.trace = 3;
    g_autoptr(mt_translation) before = translate(session, texts[0], &params, NULL);
    params.constraints = constraints;
    if (constraints)
      g_assert_null(mt_session_translate(session, texts[0], &params, NULL, &error));
    g_assert_cmpint(error.code, ==, code);
    if (!strstr(error.message, words))
      g_error("\"%s\" does not say \"%s\"", error.message, words);
    params.constraints = NULL;
    g_autoptr(mt_translation) after = translate(session, texts[0], &params, NULL);
    assert_same(before, after);
    assert_same_steps(mt_translation_steps(before), mt_translation_steps(after));
    mt_constraints_unref(constraints);
  }
}

/* Words are the ids of their pieces; what cannot be a part of a translation is said. */
static void
test_words(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  static const char *const prefixes[] = {"Ich habe", "Wir haben Hund", "Ich habe zwei Hunde."};
  for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    g_autoptr(mt_tokens) cut = mt_constraints_cut(model, prefixes[i], &error);
    mt_constraints *constraints =
        mt_constraints_new(mt_tokens_ids(cut), mt_tokens_count(cut), NULL, 0, &error);
    g_autoptr(mt_tokens) whole = mt_model_tokenize(model, MT_STACK_DECODER, prefixes[i], &error);
    g_assert_cmpstr(error.message, ==, "");
    size_t n;
    const int32_t *ids = mt_constraints_prefix(constraints, &n);
    g_assert_cmpuint(n, ==, mt_tokens_count(whole) - 1);
    g_assert_cmpmem(ids, n * sizeof *ids, mt_tokens_ids(whole), n * sizeof *ids);
    g_assert_cmpmem(ids, n * sizeof *ids, mt_tokens_ids(cut), mt_tokens_count(cut) * sizeof *ids);
    g_assert_cmpstr(mt_tokens_text(cut), ==, prefixes[i]);
    mt_search_params params = mt_search_params_default(model);
    params.constraints = constraints;
    g_autoptr(mt_translation) t = translate(session, "I have two dogs and a cat.", &params, NULL);
    g_assert_true(g_str_has_prefix(mt_translation_hypothesis(t, 0)->text, prefixes[i]));
    g_assert_cmpuint(mt_translation_hypothesis(t, 0)->n_forced, ==, n);
    mt_constraints_unref(constraints);
  }
  static const char *const wrong[][2] = {{"", ""},
                                         {"  ", ""},
                                         {"Ich 世界", "no piece for: 世界"},
                                         {"Ich \xff", "byte"}};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    error = (mt_error){0};
    g_assert_null(mt_constraints_cut(model, wrong[i][0], &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, wrong[i][1]));
  }
}

static void
test_refused(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/checkpoints/post-norm-final-norm");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  size_t vocab_size = mt_model_config(model)->vocab_size[MT_STACK_DECODER];
  const int32_t fine[] = {5, 6, 7, 8, 9, 10, 11}, negative[] = {5, -1},
                outside[] = {5, (int32_t) vocab_size}, ended[] = {5, 0, 6, 7},
                largest[] = {INT32_MAX};
  assert_refused(session, fine, 7, NULL, 0, MT_ERROR_TOO_LONG, "prefix has 7 tokens");
  assert_refused(session, negative, 2, NULL, 0, MT_ERROR_INPUT, "-1 is no token");
  assert_refused(session, outside, 2, NULL, 0, MT_ERROR_INPUT, "Token 2 of the prefix");
  assert_refused(session, largest, 1, NULL, 0, MT_ERROR_INPUT, "Token 1 of the prefix");
  assert_refused(session, ended, 4, NULL, 0, MT_ERROR_INPUT, "ends the translation, and 2 more");
  assert_refused(session, NULL, 0, &(mt_forbidden){0, fine, 0}, 1, MT_ERROR_INPUT, "no token");
  assert_refused(session, NULL, 0, &(mt_forbidden){0, negative, 2}, 1, MT_ERROR_INPUT, "-1 is no");
  assert_refused(session, NULL, 0, &(mt_forbidden){MT_EVERY_STEP, outside, 2}, 1, MT_ERROR_INPUT,
                 "Token 2 of what is forbidden");
  assert_refused(session, fine, SIZE_MAX, NULL, 0, MT_ERROR_TOO_LONG, "more than");
  assert_refused(session, NULL, 0, &(mt_forbidden){0, fine, SIZE_MAX}, 1, MT_ERROR_TOO_LONG,
                 "more than");
  g_autofree mt_forbidden *all = g_new(mt_forbidden, vocab_size);
  g_autofree int32_t *ids = g_new(int32_t, vocab_size);
  for (size_t i = 0; i < vocab_size; i++) {
    ids[i] = (int32_t) i;
    all[i] = (mt_forbidden){MT_EVERY_STEP, ids + i, 1};
  }
  assert_refused(session, NULL, 0, all, vocab_size, MT_ERROR_INPUT, "forbid every next token");
  for (size_t i = 0; i < vocab_size; i++)
    all[i].step = 3;
  assert_refused(session, fine, 2, all, vocab_size, MT_ERROR_INPUT, "forbid every next token");
  mt_search_params params = mt_search_params_default(model);
  params.trace = MT_MAX_TRACED + 1;
  g_assert_null(mt_session_translate(session, texts[0], &params, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  /* As long as there is room for, and </s> at the very end. */
  const int32_t whole[] = {5, 6, 7, 8, 9, 10, 0};
  for (size_t n = 6; n <= 7; n++) {
    g_autoptr(mt_constraints) constraints = mt_constraints_new(whole, n, NULL, 0, &error);
    params = mt_search_params_default(model);
    params.beam_size = 4;
    params.max_length = 8;
    params.trace = 3;
    params.constraints = constraints;
    check_text(model, session, texts[0], params, NULL);
  }
}

/* ---- What all of it came across ---------------------------------------------------------------
 */

/* Every fate and every rule. */
static void
test_all_seen(void)
{
  g_test_message("%zu searches", steps_seen.n_searches);
  if (steps_seen.n_searches < 150) { /* one test alone was asked for */
    g_test_skip("the other tests did not run");
    return;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(steps_seen.n_fates); i++)
    g_assert_cmpuint(steps_seen.n_fates[i], >, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(steps_seen.n_rules); i++)
    if (i != MT_RULE_REPETITION) /* none of these searches asks for it */
      g_assert_cmpuint(steps_seen.n_rules[i], >, 0);
}

TESTS()
{
  static const char *const models[] = {"post-norm-relu", "pre-norm-plain",
                                       "separate-embeddings-tied", "post-norm-final-norm"};
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *name = g_strconcat("/steps/settings/", models[i], NULL);
    g_test_add_data_func(name, models[i], test_settings);
  }
  g_test_add_func("/steps/trained", test_trained);
  g_test_add_func("/steps/precisions", test_precisions);
  g_test_add_func("/steps/whole-vocabulary", test_whole_vocabulary);
  g_test_add_func("/steps/many", test_many);
  g_test_add_func("/steps/scoring", test_scoring);
  g_test_add_func("/steps/words", test_words);
  g_test_add_func("/steps/refused", test_refused);
  g_test_add_func("/steps-seen/all", test_all_seen);
}
