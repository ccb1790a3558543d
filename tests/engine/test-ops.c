/* test-ops.c — kernels of every instruction set against double precision, products of any number
 * of rows, activations, positions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-dtype.h"
#include "kernels/mt-ops.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

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

/* Expected y[r][o] in double. */
static double
product(const float *x, const float *w, const float *bias, size_t n_in, size_t r, size_t o)
{
  double sum = bias ? bias[o] : 0;
  for (size_t k = 0; k < n_in; k++)
    sum += (double) x[r * n_in + k] * w[o * n_in + k];
  return sum;
}

static void
test_linear(void)
{
  const size_t shapes[][3] = {{1, 1, 1},   {1, 7, 5},    {1, 9, 16},   {1, 19, 33},  {2, 8, 8},
                              {3, 5, 7},   {4, 16, 64},  {5, 3, 17},   {7, 11, 100}, {16, 10, 31},
                              {6, 1, 129}, {17, 12, 20}, {60, 33, 47}, {1, 257, 40}, {2, 33, 24}};
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    size_t rows = shapes[i][0], n_out = shapes[i][1], n_in = shapes[i][2];
    g_autofree float *x = random_floats(rows * n_in, 1, 1);
    g_autofree float *w = random_floats(n_out * n_in, 2, 1);
    g_autofree float *bias = random_floats(n_out, 3, 1);
    g_autofree float *y = g_new(float, rows *(n_out + 3));
    const mt_kernels *kernels;
    for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
      for (int with_bias = 0; with_bias < 2; with_bias++) {
        const float *b = with_bias ? bias : NULL;
        for (size_t k = 0; k < rows * (n_out + 3); k++)
          y[k] = -77;
        kernels->linear(y, n_out + 3, x, rows, w, b, n_out, n_in);
        for (size_t r = 0; r < rows; r++) {
          for (size_t o = 0; o < n_out; o++)
            assert_near(y[r * (n_out + 3) + o], product(x, w, b, n_in, r, o), 1e-5);
          for (size_t o = n_out; o < n_out + 3; o++)
            g_assert_cmpfloat(y[r * (n_out + 3) + o], ==, -77);
        }
      }
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
      mt_ops ops;
      mt_ops_init(&ops, n_threads);
      mt_linear map = {.weight = w, .bias = bias, .n_out = n_out, .n_in = n_in};
      mt_ops_linear(&ops, y, x, rows, &map);
      mt_ops_clear(&ops);
      for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < n_out; o++)
          assert_near(y[r * n_out + o], product(x, w, bias, n_in, r, o), 1e-5);
    }
  }
}

/* A row of a panel: near the double, the same bits whatever is beside it, and nothing else written;
 * every count of vectors in a panel, every rest, more than one chunk of outputs and columns. */
static void
test_panel(void)
{
  const size_t rows[] = {1, 7, 8, 12, 16, 17, 23, 25, 32, 33, 40, 49, 65, 100, 128};
  const size_t shapes[][2] = {{1, 1}, {3, 5}, {48, 64}, {50, 257}, {101, 300}, {97, 515}};
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    size_t n_out = shapes[i][0], n_in = shapes[i][1], most = 128;
    g_autofree float *x = random_floats(most * n_in, 1, 1);
    g_autofree float *w = random_floats(n_out * n_in, 2, 1);
    g_autofree float *bias = random_floats(n_out, 3, 1);
    g_autofree float *packed = g_new(float, most *n_in);
    g_autofree float *y = g_new(float, most *(n_out + 3));
    g_autofree float *alone = g_new(float, n_out);
    const mt_kernels_panel *kernels;
    for (size_t t = 0; (kernels = mt_kernels_panel_get(t)); t++)
      for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
        size_t n = rows[k];
        const float *b = k % 2 ? bias : NULL;
        for (size_t a = 0; a < n * (n_out + 3); a++)
          y[a] = -77;
        memset(packed, 0xff, most * n_in * sizeof *packed); /* NaN */
        kernels->pack(packed, x, n, n_in);
        kernels->linear(y, n_out + 3, packed, n, w, b, n_out, n_in);
        for (size_t r = 0; r < n; r++) {
          for (size_t o = 0; o < n_out; o++)
            assert_near(y[r * (n_out + 3) + o], product(x, w, b, n_in, r, o), 2e-5);
          for (size_t o = n_out; o < n_out + 3; o++)
            g_assert_cmpfloat(y[r * (n_out + 3) + o], ==, -77);
        }
        kernels->pack(packed, x + (n - 1) * n_in, 1, n_in);
        kernels->linear(alone, n_out, packed, 1, w, b, n_out, n_in);
        g_assert_cmpmem(alone, n_out * sizeof *alone, y + (n - 1) * (n_out + 3),
                        n_out * sizeof *alone);
      }
  }
}

/* Steps and positions, with any number of threads: each row as if it were alone. */
static void
test_linear_ways(void)
{
  const size_t rows[] = {1, 4, 11, 12, 24, 25, 48, 96, 129, 200}, n_out = 101, n_in = 64;
  g_autofree float *x = random_floats(200 * n_in, 1, 1);
  g_autofree float *w = random_floats(n_out * n_in, 2, 1);
  g_autofree float *bias = random_floats(n_out, 3, 1);
  g_autofree float *y = g_new(float, 200 * n_out), *alone = g_new(float, n_out);
  g_autofree float *packed = g_new(float, MT_PANEL_ROWS(200) * n_in);
  mt_linear map = {.weight = w, .bias = bias, .n_out = n_out, .n_in = n_in};
  for (unsigned n_threads = 1; n_threads <= 3; n_threads++)
    for (gsize k = 0; k < G_N_ELEMENTS(rows); k++) {
      mt_ops ops;
      mt_ops_init(&ops, n_threads);
      ops.packed = packed;
      for (int is_step = 0; is_step < 2; is_step++) {
        ops.is_step = is_step;
        mt_ops_linear(&ops, y, x, rows[k], &map);
        for (size_t r = 0; r < rows[k]; r++)
          for (size_t o = 0; o < n_out; o++)
            assert_near(y[r * n_out + o], product(x, w, bias, n_in, r, o), 1e-5);
        if (!ops.panel && rows[k] > MT_KERNELS_ROWS)
          continue;
        mt_ops_linear(&ops, alone, x + (rows[k] - 1) * n_in, 1, &map);
        g_assert_cmpmem(alone, n_out * sizeof *alone, y + (rows[k] - 1) * n_out,
                        n_out * sizeof *alone);
      }
      mt_ops_clear(&ops);
    }
}

