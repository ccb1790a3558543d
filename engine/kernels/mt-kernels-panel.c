/* mt-kernels-panel.c — products of a dozen to some hundred rows: plain C, AVX2, AVX-512, NEON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "kernels/mt-four.h"

#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference ------------------------------------------------------------------ */

static void
pack_plain(float *restrict packed, const float *restrict x, size_t rows, size_t n_in)
{
  memcpy(packed, x, rows * n_in * sizeof *x);
}

static void
linear_plain(float *restrict y, size_t y_stride, const float *restrict packed, size_t rows,
             const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in)
{
  for (size_t o = 0; o < n_out; o++)
    for (size_t r = 0; r < rows; r++) {
      float sum = 0;
      for (size_t k = 0; k < n_in; k++)
        sum += packed[r * n_in + k] * w[o * n_in + k];
      y[r * y_stride + o] = sum + (bias ? bias[o] : 0);
    }
}

static const mt_kernels_panel table_plain = {"plain", pack_plain, linear_plain};

#if MT_HAS_VECTORS
#include MT_INTRINSICS

/* Outputs that are computed together for one panel, and the rows of the widest panel. */
#define CHUNK      48
#define CHUNK_ROWS 48
/* Columns at a time: with three vectors of rows they fill most of a first-level cache. */
#define BLOCK 256
/* In floats. */
#define CACHE_LINE 16

/* How many vectors of rows the next panel has, when so many rows are left: threes, and twos where
 * threes would leave a single one, which does a third of the work for the same loads. */
static inline size_t
panel_vectors(size_t rows, size_t lanes)
{
  size_t left = (rows + lanes - 1) / lanes;
  return left < 3 ? left : left == 4 ? 2 : 3;
}

/* Panels one after the other, each [n_in][rows of the panel]; rows that are not there are 0. */
static void
pack_panels(float *restrict packed, const float *restrict x, size_t rows, size_t n_in, size_t lanes)
{
  for (size_t first = 0; first < rows;) {
    size_t width = panel_vectors(rows - first, lanes) * lanes;
    size_t n = rows - first < width ? rows - first : width;
    float *panel = packed + first * n_in;
    const float *from = x + first * n_in;
    if (n < width)
      memset(panel, 0, n_in * width * sizeof *panel);
    size_t r = 0;
    for (; r + 4 <= n; r += 4) {
      size_t k = 0;
      for (; k + 4 <= n_in; k += 4)
        mt_four_turn(panel + k * width + r, width, from + r * n_in + k, n_in);
      for (; k < n_in; k++)
        for (size_t i = r; i < r + 4; i++)
          panel[k * width + i] = from[i * n_in + k];
    }
    for (; r < n; r++)
      for (size_t k = 0; k < n_in; k++)
        panel[k * width + r] = from[r * n_in + k];
    first += n;
  }
}

#if defined(__aarch64__)
#define OUTS       8
#define SIMD_LANES 4
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-panel-simd.h"
#else
#define OUTS       4
#define SIMD_LANES 8
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-panel-simd.h"
#undef SIMD_LANES
#undef OUTS

#define OUTS       8
#define SIMD_LANES 16
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-panel-simd.h"

#endif

#endif

MT_DEFINE_TABLES(mt_kernels_panel, avx2, MT_HAS_AVX2, avx512, MT_HAS_AVX512)
