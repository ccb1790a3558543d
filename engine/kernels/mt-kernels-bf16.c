/* mt-kernels-bf16.c — products of rounded rows: AVX512-BF16, and AMX of mt-kernels-amx.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels-bf16.h"

#include "base/mt-dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- Without instructions for it --------------------------------------------------------------
 */

static inline uint32_t
round_bits(uint32_t bits)
{
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  rounded = magnitude < 0x00800000 ? bits & 0x80000000 : rounded;
  return magnitude > 0x7f800000 ? (bits | 0x400000) & 0xffff0000 : rounded; /* not a number */
}

/* In blocks whose length the compiler knows, so that it takes vectors for them. */
#define ROUND_BLOCK 16

void
mt_bf16_round(float *restrict out, const float *restrict x, size_t n)
{
  uint32_t bits[ROUND_BLOCK] = {0};
  for (size_t i = 0; i < n; i += ROUND_BLOCK) {
    size_t size = (n - i < ROUND_BLOCK ? n - i : ROUND_BLOCK) * sizeof *x;
    memcpy(bits, x + i, size);
    for (size_t k = 0; k < ROUND_BLOCK; k++)
      bits[k] = round_bits(bits[k]);
    memcpy(out + i, bits, size);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Rows of x that the second-level cache holds while the panels go by. */
#define BLOCK_FLOATS (64 * 1024)
#define CACHE_LINE   64
#define EIGHT_ROWS   8

/* ---- AVX512-BF16: a pair stands in the place of a float ---------------------------------------
 */

#define TARGET      __attribute__((target("avx512f,avx512bf16")))
#define SIMD(name)  name##_avx512bf16
#define LANES       16
#define VEC         __m512
#define TILE_ROWS   6
#define TILE_VECS   4
#define FEW_VECS    4
#define EIGHT_VECS  0
#define LOAD(p)     _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define SET1(x)     _mm512_set1_ps(x)
#define ADD(a, b)   _mm512_add_ps(a, b)
/* Types change their names only. */
#define PAIRS(v)     ((__m512bh) _mm512_castps_si512(v))
#define FMA(a, b, c) _mm512_dpbf16_ps(c, PAIRS(a), PAIRS(b))

#include "kernels/mt-kernels-rows-simd.h"

/* Rows to pairs like those of the weights, out [end][stride] numbers of 16 bits; zeros fill up what
 * there is of a row behind its numbers. */
TARGET static void
round_pairs(uint16_t *restrict out, size_t stride, const float *restrict x, size_t begin,
            size_t end, size_t n_in)
{
  for (size_t r = begin; r < end; r++) {
    const float *row = x + r * n_in;
    for (size_t k = 0; k < stride; k += 32) {
      float some[32] = {0};
      const float *from = row + k;
      if (k + 32 > n_in) {
        if (k < n_in)
          memcpy(some, from, (n_in - k) * sizeof *some);
        from = some;
      }
      __m512i rounded =
          (__m512i) _mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from));
      rounded = _mm512_rol_epi32(rounded, 16); /* the first of two to the upper half */
      memcpy(out + r * stride + k, &rounded,
             (stride - k < 32 ? stride - k : 32) * sizeof(uint16_t));
    }
  }
}

static void
round_avx512bf16(float *restrict out, const float *restrict x, size_t begin, size_t end,
                 size_t n_in)
{
  round_pairs((uint16_t *) (void *) out, 2 * MT_PAIRS(n_in), x, begin, end, n_in);
}

TARGET static void
linear_avx512bf16(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
                  const void *restrict panels, const float *restrict bias, size_t first, size_t n,
                  size_t n_in)
{
  const factors_avx512bf16 factors = {rounded, panels, bias, MT_PAIRS(n_in)};
  product_avx512bf16(y, y_stride, &factors, rows, first, n, MT_DTYPE_F32);
}

static const mt_kernels_bf16 table_avx512bf16 = {"avx512-bf16", round_avx512bf16,
                                                 linear_avx512bf16};

#include "kernels/mt-kernels-amx.h"

const mt_kernels_bf16 *
mt_kernels_bf16_get(size_t i)
{
  const mt_kernels_bf16 *tables[2];
  size_t n = 0;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16"))
    tables[n++] = &table_avx512bf16;
  if (n > 0 && mt_cpu_has_amx())
    tables[n++] = &table_amx;
  return i < n ? tables[i] : NULL;
}

#else

const mt_kernels_bf16 *
mt_kernels_bf16_get(size_t i)
{
  return NULL;
}

#endif

const mt_kernels_bf16 *
mt_kernels_bf16_best(void)
{
  const mt_kernels_bf16 *best = NULL;
  for (size_t i = 0; mt_kernels_bf16_get(i); i++)
    best = mt_kernels_bf16_get(i);
  return best;
}
