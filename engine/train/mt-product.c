/* mt-product.c — the matrix products of training; the one file of the trainer that knows OpenBLAS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-product.h"

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

size_t
mt_product_room(size_t depth, size_t cols)
{
  return (depth + MT_BF16_PAD) * (cols + MT_PANELS_PAD);
}

bool
mt_product_has_panels(const mt_products *products, bool a_is_transposed)
{
  return products->bf16 || (products->operators->multiplies && !a_is_transposed);
}

static size_t
begin_of_part(size_t i, size_t n, size_t count, size_t grain)
{
  size_t begin = (count + grain - 1) / grain * i / n * grain;
  return begin < count ? begin : count;
}

/* Parts of the rows begin at multiples of this, so that tiles are whole. */
static size_t
grain_of(const mt_products *products, bool a_is_transposed)
{
  if (!mt_product_has_panels(products, a_is_transposed))
    return BLAS_GRAIN;
  return products->bf16 ? products->bf16->tile_height : MT_PRODUCT_GRAIN;
}

size_t
mt_product_part(const mt_products *products, size_t i, size_t n, size_t rows)
{
  return begin_of_part(i, n, rows, grain_of(products, false));
}

void
mt_product_rows(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a, mt_factor b,
                const mt_real *panels, size_t cols, size_t depth, bool adds, size_t begin,
                size_t end)
{
  if (begin >= end || cols == 0)
    return;
  if (products->bf16) {
    products->bf16->multiply(c, c_stride, &a, (const uint16_t *) (const void *) panels, cols, depth,
                             adds, begin, end);
  } else if (mt_product_has_panels(products, a.transposed)) {
    products->operators->multiply(c, c_stride, a.at, a.stride, panels, cols, depth, adds, begin,
                                  end);
  } else {
    GEMM(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
         b.transposed ? CblasTrans : CblasNoTrans, (int) (end - begin), (int) cols, (int) depth, 1,
         a.at + (a.transposed ? begin : begin * a.stride), (int) a.stride, b.at, (int) b.stride,
         adds, c + begin * c_stride, (int) c_stride);
  }
}

/* ---- By all threads -------------------------------------------------------------------------- */

typedef struct {
  const mt_products *products;
  mt_real *c;
  size_t c_stride;
  mt_factor a, b;
  size_t rows, cols, depth;
  bool adds;
  mt_real *panels;
} product;

static void
pack_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  const mt_bf16 *bf16 = p->products->bf16;
  if (bf16)
    bf16->pack_panels((uint16_t *) (void *) p->panels, &p->b, p->depth, p->cols, i, n);
  else
    p->products->operators->pack_panels(p->panels, &p->b, p->depth, p->cols, i, n);
}

void
mt_product_pack(const mt_products *products, mt_real *panels, mt_factor b, size_t cols,
                size_t depth)
{
  product p = {.products = products, .b = b, .cols = cols, .depth = depth, .panels = panels};
  mt_pool_run(products->pool, mt_pool_n_threads(products->pool), pack_part, &p);
}

static void
rows_part(void *user, size_t i, size_t n)
{
  const product *p = user;
  size_t grain = grain_of(p->products, p->a.transposed);
  mt_product_rows(p->products, p->c, p->c_stride, p->a, p->b, p->panels, p->cols, p->depth, p->adds,
                  begin_of_part(i, n, p->rows, grain), begin_of_part(i + 1, n, p->rows, grain));
}

/* A product whose panels there is room for. */
static void
product_at_once(product p)
{
  mt_pool *pool = p.products->pool;
  bool is_small = (double) p.rows * (double) p.cols * (double) p.depth < FEW_PRODUCTS;
  size_t n_threads = is_small ? 1 : mt_pool_n_threads(pool);
  if (!mt_product_has_panels(p.products, p.a.transposed)) {
    mt_pool_run(pool, n_threads, rows_part, &p);
    return;
  }
  /* Some more parts than threads, so that nobody waits long; the bits are the same anyhow. */
  size_t n_parts = (p.rows + MT_PRODUCT_ROWS - 1) / MT_PRODUCT_ROWS;
  if (n_parts < n_threads)
    n_parts = n_threads;
  if (n_parts > MT_POOL_MAX_PARTS)
    n_parts = MT_POOL_MAX_PARTS;
  mt_pool_run(pool, n_threads, pack_part, &p);
  mt_pool_run(pool, n_parts, rows_part, &p);
}

/* Rows l … of b, or of a transposed. */
static mt_factor
deeper(mt_factor f, bool depth_is_rows, size_t l)
{
  f.at += depth_is_rows ? l * f.stride : l;
  return f;
}

void
mt_product(const mt_products *products, mt_real *c, size_t c_stride, mt_factor a, mt_factor b,
           size_t rows, size_t cols, size_t depth, bool adds)
{
  if (!a.transposed || !mt_product_has_panels(products, true)) {
    product_at_once(
        (product){products, c, c_stride, a, b, rows, cols, depth, adds, products->panels});
    return;
  }
  for (size_t l = 0; l < depth; l += MT_PRODUCT_DEPTH) {
    size_t n = depth - l < MT_PRODUCT_DEPTH ? depth - l : MT_PRODUCT_DEPTH;
    product_at_once((product){products, c, c_stride, deeper(a, true, l),
                              deeper(b, !b.transposed, l), rows, cols, n, adds || l > 0,
                              products->panels});
  }
}
