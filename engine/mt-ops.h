/* mt-ops.h — the numerics that the layers are written in. Private to the engine.
 *
 * Row-major float. Each operation picks its way by the number of rows: OpenBLAS for many, the
 * kernels of mt-kernels.h for one to a few. Outputs come first and never alias inputs unless said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPS_H
#define MT_OPS_H

#include "mt-kernels.h"
#include "mt-model.h"

typedef struct {
  const mt_kernels *kernels;
  unsigned n_threads;
} mt_ops;

/* n_threads 0: as many as there are cores, at most 4. */
void mt_ops_init(mt_ops *ops, unsigned n_threads);

/* y [rows][n_out] = x [rows][n_in] W^T + b. */
void mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map);

/* scores [rows][n_keys] = scale * q k^T, rows of q and k d_head long and `stride` apart.
 * For many rows; a few go through kernels->dots. */
void mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride,
                      const float *k, size_t k_stride, size_t rows, size_t n_keys, size_t d_head,
                      float scale);

/* context [rows][d_head], rows context_stride apart, = weights [rows][n_keys] v. For many rows. */
void mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride,
                          const float *weights, const float *v, size_t v_stride, size_t rows,
                          size_t n_keys, size_t d_head);

/* x [n] += y [n]. */
void mt_ops_add(float *restrict x, const float *restrict y, size_t n);

/* x [n] = f(x), the paper's max(0, x) or a later choice; GELU is the exact one, with erf. */
void mt_ops_activate(float *x, size_t n, mt_activation activation);

#endif
