/* emulated-bf16-avx512.c — mt-operator-bf16.c for AVX512-BF16 on emulated instructions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Before the emulation, which means the kernel alone. */
#define MT_ISA emulated_avx512bf16
#include "train/mt-bf16.h"

#include "emulated-avx512.h"

#define __AVX512BF16__ 1
#include "train/mt-operator-bf16.c"