/* Panels of weights, in floats and in 16 bits: near the double; a row has the same bits whatever is
 * beside it and whichever outputs are asked for at a time; nothing else is written. Every count of
 * rows that tiles are made of, columns that are no multiple of a vector; once so many columns that
 * rows go in two blocks. */
static void
test_rows(void)
{
  const mt_dtype dtypes[] = {MT_DTYPE_F32, MT_DTYPE_F16, MT_DTYPE_BF16};
  for (size_t most = 1; most <= 67; most++)
    for (size_t d = 0; d < G_N_ELEMENTS(dtypes); d++) {
      size_t n_out = 1 + most * 37 % 150, n_in = most == 64 ? 4099 : 1 + most * 53 % 200;
      size_t n = n_out * n_in, size = mt_dtype_size(dtypes[d]), stride = n_out + 3;
      g_autofree float *x = random_floats(most * n_in, 1, 1), *w = random_floats(n, 2, 1);
      g_autofree float *bias = random_floats(n_out, 3, 1);
      g_autofree void *stored = g_memdup2(w, n * sizeof *w);
      if (dtypes[d] == MT_DTYPE_F16)
        g_assert_true(mt_dtype_to_f16(w, stored, n));
      else if (dtypes[d] == MT_DTYPE_BF16)
        mt_dtype_to_bf16(w, stored, n);
      g_assert_true(mt_dtype_to_float_plain(dtypes[d], stored, w, n));
      g_autofree char *panels = g_malloc(MT_PANELS_SIZE(n_out, n_in) * size);
      memset(panels, 0xff, MT_PANELS_SIZE(n_out, n_in) * size); /* NaN */
      for (size_t p = 0; p < MT_PANELS(n_out); p++)
        mt_panels_pack(panels, stored, dtypes[d], n_out, n_in, p, p + 1);
      if (size == 2)
        for (size_t o = 0; o < n_out; o++)
          mt_panels_put(panels, dtypes[d], o, n_in, n_in / 2,
                        (const uint16_t *) stored + o * n_in + n_in / 2, n_in - n_in / 2);
      g_autofree float *y = g_new(float, most *stride), *alone = g_new(float, n_out);
      size_t middle = n_out / 2 / MT_PANEL_OUTS * MT_PANEL_OUTS;
      const float *b = most % 3 ? bias : NULL;
      const mt_kernels_rows *kernels;
      for (size_t t = 0; (kernels = mt_kernels_rows_get(t)); t++) {
        for (size_t i = 0; i < most * stride; i++)
          y[i] = -77;
        kernels->linear(y, stride, x, most, panels, dtypes[d], b, 0, middle, n_in);
        kernels->linear(y, stride, x, most, panels, dtypes[d], b, middle, n_out - middle, n_in);
        for (size_t r = 0; r < most; r++) {
          for (size_t o = 0; o < n_out; o++)
            assert_near(y[r * stride + o], product(x, w, b, n_in, r, o), n_in > 1000 ? 1e-4 : 1e-5);
          for (size_t o = n_out; o < stride; o++)
            g_assert_cmpfloat(y[r * stride + o], ==, -77);
          kernels->linear(alone, n_out, x + r * n_in, 1, panels, dtypes[d], b, 0, n_out, n_in);
          g_assert_cmpmem(alone, n_out * sizeof *alone, y + r * stride, n_out * sizeof *alone);
        }
      }
    }
}

/* A map whose weights are stored in 16 bits: as a step and as a position the same bits, whatever
 * the number of rows and threads, and those of the floats that they are. */
