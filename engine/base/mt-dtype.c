/* mt-dtype.c — the number formats of checkpoints, and what the processor has for them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-dtype.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define F32_EXPONENT  UINT32_C(0x7f800000)
#define F16_EXPONENT  0x7c00
#define BF16_EXPONENT 0x7f80

size_t
mt_dtype_size(mt_dtype dtype)
{
  switch (dtype) {
  case MT_DTYPE_F32:
    return 4;
  case MT_DTYPE_F16:
  case MT_DTYPE_BF16:
    return 2;
  case MT_DTYPE_F64:
    return 8;
  default:
    return 0;
  }
}

/* All exponent bits set means infinity or not-a-number, in every format. Without an early
 * exit the loops below vectorise. */

bool
mt_dtype_all_finite(const float *values, size_t n)
{
  unsigned bad = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    bad |= (bits & F32_EXPONENT) == F32_EXPONENT;
  }
  return !bad;
}

bool
mt_dtype_halves_finite(mt_dtype dtype, const uint16_t *values, size_t n)
{
  const uint16_t exponent = dtype == MT_DTYPE_F16 ? F16_EXPONENT : BF16_EXPONENT;
  unsigned bad = 0;
  for (size_t i = 0; i < n; i++)
    bad |= (values[i] & exponent) == exponent;
  return !bad;
}

static float
float_from_f16(uint16_t half)
{
  uint32_t sign = (uint32_t) (half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t fraction = half & 0x3ff;
  uint32_t bits;
  if (exponent == 0x1f) {
    bits = sign | F32_EXPONENT | fraction << 13;
  } else if (exponent != 0) {
    bits = sign | (exponent + 127 - 15) << 23 | fraction << 13;
  } else {
    /* Zero or subnormal: fraction * 2^-24, exact in a float. */
    float magnitude = (float) fraction * 0x1p-24f;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= sign;
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool
f16_plain(const unsigned char *in, float *out, size_t n)
{
  unsigned bad = 0;
  for (size_t i = 0; i < n; i++) {
    uint16_t half;
    memcpy(&half, in + 2 * i, sizeof half);
    bad |= (half & F16_EXPONENT) == F16_EXPONENT;
    out[i] = float_from_f16(half);
  }
  return !bad;
}

static bool
bf16_plain(const unsigned char *in, float *out, size_t n)
{
  unsigned bad = 0;
  for (size_t i = 0; i < n; i++) {
    uint16_t upper;
    memcpy(&upper, in + 2 * i, sizeof upper);
    uint32_t bits = (uint32_t) upper << 16;
    bad |= (bits & F32_EXPONENT) == F32_EXPONENT;
    memcpy(&out[i], &bits, sizeof bits);
  }
  return !bad;
}

static bool
f64_plain(const unsigned char *in, float *out, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double value;
    memcpy(&value, in + 8 * i, sizeof value);
    out[i] = (float) value; /* infinite if it does not fit (annex F of C) */
  }
  return mt_dtype_all_finite(out, n);
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) static bool
f16_f16c(const unsigned char *in, float *out, size_t n)
{
  const __m128i exponent = _mm_set1_epi16(F16_EXPONENT);
  __m128i bad = _mm_setzero_si128();
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i half = _mm_loadu_si128((const __m128i *) (const void *) (in + 2 * i));
    bad = _mm_or_si128(bad, _mm_cmpeq_epi16(_mm_and_si128(half, exponent), exponent));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(half));
  }
  bool tail_ok = f16_plain(in + 2 * i, out + i, n - i);
  return _mm_testz_si128(bad, bad) && tail_ok;
}
#elif defined(__aarch64__)
static bool
f16_neon(const unsigned char *in, float *out, size_t n)
{
  const uint16x4_t exponent = vdup_n_u16(F16_EXPONENT);
  uint16x4_t bad = vdup_n_u16(0);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const uint16x4_t half = vreinterpret_u16_u8(vld1_u8(in + 2 * i));
    bad = vorr_u16(bad, vceq_u16(vand_u16(half, exponent), exponent));
    vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u16(half)));
  }
  bool tail_ok = f16_plain(in + 2 * i, out + i, n - i);
  return vmaxv_u16(bad) == 0 && tail_ok;
}
#endif

bool
mt_dtype_to_float_plain(mt_dtype dtype, const void *in, float *out, size_t n)
{
  switch (dtype) {
  case MT_DTYPE_F16:
    return f16_plain(in, out, n);
  case MT_DTYPE_BF16:
    return bf16_plain(in, out, n);
  case MT_DTYPE_F64:
    return f64_plain(in, out, n);
  default:
    assert(dtype == MT_DTYPE_F32);
    memcpy(out, in, n * sizeof *out);
    return mt_dtype_all_finite(out, n);
  }
}

bool
mt_dtype_to_float(mt_dtype dtype, const void *in, float *out, size_t n)
{
#if defined(__x86_64__)
  if (dtype == MT_DTYPE_F16 && mt_cpu_has_f16())
    return f16_f16c(in, out, n);
#elif defined(__aarch64__)
  if (dtype == MT_DTYPE_F16)
    return f16_neon(in, out, n);
#endif
  return mt_dtype_to_float_plain(dtype, in, out, n);
}

/* The nearest binary16 in the float's bits. */
static uint16_t
f16_from_float(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t) (bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits >= 0x477ff000) /* 65520, half way to the next: infinity */
    return sign | F16_EXPONENT;
  if (bits < 0x38800000) { /* below 2^-14: a multiple of 2^-24; adding 2^-1 rounds to one */
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    magnitude += 0.5f;
    memcpy(&bits, &magnitude, sizeof bits);
    return sign | (uint16_t) (bits - 0x3f000000);
  }
  uint32_t odd = bits >> 13 & 1;
  return sign | (uint16_t) ((bits - 0x38000000 + 0xfff + odd) >> 13);
}

bool
mt_dtype_to_f16(const float *in, uint16_t *out, size_t n)
{
  unsigned bad = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = f16_from_float(in[i]);
    bad |= (out[i] & F16_EXPONENT) == F16_EXPONENT;
  }
  return !bad;
}

void
mt_dtype_to_bf16(const float *in, uint16_t *out, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &in[i], sizeof bits);
    out[i] = (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

/* ---- What the processor has, by its own word ------------------------------------------------- */

unsigned
mt_cpu_count(void)
{
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n < 1 ? 1 : (unsigned) n;
}

#if defined(__x86_64__)
/* The bit itself, because Clang 14 does not know __builtin_cpu_supports("f16c"). That of AVX is
 * asked in the usual way, which also looks whether the system saves the wide registers. */
static bool
ask_for_f16c(void)
{
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

bool
mt_cpu_has_f16(void)
{
#if defined(__x86_64__)
  /* Rows of embeddings ask for each token, and a virtual machine answers in tens of microseconds:
   * the answer is kept. Threads that ask at once write the same. */
  static _Atomic(int) answer; /* 0: nobody asked yet; 1: no; 2: yes */
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == 0) {
    known = ask_for_f16c() ? 2 : 1;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == 2;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

/* Linux lets a process use the large registers of AMX when it has asked for them
 * (Documentation/arch/x86/xstate.rst); asking again is no harm. */
#define ASK_FOR_STATE 0x1023
#define TILE_DATA     18

/* CPUID 7, EDX: AMX-BF16 and AMX-TILE. */
#define AMX_BITS (1u << 22 | 1u << 24)

bool
mt_cpu_has_amx(void)
{
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_BITS) == AMX_BITS &&
         syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
#else
  return false;
#endif
}
