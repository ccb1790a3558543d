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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of quantised numbers are as long as a multiple of this; zeros (weights) fill them up. */
#define MT_INT8_ALIGNMENT 64
#define MT_INT8_STRIDE(n) (((n) + MT_INT8_ALIGNMENT - 1) / MT_INT8_ALIGNMENT * MT_INT8_ALIGNMENT)

/* Outputs of a panel of weights; the last panel is filled up with zeros. */
#define MT_INT8_PANEL         16
#define MT_INT8_PANELS(n_out) (((n_out) + MT_INT8_PANEL - 1) / MT_INT8_PANEL)

/* W [n_out][n_in]: W[o][k] is about scales[o] times a whole number, which lies where it is used:
 * panels [MT_INT8_PANELS(n_out)][MT_INT8_STRIDE(n_in) / 4][MT_INT8_PANEL][4]. So a vector of it
 * has four neighbours of as many outputs as it has lanes, and the panels lie in memory as they are
 * read. */
typedef struct {
  const int8_t *panels;
  const float *scales;    /* [MT_INT8_PANELS(n_out)][MT_INT8_PANEL] */
  const int32_t *offsets; /* likewise 128 times the sum of each row: some processors multiply only
                           * unsigned numbers */
} mt_int8_weights;

/* The longest rows whose sums of products fit 32 bits in every table. */
#define MT_INT8_MAX_IN 65536

typedef struct {
  const char *name;

  /* x [n], or with `relu` max(0, x), as whole numbers, in the form that `linear` of the same table
   * wants, filled up to MT_INT8_STRIDE(n); returns the scale. x must be finite. */
  float (*quantize)(uint8_t *out, const float *x, size_t n, bool relu);

  /* y[r][o] = x_scales[r] scales[o] sum_k x[r][k] w[o][k] + bias[o], for o from first to
   * first + n - 1; first begins a panel. y [rows][…], consecutive rows y_stride apart; x
   * [rows][stride]; bias [n_out] or NULL. Every table computes the same bits. */
  void (*linear)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
                 const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
                 const float *restrict bias, size_t first, size_t n, size_t stride);
} mt_kernels_int8;

/* The fastest table that this processor can run. */
const mt_kernels_int8 *mt_kernels_int8_best(void);

/* Every table this processor can run, plain first; i counts up until NULL comes back. */
const mt_kernels_int8 *mt_kernels_int8_get(size_t i);

/* Quantise row o of a weight matrix, x [n], to its place in panels, and its scale and offset. */
void mt_int8_quantize_weights(mt_int8_weights *w, size_t o, const float *x, size_t n);

#endif