static void
test_linear_half(void)
{
  enum { ROWS = 40, N_OUT = 213, N_IN = 97 };
  g_autofree float *x = random_floats(ROWS * N_IN, 1, 1), *w = random_floats(N_OUT * N_IN, 2, 1);
  g_autofree float *bias = random_floats(N_OUT, 3, 1);
  g_autofree float *y = g_new(float, ROWS *N_OUT), *alone = g_new(float, N_OUT);
  g_autofree float *packed = g_new(float, MT_PANEL_ROWS(ROWS) * N_IN);
  for (int is_bf16 = 0; is_bf16 < 2; is_bf16++) {
    mt_dtype dtype = is_bf16 ? MT_DTYPE_BF16 : MT_DTYPE_F16;
    g_autofree uint16_t *half = g_new(uint16_t, N_OUT * N_IN);
    g_autofree uint16_t *panels = g_new(uint16_t, MT_PANELS_SIZE(N_OUT, N_IN));
    if (is_bf16)
      mt_dtype_to_bf16(w, half, N_OUT * N_IN);
    else
      g_assert_true(mt_dtype_to_f16(w, half, N_OUT * N_IN));
    g_assert_true(mt_dtype_to_float_plain(dtype, half, w, N_OUT * N_IN));
    mt_panels_pack(panels, half, dtype, N_OUT, N_IN, 0, MT_PANELS(N_OUT));
    mt_linear map = {.weight = w,
                     .bias = bias,
                     .as_stored = {.format = is_bf16 ? MT_PRECISION_BF16 : MT_PRECISION_F16,
                                   .panels = panels},
                     .n_out = N_OUT,
                     .n_in = N_IN};
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++)
      for (int is_step = 0; is_step < 2; is_step++) {
        mt_ops ops;
        mt_ops_init(&ops, n_threads);
        ops.packed = packed;
        ops.is_step = is_step;
        mt_ops_linear(&ops, y, x, ROWS, &map);
        for (size_t r = 0; r < ROWS; r++) {
          for (size_t o = 0; o < N_OUT; o++)
            assert_near(y[r * N_OUT + o], product(x, w, bias, N_IN, r, o), 1e-5);
          if (!ops.has_vectors)
            continue;
          ops.is_step = !is_step;
          mt_ops_linear(&ops, alone, x + r * N_IN, 1, &map);
          ops.is_step = is_step;
          g_assert_cmpmem(alone, N_OUT * sizeof *alone, y + r * N_OUT, N_OUT * sizeof *alone);
        }
        /* The floats, as positions: their terms are added in the same order. */
        mt_linear floats = map;
        floats.as_stored = (mt_narrow){0};
        ops.is_step = false;
        mt_ops_linear(&ops, alone, x, 1, &floats);
        if (ops.has_vectors)
          g_assert_cmpmem(alone, N_OUT * sizeof *alone, y, N_OUT * sizeof *alone);
        mt_ops_clear(&ops);
      }
  }
}

/* A map in BF16, where rounding is allowed: rows are rounded, as steps and as positions the same
 * bits, whatever the number of rows and threads, with instructions for it and without. */
static void
test_linear_bf16(void)
{
  enum { ROWS = 67, N_OUT = 213, N_IN = 97 };
  g_autofree float *x = random_floats(ROWS * N_IN, 1, 1), *w = random_floats(N_OUT * N_IN, 2, 1);
  g_autofree float *bias = random_floats(N_OUT, 3, 1), *halved = g_new(float, ROWS *N_IN);
  g_autofree uint16_t *half = g_new(uint16_t, N_OUT * N_IN);
  g_autofree uint16_t *panels = g_new(uint16_t, MT_PANELS_SIZE(N_OUT, N_IN));
  mt_dtype_to_bf16(w, half, N_OUT * N_IN);
  mt_dtype_to_float_plain(MT_DTYPE_BF16, half, w, N_OUT * N_IN);
  mt_panels_pack(panels, half, MT_DTYPE_BF16, N_OUT, N_IN, 0, MT_PANELS(N_OUT));
  mt_bf16_round(halved, x, ROWS * N_IN);
  mt_linear map = {.weight = w,
                   .bias = bias,
                   .rounded = {.format = MT_PRECISION_BF16, .panels = panels},
                   .n_out = N_OUT,
                   .n_in = N_IN};
  g_autofree float *room = g_new(float, ROWS *MT_BF16_ROOM(N_IN));
  g_autofree float *y = g_new(float, ROWS *N_OUT), *alone = g_new(float, N_OUT);
  for (size_t t = 0; t == 0 || mt_kernels_bf16_get(t - 1); t++)
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++)
      for (int is_step = 0; is_step < 2; is_step++) {
        mt_ops ops;
        mt_ops_init(&ops, n_threads);
        ops.bf16 = t ? mt_kernels_bf16_get(t - 1) : NULL;
        ops.is_step = is_step;
        ops.may_round = true;
        ops.halved = room;
        mt_ops_linear(&ops, y, x, ROWS, &map);
        ops.is_step = !is_step;
        for (size_t r = 0; r < ROWS; r++) {
          for (size_t o = 0; o < N_OUT; o++)
            assert_near(y[r * N_OUT + o], product(halved, w, bias, N_IN, r, o), 1e-5);
          mt_ops_linear(&ops, alone, x + r * N_IN, 1, &map);
          g_assert_cmpmem(alone, N_OUT * sizeof *alone, y + r * N_OUT, N_OUT * sizeof *alone);
        }
        /* Where it is not, the floats. */
        ops.may_round = false;
        mt_ops_linear(&ops, y, x, 1, &map);
        for (size_t o = 0; o < N_OUT; o++)
          assert_near(y[o], product(x, w, bias, N_IN, 0, o), 1e-5);
        mt_ops_clear(&ops);
      }
}

/* The first largest, and what is above a bound, in rows of every length, with equals. */
static void
test_find(void)
{
  for (size_t n = 1; n < 140; n++) {
    g_autofree float *x = random_floats(n, (unsigned) n, 4);
    for (int round = 0; round < 4; round++) {
      if (round == 1)
        for (size_t i = 0; i < n; i++)
          x[i] = (float) (int) x[i];
      if (round == 2)
        x[n / 2] = -INFINITY;
      if (round == 3)
        for (size_t i = 0; i < n; i++)
          x[i] = -INFINITY;
      const mt_kernels *plain = mt_kernels_get(0), *kernels;
      for (size_t t = 0; (kernels = mt_kernels_get(t)); t++) {
        g_assert_cmpuint(kernels->arg_max(x, n), ==, plain->arg_max(x, n));
        for (size_t begin = 0; begin <= n; begin += 1 + n / 9)
          for (float least = -3; least < 3; least += 0.7f) {
            size_t found = kernels->find_above(x, begin, n, 0.3f, -0.2f, least);
            g_assert_cmpuint(found, ==, plain->find_above(x, begin, n, 0.3f, -0.2f, least));
            g_assert_true(found == n || (found >= begin && x[found] - 0.5f > least - 1e-5f));
          }
        g_assert_cmpuint(kernels->find_above(x, 0, n, 0, 0, -INFINITY), ==,
                         round == 3 ? n : (size_t) (x[0] == -INFINITY && n > 0));
      }
    }
  }
}

