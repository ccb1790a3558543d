/* mt-cpu.h — what the processor has that compilers do not ask for everywhere. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CPU_H
#define MT_CPU_H

#include <stdbool.h>

/* Cores that this process may run on; at least 1. */
unsigned mt_cpu_count(void);

/* True if the processor converts F16 itself (F16C, and AVX for it to work on). */
bool mt_cpu_has_f16c(void);

/* True if it multiplies tiles of bf16 (AMX-BF16) and the system lets this process use their
 * registers, for which it is asked. */
bool mt_cpu_has_amx(void);

#endif
