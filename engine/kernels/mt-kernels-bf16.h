/* mt-kernels-bf16.h — products of rows rounded to bf16 with weights in bf16, where the processor
 * has instructions for them. Private to the engine.
 *
 * A bf16 is the upper half of a float: 8 significant bits, and every product of two is a float.
 * Weights lie in the pairs of mt-kernels-rows.h.
 *
 * VDPBF16PS (AVX512-BF16) adds two such products to each of sixteen sums, that of the upper halves
 * first, each rounded like any float (Intel's manual, volume 2; what is too small for a normal
 * number counts as zero). With the first input of a pair in the upper half it adds the terms in the
 * order of the inputs: bit for bit what mt_kernels_rows.linear makes of the same rounded rows,
 * which is how they are multiplied elsewhere. TDPBF16PS (AMX-BF16) multiplies sixteen rows with
 * sixteen outputs over sixteen pairs; it adds up the upper halves of these by themselves, then the
 * lower ones, so the last bits are others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_BF16_H
#define MT_KERNELS_BF16_H

#include "kernels/mt-kernels-rows.h"

/* Room for a rounded row in every form, in floats. */
#define MT_BF16_ROOM(n_in) (((n_in) + 31) / 32 * 32)

typedef struct {
  const char *name;

  /* Rows begin … end - 1 of x [rows][n_in] to the nearest bf16, ties to even, in the form that
   * `linear` of the same table wants, and to their places in out [rows * MT_BF16_ROOM(n_in)]. */
  void (*round)(float *restrict out, const float *restrict x, size_t begin, size_t end,
                size_t n_in);

  /* As mt_kernels_rows.linear: y[r][o] = sum_k x[r][k] w[o][k] + bias[o], for o from first to
   * first + n - 1, with rounded rows and panels of BF16. A row comes out the same, bit for bit,
   * however many there are beside it. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
                 const void *restrict panels, const float *restrict bias, size_t first, size_t n,
                 size_t n_in);
} mt_kernels_bf16;

/* The fastest table that this processor can run; NULL: it has no such instructions, and
 * mt_kernels_rows.linear multiplies what mt_bf16_round makes. */
const mt_kernels_bf16 *mt_kernels_bf16_best(void);

/* Every table that this processor can run; i counts up until NULL comes back. */
const mt_kernels_bf16 *mt_kernels_bf16_get(size_t i);

/* x [n] to the nearest bf16, ties to even, which stay floats. As the instructions do, what is too
 * small for a normal number becomes zero. */
void mt_bf16_round(float *restrict out, const float *restrict x, size_t n);

#endif
