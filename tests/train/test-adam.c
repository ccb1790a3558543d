/* test-adam.c — Adam against its equations in double, and learning rates against the paper's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/trainer.h"
#include "suite.h"
#include "train/mt-adam.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Some blocks, and a rest that fills no vector. */
enum { N = 16384 * 3 + 37, N_STEPS = 6 };

/* From -1 to 1, different for every i and step. */
static float
number(gsize i, gsize step)
{
  return sinf((float) (i % 1000) * 1.7f + (float) step * 0.9f);
}

/* The equations as they are written, in double. */
static void
reference(const mt_adam_options *o, double *p, double *m, double *v, const float *g, double scale,
          double rate, double step)
{
  double norm = 0;
  for (gsize i = 0; i < N; i++)
    norm += scale * g[i] * scale * g[i];
  norm = sqrt(norm);
  double clip = o->clip > 0 && norm > o->clip ? o->clip / norm : 1;
  for (gsize i = 0; i < N; i++) {
    double x = scale * clip * g[i];
    m[i] = o->beta1 * m[i] + (1 - o->beta1) * x;
    v[i] = o->beta2 * v[i] + (1 - o->beta2) * x * x;
    double mean = m[i] / (1 - pow(o->beta1, step)), square = v[i] / (1 - pow(o->beta2, step));
    p[i] -= rate * mean / (sqrt(square) + o->epsilon);
  }
}

static void
run(mt_adam *adam, mt_pool *pool, float *p, double *norms)
{
  g_autofree float *g = g_new(float, N);
  for (gsize step = 1; step <= N_STEPS; step++) {
    for (gsize i = 0; i < N; i++)
      g[i] = number(i, step) * 100;
    g_assert_true(mt_adam_step(adam, pool, p, g, 0.01, 1e-2, step, &norms[step - 1]));
    for (gsize i = 0; i < N; i++)
      g_assert_cmpfloat(g[i], ==, 0);
  }
}

static void
test_equations(void)
{
  const mt_adam_options variants[] = {
      {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = 1},
      {.beta1 = 0.5, .beta2 = 0.999, .epsilon = 1e-3, .clip = 0},
      {.beta1 = 0, .beta2 = 0, .epsilon = 1e-6, .clip = 1e6},
  };
  for (guint k = 0; k < G_N_ELEMENTS(variants); k++) {
    mt_adam adam;
    mt_error error = {0};
    g_assert_true(mt_adam_init(&adam, &variants[k], N, &error));
    g_autofree float *p = g_new(float, N);
    g_autofree float *g = g_new(float, N);
    g_autofree double *p64 = g_new(double, N);
    g_autofree double *m64 = g_new0(double, N);
    g_autofree double *v64 = g_new0(double, N);
    for (gsize i = 0; i < N; i++)
      p64[i] = p[i] = number(i, 77);
    double norms[N_STEPS];
    run(&adam, NULL, p, norms);
    for (gsize step = 1; step <= N_STEPS; step++) {
      for (gsize i = 0; i < N; i++)
        g[i] = number(i, step) * 100;
      reference(&variants[k], p64, m64, v64, g, 0.01, 1e-2, (double) step);
    }
    for (gsize i = 0; i < N; i++) {
      g_assert_cmpfloat_with_epsilon(adam.m[i], m64[i], 1e-5 * (fabs(m64[i]) + 1e-2));
      g_assert_cmpfloat_with_epsilon(adam.v[i], v64[i], 1e-5 * (fabs(v64[i]) + 1e-2));
      g_assert_cmpfloat_with_epsilon(p[i], p64[i], 2e-5);
    }
    double squares = 0;
    for (gsize i = 0; i < N; i++)
      squares += pow(number(i, 1), 2);
    g_assert_cmpfloat_with_epsilon(norms[0], sqrt(squares), 1e-4 * sqrt(squares));
    mt_adam_clear(&adam);
  }
}

/* One, two and five threads: the same bits. */
static void
test_threads(void)
{
  const mt_adam_options options = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = 1};
  g_autofree float *first = NULL;
  double first_norms[N_STEPS];
  static const guint n_threads[] = {1, 2, 5};
  for (guint k = 0; k < G_N_ELEMENTS(n_threads); k++) {
    mt_pool *pool = mt_pool_new(n_threads[k]);
    mt_adam adam;
    double norms[N_STEPS];
    g_assert_true(mt_adam_init(&adam, &options, N, NULL));
    float *p = g_new0(float, N);
    run(&adam, pool, p, norms);
    mt_adam_clear(&adam);
    mt_pool_free(pool);
    if (first) {
      g_assert_cmpmem(p, N * sizeof *p, first, N * sizeof *first);
      g_assert_cmpmem(norms, sizeof norms, first_norms, sizeof first_norms);
      g_free(p);
    } else {
      first = p;
      memcpy(first_norms, norms, sizeof norms);
    }
  }
}

