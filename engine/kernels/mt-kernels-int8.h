/* mt-kernels-int8.h — products of quantised rows with quantised weights. Private to the engine.
 *
 * A weight row and an input row each become whole numbers from -127 to 127 and one scale, the
 * largest magnitude / 127, so that a product of two rows is one sum of whole numbers, which is
 * exact whatever the order, times the two scales. A quarter of what F32 reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_INT8_H
#define MT_KERNELS_INT8_H

#include <stddef.h>
#include <stdint.h>

/* Rows of quantised numbers are as long as a multiple of this; zeros (weights) fill them up. */
#define MT_INT8_ALIGNMENT 64
#define MT_INT8_STRIDE(n) (((n) + MT_INT8_ALIGNMENT - 1) / MT_INT8_ALIGNMENT * MT_INT8_ALIGNMENT)

/* W [n_out][n_in]: W[o][k] is about scales[o] * rows[o * stride + k]. */
typedef struct {
  const int8_t *rows;  /* [n_out][MT_INT8_STRIDE(n_in)] */
  const float *scales; /* [n_out] */
  const int32_t *sums; /* [n_out] of each row: some processors multiply only unsigned numbers */
} mt_int8_weights;

/* The longest rows whose sums of products fit 32 bits in every table. */
#define MT_INT8_MAX_IN 65536

typedef struct {
  const char *name;

  /* x [n] as whole numbers, in the form that `linear` of the same table wants, filled up to
   * MT_INT8_STRIDE(n); returns the scale. x must be finite. */
  float (*quantize)(uint8_t *out, const float *x, size_t n);

  /* y[r][o] = x_scales[r] scales[o] sum_k x[r][k] w[o][k] + bias[o], for o from first to
   * first + n - 1. y [rows][…], consecutive rows y_stride apart; x [rows][stride]; bias NULL: none.
   * Every table computes the same bits. */
  void (*linear)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
                 const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
                 const float *restrict bias, size_t first, size_t n, size_t stride);
} mt_kernels_int8;

/* The fastest table that this processor can run. */
const mt_kernels_int8 *mt_kernels_int8_best(void);

/* Every table this processor can run, plain first; i counts up until NULL comes back. */
const mt_kernels_int8 *mt_kernels_int8_get(size_t i);

/* Quantise a weight row x [n] to out [MT_INT8_STRIDE(n)]; *sum of the whole numbers; returns the
 * scale. */
float mt_int8_quantize_weights(int8_t *out, const float *x, size_t n, int32_t *sum);

#endif
