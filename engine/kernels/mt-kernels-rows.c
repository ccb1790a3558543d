/* mt-kernels-rows.c — products of rows with weights in panels: plain C, AVX2, AVX-512, NEON.
 *
 * Most of the time of a pass is spent here, and under AddressSanitizer nearly all of it. There this
 * file is compiled without it, who calls says what will be touched (check_region in mt-ops.c), and
 * tests of the kernels are linked with a checked copy (tests/engine/meson.build).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "base/mt-dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference ------------------------------------------------------------------ */

/* The weights of input k, of MT_PANEL_OUTS outputs. */
static void
read_line(float *out, const void *panel, mt_dtype dtype, size_t k)
{
  if (dtype != MT_DTYPE_BF16) {
    mt_dtype_to_float_plain(dtype, (const char *) panel + k * MT_PANEL_OUTS * mt_dtype_size(dtype),
                            out, MT_PANEL_OUTS);
    return;
  }
  const uint32_t *pairs = (const uint32_t *) panel + k / 2 * MT_PANEL_OUTS;
  for (size_t i = 0; i < MT_PANEL_OUTS; i++) {
    uint32_t bits = k % 2 ? pairs[i] << 16 : pairs[i] & 0xffff0000;
    memcpy(&out[i], &bits, sizeof bits);
  }
}

static void
linear_plain(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
             const void *restrict panels, mt_dtype dtype, const float *restrict bias, size_t first,
             size_t n, size_t n_in)
{
  const size_t size = dtype == MT_DTYPE_BF16 ? 4 * MT_PAIRS(n_in) : mt_dtype_size(dtype) * n_in;
  for (size_t o = first; o < first + n; o += MT_PANEL_OUTS) {
    const char *panel = (const char *) panels + o * size;
    size_t n_outs = first + n - o < MT_PANEL_OUTS ? first + n - o : MT_PANEL_OUTS;
    for (size_t r = 0; r < rows; r++) {
      float sums[MT_PANEL_OUTS] = {0}, weights[MT_PANEL_OUTS];
      for (size_t k = 0; k < n_in; k++) {
        read_line(weights, panel, dtype, k);
        for (size_t i = 0; i < MT_PANEL_OUTS; i++)
          sums[i] += x[r * n_in + k] * weights[i];
      }
      for (size_t i = 0; i < n_outs; i++)
        y[r * y_stride + o + i] = sums[i] + (bias ? bias[o + i] : 0);
    }
  }
}

static const mt_kernels_rows table_plain = {"plain", linear_plain};

#if MT_HAS_VECTORS
#include MT_INTRINSICS

/* Rows of x that the second-level cache holds while the panels go by. */
#define BLOCK_FLOATS (64 * 1024)
/* From so many rows on they meet a part of the inputs at a time, which the first cache holds, and
 * are themselves in the second for longer. */
#define MANY_ROWS         32
#define MANY_BLOCK_FLOATS (192 * 1024)
#define PART_INPUTS       128
#define CACHE_LINE        64
#define EIGHT_ROWS        8

#if defined(__aarch64__)
#define TILE_ROWS  6
#define TILE_VECS  4
#define FEW_VECS   8
#define EIGHT_VECS 0
#define SIMD_LANES 4
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-rows-simd.h"
#else
#define SIMD_FEATURES ",f16c"

#define TILE_ROWS  6
#define TILE_VECS  2
#define FEW_VECS   8
#define EIGHT_VECS 0
#define SIMD_LANES 8
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-rows-simd.h"
#undef SIMD_LANES
#undef TILE_VECS
#undef FEW_VECS
#undef EIGHT_VECS

#define TILE_VECS  4
#define FEW_VECS   4
#define EIGHT_VECS 2
#define SIMD_LANES 16
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-rows-simd.h"

#endif

#endif

#define HAS_AVX2_F16C (MT_HAS_AVX2 && mt_cpu_has_f16())
MT_DEFINE_TABLES(mt_kernels_rows, avx2, HAS_AVX2_F16C, avx512, MT_HAS_AVX512)
