/* mt-four.h — four floats as one vector, which every processor with vectors has. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In the compiler's own vectors, so that one text serves all processors.
 */
#ifndef MT_FOUR_H
#define MT_FOUR_H

#include <stddef.h>
#include <string.h>

typedef float mt_four __attribute__((vector_size(16)));
typedef double mt_doubles __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) mt_four
mt_four_load(const float *p)
{
  mt_four v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline __attribute__((always_inline)) void
mt_four_store(float *p, mt_four v)
{
  memcpy(p, &v, sizeof v);
}

/* Four rows of four become columns: to[j * to_stride + i] = from[i * from_stride + j]. */
static inline __attribute__((always_inline)) void
mt_four_turn(float *to, size_t to_stride, const float *from, size_t from_stride)
{
  const mt_four a = mt_four_load(from), b = mt_four_load(from + from_stride);
  const mt_four c = mt_four_load(from + 2 * from_stride), d = mt_four_load(from + 3 * from_stride);
  const mt_four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const mt_four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const mt_four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const mt_four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  mt_four_store(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  mt_four_store(to + to_stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  mt_four_store(to + 2 * to_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  mt_four_store(to + 3 * to_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

#endif
