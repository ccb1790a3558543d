/* bench-peaks.h — what one core can do at best, measured.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENCH_PEAKS_H
#define BENCH_PEAKS_H

typedef struct {
  double fma;   /* GFLOP/s of multiplying and adding floats in registers; 0: there are no vectors */
  double pairs; /* G operations a second of VDPBF16PS; 0: there is none. AMX is not measured */
  double dot;   /* G operations a second of the dot products of int8 that the kernels use */
  double bytes; /* GB/s of reading much memory from end to end */
} Peaks;

/* set: the name of kernels for which to measure, "avx2", or anything else: the best there is. */
Peaks peaks_measure(const char *set);

#endif
