/* mt-operator-embedding.c — token embeddings times sqrt(d), plus positions, dropout; the paper,
 * sections 3.4, 3.5 and 5.4.
 *
 *     x[r] = dropout(scale E[id[r]] + P[position[r]])
 *
 * Backward: dE[id[r]] += scale dropout(dx[r]), dP[position[r]] += dropout(dx[r]).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-dropout.h"

void
OPERATOR(embedding_forward)(const mt_embedding_pair *a, size_t begin, size_t end)
{
  size_t d = a->d;
  mt_real scale = a->scale;
  for (size_t r = begin; r < end; r++) {
    const mt_real *e = a->embedding + (size_t) a->ids[r] * d;
    const mt_real *p = a->table + a->positions[r] * d;
    mt_real *x = a->x + r * d;
    if (a->dropout.threshold == 0) {
#pragma omp simd
      for (size_t i = 0; i < d; i++)
        x[i] = scale * e[i] + p[i];
      continue;
    }
    uint32_t first = (uint32_t) (r * d);
#pragma omp simd
    for (uint32_t i = 0; i < (uint32_t) d; i++)
      x[i] = (scale * e[i] + p[i]) * dropout_factor(&a->dropout, first + i);
  }
}

void
OPERATOR(embedding_backward)(const mt_embedding_pair *a, size_t rows, size_t begin, size_t end)
{
  size_t d = a->d;
  mt_real scale = a->scale;
  for (size_t r = 0; r < rows; r++) {
    mt_real *d_x = a->d_x + r * d;
    mt_real *d_e = a->d_embedding + (size_t) a->ids[r] * d;
    if (a->dropout.threshold != 0) {
      uint32_t first = (uint32_t) (r * d);
#pragma omp simd
      for (uint32_t i = (uint32_t) begin; i < (uint32_t) end; i++)
        d_x[i] *= dropout_factor(&a->dropout, first + i);
    }
#pragma omp simd
    for (size_t i = begin; i < end; i++)
      d_e[i] += scale * d_x[i];
    if (a->d_table) {
      mt_real *d_p = a->d_table + a->positions[r] * d;
#pragma omp simd
      for (size_t i = begin; i < end; i++)
        d_p[i] += d_x[i];
    }
  }
}
