/* mt-product.c — the matrix products of training; the one file of the trainer that knows OpenBLAS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-product.h"

#include <cblas.h>

#ifdef MT_TRAIN_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

/* Rows come in multiples of this, so that tiles inside sgemm are whole. */
#define ROW_GRAIN 16

/* Below so many multiplications a product is not divided: some 20 microseconds. */
#define FEW_PRODUCTS 1e6

void
mt_product_init(void)
{
  if (openblas_get_num_threads() != 1)
    openblas_set_num_threads(1);
}

void
mt_product_alone(mt_real *c, size_t c_stride, mt_factor a, mt_factor b, size_t rows, size_t cols,
                 size_t depth, bool adds)
{
  if (rows == 0 || cols == 0)
    return;
  GEMM(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
       b.transposed ? CblasTrans : CblasNoTrans, (int) rows, (int) cols, (int) depth, 1, a.at,
       (int) a.stride, b.at, (int) b.stride, adds, c, (int) c_stride);
}

typedef struct {
  mt_real *c;
  size_t c_stride;
  mt_factor a, b;
  size_t rows, cols, depth;
  bool adds;
} product;

static size_t
begin_of_part(size_t i, size_t n, size_t count)
{
  size_t begin = (count + ROW_GRAIN - 1) / ROW_GRAIN * i / n * ROW_GRAIN;
  return begin < count ? begin : count;
}

static void
product_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  size_t begin = begin_of_part(i, n, p->rows), end = begin_of_part(i + 1, n, p->rows);
  mt_factor a = p->a;
  a.at += a.transposed ? begin : begin * a.stride;
  mt_product_alone(p->c + begin * p->c_stride, p->c_stride, a, p->b, end - begin, p->cols, p->depth,
                   p->adds);
}

void
mt_product(mt_pool *pool, mt_real *c, size_t c_stride, mt_factor a, mt_factor b, size_t rows,
           size_t cols, size_t depth, bool adds)
{
  product p = {c, c_stride, a, b, rows, cols, depth, adds};
  size_t n =
      (double) rows * (double) cols * (double) depth < FEW_PRODUCTS ? 1 : mt_pool_n_threads(pool);
  mt_pool_run(pool, n, product_part, &p);
}
