/* mt-kernels-rows.h — products of rows with weights that lie in panels. Private to the engine.
 *
 * A panel has the weights of a few neighbouring outputs, turned round: first those of input 0, then
 * those of input 1. A vector of it meets one number of a row, the same in every lane, so that
 * nothing is added across a vector, the terms of each output are added in the order of the inputs,
 * and panels are read from memory from end to end. One row is as fast as a row-major matrix can be
 * read; many rows come near what the processor can multiply and add.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_ROWS_H
#define MT_KERNELS_ROWS_H

#include "base/mt-dtype.h"

#include <stddef.h>

/* Outputs of a panel; the last panel is filled up with zeros. */
#define MT_PANEL_OUTS    16
#define MT_PANELS(n_out) (((n_out) + MT_PANEL_OUTS - 1) / MT_PANEL_OUTS)
/* Numbers of 16 bits that are multiplied in pairs: of an odd number the last is paired with 0. */
#define MT_PAIRS(n_in) (((n_in) + 1) / 2)
/* Room for panels in any form. */
#define MT_PANELS_SIZE(n_out, n_in) (MT_PANELS(n_out) * MT_PANEL_OUTS * 2 * MT_PAIRS(n_in))

/* W [n_out][n_in] in F32 or F16 as panels [MT_PANELS(n_out)][n_in][MT_PANEL_OUTS] of the same
 * numbers; in BF16 as panels of pairs, [MT_PANELS(n_out)][MT_PAIRS(n_in)][MT_PANEL_OUTS] words of
 * 32 bits, the weight of the first input in the upper half and that of the second in the lower: as
 * the instructions of mt-kernels-bf16.h read them, and a bf16 is the upper half of a float.
 * `panels` holds MT_PANELS_SIZE numbers. Panels begin … end - 1 are made. */
void mt_panels_pack(void *panels, const void *w, mt_dtype dtype, size_t n_out, size_t n_in,
                    size_t begin, size_t end);

/* Numbers w[k … k + n - 1] of output o, F16 or BF16, to their places in panels of zeros. */
void mt_panels_put(void *panels, mt_dtype dtype, size_t o, size_t n_in, size_t k, const uint16_t *w,
                   size_t n);

typedef struct {
  const char *name;

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o], for o from first to first + n - 1; first begins a
   * panel. y [rows][…], consecutive rows y_stride apart; x [rows][n_in] contiguous; bias [n_out] or
   * NULL. Weights in F16 and BF16 are multiplied as the floats they are. The terms are added in the
   * order of k: a row comes out the same, bit for bit, however many there are beside it. No
   * aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                 const void *restrict panels, mt_dtype dtype, const float *restrict bias,
                 size_t first, size_t n, size_t n_in);
} mt_kernels_rows;

/* The fastest table that this processor can run. */
const mt_kernels_rows *mt_kernels_rows_best(void);

/* Every table that this processor can run, plain C first; i counts up until NULL comes back. */
const mt_kernels_rows *mt_kernels_rows_get(size_t i);

#endif
