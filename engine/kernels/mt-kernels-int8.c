/* mt-kernels-int8.c — products of quantised rows: plain C, AVX2, AVX-512 with VNNI, NEON, and SDOT.
 *
 * AVX2 multiplies unsigned by signed bytes and adds neighbours in 16 bits, which |x| <= 127 and
 * |w| <= 127 cannot overflow: the sign of x is moved to w. VNNI adds four neighbours in 32 bits,
 * but its first factor is unsigned: x + 128, and 128 times the sum of the weights is taken away
 * again. Sums wrap around where they must, and come out right: 65,536 times 127 times 127 fits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MOST 127.0f

/* ---- Quantising ------------------------------------------------------------------------------ */

/* With `relu`, what is below 0 counts as 0. */
static float
largest(const float *x, size_t n, bool relu)
{
  float most = 0;
  for (size_t i = 0; i < n; i++) {
    float magnitude = relu ? x[i] : fabsf(x[i]);
    most = magnitude > most ? magnitude : most;
  }
  return most;
}

/* A row of zeros has the scale 0. */
static inline void
quantize(uint8_t *out, const float *x, size_t n, bool relu, float most, int offset)
{
  float factor = most > 0 ? MOST / most : 0;
  for (size_t i = 0; i < n; i++) {
    float q = relu && x[i] < 0 ? 0 : x[i] * factor;
    /* To the nearest; factor can round up a little beyond 127. */
    int whole = (int) (q < 0 ? q - 0.5f : q + 0.5f);
    whole = whole > 127 ? 127 : whole < -127 ? -127 : whole;
    out[i] = (uint8_t) (whole + offset);
  }
}

/* ---- Plain C: the reference ------------------------------------------------------------------ */

