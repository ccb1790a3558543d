/* test-compare.c — the difference of two captures, and how far their heads are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"
#include "mt.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Numbers of numpy: H((p + q) / 2) - (H(p) + H(q)) / 2. */
static void
test_rows(void)
{
  const float p[] = {0.5f, 0.5f, 0}, q[] = {0.25f, 0.25f, 0.5f};
  const float r[] = {0.7f, 0.2f, 0.1f, 0}, s[] = {0.1f, 0.2f, 0.3f, 0.4f};
  const float left[] = {1, 0}, right[] = {0, 1}, nothing[] = {0, 0};
  g_assert_cmpfloat_with_epsilon(mt_row_divergence(p, q, 3), 0.31127812445913294, 1e-7);
  g_assert_cmpfloat_with_epsilon(mt_row_divergence(r, s, 4), 0.4203185978283348, 1e-7);
  g_assert_cmpfloat(mt_row_divergence(r, s, 4), ==, mt_row_divergence(s, r, 4));
  g_assert_cmpfloat(mt_row_divergence(r, r, 4), ==, 0);
  g_assert_cmpfloat(mt_row_divergence(left, right, 2), ==, 1);
  g_assert_cmpfloat(mt_row_divergence(left, nothing, 2), ==, 0.5);
}

static mt_capture *
capture_with(mt_session *session, const mt_translation *translation, const char *text)
{
  mt_error error = {0};
  mt_changes *changes = mt_changes_parse("", text, &error);
  const mt_hooks hooks = {.changes = changes};
  mt_capture *capture = mt_session_capture(session, translation, 0, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_changes_unref(changes);
  return capture;
}

/* Of a model whose head was changed: each weight is the difference, and a head before the change
 * did not move. */
static void
test_changed(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("tests/data/frozen/en-de");
  mt_model *model = mt_model_open(file, NULL, &error);
  mt_session *session = mt_session_new(model, NULL, &error);
  mt_translation *t =
      mt_session_translate(session, "I have two dogs and a cat.", NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture *a = mt_session_capture(session, t, 0, 0, NULL, &error);
  mt_capture *b = capture_with(session, t, "cross 2.3 uniform\ndecoder 4.* zero\nsource 2 hide");
  mt_capture *d = mt_capture_difference(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  double most = 0;
  for (int k = 0; k < MT_N_KINDS; k++)
    for (size_t l = 0; l < mt_capture_n_layers(d, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(d, k); h++) {
        mt_matrix x = mt_capture_weights(a, k, l, h), y = mt_capture_weights(b, k, l, h),
                  z = mt_capture_weights(d, k, l, h);
        g_assert_cmpuint(z.rows, ==, x.rows);
        for (size_t r = 0; r < z.rows; r++) {
          double sum = 0;
          for (size_t c = 0; c < z.cols; c++) {
            float weight = z.data[r * z.stride + c];
            g_assert_cmpfloat(weight, ==, y.data[r * y.stride + c] - x.data[r * x.stride + c]);
            sum += (double) weight;
            if (!mt_capture_is_masked(d, k, l, h, r, c))
              g_assert_true(isnan(mt_capture_score_at(d, k, l, h, r, c)));
          }
          g_assert_cmpfloat(fabs(sum), <, 1e-5);
        }
        most = MAX(most, mt_capture_divergence(a, b, k, l, h));
        g_assert_cmpfloat(mt_capture_divergence(a, a, k, l, h), ==, 0);
      }
  g_assert_cmpfloat(most, >, 0.05);
  g_assert_cmpfloat(most, <=, 1);
  g_assert_cmpfloat(mt_capture_divergence(a, b, MT_DECODER_SELF, 0, 0), ==, 0);
  g_assert_true(mt_capture_difference_a(d) == a);
  g_assert_true(mt_capture_difference_b(d) == b);
  g_assert_null(mt_capture_difference_a(a));
  g_assert_null(mt_capture_logprobs(d));
  /* What only one of them hides is no masked cell. */
  g_assert_false(mt_capture_is_masked(d, MT_ENCODER_SELF, 0, 0, 0, 1));
  g_assert_true(mt_capture_is_masked(d, MT_DECODER_SELF, 0, 0, 0, 1));
  g_assert_true(mt_changes_equal(mt_capture_changes(d), mt_capture_changes(b)));

  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "difference.npz", NULL);
  g_assert_false(mt_capture_write_npz(d, path, NULL, &error));
  g_assert_nonnull(strstr(error.message, "difference of two captures"));
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  /* It holds what it is of. */
  mt_capture_unref(a);
  mt_capture_unref(b);
  g_assert_cmpuint(mt_tokens_count(mt_capture_source(mt_capture_difference_a(d))), >, 0);
  mt_capture_unref(d);
  mt_translation_unref(t);
  mt_session_free(session);
  mt_model_unref(model);
}

/* Two sentences with as many tokens: place by place, and what differs says so. */
static void
test_sentences(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("tests/data/frozen/en-de");
  mt_model *model = mt_model_open(file, NULL, &error);
  mt_session *session = mt_session_new(model, NULL, &error);
  static const char *const texts[] = {"I have two dogs.", "I have two cats."};
  mt_capture *captures[2];
  for (int i = 0; i < 2; i++) {
    mt_translation *t = mt_session_score(session, texts[i], "Ich habe es.", -1, NULL, &error);
    captures[i] = mt_session_capture(session, t, 0, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    mt_translation_unref(t);
  }
  mt_capture *d = mt_capture_difference(captures[0], captures[1], &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(d), 2)->piece, ==, "▁two");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(d), 3)->piece, ==, "▁dog→cat");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(captures[1]), 3)->piece, ==, "▁cat");
  g_assert_cmpfloat(mt_capture_difference_most(d), >, 1e-3f);
  for (int i = 0; i < 2; i++)
    mt_capture_unref(captures[i]);
  mt_capture_unref(d);
  mt_session_free(session);
  mt_model_unref(model);
}

