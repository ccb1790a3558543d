/* test-batch.c — many texts at a time: each result is that of the text alone, bit for bit, in
 * order, with its own errors; the end may come at any moment.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <string.h>

/* ---- A list of texts, translated in both ways ---------------------------------------------------
 */

typedef struct {
  const char *const *texts;
  size_t n, n_asked, n_results, most_ahead, n_tokens, n_probes;
  size_t polls_left;       /* then it is to stop; SIZE_MAX: never */
  GThread *thread;         /* that called, on which all callbacks run */
  GPtrArray *translations; /* [n_results]; NULL where there is none */
  GArray *codes;           /* [n_results] of mt_error_code */
  GPtrArray *messages;     /* [n_results] */
} job;

static const char *
next(void *user)
{
  job *j = user;
  g_assert_true(g_thread_self() == j->thread);
  g_assert_cmpuint(j->n_asked, <=, j->n); /* after the end it is not asked again */
  j->n_asked++;
  j->most_ahead = MAX(j->most_ahead, j->n_asked - j->n_results);
  return j->n_asked <= j->n ? j->texts[j->n_asked - 1] : NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  job *j = user;
  g_assert_true(g_thread_self() == j->thread);
  g_assert_cmpuint(i, ==, j->n_results);
  g_assert_cmpuint(i, <, j->n_asked);
  g_assert_true((translation == NULL) == (error != NULL));
  mt_error_code code = error ? error->code : MT_OK;
  j->n_results++;
  g_ptr_array_add(j->translations, translation ? mt_translation_ref(translation) : NULL);
  g_array_append_val(j->codes, code);
  g_ptr_array_add(j->messages, g_strdup(error ? error->message : ""));
}

static bool
should_stop(void *user)
{
  job *j = user;
  g_assert_true(g_thread_self() == j->thread);
  return j->polls_left != SIZE_MAX && j->polls_left-- == 0;
}

static void
unref(gpointer translation)
{
  mt_translation_unref(translation);
}

static job
job_new(const char *const *texts, size_t n)
{
  return (job){.texts = texts,
               .n = n,
               .polls_left = SIZE_MAX,
               .thread = g_thread_self(),
               .translations = g_ptr_array_new_with_free_func(unref),
               .codes = g_array_new(FALSE, FALSE, sizeof(mt_error_code)),
               .messages = g_ptr_array_new_with_free_func(g_free)};
}

static void
job_clear(job *j)
{
  g_ptr_array_unref(j->translations);
  g_array_unref(j->codes);
  g_ptr_array_unref(j->messages);
}

static bool
run(job *j, mt_session *session, const mt_search_params *params, size_t max_tokens, mt_error *error)
{
  mt_texts texts = {next, on_result, should_stop, j, max_tokens};
  return mt_session_translate_many(session, &texts, params, error);
}

static void
run_one_by_one(job *j, mt_session *session, const mt_search_params *params)
{
  const char *text;
  while ((text = next(j))) {
    mt_error error = {0};
    g_autoptr(mt_translation) t = mt_session_translate(session, text, params, NULL, &error);
    on_result(j, j->n_results, t, t ? NULL : &error);
  }
}

static void
assert_same_translation(const mt_translation *a, const mt_translation *b)
{
  g_assert_cmpuint(mt_translation_count(a), ==, mt_translation_count(b));
  g_assert_cmpstr(mt_tokens_text(mt_translation_source(a)), ==,
                  mt_tokens_text(mt_translation_source(b)));
  for (size_t i = 0; i < mt_translation_count(a); i++) {
    const mt_hypothesis *x = mt_translation_hypothesis(a, i), *y = mt_translation_hypothesis(b, i);
    size_t n = mt_tokens_count(x->tokens);
    g_assert_cmpstr(x->text, ==, y->text);
    g_assert_cmpmem(mt_tokens_ids(x->tokens), n * sizeof(int32_t), mt_tokens_ids(y->tokens),
                    mt_tokens_count(y->tokens) * sizeof(int32_t));
    g_assert_cmpmem(x->logprobs, n * sizeof(float), y->logprobs, n * sizeof(float));
    g_assert_cmpmem(&x->score, sizeof x->score, &y->score, sizeof y->score);
  }
}

/* The first results of b are those of a. */
static void
assert_begins_same(const job *a, const job *b)
{
  for (size_t i = 0; i < b->n_results; i++) {
    g_assert_cmpint(g_array_index(a->codes, mt_error_code, i), ==,
                    g_array_index(b->codes, mt_error_code, i));
    g_assert_cmpstr(a->messages->pdata[i], ==, b->messages->pdata[i]);
    if (a->translations->pdata[i])
      assert_same_translation(a->translations->pdata[i], b->translations->pdata[i]);
  }
}

