/* bench-peaks.c — multiply-adds, dot products and reads that wait for nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench-peaks.h"

#include "base/mt-alloc.h"
#include "bench-times.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TURNS   200000 /* of CHAINS instructions that do not wait for each other */
#define CHAINS  12
#define TRIES   15
#define READ_MB 256

/* The best of some tries, in 10^9 a second. */
static double
best_of(void (*work)(void), double n)
{
  double least = 1e9;
  for (int i = 0; i < TRIES; i++) {
    double begin = thread_ms();
    work();
    double ms = thread_ms() - begin;
    least = ms < least ? ms : least;
  }
  return n / least * 1e-6;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

static volatile float sink;
static volatile int int_sink;

/* CHAINS sums of `type`, which begin as `zero` and become `next`, a term of i. */
#define CHAIN(name, features, type, zero, next, out)                           \
  __attribute__((target(features))) static void name(void)                     \
  {                                                                            \
    type sum[CHAINS];                                                          \
    for (int i = 0; i < CHAINS; i++)                                           \
      sum[i] = zero;                                                           \
    for (int k = 0; k < TURNS; k++) {                                          \
      _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) sum[i] = next; \
    }                                                                          \
    for (int i = 0; i < CHAINS; i++)                                           \
      out;                                                                     \
  }

CHAIN(fma_avx2, "avx2,fma", __m256, _mm256_set1_ps(0.5f),
      _mm256_fmadd_ps(sum[i], _mm256_set1_ps(0.5f), _mm256_set1_ps(0.25f)),
      sink = _mm256_cvtss_f32(sum[i]))
CHAIN(fma_avx512, "avx512f", __m512, _mm512_set1_ps(0.5f),
      _mm512_fmadd_ps(sum[i], _mm512_set1_ps(0.5f), _mm512_set1_ps(0.25f)),
      sink = _mm512_cvtss_f32(sum[i]))
CHAIN(dot_bf16, "avx512f,avx512bf16", __m512, _mm512_setzero_ps(),
      _mm512_dpbf16_ps(sum[i], (__m512bh) _mm512_set1_epi32(0x3f003f00),
                       (__m512bh) _mm512_set1_epi32(0x3f003f80)),
      sink = _mm512_cvtss_f32(sum[i]))
CHAIN(dot_vnni, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
      _mm512_dpbusd_epi32(sum[i], _mm512_set1_epi32(0x01020304), _mm512_set1_epi32(0x01ff0201)),
      int_sink = _mm512_cvtsi512_si32(sum[i]))
/* The signs of one factor go to the other, bytes are multiplied and added in pairs, and pairs of
 * pairs to the sum. */
CHAIN(dot_avx2, "avx2", __m256i, _mm256_setzero_si256(),
      _mm256_add_epi32(
          sum[i], _mm256_madd_epi16(
                      _mm256_maddubs_epi16(_mm256_set1_epi32(0x01020304),
                                           _mm256_sign_epi8(sum[i], _mm256_set1_epi32(0x01ff0201))),
                      _mm256_set1_epi16(1))),
      int_sink = _mm256_extract_epi32(sum[i], 0))

static void
measure_arithmetic(Peaks *peaks, bool is_avx2)
{
  const double n = (double) TURNS * CHAINS;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return;
  bool wide = !is_avx2 && __builtin_cpu_supports("avx512f");
  peaks->fma = best_of(wide ? fma_avx512 : fma_avx2, n * (wide ? 32 : 16));
  if (wide && __builtin_cpu_supports("avx512bf16"))
    peaks->pairs = best_of(dot_bf16, n * 64);
  wide = wide && __builtin_cpu_supports("avx512vnni");
  peaks->dot = best_of(wide ? dot_vnni : dot_avx2, n * (wide ? 128 : 64));
}
#else
static void
measure_arithmetic(Peaks *peaks, bool is_avx2)
{
  (void) peaks;
  (void) is_avx2;
}
#endif

static const uint64_t *words;
static volatile uint64_t words_sink;

static void
read_all(void)
{
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (const uint64_t *p = words, *end = p + ((size_t) READ_MB << 20) / sizeof *p; p < end;
       p += 8) {
    __builtin_prefetch(p + 256);
    a += p[0] + p[4];
    b += p[1] + p[5];
    c += p[2] + p[6];
    d += p[3] + p[7];
  }
  words_sink = a + b + c + d;
}

Peaks
peaks_measure(const char *set)
{
  Peaks peaks = {0};
  measure_arithmetic(&peaks, strcmp(set, "avx2") == 0);
  void *memory = mt_alloc_large((size_t) READ_MB << 20, 1);
  if (memory) {
    words = memset(memory, 1, (size_t) READ_MB << 20);
    peaks.bytes = best_of(read_all, (double) ((size_t) READ_MB << 20));
    mt_free(memory);
  }
  return peaks;
}
