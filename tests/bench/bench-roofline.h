/* bench-roofline.h — the picture of what was measured beside what the processor can do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENCH_ROOFLINE_H
#define BENCH_ROOFLINE_H

#include "bench-peaks.h"

#include <stdbool.h>
#include <stddef.h>

/* A product: operations for each byte of weights, inputs and results, and 10^9 of them a second. */
typedef struct {
  size_t contender;
  double intensity, speed;
} Point;

/* Write an SVG; names of contenders, in the order of their numbers. False: it could not be written,
 * and stderr says why. */
bool roofline_write(const char *path, const Peaks *peaks, const Point *points, size_t n,
                    const char *const *names, size_t n_names);

#endif
