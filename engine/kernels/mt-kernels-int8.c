/* mt-kernels-int8.c — products of quantised rows: plain C, AVX2, and AVX-512 with VNNI.
 *
 * AVX2 multiplies unsigned by signed bytes and adds neighbours in 16 bits, which |x| <= 127 and
 * |w| <= 127 cannot overflow: the sign of x is moved to w. VNNI adds four neighbours in 32 bits,
 * but its first factor is unsigned: x + 128, and 128 times the sum of the weights is taken away
 * again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels-int8.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MOST 127.0f

/* ---- Quantising --------------------------------------------------------------------------------
 */

static float
largest(const float *x, size_t n)
{
  float most = 0;
  for (size_t i = 0; i < n; i++) {
    float magnitude = fabsf(x[i]);
    most = magnitude > most ? magnitude : most;
  }
  return most;
}

/* A row of zeros has the scale 0. */
static inline void
quantize(uint8_t *out, const float *x, size_t n, float most, int offset)
{
  float factor = most > 0 ? MOST / most : 0;
  for (size_t i = 0; i < n; i++) {
    float q = x[i] * factor;
    /* To the nearest; factor can round up a little beyond 127. */
    int whole = (int) (q < 0 ? q - 0.5f : q + 0.5f);
    whole = whole > 127 ? 127 : whole < -127 ? -127 : whole;
    out[i] = (uint8_t) (whole + offset);
  }
}

float
mt_int8_quantize_weights(int8_t *out, const float *x, size_t n, int32_t *sum)
{
  float most = largest(x, n);
  quantize((uint8_t *) out, x, n, most, 0);
  memset(out + n, 0, MT_INT8_STRIDE(n) - n);
  *sum = 0;
  for (size_t i = 0; i < n; i++)
    *sum += out[i];
  return most / MOST;
}

/* ---- Plain C: the reference --------------------------------------------------------------------
 */

static float
quantize_plain(uint8_t *out, const float *x, size_t n)
{
  float most = largest(x, n);
  quantize(out, x, n, most, 0);
  memset(out + n, 0, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

static void
linear_plain(float *restrict y, size_t y_stride, const uint8_t *restrict x,
             const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
             const float *restrict bias, size_t first, size_t n, size_t stride)
{
  for (size_t o = first; o < first + n; o++)
    for (size_t r = 0; r < rows; r++) {
      int32_t dot = 0;
      for (size_t k = 0; k < stride; k++)
        dot += (int8_t) x[r * stride + k] * w->rows[o * stride + k];
      y[r * y_stride + o] = (float) dot * (x_scales[r] * w->scales[o]) + (bias ? bias[o] : 0);
    }
}

static const mt_kernels_int8 table_plain = {"plain", quantize_plain, linear_plain};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* ---- AVX2 --------------------------------------------------------------------------------------
 */

#define CACHE_LINE 64
#define OUTS       2

#define TARGET         __attribute__((target("avx2")))
#define SIMD(name)     name##_avx2
#define VEC            __m256i
#define BYTES          32
#define OFFSET         0
#define LOAD(p)        _mm256_loadu_si256((const __m256i *) (const void *) (p))
#define ZERO()         _mm256_setzero_si256()
#define DOT(sum, x, w) avx2_dot(sum, x, w)
#define REDUCE_ADD(v)  avx2_reduce_add(v)
#define REDUCE_ADD_4   avx2_reduce_add_4

TARGET static inline __attribute__((always_inline)) __m256i
avx2_dot(__m256i sum, __m256i x, __m256i w)
{
  __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(w, x));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

TARGET static inline __attribute__((always_inline)) int32_t
avx2_reduce_add(__m256i v)
{
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(1, 0, 3, 2)));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(2, 3, 0, 1)));
  return _mm_cvtsi128_si32(s);
}

/* Four times avx2_reduce_add. */
TARGET static inline __attribute__((always_inline)) __m128i
avx2_reduce_add_4(__m256i a, __m256i b, __m256i c, __m256i d)
{
  __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

#include "kernels/mt-kernels-int8-simd.h"

/* As `quantize`, number for number. */
TARGET static inline __attribute__((always_inline)) float
avx2_quantize(uint8_t *out, const float *x, size_t n, int offset)
{
  const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  __m256 most_of = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    most_of = _mm256_max_ps(most_of, _mm256_and_ps(_mm256_loadu_ps(x + i), no_sign));
  float lanes[8];
  _mm256_storeu_ps(lanes, most_of);
  float most = fmaxf(largest(lanes, 8), largest(x + i, n - i));

  const __m256 factor = _mm256_set1_ps(most > 0 ? MOST / most : 0), half = _mm256_set1_ps(0.5f);
  for (i = 0; i + 32 <= n; i += 32) {
    __m256i whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      __m256 q = _mm256_mul_ps(_mm256_loadu_ps(x + i + 8 * k), factor);
      /* Half away from zero: the half gets the sign of q. */
      whole[k] =
          _mm256_cvttps_epi32(_mm256_add_ps(q, _mm256_or_ps(half, _mm256_andnot_ps(no_sign, q))));
    }
    /* Packing saturates and takes turns between the 128-bit halves. */
    __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(whole[0], whole[1]),
                                        _mm256_packs_epi32(whole[2], whole[3]));
    packed = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    packed = _mm256_add_epi8(packed, _mm256_set1_epi8((char) offset));
    _mm256_storeu_si256((__m256i *) (void *) (out + i), packed);
  }
  quantize(out + i, x + i, n - i, most, offset);
  memset(out + n, offset, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

TARGET static float
quantize_avx2(uint8_t *out, const float *x, size_t n)
{
  return avx2_quantize(out, x, n, 0);
}

TARGET static float
quantize_vnni(uint8_t *out, const float *x, size_t n)
{
  return avx2_quantize(out, x, n, 128);
}

static const mt_kernels_int8 table_avx2 = {"avx2", quantize_avx2, linear_avx2};

#undef TARGET
#undef SIMD
#undef VEC
#undef BYTES
#undef OFFSET
#undef LOAD
#undef ZERO
#undef DOT
#undef REDUCE_ADD
#undef REDUCE_ADD_4
#undef OUTS

/* ---- AVX-512 VNNI -------------------------------------------------------------------------------
 */

#define OUTS           4
#define TARGET         __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define SIMD(name)     name##_vnni
#define VEC            __m512i
#define BYTES          64
#define OFFSET         128
#define LOAD(p)        _mm512_loadu_si512((const void *) (p))
#define ZERO()         _mm512_setzero_si512()
#define DOT(sum, x, w) _mm512_dpbusd_epi32(sum, x, w)
#define REDUCE_ADD(v)  _mm512_reduce_add_epi32(v)

#include "kernels/mt-kernels-int8-simd.h"

static const mt_kernels_int8 table_vnni = {"avx512-vnni", quantize_vnni, linear_vnni};

const mt_kernels_int8 *
mt_kernels_int8_get(size_t i)
{
  const mt_kernels_int8 *tables[3] = {&table_plain};
  size_t n = 1;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2"))
    tables[n++] = &table_avx2;
  if (n > 1 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))
    tables[n++] = &table_vnni;
  return i < n ? tables[i] : NULL;
}

#else

const mt_kernels_int8 *
mt_kernels_int8_get(size_t i)
{
  return i == 0 ? &table_plain : NULL;
}

#endif

const mt_kernels_int8 *
mt_kernels_int8_best(void)
{
  size_t n = 1;
  while (mt_kernels_int8_get(n))
    n++;
  return mt_kernels_int8_get(n - 1);
}