static mt_model *
open_model(const char *relative, mt_precision precision)
{
  if (g_str_has_prefix(relative, "toy/"))
    return sentences_model(relative);
  g_autofree char *path = golden_path(relative);
  mt_error error = {0};
  mt_load_options options = {.precision = precision};
  mt_model *model = mt_model_open(path, &options, &error);
  g_assert_cmpstr(error.message, ==, "");
  return model;
}

static mt_session *
new_session(mt_model *model, unsigned n_threads)
{
  mt_error error = {0};
  mt_session_options options = {.n_threads = n_threads};
  mt_session *session = mt_session_new(model, &options, &error);
  g_assert_cmpstr(error.message, ==, "");
  return session;
}

/* Sentences of all lengths; among them an empty one, one that is not UTF-8, and one that is too
 * long. */
static char **
make_texts(size_t n)
{
  g_autofree char *path = golden_path("tests/data/sentences.en.txt"), *all = NULL;
  g_assert_true(g_file_get_contents(path, &all, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(all, "\n", -1);
  char **texts = g_new0(char *, n + 1);
  for (size_t i = 0; i < n; i++)
    texts[i] = g_strdup(lines[i * 7 % 240]);
  g_autoptr(GString) huge = g_string_new(NULL);
  for (int i = 0; i < 700; i++)
    g_string_append(huge, "cat and dog ");
  const char *odd[] = {"", "caf\xE9", huge->str};
  for (size_t i = 0; i < G_N_ELEMENTS(odd) && 3 * i + 1 < n; i++) {
    g_free(texts[3 * i + 1]);
    texts[3 * i + 1] = g_strdup(odd[i]);
  }
  return texts;
}

/* ---- The same as one by one ---------------------------------------------------------------------
 */

static void
check_same(const char *name, mt_precision precision, size_t n, size_t max_length, bool is_large)
{
  static const size_t beams[] = {1, 4, 2, 5}, tokens[] = {0, 9, 1, 64, 700};
  g_auto(GStrv) texts = make_texts(n);
  g_autoptr(mt_model) model = open_model(name, precision);
  mt_session *sessions[] = {new_session(model, 1), new_session(model, 2)};
  is_large = is_large || suite_stride(1, 2) > 1;
  for (size_t b = 0; b < (is_large ? 2 : G_N_ELEMENTS(beams)); b++) {
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = beams[b];
    params.n_best = (beams[b] + 1) / 2;
    params.max_length = MIN(params.max_length, max_length);
    job alone = job_new((const char *const *) texts, n);
    run_one_by_one(&alone, sessions[0], &params);
    for (size_t t = 0; t < (is_large ? 2 : G_N_ELEMENTS(tokens)); t++) {
      job together = job_new((const char *const *) texts, n);
      mt_error error = {0};
      run(&together, sessions[t % 2], &params, tokens[t], &error);
      g_assert_cmpstr(error.message, ==, "");
      g_assert_cmpuint(together.n_results, ==, n);
      assert_begins_same(&alone, &together);
      job_clear(&together);
    }
    job_clear(&alone);
  }
  mt_session_free(sessions[0]);
  mt_session_free(sessions[1]);
}

/* Relative positions, and what else T5 has. */
static void
test_like_t5(void)
{
  check_same("toy/t5", MT_PRECISION_STORED, suite_is_watched() ? 12 : 30, 24, false);
}

/* Each precision once, with one of the models; where all is asked for, all with each. */
static void
test_same(void)
{
  static const char *const names[] = {"interleaved-positions", "odd-sizes-swish",
                                      "post-norm-final-norm",  "post-norm-relu-f16",
                                      "pre-norm-gelu-learned", "separate-vocabularies"};
  const guint step = suite_stride(MT_N_PRECISIONS, MT_N_PRECISIONS);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    for (mt_precision p = i % step; p < MT_N_PRECISIONS; p += step) {
      g_autofree char *path = g_strdup_printf("tests/data/checkpoints/%s", names[i]);
      check_same(path, p, suite_is_watched() ? 12 : 30, 24, false);
    }
}

/* The bundled model makes a minute of it: usually one of the same shape, a quarter as wide. */
static void
test_bundled(void)
{
  const char *name = suite_stride(2, 2) == 1 ? "models/en-de" : "tests/data/frozen/en-de";
  const size_t n = suite_is_watched() ? 12 : 24, length = suite_is_watched() ? 24 : 64;
  check_same(name, MT_PRECISION_STORED, n, length, true);
  if (suite_stride(1, 2) == 1)
    check_same(name, MT_PRECISION_BF16_ALL, n, length, true);
  check_same(name, MT_PRECISION_INT8_ALL, n, length, true);
}

/* Each text may bring its own language. */
static void
test_languages(void)
{
  static const char *const texts[] = {"the cat", ">>swe<< the cat", "the dog", ">>deu<< the dog"};
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/multi-target", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, 1);
  mt_search_params params = mt_search_params_default(model);
  params.language = 3;
  params.max_length = 12;
  job alone = job_new(texts, 4), together = job_new(texts, 4);
  run_one_by_one(&alone, session, &params);
  g_assert_true(run(&together, session, &params, 0, NULL));
  g_assert_cmpuint(together.n_results, ==, 4);
  assert_begins_same(&alone, &together);
  job_clear(&alone);
  job_clear(&together);
}

/* Outputs so long that the keys and values of all sentences that began together do not fit: some
 * have to begin anew. */
static void
test_crowded(void)
{
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, 2);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 4;
  params.min_length = params.max_length = 64;
  enum { N = 100 };
  const char *texts[N];
  for (size_t i = 0; i < N; i++)
    texts[i] = i % 3 ? "the cat and the dog and the house and the bird and the man and the child "
                       "and the garden and the street and the book"
                     : "the bird";
  job alone = job_new(texts, N), together = job_new(texts, N);
  run_one_by_one(&alone, session, &params);
  g_assert_true(run(&together, session, &params, 0, NULL));
  g_assert_cmpuint(together.n_results, ==, N);
  assert_begins_same(&alone, &together);
  job_clear(&alone);
  job_clear(&together);
}

/* More workers than cores, windows that follow each other, and bad texts in all of them. */
static void
test_workers(void)
{
  /* More than a window, which is 256. */
  const size_t n = suite_is_watched() ? 300 : 700;
  g_auto(GStrv) texts = make_texts(n);
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  mt_session *sessions[] = {new_session(model, 1), new_session(model, 2), new_session(model, 5)};
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 2;
  params.max_length = 20;
  job alone = job_new((const char *const *) texts, n);
  run_one_by_one(&alone, sessions[0], &params);
  const guint stride = suite_stride(1, 2);
  for (size_t s = 0; s < G_N_ELEMENTS(sessions); s += stride)
    for (size_t tokens = 12; tokens < 300; tokens *= stride == 1 ? 4 : 16) {
      job together = job_new((const char *const *) texts, n);
      g_assert_true(run(&together, sessions[s], &params, tokens, NULL));
      g_assert_cmpuint(together.n_results, ==, n);
      assert_begins_same(&alone, &together);
      job_clear(&together);
    }
  job_clear(&alone);
  for (size_t s = 0; s < G_N_ELEMENTS(sessions); s++)
    mt_session_free(sessions[s]);
}

static void
count_token(void *user, const mt_progress *progress)
{
  job *j = user;
  g_assert_true(g_thread_self() == j->thread);
  g_assert_cmpuint(progress->sentence, <, j->n);
  j->n_tokens++;
}

static void
count_probe(void *user, const mt_editable_activation *probe)
{
  job *j = user;
  g_assert_true(g_thread_self() == j->thread);
  g_assert_cmpuint(probe->sentence, <, j->n);
  j->n_probes++;
}

/* Who watches does so on the thread that called, whatever the number of threads. */
static void
test_watched(void)
{
  enum { N = 60 };
  g_auto(GStrv) texts = make_texts(N);
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = 12;
  size_t n_tokens[2], n_probes[2];
  for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
    g_autoptr(mt_session) session = new_session(model, n_threads);
    job alone = job_new((const char *const *) texts, N), watched = alone;
    run_one_by_one(&alone, session, &params);
    watched = job_new((const char *const *) texts, N);
    mt_hooks hooks = {.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_HIDDEN),
                      .on_probe = count_probe,
                      .on_token = count_token,
                      .user = &watched};
    mt_texts many = {next, on_result, should_stop, &watched, 64, &hooks};
    g_assert_true(mt_session_translate_many(session, &many, &params, NULL));
    assert_begins_same(&alone, &watched);
    n_tokens[n_threads - 1] = watched.n_tokens;
    n_probes[n_threads - 1] = watched.n_probes;
    job_clear(&alone);
    job_clear(&watched);
  }
  g_assert_cmpuint(n_tokens[0], >, N);
  g_assert_cmpuint(n_tokens[0], ==, n_tokens[1]);
  g_assert_cmpuint(n_probes[0], ==, n_probes[1]);
}

