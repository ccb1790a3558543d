/* test-capture-foreign.c — what the snippets of docs/captures.md made of transformers, read, and
 * compared with what our engine computes from the same model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

#define DATA REGARD_SOURCE_ROOT "/tests/data/"
/* Of tests/reference/make_imported.py. */
#define TEXT       "the cat sat on the mat ."
#define MAX_LENGTH 10
#define TOLERANCE  1e-4f

static mt_capture *
read_file(const char *name)
{
  mt_error error = {0};
  g_autofree char *path = g_strconcat(DATA, name, NULL);
  mt_capture *capture = mt_capture_read_npz(path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return capture;
}

static void
test_encoder(void)
{
  static const char *const pieces[] = {"[CLS]", "the", "dogs", "were", "play", "##ing",
                                       "in",    "the", "rain", ".",    "[SEP]"};
  g_autoptr(mt_capture) c = read_file("foreign-encoder.npz");
  g_assert_cmpstr(mt_capture_model_name(c), ==, "tiny-bert");
  g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_SEQUENCES);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_ENCODER_SELF), ==, 2);
  g_assert_cmpuint(mt_capture_n_heads(c, MT_ENCODER_SELF), ==, 3);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_DECODER_SELF), ==, 0);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_CROSS), ==, 0);
  const mt_tokens *tokens = mt_capture_source(c);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, G_N_ELEMENTS(pieces));
  for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++)
    g_assert_cmpstr(mt_tokens_get(tokens, i)->piece, ==, pieces[i]);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "the dogs were playing in the rain .");
  mt_weight_range range = mt_capture_weight_range(c, MT_ENCODER_SELF);
  g_assert_cmpfloat(fabs(range.least_sum - 1), <, 1e-6);
  g_assert_cmpfloat(fabs(range.largest_sum - 1), <, 1e-6);
}

static void
assert_same_pieces(const mt_tokens *a, const mt_tokens *b)
{
  g_assert_cmpuint(mt_tokens_count(a), ==, mt_tokens_count(b));
  for (size_t i = 0; i < mt_tokens_count(a); i++) {
    g_assert_cmpstr(mt_tokens_get(a, i)->piece, ==, mt_tokens_get(b, i)->piece);
    g_assert_cmpint(mt_tokens_get(a, i)->is_special, ==, mt_tokens_get(b, i)->is_special);
    g_assert_cmpint(mt_tokens_get(a, i)->word, ==, mt_tokens_get(b, i)->word);
  }
}

static void
test_translation(void)
{
  mt_error error = {0};
  g_autoptr(mt_capture) theirs = read_file("foreign-translation.npz");
  g_autoptr(mt_model) model = mt_model_open(DATA "checkpoints/post-norm-relu", NULL, &error);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = MAX_LENGTH;
  g_autoptr(mt_translation) t = mt_session_translate(session, TEXT, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_capture) ours = mt_session_capture(session, t, 0, 0, NULL, &error);

  g_assert_cmpint(mt_capture_naming(theirs), ==, MT_NAMING_TRANSLATION);
  assert_same_pieces(mt_capture_source(theirs), mt_capture_source(ours));
  assert_same_pieces(mt_capture_decoder_input(theirs), mt_capture_decoder_input(ours));
  assert_same_pieces(mt_capture_output(theirs), mt_capture_output(ours));
  float worst = 0;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    g_assert_cmpuint(mt_capture_n_layers(theirs, k), ==, mt_capture_n_layers(ours, k));
    g_assert_cmpuint(mt_capture_n_heads(theirs, k), ==, mt_capture_n_heads(ours, k));
    for (size_t l = 0; l < mt_capture_n_layers(ours, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(ours, k); h++) {
        mt_matrix a = mt_capture_weights(theirs, k, l, h), b = mt_capture_weights(ours, k, l, h);
        for (size_t r = 0; r < b.rows; r++)
          for (size_t c = 0; c < b.cols; c++) {
            worst = fmaxf(worst, fabsf(mt_matrix_at(&a, r, c) - mt_matrix_at(&b, r, c)));
            g_assert_cmpint(mt_capture_is_masked(theirs, k, l, h, r, c), ==,
                            mt_capture_is_masked(ours, k, l, h, r, c));
          }
      }
  }
  g_test_message("largest difference to transformers: %g", (double) worst);
  g_assert_cmpfloat(worst, <=, TOLERANCE);
}

TESTS()
{
  g_test_add_func("/capture-foreign/encoder", test_encoder);
  g_test_add_func("/capture-foreign/translation", test_translation);
}
