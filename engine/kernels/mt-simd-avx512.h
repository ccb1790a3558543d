/* mt-simd-avx512.h — AVX-512, sixteen floats, in the words of mt-simd-avx2.h, which comes before.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define TARGET         __attribute__((target("avx512f,fma")))
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
#define LOAD_TAIL(p, n)     _mm512_maskz_loadu_ps(AVX512_MASK(n), p)
#define STORE_TAIL(p, v, n) _mm512_mask_storeu_ps(p, AVX512_MASK(n), v)
#define ROUND(v)            _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     _mm512_scalef_ps(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ))
#define ZERO_BELOW(v, x, least) \
  _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(least), _CMP_NLT_UQ), v)
