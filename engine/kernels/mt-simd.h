/* mt-simd.h — the words that vector code is written in, for four floats of NEON, eight of AVX2 and
 * FMA, or sixteen of AVX-512. Included once for each set of a processor, with SIMD_LANES 4; or 8
 * first, then 16:
 *
 *   SIMD(name), SIMD_NAME    name with the set's suffix, and the suffix
 *   TARGET                   the function attribute that allows its instructions
 *   LANES, VEC               floats in a vector, and the vector's type
 *   LOAD STORE SET1 ADD SUB MUL DIV MAX FMA REDUCE_ADD REDUCE_MAX
 *   REDUCE_ADD_4(a, b, c, d) the four sums of lanes, each added up in the order of REDUCE_ADD
 *   SUMS(v)                  likewise those of an array of LANES vectors
 *   LOAD_TAIL(p, n)          the first n < LANES floats, zeros above; nothing beyond is touched
 *   STORE_TAIL(p, v, n)      likewise
 *   EXP_SCALE(v, m)          v * 2^m for integral m
 *   ROUND(v)                 to the nearest integer
 *   MASK_ABOVE(a, b)         one bit for each lane where a > b
 *   ZERO_BELOW(v, x, least)  v where not x < least (so also where x is NaN), else 0
 *   SIMD(exp)(x)             e^x for x <= 0
 *   LOAD_DOUBLES(p)          four floats as mt_doubles (mt-four.h)
 *   LOAD_F16(p)              LANES numbers of 16 bits as floats, with "f16c" in SIMD_FEATURES
 *   LOAD_PAIRS(p) FIRST_OF(v) SECOND_OF(v)   LANES pairs of bf16; their halves as floats
 *
 * SIMD_FEATURES, which begins with a comma, names what else is allowed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SIMD_FEATURES
#define SIMD_FEATURES ""
#endif

#if SIMD_LANES == 4
#include "kernels/mt-simd-neon.h"
#elif SIMD_LANES == 8

#define TARGET     __attribute__((target("avx2,fma" SIMD_FEATURES)))
#define SIMD(name) name##_avx2
#define SIMD_NAME  "avx2"
#define LANES      8
#define VEC        __m256

/* The first n of eight lanes. */
TARGET static inline __attribute__((always_inline)) __m256i
avx2_mask(size_t n)
{
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int) n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

TARGET static inline __attribute__((always_inline)) float
avx2_reduce_add(__m256 v)
{
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

/* Four times avx2_reduce_add, bit for bit. */
TARGET static inline __attribute__((always_inline)) __m128
avx2_reduce_add_4(__m256 a, __m256 b, __m256 c, __m256 d)
{
  __m256 ac = _mm256_add_ps(_mm256_permute2f128_ps(a, c, 0x20), _mm256_permute2f128_ps(a, c, 0x31));
  __m256 bd = _mm256_add_ps(_mm256_permute2f128_ps(b, d, 0x20), _mm256_permute2f128_ps(b, d, 0x31));
  __m256d low = _mm256_unpacklo_pd(_mm256_castps_pd(ac), _mm256_castps_pd(bd));
  __m256d high = _mm256_unpackhi_pd(_mm256_castps_pd(ac), _mm256_castps_pd(bd));
  __m256 pairs = _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high)); /* a a b b c c d d */
  __m128 ab = _mm256_castps256_ps128(pairs), cd = _mm256_extractf128_ps(pairs, 1);
  return _mm_add_ps(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)),
                    _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
}

TARGET static inline __attribute__((always_inline)) float
avx2_reduce_max(__m256 v)
{
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}

/* 2^m by writing m into the exponent field. */
TARGET static inline __attribute__((always_inline)) __m256
avx2_exp_scale(__m256 v, __m256 m)
{
  __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(m), _mm256_set1_epi32(127));
  return _mm256_mul_ps(v, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
}