/* However many rows there are, each comes out the same, bit for bit. */
static void
test_linear_rows(void)
{
  const size_t shapes[][3] = {{11, 9, 40},  {12, 4, 8},    {13, 5, 33},   {24, 48, 64},
                              {49, 33, 31}, {97, 12, 100}, {301, 8, 512}, {30, 7, 4099}};
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    size_t rows = shapes[i][0], n_out = shapes[i][1], n_in = shapes[i][2], n = n_out * n_in;
    g_autofree float *x = random_floats(rows * n_in, 4, 1);
    g_autofree float *w = random_floats(n, 5, 1);
    g_autofree float *bias = random_floats(n_out, 6, 1);
    g_autofree float *all = g_new(float, rows *(n_out + 1)), *one = g_new(float, n_out);
    const mt_kernels *kernels;
    for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
      for (int with_bias = 0; with_bias < 2; with_bias++)
        for (size_t first = 0, count = rows; first <= rows; first++, count = 1) {
          const float *from = first == 0 ? x : x + (first - 1) * n_in;
          float *to = first == 0 ? all : one;
          kernels->linear(to, n_out + 1, from, count, w, with_bias ? bias : NULL, n_out, n_in);
          if (first > 0)
            g_assert_cmpmem(one, n_out * sizeof *one, all + (first - 1) * (n_out + 1),
                            n_out * sizeof *one);
        }
  }
}

/* Several maps of one input, divided among threads: bit for bit what one thread computes. */
static void
test_linears(void)
{
  enum { MOST_ROWS = 70, N_IN = 100 };
  const size_t n_outs[MT_OPS_MAX_MAPS] = {200, 1, 333};
  g_autofree float *x = random_floats(MOST_ROWS * N_IN, 7, 1);
  g_autofree float *w = random_floats(333 * N_IN, 8, 1);
  g_autofree float *bias = random_floats(333, 9, 1);
  mt_linear maps[MT_OPS_MAX_MAPS];
  const mt_linear *map_list[MT_OPS_MAX_MAPS];
  for (size_t m = 0; m < MT_OPS_MAX_MAPS; m++) {
    maps[m] = (mt_linear){.weight = w, .bias = m ? bias : NULL, .n_out = n_outs[m], .n_in = N_IN};
    map_list[m] = &maps[m];
  }
  for (size_t rows = 1; rows <= MOST_ROWS; rows += rows < 10 ? 1 : 12) {
    g_autofree float *one = g_new0(float, rows * 600);
    for (unsigned n_threads = 1; n_threads <= 5; n_threads += 2) {
      g_autofree float *out = g_new0(float, rows * 600);
      float *y[MT_OPS_MAX_MAPS] = {out, out + rows * 200, out + rows * 201};
      mt_ops ops;
      mt_ops_init(&ops, n_threads);
      mt_ops_linears(&ops, y, x, rows, map_list, MT_OPS_MAX_MAPS);
      mt_ops_clear(&ops);
      for (size_t m = 0; m < MT_OPS_MAX_MAPS; m++)
        for (size_t r = 0; r < rows; r++)
          for (size_t o = 0; o < n_outs[m]; o++)
            assert_near(y[m][r * n_outs[m] + o], product(x, w, maps[m].bias, N_IN, r, o), 1e-5);
      if (n_threads == 1)
        memcpy(one, out, rows * 600 * sizeof *one);
      else if (rows <= 24) /* OpenBLAS sums in an order that depends on the shape */
        g_assert_cmpmem(out, rows * 600 * sizeof *out, one, rows * 600 * sizeof *one);
    }
  }
}

static void
test_centre(void)
{
  const mt_kernels *kernels;
  for (size_t i = 0; (kernels = mt_kernels_get(i)); i++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *x = random_floats(n + 1, (unsigned) n, 3);
      g_autofree float *gain = random_floats(n, (unsigned) n + 100, 2);
      g_autofree double *expected = g_new(double, n);
      double mean = 0;
      x[n] = -77;
      for (size_t k = 0; k < n; k++)
        mean += x[k] / (double) n;
      for (size_t k = 0; k < n; k++)
        expected[k] = gain[k] * (x[k] - mean);
      kernels->centre(x, x, gain, n);
      for (size_t k = 0; k < n; k++)
        g_assert_cmpfloat_with_epsilon(x[k], expected[k], 1e-5);
      g_assert_cmpfloat(x[n], ==, -77);
    }
}

static void
test_shortening(void)
{
  const mt_kernels *kernels;
  for (size_t i = 0; (kernels = mt_kernels_get(i)); i++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *y = random_floats(n, (unsigned) n, 3);
      g_autofree float *t = random_floats(n, (unsigned) n + 100, 3);
      double expected = 0;
      for (size_t k = 0; k < n; k++)
        expected += fabs(y[k]) - fabs(y[k] - 0.7 * t[k]);
      g_assert_cmpfloat_with_epsilon(kernels->shortening(y, t, 0.7f, n), expected,
                                     1e-6 * (double) n * 6);
    }
}

/* Every number of rows and parts that is treated otherwise, and columns between two vectors; what
 * is beside the results stays. */
