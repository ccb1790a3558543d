/* test-session.c — a session through text: translate, score, capture, what is refused, and memory
 * that runs out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static mt_capture *
capture(mt_session *session, const mt_translation *t)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(session, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

static void
assert_near(float found, float expected)
{
  g_assert_cmpfloat(fabsf(found - expected), <=, 1e-5f * (1 + fabsf(expected)));
}

/* The run state is enlarged when a sentence does not fit; if that fails the next one still works.
 */
static void
test_grow(void)
{
  toy_spec spec = toy_spec_default();
  spec.max_positions = 700; /* more than a session is laid out for at first */
  mt_model *model = toy_model_new(&spec);
  mt_error error = {0};
  mt_session *session = mt_session_new(model, NULL, &error);
  int32_t ids[700];
  float logprobs[700];
  toy_ids(ids, 700, spec.vocab_size, 8);
  const mt_forced all = {ids, 700, ids, ids, 700, NULL}, start = {ids, 9, ids, ids, 9, NULL};
  few_then_one_fails(0);
  g_assert_false(mt_session_force(session, &all, logprobs, NULL, NULL, &error));
  few_end();
  g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  error = (mt_error){0};
  g_assert_true(mt_session_force(session, &start, logprobs, NULL, NULL, &error));
  float first = logprobs[8];
  g_assert_true(mt_session_force(session, &all, logprobs, NULL, NULL, &error));
  g_assert_true(mt_session_force(session, &start, logprobs, NULL, NULL, &error));
  g_assert_cmpfloat(logprobs[8], ==, first);
  mt_session_free(session);
  toy_model_free(model);
}

/* ---- Through text
 * -------------------------------------------------------------------------------- */

#define CHECKPOINT REGARD_SOURCE_ROOT "/tests/data/checkpoints/post-norm-relu"

static void
collect_token(void *user, const mt_progress *progress)
{
  g_array_append_val((GArray *) user, progress->ids[progress->n_ids - 1]);
}

static void
test_text(void)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(CHECKPOINT, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_session *session = sentences_session(model, 0, false);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 1;
  params.max_length = 12;
  GArray *streamed = g_array_new(FALSE, FALSE, sizeof(int32_t));
  mt_hooks hooks = {.on_token = collect_token, .user = streamed};
  mt_translation *t =
      mt_session_translate(session, "the cat sat on the mat .", &params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  size_t n = mt_tokens_count(h->tokens);
  g_assert_cmpuint(streamed->len, ==, n);
  g_assert_cmpmem(streamed->data, n * 4, mt_tokens_ids(h->tokens), n * 4);
  g_assert_cmpfloat(mt_translation_milliseconds(t), >, 0);

  g_autoptr(mt_capture) c = capture(session, t);
  g_assert_cmpstr(mt_capture_model_name(c), ==, "post-norm-relu");
  const mt_tokens *input = mt_capture_decoder_input(c);
  g_assert_cmpuint(mt_tokens_count(input), ==, n);
  g_assert_cmpint(mt_tokens_get(input, 0)->id, ==, mt_model_config(model)->decoder_start_id);
  g_assert_true(mt_tokens_get(input, 0)->is_special);
  for (size_t i = 1; i < n; i++)
    g_assert_cmpint(mt_tokens_get(input, i)->id, ==, mt_tokens_get(h->tokens, i - 1)->id);
  for (size_t i = 0; i < n; i++)
    assert_near(mt_capture_logprobs(c)[i], h->logprobs[i]);

  /* Captures outlive everything they were made from. */
  mt_translation_unref(t);
  mt_session_free(session);
  mt_model_unref(model);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(c)), ==, "the cat sat on the mat .");
  g_array_free(streamed, TRUE);
}