/* The sums of lanes of eight vectors, in their order; each as avx2_reduce_add, bit for bit. */
TARGET static inline __attribute__((always_inline)) __m256
avx2_sums(const __m256 v[8])
{
  __m256 half[4], quarter[2];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
    half[i] = _mm256_add_ps(_mm256_permute2f128_ps(v[i], v[i + 4], 0x20),
                            _mm256_permute2f128_ps(v[i], v[i + 4], 0x31));
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    __m256d a = _mm256_castps_pd(half[2 * i]), b = _mm256_castps_pd(half[2 * i + 1]);
    quarter[i] = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                               _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
  }
  return _mm256_add_ps(_mm256_shuffle_ps(quarter[0], quarter[1], _MM_SHUFFLE(2, 0, 2, 0)),
                       _mm256_shuffle_ps(quarter[0], quarter[1], _MM_SHUFFLE(3, 1, 3, 1)));
}

#define LOAD(p)             _mm256_loadu_ps(p)
#define STORE(p, v)         _mm256_storeu_ps(p, v)
#define SET1(x)             _mm256_set1_ps(x)
#define ADD(a, b)           _mm256_add_ps(a, b)
#define SUB(a, b)           _mm256_sub_ps(a, b)
#define MUL(a, b)           _mm256_mul_ps(a, b)
#define DIV(a, b)           _mm256_div_ps(a, b)
#define MAX(a, b)           _mm256_max_ps(a, b)
#define FMA(a, b, c)        _mm256_fmadd_ps(a, b, c)
#define REDUCE_ADD(v)       avx2_reduce_add(v)
#define REDUCE_MAX(v)       avx2_reduce_max(v)
#define REDUCE_ADD_4        avx2_reduce_add_4
#define SUMS(v)             avx2_sums(v)
#define LOAD_DOUBLES(p)     ((mt_doubles) _mm256_cvtps_pd(_mm_loadu_ps(p)))
#define LOAD_F16(p)         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *) (p)))
#define LOAD_PAIRS(p)       _mm256_loadu_si256((const __m256i_u *) (p))
#define FIRST_OF(v)         _mm256_castsi256_ps(_mm256_and_si256(v, _mm256_set1_epi32(~0xffff)))
#define SECOND_OF(v)        _mm256_castsi256_ps(_mm256_slli_epi32(v, 16))
#define LOAD_TAIL(p, n)     _mm256_maskload_ps(p, avx2_mask(n))
#define STORE_TAIL(p, v, n) _mm256_maskstore_ps(p, avx2_mask(n), v)
#define ROUND(v)            _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     avx2_exp_scale(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)))
#define ZERO_BELOW(v, x, least) \
  _mm256_and_ps(v, _mm256_cmp_ps(x, _mm256_set1_ps(least), _CMP_NLT_UQ))

#else

/* The words of the former set mean nothing any more. */
#undef TARGET
#undef SIMD
#undef SIMD_NAME
#undef LANES
#undef VEC
#undef LOAD
#undef STORE
#undef SET1
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef MAX
#undef FMA
#undef REDUCE_ADD
#undef REDUCE_MAX
#undef REDUCE_ADD_4
#undef LOAD_TAIL
#undef STORE_TAIL
#undef ROUND
#undef EXP_SCALE
#undef MASK_ABOVE
#undef ZERO_BELOW
#undef SUMS
#undef LOAD_F16
#undef LOAD_PAIRS
#undef FIRST_OF
#undef SECOND_OF

#define TARGET         __attribute__((target("avx512f,fma" SIMD_FEATURES)))
#define SIMD(name)     name##_avx512
#define SIMD_NAME      "avx512"
#define LANES          16
#define VEC            __m512
#define AVX512_MASK(n) ((__mmask16) ((1u << (n)) - 1u))

TARGET static inline __attribute__((always_inline)) __m256
avx512_halves(__m512 v)
{
  __m512d both = _mm512_castps_pd(v);
  return _mm256_add_ps(_mm512_castps512_ps256(v),
                       _mm256_castpd_ps(_mm512_extractf64x4_pd(both, 1)));
}

/* Four times _mm512_reduce_add_ps, bit for bit: it adds halves, then halves of these. */
TARGET static inline __attribute__((always_inline)) __m128
avx512_reduce_add_4(__m512 a, __m512 b, __m512 c, __m512 d)
{
  return avx2_reduce_add_4(avx512_halves(a), avx512_halves(b), avx512_halves(c), avx512_halves(d));
}

