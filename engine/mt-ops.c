/* mt-ops.c — products and element-wise operations; the only file that knows OpenBLAS.
 *
 * Measured on Zen 3, one thread, matrices of 256 × 256 to 8001 × 256: one row through sgemm costs
 * two to five times what the kernel takes, because sgemm first repacks the weights; the kernel
 * stays ahead up to about 24 rows, and with weights in binary16 up to about 60.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-ops.h"

#include <cblas.h>
#include <math.h>
#include <unistd.h>

/* Up to this many rows the kernels win over sgemm. */
#define FEW_ROWS      24
#define FEW_ROWS_HALF 48

/* Below this many multiplications a second thread costs more than it gives. */
#define WORTH_A_THREAD (32u * 1024 * 1024)

#define MAX_THREADS 64

void
mt_ops_init(mt_ops *ops, unsigned n_threads)
{
  if (n_threads == 0) {
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    n_threads = n_cores < 1 ? 1 : n_cores > 4 ? 4 : (unsigned) n_cores;
  }
  ops->kernels = mt_kernels_best();
  ops->n_threads = n_threads < MAX_THREADS ? n_threads : MAX_THREADS;
}

/* OpenBLAS keeps one number of threads for the whole process; setting it again is a comparison. */
static void
use_threads(const mt_ops *ops, double n_products)
{
  int n = n_products >= WORTH_A_THREAD ? (int) ops->n_threads : 1;
  if (openblas_get_num_threads() != n)
    openblas_set_num_threads(n);
}

void
mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map)
{
  size_t n_out = map->n_out, n_in = map->n_in;
  if (map->half && ops->kernels->linear_half && rows <= FEW_ROWS_HALF) {
    ops->kernels->linear_half(y, n_out, x, rows, map->half, map->bias, n_out, n_in);
    return;
  }
  if (rows <= FEW_ROWS) {
    ops->kernels->linear(y, n_out, x, rows, map->weight, map->bias, n_out, n_in);
    return;
  }
  use_threads(ops, (double) rows * (double) n_out * (double) n_in);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) n_out, (int) n_in, 1, x,
              (int) n_in, map->weight, (int) n_in, 0, y, (int) n_out);
  if (map->bias)
    for (size_t r = 0; r < rows; r++)
      mt_ops_add(y + r * n_out, map->bias, n_out);
}

void
mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride, const float *k,
                 size_t k_stride, size_t rows, size_t n_keys, size_t d_head, float scale)
{
  use_threads(ops, (double) rows * (double) n_keys * (double) d_head);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) n_keys, (int) d_head,
              scale, q, (int) q_stride, k, (int) k_stride, 0, scores, (int) n_keys);
}

void
mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride, const float *weights,
                     const float *v, size_t v_stride, size_t rows, size_t n_keys, size_t d_head)
{
  use_threads(ops, (double) rows * (double) n_keys * (double) d_head);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) rows, (int) d_head, (int) n_keys, 1,
              weights, (int) n_keys, v, (int) v_stride, 0, context, (int) context_stride);
}

void
mt_ops_add(float *restrict x, const float *restrict y, size_t n)
{
  for (size_t i = 0; i < n; i++)
    x[i] += y[i];
}

void
mt_ops_activate(float *x, size_t n, mt_activation activation)
{
  switch (activation) {
  case MT_ACTIVATION_RELU:
    /* This way round NaN stays NaN. */
    for (size_t i = 0; i < n; i++)
      x[i] = x[i] < 0 ? 0 : x[i];
    break;
  case MT_ACTIVATION_SILU:
    for (size_t i = 0; i < n; i++)
      x[i] = x[i] / (1 + expf(-x[i]));
    break;
  case MT_ACTIVATION_GELU:
    for (size_t i = 0; i < n; i++)
      x[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678118654752f));
    break;
  }
}