static void
test_score(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(CHECKPOINT, NULL, &error);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  const char *target = "ein hund lief im regen .";
  mt_translation *t = mt_session_score(session, "the cat sat", target, -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(mt_translation_count(t), ==, 1);
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  size_t n = mt_tokens_count(h->tokens);
  g_assert_cmpint(mt_tokens_get(h->tokens, n - 1)->id, ==, mt_model_config(model)->eos_id);
  g_assert_cmpstr(h->text, ==, target);
  mt_capture *c = capture(session, t);
  for (size_t i = 0; i < n; i++)
    assert_near(mt_capture_logprobs(c)[i], h->logprobs[i]);
  g_assert_cmpfloat_with_epsilon(h->score, h->sum_logprob / (float) n, 1e-5);
  mt_capture_unref(c);
  mt_translation_unref(t);

  /* What is wrong with a target is said, and the session works on. */
  g_autoptr(GString) long_text = g_string_new(NULL);
  for (int i = 0; i < 3000; i++)
    g_string_append(long_text, "hund ");
  const struct {
    const char *source, *target;
    mt_error_code code;
  } bad[] = {{"the cat", "", MT_ERROR_INPUT},
             {"", "hund", MT_ERROR_INPUT},
             {"the cat", "hund \xff", MT_ERROR_INPUT},
             {"the \xc3", "hund", MT_ERROR_INPUT},
             {"the cat", long_text->str, MT_ERROR_TOO_LONG},
             {long_text->str, "hund", MT_ERROR_TOO_LONG}};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    g_assert_null(mt_session_score(session, bad[i].source, bad[i].target, -1, NULL, &error));
    g_assert_cmpint(error.code, ==, bad[i].code);
    g_assert_cmpuint(strlen(error.message), >, 10);
  }
  error = (mt_error){0};
  mt_search_params params = mt_search_params_default(model);
  params.max_length = mt_model_config(model)->max_positions + 1;
  g_assert_null(mt_session_translate(session, "the cat", &params, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  t = mt_session_score(session, "the cat", "hund", -1, NULL, &error);
  g_assert_nonnull(t);
  g_assert_null(mt_session_capture(session, t, 1, 0, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  mt_translation_unref(t);
}

static void
test_text_no_memory(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(CHECKPOINT, NULL, &error);
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = params.n_best = 2;
  params.max_length = 10;
  for (int what = 0; what < 2; what++)
    for (int n = 0;; n++) {
      error = (mt_error){0};
      few_then_one_fails(n);
      mt_translation *t =
          what == 0 ? mt_session_translate(session, "the cat sat", &params, NULL, &error)
                    : mt_session_score(session, "the cat sat", "ein hund", -1, NULL, &error);
      few_end();
      g_assert_cmpint(error.code, ==, t ? MT_OK : MT_ERROR_NO_MEMORY);
      bool done = t != NULL;
      mt_translation_unref(t);
      if (done)
        break;
      g_assert_cmpint(n, <, 200);
    }
}

/* Threads share a model, each with a session of its own, and find the same. */
static gpointer
translate_in_thread(gpointer model)
{
  mt_error error = {0};
  mt_session *session = mt_session_new(model, &(mt_session_options){2}, &error);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 3;
  params.max_length = 20;
  float sum = 0;
  for (int i = 0; i < 10; i++) {
    mt_translation *t =
        mt_session_translate(session, "the cat sat on the mat .", &params, NULL, &error);
    g_autoptr(mt_capture) c = capture(session, t);
    sum += mt_translation_hypothesis(t, 0)->score + mt_capture_logprobs(c)[0];
    mt_translation_unref(t);
  }
  mt_session_free(session);
  float *result = g_new(float, 1);
  *result = sum;
  return result;
}

static void
test_threads(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(CHECKPOINT, NULL, &error);
  GThread *threads[3];
  for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("session", translate_in_thread, model);
  g_autofree float *expected = translate_in_thread(model);
  for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
    g_autofree float *found = g_thread_join(threads[i]);
    g_assert_cmpfloat(*found, ==, *expected);
  }
}

TESTS()
{
  g_test_add_func("/session/grow", test_grow);
  g_test_add_func("/session/text", test_text);
  g_test_add_func("/session/score", test_score);
  g_test_add_func("/session/text-no-memory", test_text_no_memory);
  g_test_add_func("/session/threads", test_threads);
}
