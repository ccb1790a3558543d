/* test-scaling.c — classical scaling against numpy, against known points, and what is no distance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"
#include "mt.h"
#include "suite.h"

#include <math.h>

static void
test_numpy(gconstpointer data)
{
  const char *name = data;
  g_autoptr(golden) g = golden_open("scaling.safetensors");
  g_autofree char *distances_name = g_strdup_printf("%s.distances", name);
  g_autofree char *points_name = g_strdup_printf("%s.points", name);
  g_autofree char *share_name = g_strdup_printf("%s.share", name);
  size_t n_all, n_points;
  const float *expected = golden_f32(g, points_name, &n_points);
  const float *given = golden_f32(g, distances_name, &n_all);
  const size_t n = n_points / 2;
  g_assert_cmpuint(n * n, ==, n_all);
  g_autofree double *distances = g_new(double, n_all), *points = g_new(double, n_points);
  for (size_t i = 0; i < n_all; i++)
    distances[i] = (double) given[i];
  double share = -1;
  mt_error error = {0};
  g_assert_true(mt_scale_classical(distances, n, 2, points, &share, &error));
  for (size_t i = 0; i < n_points; i++)
    g_assert_cmpfloat(golden_distance(points[i], (double) expected[i], 0.1), <, 1e-5);
  g_assert_cmpfloat(fabs(share - (double) golden_f32(g, share_name, NULL)[0]), <, 1e-6);
}

/* Points of a plane keep their distances, and in three dimensions the third is nothing. */
static void
test_plane(void)
{
  static const double x[][2] = {{0, 0}, {4, 0}, {4, 1}, {-2, 3}, {1, 1}};
  enum { N = G_N_ELEMENTS(x) };
  double d[N * N], flat[N * 2], deep[N * 3], share;
  mt_error error = {0};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      d[i * N + j] = hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]);
  g_assert_true(mt_scale_classical(d, N, 2, flat, &share, &error));
  g_assert_cmpfloat(fabs(share - 1), <, 1e-12);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      g_assert_cmpfloat(fabs(hypot(flat[i * 2] - flat[j * 2], flat[i * 2 + 1] - flat[j * 2 + 1]) -
                             d[i * N + j]),
                        <, 1e-12);
  g_assert_true(mt_scale_classical(d, N, 3, deep, &share, &error));
  for (int i = 0; i < N; i++) {
    g_assert_cmpfloat(fabs(deep[i * 3] - flat[i * 2]), <, 1e-12);
    g_assert_cmpfloat(deep[i * 3 + 2], ==, 0);
  }
}

/* One alone, and several at one place. */
static void
test_nothing(void)
{
  const double none[9] = {0};
  double points[3] = {7, 7, 7}, share = 7;
  mt_error error = {0};
  g_assert_true(mt_scale_classical(none, 1, 1, points, &share, &error));
  g_assert_cmpfloat(points[0], ==, 0);
  g_assert_cmpfloat(share, ==, 0);
  g_assert_true(mt_scale_classical(none, 3, 1, points, NULL, &error));
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat(points[i], ==, 0);
}

static void
test_refused(void)
{
  static const double wrong[][4] = {{0, -1, -1, 0},
                                    {0, NAN, NAN, 0},
                                    {0, INFINITY, INFINITY, 0},
                                    {1, 2, 2, 0}};
  double points[4];
  mt_error error = {0};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    error = (mt_error){0};
    g_assert_false(mt_scale_classical(wrong[i], 2, 1, points, NULL, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
  const double good[4] = {0, 1, 1, 0};
  g_assert_false(mt_scale_classical(good, 2, 0, points, NULL, &error));
  g_assert_false(mt_scale_classical(good, 2, 3, points, NULL, &error));
  g_assert_true(mt_scale_classical(good, 2, 2, points, NULL, &error));
  g_assert_cmpfloat(fabs(fabs(points[0] - points[2]) - 1), <, 1e-12);
}

TESTS()
{
  g_test_add_data_func("/scaling/numpy/plane", "plane", test_numpy);
  g_test_add_data_func("/scaling/numpy/space", "space", test_numpy);
  g_test_add_data_func("/scaling/numpy/shannon", "shannon", test_numpy);
  g_test_add_func("/scaling/plane", test_plane);
  g_test_add_func("/scaling/nothing", test_nothing);
  g_test_add_func("/scaling/refused", test_refused);
}
