/* test-int8.c — products of quantised rows: every table the same bits, and near the floats.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static float *
random_floats(size_t n, unsigned seed)
{
  float *out = g_new(float, n);
  uint32_t state = seed;
  for (size_t i = 0; i < n; i++)
    out[i] = toy_random(&state);
  return out;
}

/* Rows of every form: short, long, zeros, one huge number, all extremes. */
static void
fill(float *x, size_t n, unsigned row)
{
  switch (row % 5) {
  case 0:
    memset(x, 0, n * sizeof *x);
    break;
  case 1:
    for (size_t i = 0; i < n; i++)
      x[i] = i % 2 ? -3.5f : 3.5f;
    break;
  case 2:
    x[n / 2] = -1e15f;
    break;
  default:
    break;
  }
}

static void
test_quantize(void)
{
  for (size_t n = 1; n < 200; n += n < 70 ? 1 : 13) {
    g_autofree float *x = random_floats(n, (unsigned) n);
    for (unsigned row = 0; row < 10; row++) {
      bool relu = row >= 5;
      fill(x, n, row % 5);
      uint8_t plain[256], out[256 + 1];
      const mt_kernels_int8 *kernels = mt_kernels_int8_get(0);
      float scale = kernels->quantize(plain, x, n, relu);
      for (size_t i = 0; i < n; i++) {
        double expected = relu ? fmax(x[i], 0) : (double) x[i];
        g_assert_cmpfloat(fabs(expected - (double) scale * (int8_t) plain[i]), <=,
                          0.50001 * (double) scale);
        g_assert_cmpint(abs((int8_t) plain[i]), <=, 127);
      }
      for (size_t t = 1; (kernels = mt_kernels_int8_get(t)); t++) {
        out[MT_INT8_STRIDE(n)] = 0x5a;
        float other = kernels->quantize(out, x, n, relu);
        g_assert_cmpmem(&other, sizeof other, &scale, sizeof scale);
        int offset = (int8_t) out[0] - (int8_t) plain[0];
        for (size_t i = 0; i < MT_INT8_STRIDE(n); i++)
          g_assert_cmpint((uint8_t) (plain[i] + offset), ==, out[i]);
        g_assert_cmpint(out[MT_INT8_STRIDE(n)], ==, 0x5a);
      }
    }
  }
}

static void
test_linear(void)
{
  /* Every count of rows that tiles are made of, and of outputs that is no whole panel. */
  size_t shapes[67 + 10][3] = {{1, 1, 1},   {1, 7, 5},   {1, 9, 64},    {2, 19, 65}, {3, 8, 128},
                               {4, 6, 300}, {5, 65, 31}, {9, 11, 1000}, {6, 3, 512}, {1, 40, 2048}};
  for (size_t rows = 1; rows <= 67; rows++) {
    shapes[9 + rows][0] = rows;
    shapes[9 + rows][1] = 1 + rows * 37 % 150;
    shapes[9 + rows][2] = 1 + rows * 53 % 200;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    size_t rows = shapes[i][0], n_out = shapes[i][1], n_in = shapes[i][2];
    size_t stride = MT_INT8_STRIDE(n_in);
    g_autofree float *x = random_floats(rows * n_in, 1), *w = random_floats(n_out * n_in, 2);
    g_autofree float *bias = random_floats(n_out, 3);
    for (size_t r = 0; r < rows; r++)
      fill(x + r * n_in, n_in, (unsigned) r + 3);
    for (size_t o = 0; o < n_out; o++)
      fill(w + o * n_in, n_in, (unsigned) o + 4);
    size_t n_filled = MT_INT8_PANELS(n_out) * MT_INT8_PANEL;
    g_autofree int8_t *panels = g_malloc0(n_filled * stride);
    g_autofree float *scales = g_new0(float, n_filled), *x_scales = g_new(float, rows);
    g_autofree int32_t *offsets = g_new0(int32_t, n_filled);
    mt_int8_weights weights = {panels, scales, offsets};
    for (size_t o = 0; o < n_out; o++)
      mt_int8_quantize_weights(&weights, o, w + o * n_in, n_in);
    g_autofree uint8_t *x8 = g_malloc(rows * stride);
    gsize size = rows * (n_out + 3);
    g_autofree float *plain = g_new(float, size), *y = g_new(float, size);
    const mt_kernels_int8 *kernels;
    for (size_t t = 0; (kernels = mt_kernels_int8_get(t)); t++)
      for (size_t first = 0; first < n_out; first += MT_INT8_PANEL * (1 + n_out / 32)) {
        float *out = t ? y : plain;
        for (size_t k = 0; k < size; k++)
          out[k] = -77;
        for (size_t r = 0; r < rows; r++)
          x_scales[r] = kernels->quantize(x8 + r * stride, x + r * n_in, n_in, false);
        /* In two pieces, as threads do. */
        kernels->linear(out, n_out + 3, x8, x_scales, rows, &weights, bias, 0, first, stride);
        kernels->linear(out, n_out + 3, x8, x_scales, rows, &weights, bias, first, n_out - first,
                        stride);
        if (t)
          g_assert_cmpmem(y, size * sizeof *y, plain, size * sizeof *plain);
      }
    for (size_t r = 0; r < rows; r++)
      for (size_t o = 0; o < n_out; o++) {
        double sum = bias[o], most_x = 0, most_w = 0;
        for (size_t k = 0; k < n_in; k++) {
          sum += (double) x[r * n_in + k] * w[o * n_in + k];
          most_x = fmax(most_x, fabs((double) x[r * n_in + k]));
          most_w = fmax(most_w, fabs((double) w[o * n_in + k]));
        }
        /* Each factor is off by at most half a step of 1/127 of the largest. */
        double bound = (double) n_in * most_x * most_w * 1.02 / 127;
        g_assert_cmpfloat(fabs(sum - (double) plain[r * (n_out + 3) + o]), <=,
                          bound + 1e-6 * (1 + fabs(sum)));
      }
  }
}

#ifdef EMULATED_AVX512
/* It is what the engine runs on, if the rest of it is there. */
static void
test_emulated(void)
{
  g_assert_cmpstr(mt_kernels_int8_best()->name, ==,
                  mt_kernels_int8_get(1) ? "avx512-vnni" : "plain");
}
#endif

TESTS()
{
  g_test_add_func("/int8/quantize", test_quantize);
  g_test_add_func("/int8/linear", test_linear);
#ifdef EMULATED_AVX512
  g_test_add_func("/int8/emulated", test_emulated);
#endif
}
