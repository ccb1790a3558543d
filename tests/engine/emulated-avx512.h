/* emulated-avx512.h — the AVX-512 instructions that the kernels use, in plain C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Most machines that build and test have no AVX-512, and no emulator of Debian 12 knows it. A
 * kernel's source, included after this file, is compiled with AVX2 at most: names of 512-bit types
 * and intrinsics lead to the functions below, which do what Intel's guide says of each, lane by
 * lane, and every processor with AVX2 claims to have the rest. What is tested so is all of the
 * kernels but the instructions themselves: masks, tails, offsets, the order of sums.
 *
 * Masked loads and stores touch only what the mask allows, so that AddressSanitizer sees the
 * others.
 */
#pragma once

#include "mt.h"

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EMULATED __attribute__((target("avx2,fma,f16c"), noinline, unused)) static

typedef struct {
  float lane[16];
} emulated_ps;

typedef struct {
  int32_t lane[16];
} emulated_si;

typedef struct {
  double lane[8];
} emulated_pd;

#define EACH_LANE for (int i = 0; i < 16; i++)

/* ---- Memory, types -------------------------------------------------------------------------- */

EMULATED emulated_ps
emulated_loadu_ps(const void *p)
{
  emulated_ps v;
  memcpy(&v, p, sizeof v);
  return v;
}

EMULATED void
emulated_storeu_ps(void *p, emulated_ps v)
{
  memcpy(p, &v, sizeof v);
}

EMULATED emulated_ps
emulated_maskz_loadu_ps(__mmask16 mask, const void *p)
{
  emulated_ps v = {{0}};
  EACH_LANE
  if (mask >> i & 1)
    v.lane[i] = ((const float *) p)[i];
  return v;
}

EMULATED void
emulated_mask_storeu_ps(void *p, __mmask16 mask, emulated_ps v)
{
  EACH_LANE
  if (mask >> i & 1)
    ((float *) p)[i] = v.lane[i];
}

EMULATED emulated_si
emulated_loadu_si512(const void *p)
{
  emulated_si v;
  memcpy(&v, p, sizeof v);
  return v;
}

EMULATED emulated_si
emulated_setzero_si512(void)
{
  return (emulated_si){{0}};
}

EMULATED emulated_ps
emulated_set1_ps(float x)
{
  emulated_ps v;
  EACH_LANE v.lane[i] = x;
  return v;
}

EMULATED emulated_ps
emulated_castsi512_ps(emulated_si v)
{
  return emulated_loadu_ps(&v);
}

EMULATED emulated_pd
emulated_castps_pd(emulated_ps v)
{
  emulated_pd d;
  memcpy(&d, &v, sizeof d);
  return d;
}

EMULATED __m256
emulated_castps512_ps256(emulated_ps v)
{
  return _mm256_loadu_ps(v.lane);
}

EMULATED __m256d
emulated_extractf64x4_pd(emulated_pd v, int half)
{
  return _mm256_loadu_pd(v.lane + 4 * half);
}

/* ---- Conversions ---------------------------------------------------------------------------- */

EMULATED emulated_si
emulated_castps_si512(emulated_ps v)
{
  emulated_si out;
  memcpy(&out, &v, sizeof out);
  return out;
}

EMULATED emulated_ps
emulated_castpd_ps(emulated_pd v)
{
  emulated_ps out;
  memcpy(&out, &v, sizeof out);
  return out;
}

/* Two quarters of a, then two of b. */
EMULATED emulated_ps
emulated_shuffle_f32x4(emulated_ps a, emulated_ps b, int how)
{
  emulated_ps out;
  for (int quarter = 0; quarter < 4; quarter++)
    memcpy(out.lane + 4 * quarter, (quarter < 2 ? a : b).lane + 4 * (how >> 2 * quarter & 3),
           4 * sizeof(float));
  return out;
}

/* Within each quarter: two lanes of a, then two of b. */
EMULATED emulated_ps
emulated_shuffle_ps(emulated_ps a, emulated_ps b, int how)
{
  emulated_ps out;
  EACH_LANE out.lane[i] = (i % 4 < 2 ? a : b).lane[i / 4 * 4 + (how >> 2 * (i % 4) & 3)];
  return out;
}

/* Within each quarter: the lower (upper) double of a, then that of b. */
EMULATED emulated_pd
emulated_unpacklo_pd(emulated_pd a, emulated_pd b)
{
  emulated_pd out;
  for (int i = 0; i < 8; i++)
    out.lane[i] = (i % 2 ? b : a).lane[i / 2 * 2];
  return out;
}

