/* test-by-hand.c — the model that can be followed on paper: small, of readable numbers, and right
 * about every word that it knows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model-dir.h"
#include "suite.h"

#include <glib.h>
#include <math.h>
#include <mt.h>

#define FOLDER "models/by-hand"

static const char *const words[][2] = {{"cat", "Katze"},
                                       {"dog", "Hund"},
                                       {"bird", "Vogel"},
                                       {"fish", "Fisch"}};

static mt_model *model;

/* What the sheet is drawn for. */
static void
test_shape(void)
{
  const mt_config *config = mt_model_config(model);
  g_assert_cmpuint(config->d_model, ==, 4);
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    g_assert_cmpuint(config->n_layers[stack], ==, 1);
    g_assert_cmpuint(config->n_heads[stack], ==, 1);
    g_assert_cmpuint(config->d_ffn[stack], ==, 4);
    g_assert_cmpuint(config->vocab_size[stack], ==, 11);
  }
  g_assert_cmpint(config->position_kind, ==, MT_POSITIONS_SINUSOIDAL_HALVES);
  g_assert_cmpint(config->activation, ==, MT_ACTIVATION_RELU);
  g_assert_false(config->normalize_before);
  g_assert_cmpuint(mt_model_n_parameters(model), ==, 415);
}

static void
assert_readable(mt_matrix m)
{
  for (gsize r = 0; r < m.rows; r++)
    for (gsize c = 0; c < m.cols; c++) {
      const float value = mt_matrix_at(&m, r, c);
      g_assert_cmpfloat(value * 2, ==, roundf(value * 2));
      g_assert_cmpfloat(fabsf(value), <=, 6);
    }
}

/* Every weight is a multiple of one half. */
static void
test_numbers(void)
{
  const float *bias;
  assert_readable(mt_model_embedding(model, MT_STACK_ENCODER));
  assert_readable(mt_model_output_map(model, &bias));
  assert_readable((mt_matrix){bias, 1, 11, 11});
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int map = 0; map < MT_N_MAPS; map++)
      assert_readable(mt_model_head_map(model, (mt_attention_kind) kind, 0, 0, (mt_map) map));
  for (int stack = 0; stack < MT_N_STACKS; stack++)
    for (int map = MT_MAP_HIDDEN; map <= MT_MAP_BACK; map++) {
      assert_readable(
          mt_model_feed_forward_map(model, (mt_stack) stack, 0, (mt_feed_forward_map) map, &bias));
      assert_readable((mt_matrix){bias, 1, 4, 4});
    }
}

static void
check(mt_session *session, const char *source, const char *target, size_t beams)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = beams;
  g_autoptr(mt_translation) t = mt_session_translate(session, source, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_hypothesis *best = mt_translation_hypothesis(t, 0);
  g_assert_cmpstr(best->text, ==, target);
  /* One piece a word, and </s>. */
  g_assert_cmpuint(mt_tokens_count(best->tokens), ==, mt_tokens_count(mt_translation_source(t)));
  for (gsize i = 0; i < mt_tokens_count(best->tokens); i++)
    g_assert_cmpfloat(best->logprobs[i], >, logf(0.59f));
}

/* The words, and all lists of two. */
static void
test_translations(gconstpointer beams)
{
  mt_error error = {0};
  mt_session_options options = {.n_threads = 1};
  g_autoptr(mt_session) session = mt_session_new(model, &options, &error);
  g_assert_nonnull(session);
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    check(session, words[i][0], words[i][1], GPOINTER_TO_SIZE(beams));
    for (gsize j = 0; j < G_N_ELEMENTS(words); j++) {
      g_autofree char *source = g_strdup_printf("%s %s", words[i][0], words[j][0]);
      g_autofree char *target = g_strdup_printf("%s %s", words[i][1], words[j][1]);
      check(session, source, target, GPOINTER_TO_SIZE(beams));
    }
  }
}

static void
tear_down(void)
{
  mt_model_unref(model);
}

TESTS(.end = tear_down)
{
  g_autofree char *path = golden_path(FOLDER);
  model = model_open_good(path);
  g_test_add_func("/by-hand/shape", test_shape);
  g_test_add_func("/by-hand/numbers", test_numbers);
  g_test_add_data_func("/by-hand/greedy", GSIZE_TO_POINTER(1), test_translations);
  g_test_add_data_func("/by-hand/beams", GSIZE_TO_POINTER(4), test_translations);
}
