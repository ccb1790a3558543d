/* test-recording.c — captures of what a session kept while it translated are those of a pass of
 * their own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define DOGS "I have two dogs and a cat, but no time to go out with them."

static mt_model *model;

static mt_session *
new_session(bool keeps_attention, unsigned n_threads)
{
  mt_error error = {0};
  mt_session_options options = {.n_threads = n_threads, .keeps_attention = keeps_attention};
  mt_session *session = mt_session_new(model, &options, &error);
  g_assert_cmpstr(error.message, ==, "");
  return session;
}

static mt_translation *
translate(mt_session *session, const char *text, size_t n_beams)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = params.n_best = n_beams;
  mt_translation *t = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static mt_capture *
capture(mt_session *session, const mt_translation *t, size_t i, unsigned flags)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(session, t, i, flags, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

static void
assert_near(const float *a, const float *b, size_t n, float tolerance)
{
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat(fabsf(a[i] - b[i]), <=, tolerance);
}

static void
assert_same(const mt_capture *a, const mt_capture *b)
{
  size_t n_output = mt_tokens_count(mt_capture_output(a));
  g_assert_cmpstr(mt_tokens_text(mt_capture_output(a)), ==, mt_tokens_text(mt_capture_output(b)));
  assert_near(mt_capture_logprobs(a), mt_capture_logprobs(b), n_output, 1e-4f);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(a, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(a, kind); h++) {
        mt_matrix x = mt_capture_weights(a, kind, l, h), y = mt_capture_weights(b, kind, l, h);
        g_assert_cmpuint(x.rows, ==, y.rows);
        g_assert_cmpuint(x.cols, ==, y.cols);
        assert_near(x.data, y.data, x.rows * x.cols, 2e-5f);
        for (size_t r = 0; r < x.rows; r++) {
          float sum = 0;
          for (size_t c = 0; c < x.cols; c++) {
            sum += x.data[r * x.cols + c];
            if (y.data[r * x.cols + c] > 1e-5f)
              g_assert_cmpfloat(fabsf(mt_capture_score_at(a, kind, l, h, r, c) -
                                      mt_capture_score_at(b, kind, l, h, r, c)),
                                <=, 2e-2f);
            if (mt_capture_is_masked(a, kind, l, h, r, c))
              g_assert_cmpfloat(x.data[r * x.cols + c], ==, 0);
          }
          g_assert_cmpfloat(fabsf(sum - 1), <=, 1e-5f);
        }
      }
  for (mt_stack s = 0; s < MT_N_STACKS; s++) {
    mt_matrix x = mt_capture_positions(a, s), y = mt_capture_positions(b, s);
    g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                    y.rows * y.cols * sizeof(float));
  }
}

/* All hypotheses, of every width of beam, whatever shares the work. */
static void
test_same(void)
{
  static const size_t beams[] = {1, 2, 4, MT_RECORDING_MAX_BEAMS, MT_RECORDING_MAX_BEAMS + 1};
  for (unsigned n_threads = 1; n_threads <= 3; n_threads += 2) {
    g_autoptr(mt_session) keeps = new_session(true, n_threads),
                          plain = new_session(false, n_threads);
    for (gsize b = 0; b < G_N_ELEMENTS(beams); b++) {
      mt_translation *t = translate(keeps, DOGS, beams[b]);
      g_assert_cmpuint(mt_session_recording(keeps)->number, ==, mt_translation_number(t));
      for (size_t i = 0; i < mt_translation_count(t); i++) {
        mt_capture *found = capture(keeps, t, i, 0), *expected = capture(plain, t, i, 0);
        /* A pass would have replaced what was kept. */
        g_assert_cmpuint(mt_session_recording(keeps)->number, ==, mt_translation_number(t));
        assert_same(found, expected);
        mt_capture_unref(found);
        mt_capture_unref(expected);
      }
      /* Parts of what was kept: of the whole, and of the encoder. */
      if (n_threads == 1 && beams[b] >= MT_RECORDING_MAX_BEAMS)
        sentences_check_parts(keeps, t, 0, NULL);
      mt_translation_unref(t);
    }
    /* With a draft, whose guesses come true or not. */
    static const char *const edits[] = {DOGS, "I have two dogs and a bird", "I had two dogs", DOGS};
    for (gsize k = 0; k < G_N_ELEMENTS(edits); k++) {
      mt_translation *t = translate(keeps, edits[k], 1);
      mt_capture *found = capture(keeps, t, 0, 0), *expected = capture(plain, t, 0, 0);
      assert_same(found, expected);
      mt_capture_unref(found);
      mt_capture_unref(expected);
      mt_translation_unref(t);
    }
  }
}

/* What was not kept is computed: an older translation, scores, a text that is too long. */
static void
test_not_kept(void)
{
  g_autoptr(mt_session) keeps = new_session(true, 0), plain = new_session(false, 0);
  g_autoptr(mt_translation) old = translate(keeps, DOGS, 2);
  g_autoptr(mt_translation) new = translate(keeps, "Good morning!", 1);
  mt_capture *a = capture(keeps, old, 1, 0), *b = capture(plain, old, 1, 0);
  assert_same(a, b);
  mt_capture_unref(a);
  mt_capture_unref(b);
  a = capture(keeps, new, 0, MT_CAPTURE_SCORES);
  g_assert_true(mt_capture_has_scores(a));
  mt_capture_unref(a);

  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 80; i++)
    g_string_append(text, "the cat and ");
  g_autoptr(mt_translation) longest = translate(keeps, text->str, 1);
  g_assert_cmpuint(mt_tokens_count(mt_translation_source(longest)), >, MT_RECORDING_MAX);
  g_assert_cmpuint(mt_session_recording(keeps)->number, ==, 0);
  a = capture(keeps, longest, 0, 0);
  b = capture(plain, longest, 0, 0);
  assert_same(a, b);
  mt_capture_unref(a);
  mt_capture_unref(b);
}

static void
tear_down(void)
{
  mt_model_unref(model);
}

/* A capture says whether it is what the search computed: scores want a pass, and so does the
 * translation before the newest. */
static void
test_says(void)
{
  mt_session *keeps = new_session(true, 1), *plain = new_session(false, 1);
  mt_translation *first = translate(keeps, "I have two dogs.", 4);
  mt_capture *kept = capture(keeps, first, 0, 0),
             *scored = capture(keeps, first, 0, MT_CAPTURE_SCORES);
  mt_translation *second = translate(keeps, "The cat sat on the mat.", 4);
  mt_capture *late = capture(keeps, first, 0, 0), *passed = capture(plain, first, 0, 0);
  g_assert_true(mt_capture_is_recorded(kept));
  g_assert_false(mt_capture_is_recorded(scored));
  g_assert_false(mt_capture_is_recorded(late));
  g_assert_false(mt_capture_is_recorded(passed));
  mt_capture_unref(kept);
  mt_capture_unref(scored);
  mt_capture_unref(late);
  mt_capture_unref(passed);
  mt_translation_unref(first);
  mt_translation_unref(second);
  mt_session_free(keeps);
  mt_session_free(plain);
}

TESTS(.end = tear_down)
{
  mt_error error = {0};
  /* The same code as with the bundled model, in a tenth of the time. */
  g_autofree char *dir = golden_path("tests/data/frozen/en-de");
  model = mt_model_open(dir, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_test_add_func("/recording/says", test_says);
  g_test_add_func("/recording/same", test_same);
  g_test_add_func("/recording/not-kept", test_not_kept);
}