static void
test_shortenings(void)
{
  enum { ROWS = 6, STRIDE = 80 };
  const mt_kernels *kernels;
  for (size_t i = 0; (kernels = mt_kernels_get(i)); i++)
    for (size_t n = 1; n < 70; n++)
      for (size_t rows = 0; rows <= ROWS; rows++) {
        const size_t n_parts = 1 + n % 9;
        g_autofree float *y = random_floats(ROWS * STRIDE, (unsigned) n, 3);
        g_autofree float *a = random_floats(ROWS * n_parts, (unsigned) n + 100, 1);
        g_autofree float *f = random_floats(n_parts * n, (unsigned) n + 200, 3);
        float out[2 * ROWS];
        for (size_t k = 0; k < 2 * ROWS; k++)
          out[k] = -77;
        kernels->shortenings(out, 2, y, STRIDE, a, f, rows, n_parts, n);
        for (size_t r = 0; r < ROWS; r++) {
          double expected = 0;
          for (size_t k = 0; k < n; k++) {
            double t = 0;
            for (size_t h = 0; h < n_parts; h++)
              t += (double) a[r * n_parts + h] * f[h * n + k];
            expected += fabs(y[r * STRIDE + k]) - fabs(y[r * STRIDE + k] - t);
          }
          g_assert_cmpfloat_with_epsilon(out[2 * r], r < rows ? expected : -77,
                                         3e-6 * (double) n * (double) n_parts);
          g_assert_cmpfloat(out[2 * r + 1], ==, -77);
        }
      }
}

static void
test_softmax(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *x = random_floats(n, (unsigned) n, 30);
      if (n > 4)
        x[2] = x[n - 1] = -INFINITY;
      double max = -INFINITY, total = 0;
      for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
      for (size_t i = 0; i < n; i++)
        total += exp(x[i] - max);
      double expected_lse = max + log(total);
      g_autofree float *w = g_memdup2(x, n * sizeof *x);
      assert_near(kernels->log_sum_exp(w, n), expected_lse, 1e-6);
      double entropy = 0;
      for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]))
          entropy -= exp(x[i] - expected_lse) * (x[i] - expected_lse);
      /* The rounding of log_sum_exp is that of its own size. */
      g_assert_cmpfloat(fabs(kernels->entropy(w, n, (float) expected_lse) - entropy), <=,
                        1e-6 * (fabs(expected_lse) + 1) + 1e-5 * entropy);
      assert_near(kernels->softmax(w, n), expected_lse, 1e-6);
      double sum = 0;
      for (size_t i = 0; i < n; i++) {
        double expected = exp(x[i] - expected_lse);
        g_assert_cmpfloat(fabs(w[i] - expected), <=, 3e-6 * expected + 1e-30);
        sum += w[i];
      }
      assert_near(sum, 1, 1e-6);
      if (n > 4)
        g_assert_true(w[2] == 0 && w[n - 1] == 0);
    }
}

/* Against plain C, bit for bit: what is left out is infinite, and equal elements have an order. */
static void
test_expectation_and_rank(void)
{
  const mt_kernels *plain = mt_kernels_get(0), *kernels;
  for (size_t t = 1; (kernels = mt_kernels_get(t)); t++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *p = random_floats(n, (unsigned) n, 1), *x = random_floats(n, 7, 30),
                       *y = random_floats(n, 8, 30);
      for (size_t i = 0; i < n; i++) {
        if (i % 5 == 3) {
          p[i] = 0;
          x[i] = y[i] = -INFINITY;
        }
        if (i % 7 == 2)
          x[i] = x[0];
      }
      g_assert_true(kernels->expectation(p, x, y, n) == plain->expectation(p, x, y, n));
      g_assert_true(kernels->expectation(p, x, NULL, n) == plain->expectation(p, x, NULL, n));
      double sum = 0;
      for (size_t i = 0; i < n; i++)
        if (p[i] > 0)
          sum += (double) p[i] * ((double) x[i] - y[i]);
      assert_near(plain->expectation(p, x, y, n), sum, 1e-12);
      for (size_t at = 0; at < n; at++) {
        size_t rank = 0;
        for (size_t i = 0; i < n; i++)
          rank += x[i] > x[at] || (i < at && x[i] == x[at]);
        g_assert_cmpuint(kernels->rank(x, n, at), ==, rank);
        g_assert_cmpuint(plain->rank(x, n, at), ==, rank);
      }
    }
}

static void
test_softmax_extremes(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t n = 1; n < 40; n += 6) {
      float x[40];
      for (size_t i = 0; i < n; i++)
        x[i] = -INFINITY;
      g_assert_true(kernels->softmax(x, n) == -INFINITY);
      for (size_t i = 0; i < n; i++)
        g_assert_true(x[i] == 0);

      for (size_t i = 0; i < n; i++)
        x[i] = i == n / 2 ? 3000 : -3000;
      assert_near(kernels->softmax(x, n), 3000, 1e-6);
      for (size_t i = 0; i < n; i++)
        g_assert_true(x[i] == (i == n / 2));

      for (size_t i = 0; i < n; i++)
        x[i] = i == n / 2 ? NAN : 1;
      kernels->softmax(x, n);
      for (size_t i = 0; i < n; i++)
        g_assert_true(isnan(x[i]));
      x[n / 2] = NAN;
      g_assert_false(isfinite(kernels->log_sum_exp(x, n)));
    }
}

/* Beyond e^87 the vectors have 0 where the true one is smaller than any float but a denormal. */
static void
test_silu(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *x = random_floats(n + 1, (unsigned) n, n % 2 ? 3 : 120);
      if (n > 5) {
        x[0] = NAN;
        x[1] = INFINITY;
        x[2] = 0;
        x[3] = -1e30f;
        x[4] = -1e-44f;
      }
      g_autofree float *y = g_memdup2(x, (n + 1) * sizeof *x);
      kernels->silu(y, n);
      g_assert_cmpfloat(y[n], ==, x[n]);
      for (size_t i = 0; i < n; i++) {
        double expected = x[i] / (1 + exp(-(double) x[i]));
        if (isnan(x[i]))
          g_assert_true(isnan(y[i]));
        else if (isinf(x[i]))
          g_assert_true(y[i] == x[i]);
        else
          g_assert_cmpfloat(fabs(y[i] - expected), <=, 5e-7 * fabs(expected) + 1e-35);
        /* The same wherever it stands. */
        float alone = x[i];
        kernels->silu(&alone, 1);
        g_assert_true(memcmp(&alone, &y[i], sizeof alone) == 0 || isnan(alone));
      }
    }
}

