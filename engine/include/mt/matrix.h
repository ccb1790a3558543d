/* matrix.h — a borrowed view of a matrix. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_MATRIX_H
#define MT_PUBLIC_MATRIX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A borrowed view of a matrix: [rows][cols], row i starts at data + i * stride. */
typedef struct {
  const float *data; /* NULL: there is none */
  size_t rows, cols, stride;
} mt_matrix;

static inline float
mt_matrix_at(const mt_matrix *m, size_t row, size_t col)
{
  return m->data[row * m->stride + col];
}

#ifdef __cplusplus
}
#endif
#endif
