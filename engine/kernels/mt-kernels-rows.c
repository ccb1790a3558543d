/* mt-kernels-rows.c — products of rows with weights in panels: plain C, AVX2, AVX-512.
 *
 * Most of the time of a pass is spent here, and under AddressSanitizer nearly all of it. There this
 * file is compiled without it, who calls says what will be touched (kernels/mt-region.h), and tests
 * of the kernels are linked with a checked copy (tests/engine/meson.build).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "base/mt-dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference ---------------------------------------------------------------- */

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

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Rows of x that the second-level cache holds while the panels go by. */
#define BLOCK_FLOATS (64 * 1024)
#define CACHE_LINE   64
#define EIGHT_ROWS   8

/* ---- AVX2 and FMA: eight floats ------------------------------------------------------------ */

#define TARGET        __attribute__((target("avx2,fma,f16c")))
#define SIMD(name)    name##_avx2
#define SIMD_NAME     "avx2"
#define LANES         8
#define VEC           __m256
#define TILE_ROWS     6
#define TILE_VECS     2
#define FEW_VECS      8
#define EIGHT_VECS    0
#define LOAD(p)       _mm256_loadu_ps(p)
#define LOAD_F16(p)   _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *) (p)))
#define LOAD_PAIRS(p) _mm256_loadu_si256((const __m256i_u *) (p))
#define FIRST_OF(v)   _mm256_castsi256_ps(_mm256_and_si256(v, _mm256_set1_epi32(~0xffff)))
#define SECOND_OF(v)  _mm256_castsi256_ps(_mm256_slli_epi32(v, 16))
#define STORE(p, v)   _mm256_storeu_ps(p, v)
#define SET1(x)       _mm256_set1_ps(x)
#define ADD(a, b)     _mm256_add_ps(a, b)
#define FMA(a, b, c)  _mm256_fmadd_ps(a, b, c)

#include "kernels/mt-kernels-rows-simd.h"

#undef TARGET
#undef SIMD
#undef SIMD_NAME
#undef LANES
#undef VEC
#undef TILE_ROWS
#undef TILE_VECS
#undef FEW_VECS
#undef EIGHT_VECS
#undef LOAD
#undef LOAD_F16
#undef LOAD_PAIRS
#undef FIRST_OF
#undef SECOND_OF
#undef STORE
#undef SET1
#undef ADD
#undef FMA

/* ---- AVX-512: sixteen floats ---------------------------------------------------------------- */

#define TARGET        __attribute__((target("avx512f,fma,f16c")))
#define SIMD(name)    name##_avx512
#define SIMD_NAME     "avx512"
#define LANES         16
#define VEC           __m512
#define TILE_ROWS     6
#define TILE_VECS     4
#define FEW_VECS      4
#define EIGHT_VECS    2
#define LOAD(p)       _mm512_loadu_ps(p)
#define LOAD_F16(p)   _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *) (p)))
#define LOAD_PAIRS(p) _mm512_loadu_si512((const void *) (p))
#define FIRST_OF(v)   _mm512_castsi512_ps(_mm512_and_si512(v, _mm512_set1_epi32(~0xffff)))
#define SECOND_OF(v)  _mm512_castsi512_ps(_mm512_slli_epi32(v, 16))
#define STORE(p, v)   _mm512_storeu_ps(p, v)
#define SET1(x)       _mm512_set1_ps(x)
#define ADD(a, b)     _mm512_add_ps(a, b)
#define FMA(a, b, c)  _mm512_fmadd_ps(a, b, c)

#include "kernels/mt-kernels-rows-simd.h"

#endif

MT_DEFINE_TABLES(mt_kernels_rows, avx2, MT_HAS_AVX2 &&mt_cpu_has_f16c(), avx512, MT_HAS_AVX512)