static void
test_gelu_tanh(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t n = 1; n < 70; n++) {
      g_autofree float *x = random_floats(n + 1, (unsigned) n, n % 2 ? 3 : 30);
      if (n > 5) {
        x[0] = NAN;
        x[1] = INFINITY;
        x[2] = 0;
        x[3] = -1e30f;
        x[4] = -1e-44f;
      }
      g_autofree float *y = g_memdup2(x, (n + 1) * sizeof *x);
      kernels->gelu_tanh(y, n);
      g_assert_cmpfloat(y[n], ==, x[n]);
      for (size_t i = 0; i < n; i++) {
        const double v = x[i], u = sqrt(2 / G_PI) * (v + 0.044715 * v * v * v);
        const double expected = v / (1 + exp(-2 * u));
        if (isnan(x[i]))
          g_assert_true(isnan(y[i]));
        else if (isinf(x[i]))
          g_assert_true(y[i] == x[i]);
        else
          g_assert_cmpfloat(fabs(y[i] - expected), <=, 2e-5 * fabs(expected) + 1e-35);
        /* The same wherever it stands. */
        float alone = x[i];
        kernels->gelu_tanh(&alone, 1);
        g_assert_true(memcmp(&alone, &y[i], sizeof alone) == 0 || isnan(alone));
      }
    }
}

static void
test_rms_norm(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t d = 1; d < 70; d++) {
      g_autofree float *x = random_floats(d, 7, 5), *gain = random_floats(d, 8, 2);
      double squares = 0;
      for (size_t k = 0; k < d; k++)
        squares += (double) x[k] * x[k] / (double) d;
      g_autofree float *in_place = g_memdup2(x, d * sizeof *x);
      kernels->rms_norm(in_place, in_place, gain, d, 1e-6f);
      for (size_t k = 0; k < d; k++)
        assert_near(in_place[k], x[k] / sqrt(squares + 1e-6) * gain[k], 2e-5);
    }
}

static void
test_layer_norm(void)
{
  const mt_kernels *kernels;
  for (size_t t = 0; (kernels = mt_kernels_get(t)); t++)
    for (size_t d = 1; d < 70; d++) {
      g_autofree float *x = random_floats(d, 7, 5);
      g_autofree float *gain = random_floats(d, 8, 2);
      g_autofree float *bias = random_floats(d, 9, 2);
      double mean = 0, variance = 0;
      for (size_t k = 0; k < d; k++)
        mean += x[k] / (double) d;
      for (size_t k = 0; k < d; k++)
        variance += (x[k] - mean) * (x[k] - mean) / (double) d;
      g_autofree float *in_place = g_memdup2(x, d * sizeof *x);
      kernels->layer_norm(in_place, in_place, gain, bias, d, 1e-5f);
      for (size_t k = 0; k < d; k++)
        assert_near(in_place[k], (x[k] - mean) / sqrt(variance + 1e-5) * gain[k] + bias[k], 2e-5);
    }
}

static void
test_activations(void)
{
  const mt_kernels *kernels = mt_kernels_best();
  float x[] = {-2, 0, 1, 3};
  mt_activate(MT_ACTIVATION_RELU, kernels, x, 4);
  g_assert_true(x[0] == 0 && x[1] == 0 && x[2] == 1 && x[3] == 3);
  float silu[] = {-2, 0, 1, 3};
  mt_activate(MT_ACTIVATION_SILU, kernels, silu, 4);
  assert_near(silu[0], -0.238405844, 1e-6);
  assert_near(silu[1], 0, 1e-6);
  assert_near(silu[2], 0.731058579, 1e-6);
  assert_near(silu[3], 2.857722381, 1e-6);
  float gelu[] = {-2, 0, 1, 3};
  mt_activate(MT_ACTIVATION_GELU, kernels, gelu, 4);
  assert_near(gelu[0], -0.045500264, 1e-6);
  assert_near(gelu[1], 0, 1e-6);
  assert_near(gelu[2], 0.841344746, 1e-6);
  assert_near(gelu[3], 2.995950306, 1e-6);
  float by_tanh[] = {-2, 0, 1, 3};
  mt_activate(MT_ACTIVATION_GELU_TANH, kernels, by_tanh, 4);
  assert_near(by_tanh[0], -0.045402306, 1e-6);
  assert_near(by_tanh[1], 0, 1e-6);
  assert_near(by_tanh[2], 0.841191991, 1e-6);
  assert_near(by_tanh[3], 2.996362607, 1e-6);
}

/* What is linear of a norm, put together again, is the norm; its derivative is that of differences.
 */
