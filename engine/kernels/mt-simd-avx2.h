/* mt-simd-avx2.h — AVX2 and FMA, eight floats, in the words that vector code is written in.
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
 *
 * mt-simd-avx512.h has the same; mt-simd-end.h takes them away before it is included.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define TARGET     __attribute__((target("avx2,fma")))
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
#define LOAD_TAIL(p, n)     _mm256_maskload_ps(p, avx2_mask(n))
#define STORE_TAIL(p, v, n) _mm256_maskstore_ps(p, avx2_mask(n), v)
#define ROUND(v)            _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     avx2_exp_scale(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)))
#define ZERO_BELOW(v, x, least) \
  _mm256_and_ps(v, _mm256_cmp_ps(x, _mm256_set1_ps(least), _CMP_NLT_UQ))
