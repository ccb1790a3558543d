/* mt-bf16.c — which products of bf16 run here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-bf16.h"

#include "mt/train/network.h"

#if !defined(MT_TRAIN_DOUBLE) && defined(MT_TRAIN_X86)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux lets a process use the large registers of AMX when it has asked for them
 * (Documentation/arch/x86/xstate.rst); asking again is no harm. */
#define ASK_FOR_STATE 0x1023
#define TILE_DATA     18

/* CPUID 7, EDX: AMX-BF16 and AMX-TILE. */
#define AMX_BITS (1u << 22 | 1u << 24)

static bool
has_amx(void)
{
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_BITS) == AMX_BITS &&
         syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
}
#endif

#ifndef MT_TRAIN_DOUBLE
extern const mt_bf16 mt_bf16_portable;
#ifdef MT_TRAIN_X86
extern const mt_bf16 mt_bf16_avx2, mt_bf16_avx512, mt_bf16_avx512bf16, mt_bf16_amx;
#endif
#endif

const mt_bf16 *
mt_bf16_get(size_t i)
{
#ifdef MT_TRAIN_DOUBLE
  return NULL;
#else
  const mt_bf16 *tables[5] = {&mt_bf16_portable};
  size_t n = 1;
#ifdef MT_TRAIN_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    tables[n++] = &mt_bf16_avx2;
  if (n > 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq")) {
    tables[n++] = &mt_bf16_avx512;
    if (__builtin_cpu_supports("avx512bf16")) {
      tables[n++] = &mt_bf16_avx512bf16;
      if (has_amx())
        tables[n++] = &mt_bf16_amx;
    }
  }
#endif
  return i < n ? tables[i] : NULL;
#endif
}

const mt_bf16 *
mt_bf16_best(void)
{
  const mt_bf16 *best = NULL;
  for (size_t i = 0; mt_bf16_get(i); i++)
    best = mt_bf16_get(i);
  return best;
}

const char *
mt_products_bf16_name(bool *is_emulated)
{
  const mt_bf16 *best = mt_bf16_best();
  *is_emulated = best && best->is_emulated;
  return best ? best->name : NULL;
}
