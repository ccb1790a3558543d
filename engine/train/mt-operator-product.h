/* mt-operator-product.h — the small matrix products of attention. Private to the operators.
 *
 * A head of a sentence is some 25 rows of 32 numbers: a general product would spend its time on
 * preparing itself. Here a tile of sums stays in registers, and one factor is read row by row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPERATOR_PRODUCT_H
#define MT_OPERATOR_PRODUCT_H

#include "train/mt-real.h"

#include <stdbool.h>
#include <stddef.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define LANES (VECTOR_BYTES / sizeof(mt_real))

/* Numbers side by side, anywhere in memory. */
typedef mt_real vector
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(mt_real)), may_alias));

/* Six rows of two vectors: 12 sums, two numbers of b and one of a fill 16 registers. */
#define TILE_ROWS 6

/* A factor whose element (i, l) is at a + i * row + l * col: as it lies, or transposed. */
typedef struct {
  const mt_real *at;
  size_t row, col;
} small_factor;

/* c [rows][vectors * LANES] = (or, if adds, +=) a b over `depth`; rows and vectors are constants
 * where this is called, so that all loops but one disappear. */
static inline __attribute__((always_inline)) void
tile(mt_real *c, size_t c_stride, small_factor a, const mt_real *b, size_t b_stride, size_t depth,
     size_t rows, size_t vectors, bool adds)
{
  vector sum[TILE_ROWS][2];
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (size_t j = 0; j < vectors; j++)
      sum[i][j] = adds ? *(const vector *) (c + i * c_stride + j * LANES) : (vector){0};
  for (size_t l = 0; l < depth; l++) {
    vector right[2];
#pragma GCC unroll 2
    for (size_t j = 0; j < vectors; j++)
      right[j] = *(const vector *) (b + l * b_stride + j * LANES);
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
      for (size_t j = 0; j < vectors; j++)
        sum[i][j] += a.at[i * a.row + l * a.col] * right[j];
  }
#pragma GCC unroll 6
  for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (size_t j = 0; j < vectors; j++)
      *(vector *) (c + i * c_stride + j * LANES) = sum[i][j];
}

/* Columns of one tile's width, all rows. */
static inline __attribute__((always_inline)) void
tile_column(mt_real *c, size_t c_stride, small_factor a, const mt_real *b, size_t b_stride,
            size_t rows, size_t depth, size_t vectors, bool adds)
{
  size_t i = 0;
  for (; i + TILE_ROWS <= rows; i += TILE_ROWS, a.at += TILE_ROWS * a.row)
    tile(c + i * c_stride, c_stride, a, b, b_stride, depth, TILE_ROWS, vectors, adds);
  if (i + 3 <= rows) {
    tile(c + i * c_stride, c_stride, a, b, b_stride, depth, 3, vectors, adds);
    i += 3;
    a.at += 3 * a.row;
  }
  if (i + 2 <= rows) {
    tile(c + i * c_stride, c_stride, a, b, b_stride, depth, 2, vectors, adds);
    i += 2;
    a.at += 2 * a.row;
  }
  if (i < rows)
    tile(c + i * c_stride, c_stride, a, b, b_stride, depth, 1, vectors, adds);
}

/* c [rows][cols] = (or, if adds, +=) a [rows][depth] b [depth][cols]; rows of b and c are
 * contiguous, b_stride and c_stride apart. */
static inline __attribute__((always_inline)) void
small_product(mt_real *c, size_t c_stride, small_factor a, const mt_real *b, size_t b_stride,
              size_t rows, size_t depth, size_t cols, bool adds)
{
  size_t j = 0;
  for (; j + 2 * LANES <= cols; j += 2 * LANES)
    tile_column(c + j, c_stride, a, b + j, b_stride, rows, depth, 2, adds);
  for (; j + LANES <= cols; j += LANES)
    tile_column(c + j, c_stride, a, b + j, b_stride, rows, depth, 1, adds);
  for (; j < cols; j++)
    for (size_t i = 0; i < rows; i++) {
      mt_real sum = adds ? c[i * c_stride + j] : 0;
      for (size_t l = 0; l < depth; l++)
        sum += a.at[i * a.row + l * a.col] * b[l * b_stride + j];
      c[i * c_stride + j] = sum;
    }
}

#endif