static void
check_norm_kind(mt_norm_kind kind, double epsilon)
{
  enum { D = 12 };
  const mt_kernels *kernels = mt_kernels_best();
  const mt_config config = {.d_model = D, .norm_kind = kind, .norm_epsilon = epsilon};
  float x[D], gain[D], bias[D], y[D], centred[D], d_y[D], d_x[D];
  double u[D], whole[D];
  for (size_t i = 0; i < D; i++) {
    whole[i] = u[i] = x[i] = sinf((float) i) * 3 + 1;
    gain[i] = 1 + cosf((float) i) / 2;
    bias[i] = kind == MT_NORM_RMS ? 0 : (float) i / 10;
    d_y[i] = cosf((float) (2 * i));
    d_x[i] = 1;
  }
  const mt_norm_measure measure = mt_norm_measure_row(&config, x);
  g_assert_cmpfloat(measure.sigma, ==, mt_norm_measure_doubles(&config, whole).sigma);
  mt_norm_row(&config, kernels, y, x, gain, kind == MT_NORM_RMS ? NULL : bias);
  mt_norm_linear(&config, u, gain, measure.sigma);
  mt_norm_linear_row(&config, kernels, centred, x, gain);
  mt_norm_back(&config, d_x, x, d_y, gain, true);
  for (size_t i = 0; i < D; i++) {
    assert_near((float) u[i] + bias[i], y[i], 1e-5);
    assert_near(centred[i] / (float) measure.sigma + bias[i], y[i], 1e-5);
    /* Along one number, by doubles: 1 was there before. */
    double slope = 0;
    const double step = 1e-4;
    for (int side = -1; side <= 1; side += 2) {
      double moved[D];
      memcpy(moved, whole, sizeof moved);
      moved[i] += side * step;
      const double sigma = mt_norm_measure_doubles(&config, moved).sigma;
      mt_norm_linear(&config, moved, gain, sigma);
      for (size_t k = 0; k < D; k++)
        slope += side * d_y[k] * moved[k] / (2 * step);
    }
    g_assert_cmpfloat_with_epsilon(d_x[i], 1 + slope, 1e-5);
  }
}

static void
test_norm_kinds(void)
{
  for (int kind = 0; kind < MT_N_NORM_KINDS; kind++) {
    check_norm_kind((mt_norm_kind) kind, 1e-5);
    check_norm_kind((mt_norm_kind) kind, 0.5);
  }
}

static void
test_activation_slopes(void)
{
  static const mt_activation kinds[] = {MT_ACTIVATION_RELU, MT_ACTIVATION_SILU, MT_ACTIVATION_GELU,
                                        MT_ACTIVATION_GELU_TANH};
  const float in[] = {-2, -0.3f, 0.7f, 2.5f}, step = 1.0f / 256;
  g_assert_cmpuint(G_N_ELEMENTS(kinds), ==, MT_N_ACTIVATIONS);
  for (size_t a = 0; a < MT_N_ACTIVATIONS; a++)
    for (size_t i = 0; i < G_N_ELEMENTS(in); i++) {
      float out = in[i], more = in[i] + step, less = in[i] - step, d_x = 2;
      mt_activate(kinds[a], mt_kernels_best(), &out, 1);
      mt_activate(kinds[a], mt_kernels_best(), &more, 1);
      mt_activate(kinds[a], mt_kernels_best(), &less, 1);
      mt_activate_back(kinds[a], &d_x, mt_activation_needs_input(kinds[a]) ? &in[i] : NULL, &out,
                       1);
      g_assert_cmpfloat_with_epsilon(d_x, (more - less) / step, 1e-3);
    }
}