static void
test_not_finite(void)
{
  const mt_adam_options options = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = 1};
  const float bad[] = {NAN, INFINITY, -INFINITY};
  for (guint k = 0; k < G_N_ELEMENTS(bad); k++) {
    mt_adam adam;
    double norm;
    float p[5] = {1, 2, 3, 4, 5}, g[5] = {0, 0, 0, bad[k], 0};
    g_assert_true(mt_adam_init(&adam, &options, 5, NULL));
    g_assert_false(mt_adam_step(&adam, NULL, p, g, 1, 1e-3, 1, &norm));
    g_assert_false(isfinite(norm));
    for (guint i = 0; i < 5; i++) {
      g_assert_cmpfloat(p[i], ==, i + 1);
      g_assert_cmpfloat(adam.m[i], ==, 0);
    }
    mt_adam_clear(&adam);
  }
}

static void
test_refused(void)
{
  const mt_adam_options bad[] = {
      {.beta1 = 1, .beta2 = 0.98, .epsilon = 1e-9},
      {.beta1 = 0.9, .beta2 = NAN, .epsilon = 1e-9},
      {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 0},
      {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = -1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    mt_adam adam;
    mt_error error = {0};
    g_assert_false(mt_adam_init(&adam, &bad[i], 4, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
}

/* ---- Learning rates -------------------------------------------------------------------------- */

static void
test_noam(void)
{
  /* The base model of the paper, equation 3. */
  const mt_schedule s = {.kind = MT_SCHEDULE_NOAM, .rate = 1, .warmup = 4000, .steps = 100000};
  for (guint step = 1; step < 20000; step += 371) {
    double expected = pow(512, -0.5) * fmin(pow(step, -0.5), step * pow(4000, -1.5));
    g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 512, step), expected, 1e-12);
  }
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 512, 4000), 6.987e-4, 1e-7);
}

static void
test_inverse_sqrt(void)
{
  const mt_schedule s = {.kind = MT_SCHEDULE_INVERSE_SQRT,
                         .rate = 1e-3,
                         .warmup = 100,
                         .steps = 100000};
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, 1), 1e-5, 1e-15);
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, 100), 1e-3, 1e-15);
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, 400), 5e-4, 1e-15);
  /* No warm-up: at once. */
  const mt_schedule none = {.kind = MT_SCHEDULE_INVERSE_SQRT, .rate = 1e-3, .steps = 10};
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&none, 7, 1), 1e-3, 1e-15);
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&none, 7, 4), 5e-4, 1e-15);
}

static void
test_cooldown(void)
{
  const mt_schedule s = {
      .kind = MT_SCHEDULE_CONSTANT, .rate = 2, .warmup = 10, .steps = 100, .cooldown = 0.25};
  g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, 5), 1, 1e-12);
  for (guint step = 10; step <= 75; step++)
    g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, step), 2, 1e-12);
  for (guint step = 75; step <= 100; step++)
    g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&s, 7, step), 2 * (101 - step) / 26.0, 1e-12);
  g_assert_cmpfloat(mt_schedule_rate(&s, 7, 100), >, 0);
  /* From the first step on. */
  const mt_schedule all = {.kind = MT_SCHEDULE_CONSTANT, .rate = 1, .steps = 9, .cooldown = 1};
  for (guint step = 1; step <= 9; step++)
    g_assert_cmpfloat_with_epsilon(mt_schedule_rate(&all, 7, step), (10 - step) / 10.0, 1e-12);
}

TESTS()
{
  g_test_add_func("/adam/equations", test_equations);
  g_test_add_func("/adam/threads", test_threads);
  g_test_add_func("/adam/not-finite", test_not_finite);
  g_test_add_func("/adam/refused", test_refused);
  g_test_add_func("/schedule/noam", test_noam);
  g_test_add_func("/schedule/inverse-sqrt", test_inverse_sqrt);
  g_test_add_func("/schedule/cooldown", test_cooldown);
}
