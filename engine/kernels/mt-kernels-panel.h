/* mt-kernels-panel.h — products of a dozen to some hundred rows with a weight matrix. Private.
 *
 * A sentence has 10 to 100 tokens: too many for the kernels of a decoding step (mt-kernels.h),
 * which would wait for their loads, and too few for a general product, which copies the whole
 * weight matrix into another order first. Here the rows are copied instead, since they are few:
 * turned round, so that a vector holds the same column of neighbouring rows, and each weight is
 * multiplied with it as it is found in the matrix.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_PANEL_H
#define MT_KERNELS_PANEL_H

#include <stddef.h>

/* Room for so many rows in the form of `pack`. */
#define MT_PANEL_ROWS(rows) (((rows) + 15) / 16 * 16)

typedef struct {
  const char *name;

  /* packed [MT_PANEL_ROWS(rows) * n_in] from x [rows][n_in], in this table's own order. */
  void (*pack)(float *restrict packed, const float *restrict x, size_t rows, size_t n_in);

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o].
   * y [rows][n_out], consecutive rows y_stride apart; packed by the same table; w [n_out][n_in];
   * bias [n_out] or NULL. The terms are added in the order of k: a row comes out the same, bit for
   * bit, however many there are beside it. No aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict packed, size_t rows,
                 const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in);
} mt_kernels_panel;

/* The fastest table for this processor; NULL if it has no vectors, and a general product is better.
 */
const mt_kernels_panel *mt_kernels_panel_best(void);

/* Every table that this processor can run, plain C first; i counts up until NULL comes back. */
const mt_kernels_panel *mt_kernels_panel_get(size_t i);

#endif