/* What a configuration asks for and nobody computes is named. */
static void
test_unknown_kinds(void)
{
  const mt_config sound = {.d_model = 12, .n_heads = {3, 4}};
  mt_config config = sound;
  mt_error error = {0};
  mt_kinds_set_defaults(&config);
  g_assert_cmpuint(config.d_head[MT_STACK_ENCODER], ==, 4);
  g_assert_cmpuint(config.d_head[MT_STACK_DECODER], ==, 3);
  g_assert_cmpfloat(config.score_divisor[MT_STACK_ENCODER], ==, 2);
  g_assert_true(mt_kinds_check(&config, "x", &error));
  /* As T5 has them, say. */
  config.d_head[MT_STACK_DECODER] = 64;
  g_assert_true(mt_kinds_check(&config, "x", &error));
  g_assert_cmpuint(mt_most_inner(&config), ==, 256);
  const struct {
    mt_config config;
    const char *message;
  } wrong[] = {
      {{.norm_kind = (mt_norm_kind) MT_N_NORM_KINDS},
       "x: expected a known kind of norm, found number 2."},
      {{.feed_forward_kind = (mt_feed_forward_kind) MT_N_FEED_FORWARD_KINDS},
       "x: expected a known kind of feed-forward network, found number 2."},
      {{.activation = (mt_activation) MT_N_ACTIVATIONS},
       "x: expected a known kind of activation, found number 4."},
      {{.position_kind = (mt_position_kind) MT_N_POSITION_KINDS},
       "x: expected a known kind of positions, found number 5."},
      {{.position_kind = MT_POSITIONS_RELATIVE},
       "x: expected an even number of 4 to 65536 buckets of relative positions, found 0."},
      {{.d_head = {4, 1 << 20}, .score_divisor = {1, 1}},
       "x: expected heads of 1 to 262144 columns, found 4 heads of 1048576."},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    config = wrong[i].config;
    config.d_model = sound.d_model;
    memcpy(config.n_heads, sound.n_heads, sizeof config.n_heads);
    mt_kinds_set_defaults(&config);
    g_assert_false(mt_kinds_check(&config, "x", &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_UNSUPPORTED);
    g_assert_cmpstr(error.message, ==, wrong[i].message);
  }
  g_assert_cmpfloat(config.score_divisor[MT_STACK_DECODER], ==, 1);
}

static void
test_positions(void)
{
  enum { N = 300, D = 16 };
  float halves[N][D], interleaved[N][D];
  mt_positions_sinusoidal(&halves[0][0], N, D, MT_POSITIONS_SINUSOIDAL_HALVES);
  mt_positions_sinusoidal(&interleaved[0][0], N, D, MT_POSITIONS_SINUSOIDAL_INTERLEAVED);
  /* Columns of the first pair turn once in 2 pi positions. */
  assert_near(halves[0][0], 0, 0);
  assert_near(halves[0][D / 2], 1, 0);
  assert_near(halves[1][0], 0.841470985, 1e-7);
  assert_near(halves[1][D / 2], 0.540302306, 1e-7);
  assert_near(interleaved[1][1], 0.540302306, 1e-7);
  for (size_t p = 0; p < N; p++)
    for (size_t i = 0; i < D / 2; i++) {
      double angle = (double) p * exp(-log(10000) * 2 * (double) i / D);
      assert_near(halves[p][i], sin(angle), 1e-6);
      assert_near(halves[p][D / 2 + i], cos(angle), 1e-6);
      g_assert_true(halves[p][i] == interleaved[p][2 * i]);
      g_assert_true(halves[p][D / 2 + i] == interleaved[p][2 * i + 1]);
    }
}

/* As M2M100SinusoidalPositionalEmbedding: the last pair turns 10000 times as slowly as the first.
 */
static void
test_positions_fairseq(void)
{
  enum { N = 40, D = 16 };
  float table[N][D], row[D];
  mt_positions_sinusoidal(&table[0][0], N, D, MT_POSITIONS_SINUSOIDAL_FAIRSEQ);
  for (size_t p = 0; p < N; p++) {
    mt_positions_encode(row, (long) p, D, MT_POSITIONS_SINUSOIDAL_FAIRSEQ);
    for (size_t i = 0; i < D / 2; i++) {
      double frequency = exp(-log(10000) / (D / 2 - 1) * (double) i);
      assert_near(table[p][i], sin((double) p * frequency), 1e-6);
      assert_near(table[p][D / 2 + i], cos((double) p * frequency), 1e-6);
      assert_near(mt_positions_frequency(i, D, MT_POSITIONS_SINUSOIDAL_FAIRSEQ), frequency, 1e-12);
    }
    g_assert_cmpmem(row, sizeof row, table[p], sizeof table[p]);
  }
  /* The narrowest table has one pair, and nothing to divide by. */
  mt_positions_sinusoidal(row, 1, 2, MT_POSITIONS_SINUSOIDAL_FAIRSEQ);
  assert_near(row[1], 1, 0);
  assert_near(mt_positions_frequency(0, D, MT_POSITIONS_LEARNED), 0, 0);
  assert_near(mt_positions_frequency(0, D, MT_POSITIONS_RELATIVE), 0, 0);
}

static void
test_positions_shift(void)
{
  enum { N = 120, D = 10 };
  const mt_position_kind kinds[] = {MT_POSITIONS_SINUSOIDAL_HALVES,
                                    MT_POSITIONS_SINUSOIDAL_INTERLEAVED,
                                    MT_POSITIONS_SINUSOIDAL_FAIRSEQ};
  const long shifts[] = {0, 1, -3, 40};
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
    for (size_t s = 0; s < G_N_ELEMENTS(shifts); s++) {
      float table[N][D], map[D][D];
      mt_positions_sinusoidal(&table[0][0], N, D, kinds[i]);
      mt_positions_shift(&map[0][0], D, shifts[s], kinds[i]);
      for (long p = 5; p < 60; p++)
        for (size_t row = 0; row < D; row++) {
          double sum = 0;
          for (size_t col = 0; col < D; col++)
            sum += (double) map[row][col] * table[p][col];
          assert_near(sum, table[p + shifts[s]][row], 1e-6);
        }
    }
}

#ifdef EMULATED_AVX512
/* It is what the engine runs on, if the rest of it is there. */
static void
test_emulated(void)
{
  g_assert_cmpstr(mt_kernels_best()->name, ==, mt_kernels_get(1) ? "avx512" : "plain");
}
#endif

TESTS()
{
  const mt_kernels *kernels;
  for (size_t i = 0; (kernels = mt_kernels_get(i)); i++)
    g_test_message("kernels: %s", kernels->name);
  g_test_add_func("/ops/panel", test_panel);
  g_test_add_func("/ops/linear-ways", test_linear_ways);
  g_test_add_func("/ops/linear", test_linear);
  g_test_add_func("/ops/rows", test_rows);
  g_test_add_func("/ops/linear-half", test_linear_half);
  g_test_add_func("/ops/linear-bf16", test_linear_bf16);
  g_test_add_func("/ops/linear-rows", test_linear_rows);
  g_test_add_func("/ops/linears", test_linears);
  g_test_add_func("/ops/find", test_find);
  g_test_add_func("/ops/centre", test_centre);
  g_test_add_func("/ops/shortening", test_shortening);
  g_test_add_func("/ops/shortenings", test_shortenings);
  g_test_add_func("/ops/softmax", test_softmax);
  g_test_add_func("/ops/softmax-extremes", test_softmax_extremes);
  g_test_add_func("/ops/expectation-and-rank", test_expectation_and_rank);
  g_test_add_func("/ops/silu", test_silu);
  g_test_add_func("/ops/layer-norm", test_layer_norm);
  g_test_add_func("/ops/rms-norm", test_rms_norm);
  g_test_add_func("/ops/gelu-tanh", test_gelu_tanh);
  g_test_add_func("/ops/activations", test_activations);
  g_test_add_func("/ops/norm-kinds", test_norm_kinds);
  g_test_add_func("/ops/activation-slopes", test_activation_slopes);
  g_test_add_func("/ops/unknown-kinds", test_unknown_kinds);
  g_test_add_func("/ops/positions", test_positions);
  g_test_add_func("/ops/positions-fairseq", test_positions_fairseq);
  g_test_add_func("/ops/positions-shift", test_positions_shift);
#ifdef EMULATED_AVX512
  g_test_add_func("/ops/emulated", test_emulated);
#endif
}
