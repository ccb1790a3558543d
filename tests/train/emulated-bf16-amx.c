/* emulated-bf16-amx.c — mt-operator-bf16.c for AMX on emulated instructions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Before the emulation, which means the kernel alone. */
#define MT_ISA emulated_amx
#include "train/mt-bf16.h"

#include "emulated-amx.h"

#define __AMX_BF16__ 1
#include "train/mt-operator-bf16.c"
