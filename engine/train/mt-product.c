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
#define BLAS_GRAIN 16

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
  const mt_operators *operators;
  mt_real *c;
  size_t c_stride;
  mt_factor a, b;
  size_t rows, cols, depth;
  bool adds;
  mt_real *panels;
} product;

static size_t
begin_of_part(size_t i, size_t n, size_t count, size_t grain)
{
  size_t begin = (count + grain - 1) / grain * i / n * grain;
  return begin < count ? begin : count;
}

size_t
mt_product_part(size_t i, size_t n, size_t rows)
{
  return begin_of_part(i, n, rows, MT_PRODUCT_GRAIN);
}

/* ---- By OpenBLAS ----------------------------------------------------------------------------- */

static void
blas_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  size_t begin = begin_of_part(i, n, p->rows, BLAS_GRAIN);
  size_t end = begin_of_part(i + 1, n, p->rows, BLAS_GRAIN);
  mt_factor a = p->a;
  a.at += a.transposed ? begin : begin * a.stride;
  mt_product_alone(p->c + begin * p->c_stride, p->c_stride, a, p->b, end - begin, p->cols, p->depth,
                   p->adds);
}

/* ---- By our own -------------------------------------------------------------------------------
 */

static void
pack_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  p->operators->pack_panels(p->panels, &p->b, p->depth, p->cols, i, n);
}

static void
own_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  p->operators->multiply(p->c, p->c_stride, p->a.at, p->a.stride, p->panels, p->cols, p->depth,
                         p->adds, mt_product_part(i, n, p->rows),
                         mt_product_part(i + 1, n, p->rows));
}

void
mt_product_pack(const mt_products *products, mt_real *panels, mt_factor b, size_t cols,
                size_t depth)
{
  product p = {
      .operators = products->operators, .b = b, .cols = cols, .depth = depth, .panels = panels};
  mt_pool_run(products->pool, mt_pool_n_threads(products->pool), pack_part, &p);
}

void
mt_product(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a, mt_factor b,
           size_t rows, size_t cols, size_t depth, bool adds)
{
  product p = {products->operators, c, c_stride, a, b, rows, cols, depth, adds, products->panels};
  bool is_small = (double) rows * (double) cols * (double) depth < FEW_PRODUCTS;
  size_t n_threads = is_small ? 1 : mt_pool_n_threads(products->pool);
  if (!p.operators->multiplies || a.transposed) {
    mt_pool_run(products->pool, n_threads, blas_part, &p);
    return;
  }
  /* Some more parts than threads, so that nobody waits long; the bits are the same anyhow. */
  size_t n_parts = (rows + MT_PRODUCT_ROWS - 1) / MT_PRODUCT_ROWS;
  if (n_parts < n_threads)
    n_parts = n_threads;
  if (n_parts > MT_POOL_MAX_PARTS)
    n_parts = MT_POOL_MAX_PARTS;
  mt_pool_run(products->pool, n_threads, pack_part, &p);
  mt_pool_run(products->pool, n_parts, own_part, &p);
}
