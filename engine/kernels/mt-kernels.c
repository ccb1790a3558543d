/* mt-kernels.c — the inner loops of decoding: plain C, AVX2 with FMA, and AVX-512.
 *
 * The choice is made at run time, so one binary runs everywhere (and under valgrind, which knows no
 * AVX-512). The vector code is in mt-kernels-simd.h, included once for each width.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference --------------------------------------------------------------- */

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

static void
dots_plain(float *restrict out, const float *q, const float *matrix, size_t stride,
           const uint32_t *index, size_t n, size_t d, float scale)
{
  for (size_t i = 0; i < n; i++) {
    const float *row = matrix + (index ? index[i] : i) * stride;
    float sum = 0;
    for (size_t k = 0; k < d; k++)
      sum += q[k] * row[k];
    out[i] = sum * scale;
  }
}

static void
weighted_sum_plain(float *restrict out, const float *w, const float *matrix, size_t stride,
                   const uint32_t *index, size_t n, size_t d)
{
  for (size_t k = 0; k < d; k++)
    out[k] = 0;
  for (size_t i = 0; i < n; i++) {
    const float *row = matrix + (index ? index[i] : i) * stride;
    for (size_t k = 0; k < d; k++)
      out[k] += w[i] * row[k];
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
    "plain",          linear_plain,      MT_KERNELS_ROWS,  dots_plain,        weighted_sum_plain,
    softmax_plain,    log_sum_exp_plain, entropy_plain,    arg_max_plain,     find_above_plain,
    layer_norm_plain, centre_plain,      shortening_plain, shortenings_plain,
};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

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

/* ---- AVX2 and FMA: eight floats ------------------------------------------------------------ */

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

#define LOAD(p)             _mm256_loadu_ps(p)
#define STORE(p, v)         _mm256_storeu_ps(p, v)
#define SET1(x)             _mm256_set1_ps(x)
#define ADD(a, b)           _mm256_add_ps(a, b)
#define SUB(a, b)           _mm256_sub_ps(a, b)
#define MUL(a, b)           _mm256_mul_ps(a, b)
#define MAX(a, b)           _mm256_max_ps(a, b)
#define FMA(a, b, c)        _mm256_fmadd_ps(a, b, c)
#define REDUCE_ADD(v)       avx2_reduce_add(v)
#define REDUCE_MAX(v)       avx2_reduce_max(v)
#define REDUCE_ADD_4        avx2_reduce_add_4
#define TILE_ROWS           3
#define LOAD_TAIL(p, n)     _mm256_maskload_ps(p, avx2_mask(n))
#define STORE_TAIL(p, v, n) _mm256_maskstore_ps(p, avx2_mask(n), v)
#define ROUND(v)            _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     avx2_exp_scale(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)))
#define ZERO_BELOW(v, x, least) \
  _mm256_and_ps(v, _mm256_cmp_ps(x, _mm256_set1_ps(least), _CMP_NLT_UQ))

#include "kernels/mt-kernels-simd.h"

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
#undef MAX
#undef FMA
#undef REDUCE_ADD
#undef REDUCE_MAX
#undef REDUCE_ADD_4
#undef TILE_ROWS
#undef LOAD_TAIL
#undef STORE_TAIL
#undef ROUND
#undef EXP_SCALE
#undef MASK_ABOVE
#undef ZERO_BELOW

/* ---- AVX-512: sixteen floats ---------------------------------------------------------------- */

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

#define LOAD(p)             _mm512_loadu_ps(p)
#define STORE(p, v)         _mm512_storeu_ps(p, v)
#define SET1(x)             _mm512_set1_ps(x)
#define ADD(a, b)           _mm512_add_ps(a, b)
#define SUB(a, b)           _mm512_sub_ps(a, b)
#define MUL(a, b)           _mm512_mul_ps(a, b)
#define MAX(a, b)           _mm512_max_ps(a, b)
#define FMA(a, b, c)        _mm512_fmadd_ps(a, b, c)
#define REDUCE_ADD(v)       _mm512_reduce_add_ps(v)
#define REDUCE_MAX(v)       _mm512_reduce_max_ps(v)
#define REDUCE_ADD_4        avx512_reduce_add_4
#define TILE_ROWS           6
#define LOAD_TAIL(p, n)     _mm512_maskz_loadu_ps(AVX512_MASK(n), p)
#define STORE_TAIL(p, v, n) _mm512_mask_storeu_ps(p, AVX512_MASK(n), v)
#define ROUND(v)            _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define EXP_SCALE(v, m)     _mm512_scalef_ps(v, m)
#define MASK_ABOVE(a, b)    ((unsigned) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ))
#define ZERO_BELOW(v, x, least) \
  _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(least), _CMP_NLT_UQ), v)

#include "kernels/mt-kernels-simd.h"

const mt_kernels *
mt_kernels_get(size_t i)
{
  const mt_kernels *tables[4] = {&table_plain};
  size_t n = 1;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    tables[n++] = &table_avx2;
  if (n > 1 && __builtin_cpu_supports("avx512f"))
    tables[n++] = &table_avx512;
  return i < n ? tables[i] : NULL;
}

#else

const mt_kernels *
mt_kernels_get(size_t i)
{
  return i == 0 ? &table_plain : NULL;
}

#endif

const mt_kernels *
mt_kernels_best(void)
{
  size_t n = 1;
  while (mt_kernels_get(n))
    n++;
  return mt_kernels_get(n - 1);
}