static void
assert_refused(const mt_capture *a, const mt_capture *b, const char *words)
{
  mt_error error = {0};
  g_assert_null(mt_capture_difference(a, b, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  if (!strstr(error.message, words))
    g_error("\"%s\" does not say \"%s\"", error.message, words);
}

static void
test_refused(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("tests/data/frozen/en-de");
  g_autofree char *other = golden_path("tests/data/checkpoints/post-norm-relu");
  mt_model *model = mt_model_open(file, NULL, &error), *small = mt_model_open(other, NULL, &error);
  mt_session *session = mt_session_new(model, NULL, &error),
             *second = mt_session_new(small, NULL, &error);
  mt_capture *captures[3];
  static const char *const texts[] = {"I have two dogs.", "You see big cats.",
                                      "I have two big dogs."};
  for (int i = 0; i < 3; i++) {
    mt_translation *t = mt_session_score(session, texts[i], "Ich habe es.", -1, NULL, &error);
    captures[i] = mt_session_capture(session, t, 0, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    mt_translation_unref(t);
  }
  mt_translation *t = mt_session_score(second, "the cat", "the", -1, NULL, &error);
  mt_capture *of_other = mt_session_capture(second, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  assert_refused(captures[0], captures[1], "Token 1 of the sources is");
  assert_refused(captures[0], captures[2], "The sources have");
  assert_refused(captures[0], of_other, "layers of");
  mt_translation *longer =
      mt_session_score(session, texts[0], "Ich habe es nicht.", -1, NULL, &error);
  mt_capture *of_longer = mt_session_capture(session, longer, 0, 0, NULL, &error);
  assert_refused(captures[0], of_longer, "The translations have");
  mt_capture_unref(of_longer);
  mt_capture_unref(of_other);
  for (int i = 0; i < 3; i++)
    mt_capture_unref(captures[i]);
  mt_translation_unref(longer);
  mt_translation_unref(t);
  mt_session_free(session);
  mt_session_free(second);
  mt_model_unref(model);
  mt_model_unref(small);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/compare/rows", test_rows);
  g_test_add_func("/compare/changed", test_changed);
  g_test_add_func("/compare/sentences", test_sentences);
  g_test_add_func("/compare/refused", test_refused);
  return g_test_run();
}
