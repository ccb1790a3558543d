/* same-capture.c — two model folders that must hold the same model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "same-capture.h"
#include "engine-test.h"

#include <glib.h>
#include <string.h>

static void
translate(mt_model *model, const char *text, mt_translation **translation, mt_capture **capture)
{
  mt_error error = {0};
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  *translation = session ? mt_session_translate(session, text, NULL, NULL, &error) : NULL;
  *capture = *translation
                 ? mt_session_capture(session, *translation, 0, MT_CAPTURE_SCORES, NULL, &error)
                 : NULL;
  if (!*capture)
    g_error("%s: %s", mt_model_directory(model), error.message);
}

/* Contiguous, as both of them are. */
static void
assert_same_matrix(mt_matrix a, mt_matrix b)
{
  g_assert_nonnull(a.data);
  g_assert_cmpuint(a.rows, ==, b.rows);
  g_assert_cmpuint(a.cols, ==, b.cols);
  for (size_t r = 0; r < a.rows; r++)
    g_assert_cmpmem(a.data + r * a.stride, a.cols * sizeof(float), b.data + r * b.stride,
                    b.cols * sizeof(float));
}

void
assert_same_model(mt_model *model, mt_model *other, const char *text)
{
  mt_translation *t[2];
  mt_capture *c[2];
  translate(model, text, &t[0], &c[0]);
  translate(other, text, &t[1], &c[1]);
  const mt_hypothesis *a = mt_translation_hypothesis(t[0], 0);
  const mt_hypothesis *b = mt_translation_hypothesis(t[1], 0);
  g_assert_cmpstr(a->text, ==, b->text);
  g_assert_cmpfloat(a->score, ==, b->score);
  g_assert_cmpuint(mt_model_n_parameters(model), ==, mt_model_n_parameters(other));
  const mt_tokens *tokens[2] = {mt_capture_output(c[0]), mt_capture_output(c[1])};
  size_t n = mt_tokens_count(tokens[0]);
  g_assert_cmpuint(n, ==, mt_tokens_count(tokens[1]));
  for (size_t i = 0; i < n; i++)
    g_assert_cmpint(mt_tokens_get(tokens[0], i)->id, ==, mt_tokens_get(tokens[1], i)->id);
  g_assert_cmpmem(mt_capture_logprobs(c[0]), n * sizeof(float), mt_capture_logprobs(c[1]),
                  n * sizeof(float));
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    g_assert_cmpuint(mt_capture_n_layers(c[0], kind), >, 0);
    g_assert_cmpuint(mt_capture_n_layers(c[0], kind), ==, mt_capture_n_layers(c[1], kind));
    g_assert_cmpuint(mt_capture_n_heads(c[0], kind), ==, mt_capture_n_heads(c[1], kind));
    for (size_t l = 0; l < mt_capture_n_layers(c[0], kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(c[0], kind); h++) {
        assert_same_matrix(mt_capture_weights(c[0], kind, l, h),
                           mt_capture_weights(c[1], kind, l, h));
        assert_same_matrix(mt_capture_scores(c[0], kind, l, h),
                           mt_capture_scores(c[1], kind, l, h));
      }
  }
  for (int i = 0; i < 2; i++) {
    mt_capture_unref(c[i]);
    mt_translation_unref(t[i]);
  }
}

void
assert_same_capture(const char *path, const char *other, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
  g_autoptr(mt_model) second = model ? mt_model_open(other, NULL, &error) : NULL;
  if (!second)
    g_error("%s", error.message);
  assert_same_model(model, second, text);
}
