/* emulated-kernels-bf16.c — mt-kernels-bf16.c on emulated AVX512-BF16 and AMX, in the place of that
 * of the engine; or beside it, by other names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-dtype.h"
#include "emulated-amx.h"
#include "emulated-avx512.h"

#define mt_cpu_has_amx() emulated_has_avx2()
#ifdef EMULATED_BESIDE
#define mt_kernels_bf16_get  emulated_kernels_bf16_get
#define mt_kernels_bf16_best emulated_kernels_bf16_best
#define mt_bf16_round        emulated_bf16_round
#endif

#include "kernels/mt-kernels-bf16.c"