/* One long text before thousands of short ones: they wait for it, in bounded number. */
static void
test_waiting(void)
{
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, 2);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 1;
  params.max_length = 64;
  enum { N = 5000 };
  const char *texts[N] = {
      "the cat and the dog and the house and the bird and the man and the child"};
  for (size_t i = 1; i < N; i++)
    texts[i] = "";
  texts[N - 1] = "the dog";
  job together = job_new(texts, N);
  g_assert_true(run(&together, session, &params, 0, NULL));
  g_assert_cmpuint(together.n_results, ==, N);
  g_assert_cmpuint(together.most_ahead, <=, MT_BATCH_MAX_WAITING + 1);
  g_assert_nonnull(together.translations->pdata[0]);
  g_assert_nonnull(together.translations->pdata[N - 1]);
  for (size_t i = 1; i < N - 1; i++)
    g_assert_cmpint(g_array_index(together.codes, mt_error_code, i), ==, MT_ERROR_INPUT);
  job_clear(&together);
}

/* ---- What may happen meanwhile ------------------------------------------------------------------
 */

static void
test_nothing(void)
{
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, 1);
  job j = job_new(NULL, 0);
  mt_error error = {0};
  g_assert_true(run(&j, session, NULL, 0, &error));
  g_assert_cmpuint(j.n_asked, ==, 1);
  g_assert_cmpuint(j.n_results, ==, 0);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 0;
  g_assert_false(run(&j, session, &params, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  job_clear(&j);
}

static void
check_cancel(size_t n, size_t step)
{
  g_auto(GStrv) texts = make_texts(n);
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, 2);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = 16;
  job alone = job_new((const char *const *) texts, n);
  run_one_by_one(&alone, session, &params);
  bool ok = false;
  for (size_t polls = 0; !ok; polls += step) {
    job cancelled = job_new((const char *const *) texts, n);
    mt_error error = {0};
    cancelled.polls_left = polls;
    ok = run(&cancelled, session, &params, 40, &error);
    g_assert_cmpint(error.code, ==, ok ? MT_OK : MT_ERROR_CANCELLED);
    g_assert_cmpuint(cancelled.n_results, ==, ok ? n : cancelled.n_results);
    assert_begins_same(&alone, &cancelled);
    job_clear(&cancelled);
  }
  job_clear(&alone);
}

