/* mt-product.h — the matrix products of training, divided among threads. Private to the trainer.
 *
 * Measured on Zen 3, one thread, of 92 GFLOP/s that it can do: with rows of a as they lie, our own
 * (mt-operator-panels.c) reach 86 to 91 at the shapes of a layer with d 256, sgemm 77 to 86; with a
 * transposed, which is how gradients of weights come about, ours reached 77 to 89 and sgemm 85. So
 * gradients of weights go to OpenBLAS, and everything where there are no wide vectors.
 *
 * OpenBLAS' own threads were the same as rows divided in halves at most shapes, and half as fast at
 * some.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PRODUCT_H
#define MT_PRODUCT_H

#include "mt-operators.h"
#include "mt-pool.h"

/* What products are made with. */
typedef struct {
  const mt_operators *operators;
  mt_pool *pool;
  mt_real *panels; /* room for the panels of any b */
} mt_products;

/* OpenBLAS uses one thread for each product, in the whole process. */
void mt_product_init(void);

/* c [rows][cols] = a [rows][depth] b [depth][cols] + (adds ? c : 0), rows divided among the threads
 * of the pool; the same bits for the same number of threads. c is contiguous in its rows, which are
 * c_stride apart. */
void mt_product(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a, mt_factor b,
                size_t rows, size_t cols, size_t depth, bool adds);

/* The same by OpenBLAS and by the thread that calls. */
void mt_product_alone(mt_real *c, size_t c_stride, mt_factor a, mt_factor b, size_t rows,
                      size_t cols, size_t depth, bool adds);

/* b's panels for products->operators->multiply, made by all threads. */
void mt_product_pack(const mt_products *products, mt_real *panels, mt_factor b, size_t cols,
                     size_t depth);

/* Where part i of n of some rows begins, in whole tiles. */
size_t mt_product_part(size_t i, size_t n, size_t rows);

#endif
