/* mt-halves.h — a matrix of numbers of 16 bits, whose other forms are made when somebody asks.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products read the numbers in panels, and tables of embeddings are read row by row. Floats, twice
 * as large, are wanted by those who look at a matrix, and by derivatives: mostly by nobody. So they
 * have room in the address space, and become memory when they are first asked for. They are the
 * same numbers, exactly.
 */
#ifndef MT_HALVES_H
#define MT_HALVES_H

#include "kernels/mt-kernels.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mt_halves {
  const void *numbers; /* [n_out][n_in], where a mapped file has them; all are finite */
  mt_dtype dtype;      /* F16 or BF16 */
  size_t n_out, n_in;
  float *floats; /* room for [n_out][n_in] */
  void *panels;  /* room as MT_PANELS_SIZE; NULL: nobody multiplies with it */
  _Atomic(bool) has_floats, has_panels;
};

/* The matrix in each form; made by the first who asks, others wait for it. From any thread, none of
 * which may be one of a pool that the caller waits for. */
const float *mt_halves_floats(mt_halves *halves);
const void *mt_halves_panels(mt_halves *halves);

/* Numbers first … first + n - 1 of all rows behind each other, as floats. */
void mt_halves_read(const mt_halves *halves, size_t first, size_t n, float *out);

/* The matrix of a linear map as floats, [n_out][n_in]. */
const float *mt_linear_floats(const mt_linear *map);

#endif
