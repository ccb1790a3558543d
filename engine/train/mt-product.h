/* mt-product.h — the matrix products of training, divided among threads. Private to the trainer.
 *
 * Measured on two Zen 3 cores (sgemm's peak there 180 GFLOP/s): rows divided in two halves, a
 * single-threaded sgemm each, reach 165 to 177 at all shapes of a layer with d 256, OpenBLAS' own
 * threads the same but 74 to 166 at some; more and smaller parts are slower, since each of them
 * repacks the other factor.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PRODUCT_H
#define MT_PRODUCT_H

#include "mt-pool.h"
#include "mt-real.h"

#include <stdbool.h>

/* A matrix as it lies, or transposed: rows of `at` are stride apart. */
typedef struct {
  const mt_real *at;
  size_t stride;
  bool transposed;
} mt_factor;

/* One thread for each product, in the whole process. */
void mt_product_init(void);

/* c [rows][cols] = a [rows][depth] b [depth][cols] + (adds ? c : 0), by the thread that calls. */
void mt_product_alone(mt_real *c, size_t c_stride, mt_factor a, mt_factor b, size_t rows,
                      size_t cols, size_t depth, bool adds);

/* The same, rows divided among the threads of the pool; the same bits for the same number of
 * threads. */
void mt_product(mt_pool *pool, mt_real *c, size_t c_stride, mt_factor a, mt_factor b, size_t rows,
                size_t cols, size_t depth, bool adds);

#endif
