/* mt-bf16.c — which products of bf16 run here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-bf16.h"

#include "base/mt-dtype.h"
#include "mt/train/network.h"

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
      if (mt_cpu_has_amx())
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
