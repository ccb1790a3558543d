/* mt-dtype.h — the number formats of checkpoints, and what the processor has for them. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DTYPE_H
#define MT_DTYPE_H

#include "mt/train/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of one number; 0 for MT_DTYPE_OTHER. */
size_t mt_dtype_size(mt_dtype dtype);

/* n little-endian numbers at `in`, which need not be aligned, to floats. `out` must not overlap.
 * Returns false if any of them is infinite or not a number. Exact for F16 and BF16, each of which
 * is a F32; F64 is rounded to the nearest, and false too where that is beyond every F32. */
bool mt_dtype_to_float(mt_dtype dtype, const void *in, float *out, size_t n);

/* The same without instructions beyond the baseline, for comparison. */
bool mt_dtype_to_float_plain(mt_dtype dtype, const void *in, float *out, size_t n);

/* n floats to the nearest F16 and BF16, of equals the even one. False if a number is beyond every
 * F16. `in` is finite. */
bool mt_dtype_to_f16(const float *in, uint16_t *out, size_t n);
void mt_dtype_to_bf16(const float *in, uint16_t *out, size_t n);

/* True if all of n floats, or numbers in F16 or BF16, are finite. */
bool mt_dtype_all_finite(const float *values, size_t n);
bool mt_dtype_halves_finite(mt_dtype dtype, const uint16_t *values, size_t n);

/* ---- What the processor has that compilers do not ask for everywhere ------------------------- */

/* Cores that this process may run on; at least 1. */
unsigned mt_cpu_count(void);

/* True if the processor makes floats of F16 itself (x86: F16C, and AVX for it to work on; every
 * 64-bit Arm). */
bool mt_cpu_has_f16(void);

/* True if it multiplies tiles of bf16 (AMX-BF16) and the system lets this process use their
 * registers, for which it is asked. */
bool mt_cpu_has_amx(void);

#endif
