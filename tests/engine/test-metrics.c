/* test-metrics.c — numbers of matrices whose numbers are known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "hand-capture.h"
#include "suite.h"

#include <math.h>

enum { N = 7 };

static void
test_entropy(void)
{
  float uniform[8], sharp[8] = {0, 0, 1, 0, 0, 0, 0, 0};
  for (int j = 0; j < 8; j++)
    uniform[j] = 0.125f;
  g_assert_cmpfloat_with_epsilon(mt_row_entropy(uniform, 8), 3.0, 1e-9);
  g_assert_cmpfloat(mt_row_entropy(sharp, 8), ==, 0.0);
  const float half[3] = {0.5f, 0.25f, 0.25f};
  g_assert_cmpfloat_with_epsilon(mt_row_entropy(half, 3), 1.5, 1e-9);
}

/* Uniform attention: entropy log2 n, distance (n^2 - 1) / (3 n), confidence 1/n. */
static void
test_uniform(void)
{
  g_autoptr(mt_capture) capture = hand_capture(N, 3, 0);
  float *a = mt_capture_fill_weights(capture, MT_ENCODER_SELF, 0, 0);
  for (int i = 0; i < N * N; i++)
    a[i] = 1.0f / N;
  mt_head_metrics m = mt_head_metrics_compute(capture, MT_ENCODER_SELF, 0, 0);
  g_assert_cmpfloat_with_epsilon(m.mean_entropy, log2(N), 1e-6);
  g_assert_cmpfloat_with_epsilon(m.diagonal_distance, (N * N - 1) / (3.0 * N), 1e-6);
  g_assert_cmpfloat_with_epsilon(m.confidence, 1.0 / N, 1e-6);
  g_assert_cmpfloat_with_epsilon(m.special_share, 1.0 / N, 1e-6);
}

/* A matrix with its mass `offset` columns from the diagonal, at the edge where that is outside. */
static mt_head_metrics
metrics_at_offset(int offset)
{
  g_autoptr(mt_capture) capture = hand_capture(N, 3, 0);
  float *a = mt_capture_fill_weights(capture, MT_ENCODER_SELF, 0, 0);
  for (int i = 0; i < N; i++)
    a[i * N + CLAMP(i + offset, 0, N - 1)] = 1;
  mt_head_metrics m = mt_head_metrics_compute(capture, MT_ENCODER_SELF, 0, 0);
  return m;
}

static void
test_offsets(void)
{
  mt_head_metrics same = metrics_at_offset(0), previous = metrics_at_offset(-1),
                  next = metrics_at_offset(1);
  g_assert_cmpfloat(same.mean_entropy, ==, 0);
  g_assert_cmpfloat(same.diagonal_distance, ==, 0);
  g_assert_cmpfloat(same.same_share, ==, 1);
  g_assert_cmpfloat(same.previous_share, ==, 0);
  g_assert_cmpfloat(previous.previous_share, ==, 1);
  g_assert_cmpfloat_with_epsilon(previous.same_share, 1.0 / N, 1e-9);
  g_assert_cmpfloat(next.next_share, ==, 1);
  g_assert_cmpfloat(next.previous_share, ==, 0);
  g_assert_cmpfloat_with_epsilon(next.diagonal_distance, (N - 1.0) / N, 1e-6);
  /* Six of seven rows look at a column that is not </s>. */
  g_assert_cmpfloat_with_epsilon(same.confidence, (N - 1.0) / N, 1e-6);
}

static void
test_cross_monotone(void)
{
  g_autoptr(mt_capture) capture = hand_capture(5, 3, 0);
  float *a = mt_capture_fill_weights(capture, MT_CROSS, 0, 0);
  a[0 * 5 + 0] = a[1 * 5 + 2] = a[2 * 5 + 4] = 1; /* the straight diagonal */
  mt_head_metrics m = mt_head_metrics_compute(capture, MT_CROSS, 0, 0);
  g_assert_cmpfloat(m.monotone_share, ==, 1);
  g_assert_cmpfloat_with_epsilon(m.diagonal_distance, 0, 1e-9);
  a[2 * 5 + 4] = 0, a[2 * 5 + 1] = 1; /* the last row goes back */
  m = mt_head_metrics_compute(capture, MT_CROSS, 0, 0);
  g_assert_cmpfloat(m.monotone_share, ==, 0.5);
  g_assert_cmpfloat_with_epsilon(m.diagonal_distance, 0.25, 1e-6);
}

static void
test_recovered_score(void)
{
  mt_capture *kept = hand_capture(3, 3, MT_CAPTURE_SCORES), *small = hand_capture(3, 3, 0);
  const float scores[3] = {2.5f, -1.0f, 0.25f};
  double sum = 0;
  for (int j = 0; j < 3; j++)
    sum += exp(scores[j]);
  for (int j = 0; j < 3; j++) {
    float weight = (float) (exp(scores[j]) / sum);
    mt_capture_fill_weights(kept, MT_CROSS, 0, 0)[j] = weight;
    mt_capture_fill_weights(small, MT_CROSS, 0, 0)[j] = weight;
    mt_capture_fill_scores(kept, MT_CROSS, 0, 0)[j] = scores[j];
  }
  mt_capture_fill_row_lse(small, MT_CROSS, 0, 0)[0] = (float) log(sum);
  g_assert_true(mt_capture_has_scores(kept));
  g_assert_false(mt_capture_has_scores(small));
  g_assert_null(mt_capture_scores(small, MT_CROSS, 0, 0).data);
  for (size_t j = 0; j < 3; j++) {
    g_assert_cmpfloat(mt_capture_score_at(kept, MT_CROSS, 0, 0, 0, j), ==, scores[j]);
    g_assert_cmpfloat_with_epsilon(mt_capture_score_at(small, MT_CROSS, 0, 0, 0, j), scores[j],
                                   1e-5);
  }
  /* Neither known nor masked: not a number; masked: minus infinity. */
  g_assert_true(isnan(mt_capture_score_at(small, MT_CROSS, 0, 0, 1, 0)));
  g_assert_true(isinf(mt_capture_score_at(small, MT_DECODER_SELF, 0, 0, 0, 2)));
  mt_capture_unref(kept), mt_capture_unref(small);
}

TESTS()
{
  g_test_add_func("/metrics/entropy", test_entropy);
  g_test_add_func("/metrics/uniform", test_uniform);
  g_test_add_func("/metrics/offsets", test_offsets);
  g_test_add_func("/metrics/cross-monotone", test_cross_monotone);
  g_test_add_func("/metrics/recovered-score", test_recovered_score);
}
