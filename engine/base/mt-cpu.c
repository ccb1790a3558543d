/* mt-cpu.c — what the processor has, by its own word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-cpu.h"

#include <sched.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

unsigned
mt_cpu_count(void)
{
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n < 1 ? 1 : (unsigned) n;
}

bool
mt_cpu_has_f16c(void)
{
#if defined(__x86_64__)
  /* The bit itself, because Clang 14 does not know __builtin_cpu_supports("f16c"). That of AVX is
   * asked in the usual way, which also looks whether the system saves the wide registers. */
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
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
