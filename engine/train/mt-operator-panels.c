/* mt-operator-panels.c — the large matrix products of a layer: c = a b, or c += a b.
 *
 * Goto and van de Geijn 2008: b is copied once into panels as wide as a tile, which all threads
 * then read; a block of a's rows stays in the second cache while panel after panel goes by, and a
 * panel in the first while the rows go by. Unlike a general sgemm this one reads rows of a where
 * they lie, never fills c with zeros first, and copies b once for all threads; mt-product.h has
 * measurements.
 *
 * A number of c is the same sum in the same order however the rows are divided.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-product.h"
#include "train/mt-operators.h"

#include <string.h>

/* Columns of a panel. */
#define WIDTH (2 * LANES)

/* Depth of a block of a; its rows are MT_PRODUCT_ROWS: 96 KB of floats. */
#define BLOCK_DEPTH 256

size_t
OPERATOR(panels_size)(size_t depth, size_t cols)
{
  return (cols + WIDTH - 1) / WIDTH * WIDTH * depth;
}

/* Rows of what lies in memory are read whole, a few at a time, into many panels. */
#define ROWS_AT_ONCE 16

/* Rows first … end - 1 of the panel of columns from `col` on: out [depth][WIDTH], zeros beyond the
 * last column. */
static void
pack_panel(mt_real *restrict out, const mt_factor *b, size_t cols, size_t col, size_t first,
           size_t end)
{
  size_t n = cols - col < WIDTH ? cols - col : WIDTH;
  if (n < WIDTH)
    memset(out + first * WIDTH, 0, (end - first) * WIDTH * sizeof *out);
  if (b->transposed) {
    const mt_real *from = b->at + col * b->stride;
    for (size_t l = first; l < end; l += ROWS_AT_ONCE) {
      size_t last = end - l < ROWS_AT_ONCE ? end : l + ROWS_AT_ONCE;
      for (size_t j = 0; j < n; j++)
        for (size_t k = l; k < last; k++)
          out[k * WIDTH + j] = from[j * b->stride + k];
    }
  } else if (n == WIDTH) {
    for (size_t l = first; l < end; l++)
      memcpy(out + l * WIDTH, b->at + l * b->stride + col, WIDTH * sizeof *out);
  } else {
    for (size_t l = first; l < end; l++)
      memcpy(out + l * WIDTH, b->at + l * b->stride + col, n * sizeof *out);
  }
}

void
OPERATOR(pack_panels)(mt_real *out, const mt_factor *b, size_t depth, size_t cols, size_t i,
                      size_t n_parts)
{
  size_t n = (cols + WIDTH - 1) / WIDTH, begin = n * i / n_parts, end = n * (i + 1) / n_parts;
  size_t step = b->transposed ? depth : ROWS_AT_ONCE;
  for (size_t l = 0; l < depth; l += step)
    for (size_t p = begin; p < end; p++)
      pack_panel(out + p * depth * WIDTH, b, cols, p * WIDTH, l,
                 depth - l < step ? depth : l + step);
}

/* A tile of c, which is asked for before it is needed. */
static inline __attribute__((always_inline)) void
large_tile(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride, const mt_real *b,
           size_t depth, size_t rows, bool adds)
{
  vector sum[TILE_ROWS][2];
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++) {
    sum[i][0] = sum[i][1] = (vector){0};
    __builtin_prefetch(c + i * c_stride, 1);
    __builtin_prefetch(c + i * c_stride + WIDTH - 1, 1);
  }
  for (size_t l = 0; l < depth; l++) {
    vector left = *(const vector *) (b + l * WIDTH),
           right = *(const vector *) (b + l * WIDTH + LANES);
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++) {
      mt_real x = a[i * a_stride + l];
      sum[i][0] += x * left;
      sum[i][1] += x * right;
    }
  }
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (size_t j = 0; j < 2; j++) {
      vector *at = (vector *) (c + i * c_stride + j * LANES);
      if (adds)
        sum[i][j] += *at;
      *at = sum[i][j];
    }
}

/* The same for any number of rows up to TILE_ROWS. */
static void
any_tile(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride, const mt_real *b,
         size_t depth, size_t rows, bool adds)
{
  switch (rows) {
  case 6:
    large_tile(c, c_stride, a, a_stride, b, depth, 6, adds);
    break;
  case 5:
    large_tile(c, c_stride, a, a_stride, b, depth, 5, adds);
    break;
  case 4:
    large_tile(c, c_stride, a, a_stride, b, depth, 4, adds);
    break;
  case 3:
    large_tile(c, c_stride, a, a_stride, b, depth, 3, adds);
    break;
  case 2:
    large_tile(c, c_stride, a, a_stride, b, depth, 2, adds);
    break;
  default:
    large_tile(c, c_stride, a, a_stride, b, depth, 1, adds);
    break;
  }
}

/* A tile at the right edge, where fewer than WIDTH columns of c are left. */
static void
edge_tile(mt_real *c, size_t c_stride, size_t cols, const mt_real *a, size_t a_stride,
          const mt_real *b, size_t depth, size_t rows, bool adds)
{
  mt_real whole[TILE_ROWS * WIDTH];
  any_tile(whole, WIDTH, a, a_stride, b, depth, rows, false);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      c[i * c_stride + j] = (adds ? c[i * c_stride + j] : 0) + whole[i * WIDTH + j];
}

/* A block of a [rows][depth] times all panels. */
static void
block_times_panels(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride,
                   const mt_real *panels, size_t panel_size, size_t rows, size_t depth, size_t cols,
                   bool adds)
{
  for (size_t j = 0; j < cols; j += WIDTH, panels += panel_size) {
    const mt_real *a_at = a;
    for (size_t i = 0; i < rows; i += TILE_ROWS, a_at += TILE_ROWS * a_stride) {
      size_t n = rows - i < TILE_ROWS ? rows - i : TILE_ROWS;
      mt_real *at = c + i * c_stride + j;
      if (cols - j < WIDTH)
        edge_tile(at, c_stride, cols - j, a_at, a_stride, panels, depth, n, adds);
      else
        any_tile(at, c_stride, a_at, a_stride, panels, depth, n, adds);
    }
  }
}

void
OPERATOR(multiply)(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride,
                   const mt_real *panels, size_t cols, size_t depth, bool adds, size_t begin,
                   size_t end)
{
  for (size_t i = begin; i < end; i += MT_PRODUCT_ROWS) {
    size_t rows = end - i < MT_PRODUCT_ROWS ? end - i : MT_PRODUCT_ROWS;
    for (size_t l = 0; l < depth; l += BLOCK_DEPTH) {
      size_t n = depth - l < BLOCK_DEPTH ? depth - l : BLOCK_DEPTH;
      block_times_panels(c + i * c_stride, c_stride, a + i * a_stride + l, a_stride,
                         panels + l * WIDTH, depth * WIDTH, rows, n, cols, adds || l > 0);
    }
  }
}