static float
quantize_plain(uint8_t *out, const float *x, size_t n, bool relu)
{
  float most = largest(x, n, relu);
  quantize(out, x, n, relu, most, 0);
  memset(out + n, 0, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

static void
linear_plain(float *restrict y, size_t y_stride, const uint8_t *restrict x,
             const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
             const float *restrict bias, size_t first, size_t n, size_t stride)
{
  /* A panel stays in the first-level cache while the rows go by. */
  for (size_t o = first; o < first + n; o += MT_INT8_PANEL) {
    const int8_t *panel = w->panels + o * stride;
    size_t n_outs = first + n - o < MT_INT8_PANEL ? first + n - o : MT_INT8_PANEL;
    for (size_t r = 0; r < rows; r++) {
      int32_t dots[MT_INT8_PANEL] = {0};
      for (size_t k = 0; k < stride; k += 4)
        for (size_t i = 0; i < MT_INT8_PANEL; i++)
          for (size_t j = 0; j < 4; j++)
            dots[i] += (int8_t) x[r * stride + k + j] * panel[(k * MT_INT8_PANEL) + i * 4 + j];
      for (size_t i = 0; i < n_outs; i++)
        y[r * y_stride + o + i] =
            (float) dots[i] * (x_scales[r] * w->scales[o + i]) + (bias ? bias[o + i] : 0);
    }
  }
}

static const mt_kernels_int8 table_plain = {"plain", quantize_plain, linear_plain};

#if MT_HAS_VECTORS
#include MT_INTRINSICS

/* Rows of x that the second-level cache holds while the weights go by. */
#define BLOCK_BYTES (256 * 1024)
#define CACHE_LINE  64

#endif

#if MT_HAS_VECTORS && defined(__aarch64__)
#include <sys/auxv.h>

/* ---- NEON ------------------------------------------------------------------------------------ */

#define VEC            int32x4_t
#define FLOATS         float32x4_t
#define LANES          4
#define OFFSET         0
#define TILE_ROWS      6
#define TILE_VECS      4
#define LOAD(p)        vreinterpretq_s32_s8(vld1q_s8((const int8_t *) (p)))
#define STORE(p, v)    vst1q_s8((int8_t *) (p), vreinterpretq_s8_s32(v))
#define SET1(i)        vdupq_n_s32(i)
#define FLOAT(v)       vcvtq_f32_s32(v)
#define SUB(a, b)      vsubq_s32(a, b)
#define LOAD_PS(p)     vld1q_f32(p)
#define STORE_PS(p, v) vst1q_f32(p, v)
#define SET1_PS(f)     vdupq_n_f32(f)
#define MUL_PS(a, b)   vmulq_f32(a, b)
#define ADD_PS(a, b)   vaddq_f32(a, b)

#define TARGET
#define SIMD(name)     name##_neon
#define DOT(sum, x, w) neon_dot(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(w))

/* Two products fit 16 bits, as with AVX2. */
static inline __attribute__((always_inline)) int32x4_t
neon_dot(int32x4_t sum, int8x16_t x, int8x16_t w)
{
  const int16x8_t low = vmull_s8(vget_low_s8(x), vget_low_s8(w));
  return vpadalq_s16(sum, vpaddq_s16(low, vmull_high_s8(x, w)));
}

#include "kernels/mt-kernels-int8-simd.h"

#undef TARGET
#undef SIMD
#undef DOT

/* SDOT, which processors have from Armv8.4 on, and many before: four products in 32 bits. */
#define TARGET         __attribute__((target("arch=armv8.2-a+dotprod")))
#define SIMD(name)     name##_sdot
#define DOT(sum, x, w) vdotq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(w))

#include "kernels/mt-kernels-int8-simd.h"

/* As `quantize`, number for number. */
static float
quantize_neon(uint8_t *out, const float *x, size_t n, bool relu)
{
  const float32x4_t least = vdupq_n_f32(relu ? 0 : -INFINITY);
  float32x4_t most_of = vdupq_n_f32(0);
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    most_of = vmaxq_f32(most_of, vabsq_f32(vmaxq_f32(least, vld1q_f32(x + i))));
  const float most = fmaxf(vmaxvq_f32(most_of), largest(x + i, n - i, relu));

  const float32x4_t factor = vdupq_n_f32(most > 0 ? MOST / most : 0);
  const uint32x4_t sign = vdupq_n_u32(0x80000000);
  for (i = 0; i + 16 <= n; i += 16) {
    int32x4_t whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      const float32x4_t q = vmulq_f32(vmaxq_f32(least, vld1q_f32(x + i + 4 * k)), factor);
      /* Half away from zero: the half gets the sign of q. */
      whole[k] = vcvtq_s32_f32(vaddq_f32(q, vbslq_f32(sign, q, vdupq_n_f32(0.5f))));
    }
    /* Narrowing saturates. */
    const int16x8_t low = vqmovn_high_s32(vqmovn_s32(whole[0]), whole[1]);
    const int16x8_t high = vqmovn_high_s32(vqmovn_s32(whole[2]), whole[3]);
    vst1q_s8((int8_t *) out + i, vqmovn_high_s16(vqmovn_s16(low), high));
  }
  quantize(out + i, x + i, n - i, relu, most, 0);
  memset(out + n, 0, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

static const mt_kernels_int8 table_neon = {"neon", quantize_neon, linear_neon};
static const mt_kernels_int8 table_sdot = {"neon-sdot", quantize_neon, linear_sdot};

/* In the form that has no offset. */
static float
quantize_signed(uint8_t *out, const float *x, size_t n)
{
  return quantize_neon(out, x, n, false);
}

MT_DEFINE_THREE_TABLES(mt_kernels_int8, neon, true, sdot, getauxval(AT_HWCAP) & HWCAP_ASIMDDP)

#elif MT_HAS_VECTORS

/* ---- AVX2 ------------------------------------------------------------------------------------ */

#define TARGET         __attribute__((target("avx2")))
#define SIMD(name)     name##_avx2
#define VEC            __m256i
#define FLOATS         __m256
#define LANES          8
#define OFFSET         0
#define TILE_ROWS      4
#define TILE_VECS      2
#define LOAD(p)        _mm256_loadu_si256((const __m256i *) (const void *) (p))
#define STORE(p, v)    _mm256_storeu_si256((__m256i *) (void *) (p), v)
#define SET1(i)        _mm256_set1_epi32(i)
#define DOT(sum, x, w) avx2_dot(sum, x, w)
#define FLOAT(v)       _mm256_cvtepi32_ps(v)
#define SUB(a, b)      _mm256_sub_epi32(a, b)
#define LOAD_PS(p)     _mm256_loadu_ps(p)
#define STORE_PS(p, v) _mm256_storeu_ps(p, v)
#define SET1_PS(f)     _mm256_set1_ps(f)
#define MUL_PS(a, b)   _mm256_mul_ps(a, b)
#define ADD_PS(a, b)   _mm256_add_ps(a, b)

TARGET static inline __attribute__((always_inline)) __m256i
avx2_dot(__m256i sum, __m256i x, __m256i w)
{
  __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(w, x));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#include "kernels/mt-kernels-int8-simd.h"

/* As `quantize`, number for number. */
TARGET static float
quantize_avx2(uint8_t *out, const float *x, size_t n, bool relu)
{
  const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  /* A number, or 0 instead; the other way round a lane that is no number would become 0. */
  const __m256 least = _mm256_set1_ps(relu ? 0 : -INFINITY);
  __m256 most_of = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 v = _mm256_max_ps(least, _mm256_loadu_ps(x + i));
    most_of = _mm256_max_ps(most_of, _mm256_and_ps(v, no_sign));
  }
  float lanes[8];
  _mm256_storeu_ps(lanes, most_of);
  float most = fmaxf(largest(lanes, 8, false), largest(x + i, n - i, relu));

  const __m256 factor = _mm256_set1_ps(most > 0 ? MOST / most : 0), half = _mm256_set1_ps(0.5f);
  for (i = 0; i + 32 <= n; i += 32) {
    __m256i whole[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      __m256 q = _mm256_mul_ps(_mm256_max_ps(least, _mm256_loadu_ps(x + i + 8 * k)), factor);
      /* Half away from zero: the half gets the sign of q. */
      whole[k] =
          _mm256_cvttps_epi32(_mm256_add_ps(q, _mm256_or_ps(half, _mm256_andnot_ps(no_sign, q))));
    }
    /* Packing saturates and takes turns between the 128-bit halves. */
    __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(whole[0], whole[1]),
                                        _mm256_packs_epi32(whole[2], whole[3]));
    packed = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((__m256i *) (void *) (out + i), packed);
  }
  quantize(out + i, x + i, n - i, relu, most, 0);
  memset(out + n, 0, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

static const mt_kernels_int8 table_avx2 = {"avx2", quantize_avx2, linear_avx2};

#undef TARGET
#undef SIMD
#undef VEC
#undef FLOATS
#undef LANES
#undef OFFSET
#undef TILE_ROWS
#undef TILE_VECS
#undef LOAD
#undef STORE
#undef SET1
#undef DOT
#undef FLOAT
#undef SUB
#undef LOAD_PS
#undef STORE_PS
#undef SET1_PS
#undef MUL_PS
#undef ADD_PS

/* ---- AVX-512 VNNI ---------------------------------------------------------------------------- */

#define TARGET         __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define SIMD(name)     name##_vnni
#define VEC            __m512i
#define FLOATS         __m512
#define LANES          16
#define OFFSET         128
#define TILE_ROWS      6
#define TILE_VECS      4
#define LOAD(p)        _mm512_loadu_si512((const void *) (p))
#define STORE(p, v)    _mm512_storeu_si512((void *) (p), v)
#define SET1(i)        _mm512_set1_epi32(i)
#define DOT(sum, x, w) _mm512_dpbusd_epi32(sum, x, w)
#define FLOAT(v)       _mm512_cvtepi32_ps(v)
#define SUB(a, b)      _mm512_sub_epi32(a, b)
#define LOAD_PS(p)     _mm512_loadu_ps(p)
#define STORE_PS(p, v) _mm512_storeu_ps(p, v)
#define SET1_PS(f)     _mm512_set1_ps(f)
#define MUL_PS(a, b)   _mm512_mul_ps(a, b)
#define ADD_PS(a, b)   _mm512_add_ps(a, b)

#include "kernels/mt-kernels-int8-simd.h"

/* As `quantize`, number for number. */
TARGET static float
quantize_vnni(uint8_t *out, const float *x, size_t n, bool relu)
{
  const __m512i no_sign = _mm512_set1_epi32(0x7fffffff);
  const __m512 least = _mm512_set1_ps(relu ? 0 : -INFINITY);
  __m512 most_of = _mm512_setzero_ps();
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m512i v = _mm512_castps_si512(_mm512_max_ps(least, _mm512_loadu_ps(x + i)));
    most_of = _mm512_max_ps(most_of, _mm512_castsi512_ps(_mm512_and_si512(v, no_sign)));
  }
  float most = fmaxf(_mm512_reduce_max_ps(most_of), largest(x + i, n - i, relu));

  const __m512 factor = _mm512_set1_ps(most > 0 ? MOST / most : 0);
  const __m512i half = _mm512_castps_si512(_mm512_set1_ps(0.5f));
  for (i = 0; i + 16 <= n; i += 16) {
    __m512 q = _mm512_mul_ps(_mm512_max_ps(least, _mm512_loadu_ps(x + i)), factor);
    /* Half away from zero: the half gets the sign of q. */
    __m512i sign = _mm512_andnot_si512(no_sign, _mm512_castps_si512(q));
    __m512 away = _mm512_castsi512_ps(_mm512_or_si512(half, sign));
    __m512i whole = _mm512_cvttps_epi32(_mm512_add_ps(q, away));
    /* It saturates. */
    __m128i bytes = _mm512_cvtsepi32_epi8(whole);
    _mm_storeu_si128((__m128i *) (void *) (out + i), _mm_xor_si128(bytes, _mm_set1_epi8(-128)));
  }
  quantize(out + i, x + i, n - i, relu, most, OFFSET);
  memset(out + n, OFFSET, MT_INT8_STRIDE(n) - n);
  return most / MOST;
}

static const mt_kernels_int8 table_vnni = {"avx512-vnni", quantize_vnni, linear_vnni};

/* In the form that has no offset. */
static float
quantize_signed(uint8_t *out, const float *x, size_t n)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") ? quantize_avx2(out, x, n, false)
                                        : quantize_plain(out, x, n, false);
}

MT_DEFINE_TABLES(mt_kernels_int8, avx2, __builtin_cpu_supports("avx2"), vnni,
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))

#else

static float
quantize_signed(uint8_t *out, const float *x, size_t n)
{
  return quantize_plain(out, x, n, false);
}

MT_DEFINE_TABLES(mt_kernels_int8)

#endif

/* ---- Weights --------------------------------------------------------------------------------- */

void
mt_int8_quantize_weights(mt_int8_weights *w, size_t o, const float *x, size_t n)
{
  /* Whoever fills the panels owns them. */
  int8_t *panel = (int8_t *) w->panels + o / MT_INT8_PANEL * MT_INT8_PANEL * MT_INT8_STRIDE(n);
  int8_t whole[MT_INT8_STRIDE(MT_INT8_MAX_IN)];
  float scale = quantize_signed((uint8_t *) whole, x, n);
  int32_t sum = 0;
  for (size_t k = 0; k < MT_INT8_STRIDE(n); k += 4) {
    memcpy(panel + k * MT_INT8_PANEL + o % MT_INT8_PANEL * 4, whole + k, 4);
    sum += whole[k] + whole[k + 1] + whole[k + 2] + whole[k + 3];
  }
  ((int32_t *) w->offsets)[o] = 128 * sum;
  ((float *) w->scales)[o] = scale;
}
