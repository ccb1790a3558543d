/* mt-kernels.c — the inner loops of decoding: plain C, AVX2 with FMA, AVX-512,
 * and NEON.
 *
 * The choice is made at run time, so one binary runs everywhere (and under valgrind, which knows no
 * AVX-512). The vector code is in mt-kernels-simd.h, included once for each width.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "kernels/mt-four.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference ------------------------------------------------------------------ */

static void
linear_plain(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
             const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in)
{
  for (size_t o = 0; o < n_out; o++)
    for (size_t r = 0; r < rows; r++) {
      float sum = 0;
      for (size_t k = 0; k < n_in; k++)
        sum += x[r * n_in + k] * w[o * n_in + k];
      y[r * y_stride + o] = sum + (bias ? bias[o] : 0);
    }
}

/* The largest element; NaN is passed over, and shows in the sum of the exponentials. */
static float
max_plain(const float *x, size_t n)
{
  float max = -INFINITY;
  for (size_t i = 0; i < n; i++)
    max = x[i] > max ? x[i] : max;
  return max;
}

static float
softmax_plain(float *x, size_t n)
{
  float max = max_plain(x, n);
  bool all_masked = true;
  float total = 0;
  for (size_t i = 0; i < n; i++) {
    all_masked = all_masked && x[i] == -INFINITY;
    float e = x[i] == -INFINITY ? 0 : expf(x[i] - max);
    x[i] = e;
    total += e;
  }
  if (all_masked)
    return -INFINITY;
  for (size_t i = 0; i < n; i++)
    x[i] /= total;
  return max + logf(total);
}

static float
log_sum_exp_plain(const float *x, size_t n)
{
  float max = max_plain(x, n), total = 0;
  if (!isfinite(max))
    return max;
  for (size_t i = 0; i < n; i++)
    total += expf(x[i] - max);
  return max + logf(total);
}

static float
entropy_plain(const float *x, size_t n, float log_sum)
{
  float total = 0;
  for (size_t i = 0; i < n; i++)
    total -= x[i] == -INFINITY ? 0 : expf(x[i] - log_sum) * (x[i] - log_sum);
  return total;
}

static double
expectation_plain(const float *p, const float *x, const float *y, size_t n)
{
  double sum[4] = {0};
  for (size_t i = 0; i < n; i++)
    if (p[i] > 0)
      sum[i % 4] += (double) p[i] * ((double) x[i] - (y ? y[i] : 0));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static size_t
rank_plain(const float *x, size_t n, size_t at)
{
  size_t rank = 0;
  for (size_t i = 0; i < n; i++)
    rank += x[i] > x[at] || (i < at && x[i] == x[at]);
  return rank;
}

static size_t
arg_max_plain(const float *x, size_t n)
{
  size_t most = 0;
  for (size_t i = 1; i < n; i++)
    if (x[i] > x[most])
      most = i;
  return most;
}

static size_t
find_above_plain(const float *x, size_t begin, size_t n, float log_sum, float so_far, float least)
{
  while (begin < n && !((x[begin] - log_sum) + so_far > least))
    begin++;
  return begin;
}

static void
silu_plain(float *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    x[i] = x[i] / (1 + expf(-x[i]));
}

/* 1 + tanh(u) = 2 / (1 + exp(-2u)). */
static void
gelu_tanh_plain(float *x, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const float u = MT_GELU_SCALE * (x[i] + MT_GELU_CUBE * x[i] * x[i] * x[i]);
    x[i] = x[i] / (1 + expf(-2 * u));
  }
}

static void
layer_norm_plain(float *out, const float *x, const float *gain, const float *bias, size_t d,
                 float eps)
{
  float mean = 0, variance = 0;
  for (size_t k = 0; k < d; k++)
    mean += x[k];
  mean /= (float) d;
  for (size_t k = 0; k < d; k++)
    variance += (x[k] - mean) * (x[k] - mean);
  float scale = 1 / sqrtf(variance / (float) d + eps);
  for (size_t k = 0; k < d; k++)
    out[k] = (x[k] - mean) * scale * gain[k] + bias[k];
}

static void
rms_norm_plain(float *out, const float *x, const float *gain, size_t d, float eps)
{
  float squares = 0;
  for (size_t k = 0; k < d; k++)
    squares += x[k] * x[k];
  float scale = 1 / sqrtf(squares / (float) d + eps);
  for (size_t k = 0; k < d; k++)
    out[k] = x[k] * scale * gain[k];
}

static void
centre_plain(float *out, const float *x, const float *gain, size_t d)
{
  float mean = 0;
  for (size_t k = 0; k < d; k++)
    mean += x[k];
  mean /= (float) d;
  for (size_t k = 0; k < d; k++)
    out[k] = gain[k] * (x[k] - mean);
}

static float
shortening_plain(const float *y, const float *t, float scale, size_t n)
{
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += fabsf(y[i]) - fabsf(y[i] - scale * t[i]);
  return sum;
}

static void
shortenings_plain(float *out, size_t out_stride, const float *y, size_t y_stride, const float *a,
                  const float *f, size_t rows, size_t n_parts, size_t n)
{
  for (size_t r = 0; r < rows; r++) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
      float t = 0;
      for (size_t h = 0; h < n_parts; h++)
        t += a[r * n_parts + h] * f[h * n + i];
      sum += fabsf(y[r * y_stride + i]) - fabsf(y[r * y_stride + i] - t);
    }
    out[r * out_stride] = sum;
  }
}

static const mt_kernels table_plain = {
    "plain",          linear_plain,      MT_KERNELS_ROWS,  softmax_plain,  log_sum_exp_plain,
    entropy_plain,    expectation_plain, rank_plain,       arg_max_plain,  find_above_plain,
    silu_plain,       gelu_tanh_plain,   layer_norm_plain, rms_norm_plain, centre_plain,
    shortening_plain, shortenings_plain,
};

#if MT_HAS_VECTORS
#include MT_INTRINSICS

/* Tiles of OUTS outputs: with four rows 12 sums, 4 inputs and a weight just about fill the 16
 * registers of AVX2. */
#define OUTS       3
#define CACHE_LINE 64

/* From so many rows on weights are packed first, unless their rows are longer than MANY_IN. At a
 * time MANY_OUTS rows of weights, or as many times that as fit MANY_PACKED floats, half a
 * first-level cache; and MANY_ROWS_FLOATS of rows. */
#define CACHE_LINE       64
#define MANY_ROWS        12
#define MANY_OUTS        4
#define MANY_IN          4096
#define MANY_PACKED      4096
#define MANY_ROWS_FLOATS (64 * 1024)

#if defined(__aarch64__)
/* 32 registers: 24 sums, 6 rows and a weight. */
#define TILE_ROWS  6
#define SIMD_LANES 4
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-simd.h"
#else
#define TILE_ROWS  3
#define SIMD_LANES 8
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-simd.h"
#undef SIMD_LANES
#undef TILE_ROWS

#define TILE_ROWS  6
#define SIMD_LANES 16
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-simd.h"

#endif

#endif

MT_DEFINE_TABLES(mt_kernels, avx2, MT_HAS_AVX2, avx512, MT_HAS_AVX512)
