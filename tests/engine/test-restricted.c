/* test-restricted.c — restricted self-attention (the paper, section 4): nothing further than the
 * window is seen, by a whole sentence, by steps, by many texts at a time and by a capture alike.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "model-with-key.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

enum { WINDOW = 3 };

static const char *const texts[] = {
    "The children are playing in the garden because the weather is so nice today.",
    "Where is the train station?",
    "Yes.",
    "She did not want to go home, but it was already late.",
};
enum { N_TEXTS = G_N_ELEMENTS(texts) };

/* ---- A capture --------------------------------------------------------------------------------
 */

static void
test_capture(void)
{
  g_autoptr(mt_model) model = model_with_key("tests/data/frozen/en-de", "\"attention_window\": 3");
  g_assert_cmpuint(mt_model_config(model)->attention_window, ==, WINDOW);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = sentences_translate(session, texts[0], 4, NULL);
  mt_error error = {0};
  g_autoptr(mt_capture) capture = mt_session_capture(session, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t layer = 0; layer < mt_capture_n_layers(capture, kind); layer++) {
      mt_matrix w = mt_capture_weights(capture, kind, layer, 1);
      g_assert_cmpuint(w.cols, >, 2 * WINDOW + 1);
      for (size_t i = 0; i < w.rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < w.cols; j++) {
          bool sees = kind == MT_CROSS || (i <= j + WINDOW && j <= i + WINDOW);
          if (kind == MT_DECODER_SELF && j > i)
            sees = false;
          float weight = mt_matrix_at(&w, i, j);
          g_assert_true(sees == (weight > 0));
          float score = mt_capture_score_at(capture, kind, layer, 1, i, j);
          g_assert_true(sees ? isfinite(score) : score == -INFINITY);
          sum += weight;
        }
        g_assert_cmpfloat_with_epsilon(sum, 1, 1e-5);
      }
    }
}

/* ---- Every way to the same numbers ------------------------------------------------------------
 */

static double
sum_of(const mt_translation *t)
{
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  double sum = 0;
  for (size_t i = 0; i < mt_tokens_count(h->tokens); i++)
    sum += (double) h->logprobs[i];
  return sum;
}

/* Steps of one token, of several that were guessed, and the whole output at once. */
static void
test_steps(void)
{
  g_autoptr(mt_model) model = model_with_key("tests/data/frozen/en-de", "\"attention_window\": 3");
  g_autoptr(mt_session) session = sentences_session(model, 0, false),
                        other = sentences_session(model, 0, false);
  for (guint i = 0; i < N_TEXTS; i++) {
    mt_error error = {0};
    g_autoptr(mt_translation) t = sentences_translate(session, texts[i], 1, NULL);
    const char *text = mt_translation_hypothesis(t, 0)->text;
    /* What was just translated is the guess of what comes. */
    g_autoptr(mt_translation) again = sentences_translate(session, texts[i], 1, NULL);
    g_assert_cmpstr(mt_translation_hypothesis(again, 0)->text, ==, text);
    g_assert_cmpfloat_with_epsilon(sum_of(again), sum_of(t), 1e-4);
    g_autoptr(mt_translation) score = mt_session_score(other, texts[i], text, -1, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_assert_cmpuint(mt_tokens_count(mt_translation_hypothesis(score, 0)->tokens), ==,
                     mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens));
    g_assert_cmpfloat_with_epsilon(sum_of(score), sum_of(t), 1e-4 * (1 + fabs(sum_of(t))));
  }
}

static void
test_many(void)
{
  g_autoptr(mt_model) model = model_with_key("tests/data/frozen/en-de", "\"attention_window\": 3");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_translation *many[N_TEXTS];
  sentences_translate_many(session, texts, N_TEXTS, 4, NULL, many);
  for (size_t i = 0; i < N_TEXTS; i++) {
    g_autoptr(mt_translation) alone = sentences_translate(session, texts[i], 4, NULL);
    sentences_assert_same(alone, many[i]);
    mt_translation_unref(many[i]);
  }
}

/* ---- Not restricted ----------------------------------------------------------------------------
 */

/* A window that everything fits into changes no bit; a small one changes what is said. */
static void
test_wide(void)
{
  mt_model *models[] = {model_with_key("tests/data/frozen/en-de", "\"attention_window\": 0"),
                        model_with_key("tests/data/frozen/en-de", "\"attention_window\": 500"),
                        model_with_key("tests/data/frozen/en-de", "\"attention_window\": 1")};
  double sums[3];
  for (guint i = 0; i < 3; i++) {
    g_autoptr(mt_session) session = sentences_session(models[i], 0, false);
    g_autoptr(mt_translation) t = sentences_translate(session, texts[0], 4, NULL);
    sums[i] = sum_of(t);
    mt_model_unref(models[i]);
  }
  g_assert_cmpfloat(sums[0], ==, sums[1]);
  g_assert_cmpfloat(sums[0], !=, sums[2]);
}

TESTS()
{
  g_test_add_func("/restricted/capture", test_capture);
  g_test_add_func("/restricted/steps", test_steps);
  g_test_add_func("/restricted/many", test_many);
  g_test_add_func("/restricted/wide", test_wide);
}
