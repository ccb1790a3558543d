/* test-attention.c — the small products of attention, every instruction set against double
 * precision, and each number alone against the same one among others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-ops.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define FILL -77.0f

static float *
random_floats(size_t n, unsigned seed, float scale)
{
  float *out = g_new(float, n + 1);
  uint32_t state = seed;
  for (size_t i = 0; i < n; i++)
    out[i] = scale * toy_random(&state);
  out[n] = NAN; /* reading on shows */
  return out;
}

static void
assert_near(double found, double expected, double tolerance)
{
  g_assert_cmpfloat(fabs(found - expected), <=, tolerance * (1 + fabs(expected)));
}

/* Heads of every kind: fewer columns than a vector, between two, and those that have code of their
 * own. */
static const size_t shapes[][2] = {{1, 1},  {3, 5},  {8, 4},  {2, 8},   {5, 12}, {4, 16},
                                   {8, 32}, {3, 32}, {1, 32}, {12, 24}, {8, 64}, {16, 64},
                                   {1, 64}, {2, 80}, {6, 33}, {1, 130}, {64, 2}};

/* What of a step is computed with: rows of queries that see keys in any order. */
typedef struct {
  size_t rows, n, n_heads, d_head, stride;
  float *q, *matrix, *w;
  uint32_t *index;
  mt_seen_rows seen;
} Step;

static void
step_init(Step *s, size_t rows, size_t n, const size_t shape[2], bool indexed)
{
  *s = (Step){.rows = rows, .n = n, .n_heads = shape[0], .d_head = shape[1]};
  s->stride = s->n_heads * s->d_head + 3;
  s->q = random_floats(rows * s->stride, 1, 1);
  s->matrix = random_floats((n + 5) * s->stride, 2, 1);
  s->w = random_floats(rows * n * s->n_heads, 3, 1);
  s->index = g_new(uint32_t, rows * (n + 2) + 1);
  for (size_t i = 0; i < rows * (n + 2); i++)
    s->index[i] = (uint32_t) ((i * 7 + 3) % (n + 5));
  s->seen = (mt_seen_rows){.matrix = s->matrix,
                           .stride = s->stride,
                           .n = n,
                           .index = indexed ? s->index : NULL,
                           .index_stride = n + 2};
}

static void
step_clear(Step *s)
{
  g_free(s->q);
  g_free(s->matrix);
  g_free(s->w);
  g_free(s->index);
}

static const float *
seen_row(const Step *s, size_t r, size_t i)
{
  return s->matrix + (s->seen.index ? s->index[r * (s->n + 2) + i] : i) * s->stride;
}

static void
check_scores(const Step *s, const mt_kernels_attention *kernels)
{
  const size_t size = s->rows * s->n * s->n_heads, d = s->d_head;
  g_autofree float *out = g_new(float, size + 1);
  out[size] = FILL;
  kernels->scores(out, s->q, s->stride, &s->seen, s->rows, s->n_heads, d, 0.25f);
  g_assert_true(out[size] == FILL);
  for (size_t r = 0; r < s->rows; r++)
    for (size_t h = 0; h < s->n_heads; h++) {
      for (size_t i = 0; i < s->n; i++) {
        double dot = 0;
        for (size_t c = h * d; c < (h + 1) * d; c++)
          dot += (double) s->q[r * s->stride + c] * (double) seen_row(s, r, i)[c];
        assert_near(out[(r * s->n + i) * s->n_heads + h], dot / 4, 1e-5);
      }
      /* The head by itself. */
      g_autofree float *alone = g_new(float, s->n + 1);
      mt_seen_rows seen = s->seen;
      seen.matrix += h * d;
      seen.index = seen.index ? seen.index + r * seen.index_stride : NULL;
      kernels->scores(alone, s->q + r * s->stride + h * d, s->stride, &seen, 1, 1, d, 0.25f);
      for (size_t i = 0; i < s->n; i++)
        g_assert_cmpmem(&alone[i], sizeof(float), &out[(r * s->n + i) * s->n_heads + h],
                        sizeof(float));
    }
}

