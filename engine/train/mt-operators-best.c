/* mt-operators-best.c — which build of the operators, and of products of bf16, runs here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-dtype.h"
#include "base/mt-hash.h"
#include "mt/train/network.h"
#include "train/mt-bf16.h"
#include "train/mt-operators.h"

extern const mt_operators mt_operators_portable;
#ifdef MT_TRAIN_X86
extern const mt_operators mt_operators_avx2, mt_operators_avx512;
#endif

const mt_operators *
mt_operators_get(size_t i)
{
  const mt_operators *tables[3] = {&mt_operators_portable};
  size_t n = 1;
#ifdef MT_TRAIN_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    tables[n++] = &mt_operators_avx2;
  if (n > 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    tables[n++] = &mt_operators_avx512;
#endif
  return i < n ? tables[i] : NULL;
}

const mt_operators *
mt_operators_best(void)
{
  size_t n = 1;
  while (mt_operators_get(n))
    n++;
  return mt_operators_get(n - 1);
}

mt_dropout
mt_dropout_new(double p, uint64_t seed, uint64_t step, uint32_t hook_point)
{
  /* Each of the three goes through all bits of the one before. */
  uint64_t key = mt_mix(mt_mix(mt_mix(seed + MT_MIX_STEP) + step) + hook_point);
  double threshold = p * 0x1p32;
  return (mt_dropout){
      .key = {(uint32_t) key, (uint32_t) (key >> 32)},
      .threshold = threshold < 0xffffffffu ? (uint32_t) threshold : 0xffffffffu,
      .scale = (mt_real) (1 / (1 - p)),
  };
}

/* ---- Products of bf16 ------------------------------------------------------------------------ */

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