static void
test_cancel(void)
{
  check_cancel(4, 1);                             /* one worker */
  check_cancel(60, suite_is_watched() ? 39 : 13); /* two */
}

/* Every allocation fails once, or each step-th: then all of it fails, or one text, and the rest is
 * as it was. */
static void
check_no_memory(size_t n, unsigned n_threads, int step)
{
  g_auto(GStrv) texts = make_texts(n);
  g_autoptr(mt_model) model =
      open_model("tests/data/checkpoints/post-norm-relu", MT_PRECISION_STORED);
  g_autoptr(mt_session) session = new_session(model, n_threads);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 2;
  params.max_length = 8;
  job alone = job_new((const char *const *) texts, n);
  run_one_by_one(&alone, session, &params);
  size_t n_whole = 0, n_single = 0;
  for (int i = 0;; i += step) {
    job j = job_new((const char *const *) texts, n);
    mt_error error = {0};
    few_then_one_fails(i);
    bool ok = run(&j, session, &params, 8, &error);
    bool has_failed = few_end() > (gsize) i;
    g_assert_cmpint(error.code, ==, ok ? MT_OK : MT_ERROR_NO_MEMORY);
    size_t n_failed = 0;
    for (size_t k = 0; k < j.n_results; k++)
      if (g_array_index(j.codes, mt_error_code, k) == MT_ERROR_NO_MEMORY)
        n_failed++;
      else if (j.translations->pdata[k])
        assert_same_translation(alone.translations->pdata[k], j.translations->pdata[k]);
    g_assert_cmpuint(j.n_results, ==, ok ? n : j.n_results);
    g_assert_cmpuint(n_failed + !ok, <=, 1);
    n_whole += !ok;
    n_single += n_failed;
    job_clear(&j);
    if (!has_failed)
      break;
  }
  g_assert_cmpuint(n_whole, >, 10);
  g_assert_cmpuint(n_single, >, 10);
  job_clear(&alone);
}

static void
test_no_memory(void)
{
  check_no_memory(6, 1, 1);
  check_no_memory(40, 2, 11);
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  g_test_add_func("/batch/same", test_same);
  g_test_add_func("/batch/like-t5", test_like_t5);
  g_test_add_func("/batch/bundled", test_bundled);
  g_test_add_func("/batch/languages", test_languages);
  g_test_add_func("/batch/crowded", test_crowded);
  g_test_add_func("/batch/lanes", test_workers);
  g_test_add_func("/batch/watched", test_watched);
  g_test_add_func("/batch/waiting", test_waiting);
  g_test_add_func("/batch/nothing", test_nothing);
  g_test_add_func("/batch/cancel", test_cancel);
  g_test_add_func("/batch/no-memory", test_no_memory);
}