static void
check_context(const Step *s, const mt_kernels_attention *kernels)
{
  const size_t size = s->rows * s->stride, d = s->d_head, width = s->n_heads * d;
  g_autofree float *out = g_new(float, size), *alone = g_new(float, d);
  g_autofree float *w = g_new(float, s->n + 1);
  for (size_t i = 0; i < size; i++)
    out[i] = FILL;
  kernels->context(out, s->stride, s->w, &s->seen, s->rows, s->n_heads, d);
  for (size_t r = 0; r < s->rows; r++) {
    for (size_t c = 0; c < s->stride; c++) {
      double sum = 0;
      for (size_t i = 0; c < width && i < s->n; i++)
        sum += (double) s->w[(r * s->n + i) * s->n_heads + c / d] * (double) seen_row(s, r, i)[c];
      if (c < width)
        assert_near(out[r * s->stride + c], sum, 2e-5);
      else
        g_assert_true(out[r * s->stride + c] == FILL);
    }
    for (size_t h = 0; h < s->n_heads; h++) {
      mt_seen_rows seen = s->seen;
      seen.matrix += h * d;
      seen.index = seen.index ? seen.index + r * seen.index_stride : NULL;
      for (size_t i = 0; i < s->n; i++)
        w[i] = s->w[(r * s->n + i) * s->n_heads + h];
      kernels->context(alone, d, w, &seen, 1, 1, d);
      g_assert_cmpmem(alone, d * sizeof *alone, out + r * s->stride + h * d, d * sizeof *alone);
    }
  }
}

static void
test_steps(void)
{
  const size_t rows[] = {1, 2, 4, 5};
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
    for (size_t n = 0; n < 50; n += n < 20 ? 1 : 13)
      for (size_t k = 0; k < 2 * G_N_ELEMENTS(rows); k++) {
        Step s;
        step_init(&s, rows[k / 2], n, shapes[i], k % 2 == 1);
        const mt_kernels_attention *kernels;
        for (size_t t = 0; (kernels = mt_kernels_attention_get(t)); t++) {
          check_scores(&s, kernels);
          check_context(&s, kernels);
        }
        step_clear(&s);
      }
}

static void
test_softmax(void)
{
  const mt_kernels_attention *kernels;
  for (size_t t = 0; (kernels = mt_kernels_attention_get(t)); t++)
    for (size_t k = 0; k < G_N_ELEMENTS(shapes); k++)
      for (size_t n = 1; n < 70; n += n < 20 ? 1 : 9) {
        const size_t n_heads = shapes[k][0], size = n * n_heads;
        g_autofree float *x = random_floats(size, (unsigned) n, 30);
        g_autofree float *w = g_memdup2(x, (size + 1) * sizeof *x), *lse = g_new(float, n_heads);
        if (n > 4)
          x[2 * n_heads] = w[2 * n_heads] = -INFINITY;
        w[size] = FILL;
        kernels->softmax(w, n, n_heads, lse);
        g_assert_true(w[size] == FILL);
        for (size_t h = 0; h < n_heads; h++) {
          double max = -INFINITY, total = 0, sum = 0;
          g_autofree float *alone = g_new(float, n);
          for (size_t i = 0; i < n; i++) {
            alone[i] = x[i * n_heads + h];
            max = fmax(max, alone[i]);
          }
          for (size_t i = 0; i < n; i++)
            total += exp((double) alone[i] - max);
          assert_near(lse[h], max + log(total), 1e-6);
          float of_alone;
          kernels->softmax(alone, n, 1, &of_alone);
          g_assert_cmpmem(&of_alone, sizeof of_alone, &lse[h], sizeof of_alone);
          for (size_t i = 0; i < n; i++) {
            float found = w[i * n_heads + h];
            double expected = exp((double) x[i * n_heads + h] - (max + log(total)));
            g_assert_cmpfloat(fabs((double) found - expected), <=, 3e-6 * expected + 1e-30);
            g_assert_cmpmem(&found, sizeof found, &alone[i], sizeof found);
            sum += (double) found;
          }
          assert_near(sum, 1, 1e-6);
        }
        if (n > 4)
          g_assert_true(w[2 * n_heads] == 0);
      }
}

