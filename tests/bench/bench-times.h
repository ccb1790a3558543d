/* bench-times.h — milliseconds, and a row of the table of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENCH_TIMES_H
#define BENCH_TIMES_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

/* Of the thread that asks: what others do meanwhile does not count. */
static inline double
thread_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static inline int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static inline void
print_row(const char *name, double *ms, size_t n)
{
  qsort(ms, n, sizeof *ms, compare);
  /* Nearest rank: the smallest value with at least 95 % of all at or below it. */
  size_t p95 = (95 * n + 99) / 100 - 1;
  printf("%-34s %9.2f %9.2f %9.2f %9.2f %6zu\n", name, ms[n / 2], ms[p95], ms[0], ms[n - 1], n);
}

#endif