/* The sums of lanes of sixteen vectors, in their order; each as _mm512_reduce_add_ps, bit for bit.
 */
TARGET static inline __attribute__((always_inline)) __m512
avx512_sums(const __m512 v[16])
{
  __m512 half[8], quarter[4], eighth[2];
  /* Halves: of each pair of vectors 0 and 4, 8 and 12, 1 and 5, 9 and 13 … */
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) {
    __m512 a = v[i / 2 + i % 2 * 8], b = v[i / 2 + i % 2 * 8 + 4];
    half[i] = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
    quarter[i] = _mm512_add_ps(_mm512_shuffle_f32x4(half[2 * i], half[2 * i + 1], 0x88),
                               _mm512_shuffle_f32x4(half[2 * i], half[2 * i + 1], 0xdd));
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    __m512d a = _mm512_castps_pd(quarter[2 * i]), b = _mm512_castps_pd(quarter[2 * i + 1]);
    eighth[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                              _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
  return _mm512_add_ps(_mm512_shuffle_ps(eighth[0], eighth[1], _MM_SHUFFLE(2, 0, 2, 0)),
                       _mm512_shuffle_ps(eighth[0], eighth[1], _MM_SHUFFLE(3, 1, 3, 1)));
}

#define LOAD(p)             _mm512_loadu_ps(p)
#define STORE(p, v)         _mm512_storeu_ps(p, v)
#define SET1(x)             _mm512_set1_ps(x)
#define ADD(a, b)           _mm512_add_ps(a, b)
#define SUB(a, b)           _mm512_sub_ps(a, b)
#define MUL(a, b)           _mm512_mul_ps(a, b)
#define DIV(a, b)           _mm512_div_ps(a, b)
#define MAX(a, b)           _mm512_max_ps(a, b)
#define FMA(a, b, c)        _mm512_fmadd_ps(a, b, c)
#define REDUCE_ADD(v)       _mm512_reduce_add_ps(v)
#define REDUCE_MAX(v)       _mm512_reduce_max_ps(v)
#define REDUCE_ADD_4        avx512_reduce_add_4
#define SUMS(v)             avx512_sums(v)
#define LOAD_F16(p)         _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *) (p)))
#define LOAD_PAIRS(p)       _mm512_loadu_si512((const void *) (p))
#define FIRST_OF(v)         _mm512_castsi512_ps(_mm512_and_si512(v, _mm512_set1_epi32(~0xffff)))
#define SECOND_OF(v)        _mm512_castsi512_ps(_mm512_slli_epi32(v, 16))
#define LOAD_TAIL(p, n)     _mm512_maskz_loadu_ps(AVX512_MASK(n), p)
#define STORE_TAIL(p, v, n) _mm512_mask_storeu_ps(p, AVX512_MASK(n), v)
#define ROUND(v)            _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     _mm512_scalef_ps(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ))
#define ZERO_BELOW(v, x, least) \
  _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(least), _CMP_NLT_UQ), v)

#endif

/* e^x for x <= 0: x = m ln 2 + r with |r| <= ln 2 / 2, then Taylor's series to r^7 / 7!, whose rest
 * is below 1e-8 of the result. ln 2 is subtracted in two parts so that r keeps its last bits. Below
 * e^-87 the result would be denormal: it is 0, and -INFINITY gives exactly 0. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(exp)(VEC x)
{
  VEC m = ROUND(MUL(x, SET1(1.44269504088896341f)));
  VEC r = FMA(m, SET1(-0.693359375f), x);
  r = FMA(m, SET1(2.12194440054690583e-4f), r);
  VEC p = SET1(1.0f / 5040);
  p = FMA(p, r, SET1(1.0f / 720));
  p = FMA(p, r, SET1(1.0f / 120));
  p = FMA(p, r, SET1(1.0f / 24));
  p = FMA(p, r, SET1(1.0f / 6));
  p = FMA(p, r, SET1(0.5f));
  p = FMA(p, r, SET1(1));
  p = FMA(p, r, SET1(1));
  return ZERO_BELOW(EXP_SCALE(p, m), x, -87.0f);
}