/* A column with nothing to look at, one of extremes, and one that is no number, beside others. */
static void
test_softmax_extremes(void)
{
  const mt_kernels_attention *kernels;
  for (size_t t = 0; (kernels = mt_kernels_attention_get(t)); t++)
    for (size_t n = 1; n < 40; n += 6)
      for (size_t n_heads = 4; n_heads < 20; n_heads += 3) {
        g_autofree float *x = g_new(float, n *n_heads), *lse = g_new(float, n_heads);
        for (size_t i = 0; i < n; i++)
          for (size_t h = 0; h < n_heads; h++)
            x[i * n_heads + h] = h == 0   ? -INFINITY
                                 : h == 1 ? (i == n / 2 ? 3000 : -3000)
                                 : h == 2 ? (i == n / 2 ? NAN : 1)
                                          : 5;
        kernels->softmax(x, n, n_heads, lse);
        g_assert_true(lse[0] == -INFINITY);
        assert_near(lse[1], 3000, 1e-6);
        g_assert_true(isnan(lse[2]));
        for (size_t i = 0; i < n; i++) {
          g_assert_true(x[i * n_heads] == 0);
          g_assert_true(x[i * n_heads + 1] == (i == n / 2));
          g_assert_true(isnan(x[i * n_heads + 2]));
          assert_near(x[i * n_heads + 3], 1.0 / (double) n, 1e-6);
        }
      }
}

/* 1 to 67 queries and keys of one head, columns that are no vector; nothing else is written. */
static void
check_head(const mt_kernels_attention *kernels, size_t rows, size_t n, size_t d)
{
  const size_t stride = d + 5, size = rows * (n + 1);
  g_autofree float *q = random_floats(rows * stride, 1, 1), *k = random_floats(n * stride, 2, 1);
  g_autofree float *w = random_floats(rows * n, 3, 1), *alone = g_new(float, n + d);
  g_autofree float *scores = g_new(float, size), *context = g_new(float, rows *stride);
  for (size_t i = 0; i < size; i++)
    scores[i] = FILL;
  for (size_t i = 0; i < rows * stride; i++)
    context[i] = FILL;
  kernels->query_key(scores, q, stride, k, stride, rows, n, d, 0.5f);
  kernels->weights_value(context, stride, w, k, stride, rows, n, d);
  for (size_t i = rows * n; i < size; i++)
    g_assert_true(scores[i] == FILL);
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < n; i++) {
      double dot = 0;
      for (size_t c = 0; c < d; c++)
        dot += (double) q[r * stride + c] * (double) k[i * stride + c];
      assert_near(scores[r * n + i], dot / 2, 2e-5);
    }
    for (size_t c = 0; c < stride; c++) {
      double sum = 0;
      for (size_t i = 0; c < d && i < n; i++)
        sum += (double) w[r * n + i] * (double) k[i * stride + c];
      if (c < d)
        assert_near(context[r * stride + c], sum, 2e-5);
      else
        g_assert_true(context[r * stride + c] == FILL);
    }
  }
  const size_t last = rows - 1;
  kernels->query_key(alone, q + last * stride, stride, k, stride, 1, n, d, 0.5f);
  g_assert_cmpmem(alone, n * sizeof *alone, scores + last * n, n * sizeof *alone);
  kernels->weights_value(alone, d, w + last * n, k, stride, 1, n, d);
  g_assert_cmpmem(alone, d * sizeof *alone, context + last * stride, d * sizeof *alone);
}

static void
test_heads(void)
{
  const size_t columns[] = {1, 4, 15, 16, 32, 33, 64, 100, MT_ATTENTION_COLUMNS};
  const mt_kernels_attention *kernels;
  for (size_t t = 0; (kernels = mt_kernels_attention_get(t)); t++)
    for (size_t rows = 1; rows <= 67; rows++) {
      check_head(kernels, rows, 1 + rows * 37 % 70, columns[rows % G_N_ELEMENTS(columns)]);
      check_head(kernels, rows, rows, 32);
    }
}

TESTS()
{
  g_test_add_func("/attention/steps", test_steps);
  g_test_add_func("/attention/softmax", test_softmax);
  g_test_add_func("/attention/softmax-extremes", test_softmax_extremes);
  g_test_add_func("/attention/heads", test_heads);
}