EMULATED emulated_pd
emulated_unpackhi_pd(emulated_pd a, emulated_pd b)
{
  emulated_pd out;
  for (int i = 0; i < 8; i++)
    out.lane[i] = (i % 2 ? b : a).lane[i / 2 * 2 + 1];
  return out;
}

EMULATED emulated_ps
emulated_cvtph_ps(__m256i v)
{
  emulated_ps out;
  _mm256_storeu_ps(out.lane, _mm256_cvtph_ps(_mm256_castsi256_si128(v)));
  _mm256_storeu_ps(out.lane + 8, _mm256_cvtph_ps(_mm256_extracti128_si256(v, 1)));
  return out;
}

EMULATED emulated_si
emulated_cvtepu16_epi32(__m256i v)
{
  uint16_t in[16];
  emulated_si out;
  memcpy(in, &v, sizeof in);
  EACH_LANE out.lane[i] = in[i];
  return out;
}

EMULATED emulated_si
emulated_slli_epi32(emulated_si v, unsigned n)
{
  EACH_LANE v.lane[i] = n > 31 ? 0 : (int32_t) ((uint32_t) v.lane[i] << n);
  return v;
}

EMULATED emulated_si
emulated_rol_epi32(emulated_si v, int n)
{
  EACH_LANE
  {
    uint32_t x = (uint32_t) v.lane[i];
    v.lane[i] = (int32_t) (x << n % 32 | x >> (32 - n) % 32);
  }
  return v;
}

EMULATED emulated_si
emulated_and_si512(emulated_si a, emulated_si b)
{
  EACH_LANE a.lane[i] &= b.lane[i];
  return a;
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

EMULATED emulated_ps
emulated_add_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE a.lane[i] += b.lane[i];
  return a;
}

EMULATED emulated_ps
emulated_sub_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE a.lane[i] -= b.lane[i];
  return a;
}

EMULATED emulated_ps
emulated_mul_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE a.lane[i] *= b.lane[i];
  return a;
}

EMULATED emulated_ps
emulated_div_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE a.lane[i] /= b.lane[i];
  return a;
}

/* The second one where either is NaN. */
EMULATED emulated_ps
emulated_max_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return a;
}

EMULATED emulated_ps
emulated_fmadd_ps(emulated_ps a, emulated_ps b, emulated_ps c)
{
  EACH_LANE c.lane[i] = fmaf(a.lane[i], b.lane[i], c.lane[i]);
  return c;
}

