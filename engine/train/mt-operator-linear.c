/* mt-operator-linear.c — what a linear map y = x W^T + b needs beside its products (mt-product.h).
 *
 *     dx = dy W          dW += dy^T x          db += sum over rows of dy
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operators.h"

void
OPERATOR(add_bias)(mt_real *x, size_t stride, const mt_real *restrict bias, size_t n, size_t begin,
                   size_t end)
{
  for (size_t r = begin; r < end; r++) {
    mt_real *restrict row = x + r * stride;
    for (size_t i = 0; i < n; i++)
      row[i] += bias[i];
  }
}

/* Columns that are summed at once: they stay in the first cache. */
#define BLOCK 1024

void
OPERATOR(add_columns)(mt_real *restrict sum, const mt_real *restrict x, size_t stride, size_t rows,
                      size_t begin, size_t end)
{
  for (size_t from = begin; from < end; from += BLOCK) {
    size_t to = end - from > BLOCK ? from + BLOCK : end;
    for (size_t r = 0; r < rows; r++)
      for (size_t i = from; i < to; i++)
        sum[i] += x[r * stride + i];
  }
}
