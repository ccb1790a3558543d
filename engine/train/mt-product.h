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

#include "base/mt-pool.h"
#include "train/mt-bf16.h"

/* What products are made with. */
typedef struct {
  const mt_operators *operators;
  mt_pool *pool;
  mt_real *panels;     /* [mt_product_room] of the widest and deepest b */
  const mt_bf16 *bf16; /* round factors to bf16; NULL: F32 */
} mt_products;

/* Where a is transposed a sum may be over all rows of a batch: panels are made of so much of the
 * depth at a time. */
#define MT_PRODUCT_DEPTH 512

/* Numbers that the panels of b [depth][cols] take, whatever they are made for. */
size_t mt_product_room(size_t depth, size_t cols);

/* c [rows][cols] = a [rows][depth] b [depth][cols] + (adds ? c : 0), rows divided among the threads
 * of the pool; the same bits for the same number of threads. c is contiguous in its rows, which are
 * c_stride apart. */
void mt_product(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a, mt_factor b,
                size_t rows, size_t cols, size_t depth, bool adds);

/* Whether rows of products are made from panels of b; if not, OpenBLAS takes b as it lies. */
bool mt_product_has_panels(const mt_products *products, bool a_is_transposed);

/* b's panels for mt_product_rows, made by all threads. */
void mt_product_pack(const mt_products *products, mt_real *panels, mt_factor b, size_t cols,
                     size_t depth);

/* Rows begin … end - 1 of the same product, by the thread that calls. panels: those of b, if there
 * are any. */
void mt_product_rows(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a,
                     mt_factor b, const mt_real *panels, size_t cols, size_t depth, bool adds,
                     size_t begin, size_t end);

/* Where part i of n of some rows begins, in whole tiles. */
size_t mt_product_part(const mt_products *products, size_t i, size_t n, size_t rows);

#endif