/* To the nearest whole number; nothing else is asked for. */
EMULATED emulated_ps
emulated_roundscale_ps(emulated_ps v, int how)
{
  if (how != (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
    abort();
  EACH_LANE v.lane[i] = rintf(v.lane[i]);
  return v;
}

/* a 2^floor(b). */
EMULATED emulated_ps
emulated_scalef_ps(emulated_ps a, emulated_ps b)
{
  EACH_LANE
  {
    float n = floorf(b.lane[i]);
    if (isnan(n))
      a.lane[i] = n;
    else if (isinf(n))
      a.lane[i] *= n > 0 ? n : 0;
    else
      a.lane[i] = scalbnf(a.lane[i], n > 1000 ? 1000 : n < -1000 ? -1000 : (int) n);
  }
  return a;
}

EMULATED __mmask16
emulated_cmp_ps_mask(emulated_ps a, emulated_ps b, int how)
{
  unsigned mask = 0;
  if (how != _CMP_GT_OQ && how != _CMP_NLT_UQ)
    abort();
  EACH_LANE
  {
    bool is_so = how == _CMP_GT_OQ ? a.lane[i] > b.lane[i] : !(a.lane[i] < b.lane[i]);
    mask |= (unsigned) is_so << i;
  }
  return (__mmask16) mask;
}

EMULATED emulated_ps
emulated_maskz_mov_ps(__mmask16 mask, emulated_ps v)
{
  EACH_LANE v.lane[i] = mask >> i & 1 ? v.lane[i] : 0;
  return v;
}

/* Upper half and lower half, and so on. */
EMULATED float
emulated_reduce_add_ps(emulated_ps v)
{
  for (int n = 8; n > 0; n /= 2)
    for (int i = 0; i < n; i++)
      v.lane[i] += v.lane[i + n];
  return v.lane[0];
}

EMULATED float
emulated_reduce_max_ps(emulated_ps v)
{
  for (int n = 8; n > 0; n /= 2)
    for (int i = 0; i < n; i++)
      v.lane[i] = v.lane[i] > v.lane[i + n] ? v.lane[i] : v.lane[i + n];
  return v.lane[0];
}

/* To each lane four products of an unsigned byte of a and a signed one of b; it wraps around. */
EMULATED emulated_si
emulated_dpbusd_epi32(emulated_si sum, emulated_si a, emulated_si b)
{
  uint8_t unsigned_bytes[64];
  int8_t signed_bytes[64];
  memcpy(unsigned_bytes, &a, sizeof unsigned_bytes);
  memcpy(signed_bytes, &b, sizeof signed_bytes);
  EACH_LANE
  {
    int32_t products = 0;
    for (int k = 0; k < 4; k++)
      products += unsigned_bytes[4 * i + k] * signed_bytes[4 * i + k];
    sum.lane[i] = (int32_t) ((uint32_t) sum.lane[i] + (uint32_t) products);
  }
  return sum;
}

EMULATED emulated_si
emulated_set1_epi32(int32_t x)
{
  emulated_si v;
  EACH_LANE v.lane[i] = x;
  return v;
}

/* To each lane the products of two pairs of bf16: first the upper halves, each multiplied and added
 * with one rounding. What is too small for a normal number is zero, before and after. */
EMULATED emulated_ps
emulated_dpbf16_ps(emulated_ps sum, emulated_si a, emulated_si b)
{
  EACH_LANE for (int upper = 1; upper >= 0; upper--)
  {
    uint32_t bits[2] = {(uint32_t) a.lane[i], (uint32_t) b.lane[i]};
    float x[3] = {[2] = sum.lane[i]};
    for (int k = 0; k < 2; k++) {
      bits[k] = upper ? bits[k] & 0xffff0000u : bits[k] << 16;
      memcpy(&x[k], &bits[k], sizeof x[k]);
    }
    for (int k = 0; k < 3; k++)
      x[k] = fabsf(x[k]) < 0x1p-126f ? copysignf(0, x[k]) : x[k];
    float result = fmaf(x[0], x[1], x[2]);
    sum.lane[i] = fabsf(result) < 0x1p-126f ? copysignf(0, result) : result;
  }
  return sum;
}

/* Two vectors of floats to one of bf16, the second below the first; ties to even. */
EMULATED emulated_si
emulated_cvtne2ps_pbh(emulated_ps high, emulated_ps low)
{
  uint16_t rounded[32];
  EACH_LANE for (int k = 0; k < 2; k++)
  {
    uint32_t bits;
    memcpy(&bits, k ? &high.lane[i] : &low.lane[i], sizeof bits);
    uint32_t exponent = bits & 0x7f800000;
    if (exponent == 0)
      bits &= 0x80000000;
    else if (exponent == 0x7f800000 && bits & 0x7fffff)
      bits |= 0x400000;
    else
      bits += 0x7fff + (bits >> 16 & 1);
    rounded[16 * k + i] = (uint16_t) (bits >> 16);
  }
  emulated_si v;
  memcpy(&v, rounded, sizeof v);
  return v;
}

EMULATED int32_t
emulated_reduce_add_epi32(emulated_si v)
{
  uint32_t sum = 0;
  EACH_LANE sum += (uint32_t) v.lane[i];
  return (int32_t) sum;
}

EMULATED void
emulated_storeu_si512(void *p, emulated_si v)
{
  memcpy(p, &v, sizeof v);
}

EMULATED emulated_si
emulated_sub_epi32(emulated_si a, emulated_si b)
{
  EACH_LANE a.lane[i] = (int32_t) ((uint32_t) a.lane[i] - (uint32_t) b.lane[i]);
  return a;
}

EMULATED emulated_ps
emulated_cvtepi32_ps(emulated_si v)
{
  emulated_ps out;
  EACH_LANE out.lane[i] = (float) v.lane[i];
  return out;
}

EMULATED emulated_si
emulated_andnot_si512(emulated_si a, emulated_si b)
{
  EACH_LANE a.lane[i] = ~a.lane[i] & b.lane[i];
  return a;
}

EMULATED emulated_si
emulated_or_si512(emulated_si a, emulated_si b)
{
  EACH_LANE a.lane[i] |= b.lane[i];
  return a;
}

EMULATED emulated_si
emulated_cvttps_epi32(emulated_ps v)
{
  emulated_si out;
  EACH_LANE out.lane[i] = (int32_t) v.lane[i];
  return out;
}

/* Each lane to the nearest number that a signed byte holds. */
EMULATED __m128i
emulated_cvtsepi32_epi8(emulated_si v)
{
  int8_t bytes[16];
  EACH_LANE bytes[i] = (int8_t) (v.lane[i] > INT8_MAX   ? INT8_MAX
                                 : v.lane[i] < INT8_MIN ? INT8_MIN
                                                        : v.lane[i]);
  __m128i out;
  memcpy(&out, bytes, sizeof out);
  return out;
}

static inline int
emulated_has_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* ---- From here on the names mean these ------------------------------------------------------ */

#define __m512                 emulated_ps
#define __m512i                emulated_si
#define __m512d                emulated_pd
#define __m512bh               emulated_si
#define _mm512_loadu_ps        emulated_loadu_ps
#define _mm512_storeu_ps       emulated_storeu_ps
#define _mm512_maskz_loadu_ps  emulated_maskz_loadu_ps
#define _mm512_mask_storeu_ps  emulated_mask_storeu_ps
#define _mm512_loadu_si512     emulated_loadu_si512
#define _mm512_storeu_si512    emulated_storeu_si512
#define _mm512_sub_epi32       emulated_sub_epi32
#define _mm512_cvtepi32_ps     emulated_cvtepi32_ps
#define _mm512_setzero_si512   emulated_setzero_si512
#define _mm512_setzero_ps()    emulated_set1_ps(0)
#define _mm512_set1_ps         emulated_set1_ps
#define _mm512_set1_epi32      emulated_set1_epi32
#define _mm512_dpbf16_ps       emulated_dpbf16_ps
#define _mm512_cvtne2ps_pbh    emulated_cvtne2ps_pbh
#define _mm512_castsi512_ps    emulated_castsi512_ps
#define _mm512_castps_pd       emulated_castps_pd
#define _mm512_castps512_ps256 emulated_castps512_ps256
#define _mm512_castps_si512    emulated_castps_si512
#define _mm512_castpd_ps       emulated_castpd_ps
#define _mm512_and_si512       emulated_and_si512
#define _mm512_andnot_si512    emulated_andnot_si512
#define _mm512_or_si512        emulated_or_si512
#define _mm512_cvttps_epi32    emulated_cvttps_epi32
#define _mm512_cvtsepi32_epi8  emulated_cvtsepi32_epi8
#define _mm512_unpacklo_pd     emulated_unpacklo_pd
#define _mm512_unpackhi_pd     emulated_unpackhi_pd
#undef _mm512_shuffle_f32x4
#define _mm512_shuffle_f32x4 emulated_shuffle_f32x4
#undef _mm512_shuffle_ps
#define _mm512_shuffle_ps emulated_shuffle_ps
#undef _mm512_extractf64x4_pd
#define _mm512_extractf64x4_pd emulated_extractf64x4_pd
#define _mm512_cvtph_ps        emulated_cvtph_ps
#define _mm512_cvtepu16_epi32  emulated_cvtepu16_epi32
#define _mm512_slli_epi32      emulated_slli_epi32
#undef _mm512_rol_epi32
#define _mm512_rol_epi32 emulated_rol_epi32
#define _mm512_add_ps    emulated_add_ps
#define _mm512_sub_ps    emulated_sub_ps
#define _mm512_mul_ps    emulated_mul_ps
#define _mm512_max_ps    emulated_max_ps
#define _mm512_div_ps    emulated_div_ps
#define _mm512_fmadd_ps  emulated_fmadd_ps
#undef _mm512_roundscale_ps
#define _mm512_roundscale_ps emulated_roundscale_ps
#define _mm512_scalef_ps     emulated_scalef_ps
#undef _mm512_cmp_ps_mask
#define _mm512_cmp_ps_mask           emulated_cmp_ps_mask
#define _mm512_maskz_mov_ps          emulated_maskz_mov_ps
#define _mm512_reduce_add_ps         emulated_reduce_add_ps
#define _mm512_reduce_max_ps         emulated_reduce_max_ps
#define _mm512_dpbusd_epi32          emulated_dpbusd_epi32
#define _mm512_reduce_add_epi32      emulated_reduce_add_epi32
#define __builtin_cpu_supports(what) emulated_has_avx2()
/* Tiles that are unrolled and inlined, each instruction a loop, would take compilers minutes. */
#ifndef __clang__
/* How many rows there are, they then cannot see. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#define inline
#define always_inline noinline, unused
/* No function may use more than is there, or the compiler would do so by itself. */
#define target(features) target("avx2,fma,f16c")
