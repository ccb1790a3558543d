/* mt-bf16.h — large products of numbers rounded to bf16. Private to the trainer.
 *
 * A bf16 has the exponent of a float and 8 bits of precision. Both factors are rounded to it, to
 * the nearest and ties to even; the product of two is exact in F32, and sums are F32 (Kalamkar et
 * al. 2019, "A Study of BFLOAT16 for Deep Learning Training"). Parameters, gradients and everything
 * between products stay F32.
 *
 * Each file of one instruction set multiplies what all of them pack in the same way: pairs of
 * neighbours in the direction of the sum lie side by side, as AVX512-BF16 and AMX want them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BF16_H
#define MT_BF16_H

#include "train/mt-operators.h"

/* The depth of a product is filled up with zeros to a multiple of this, its columns to one of
 * MT_PANELS_PAD at most. */
#define MT_BF16_PAD 32

typedef struct {
  const char *name; /* "AMX", "AVX512-BF16"; else those of mt_operators */
  /* The processor has no instruction for it: the same products take longer than those of F32. */
  bool is_emulated;
  size_t tile_height; /* rows of c that are made together, a divisor of MT_PRODUCT_ROWS */
  /* Part i of b [depth][cols] in panels: out [panels][depth / 2][columns of a panel][2]. */
  void (*pack_panels)(uint16_t *out, const mt_factor *b, size_t depth, size_t cols, size_t i,
                      size_t n_parts);
  /* Rows begin … end - 1 of c = a b, or c += a b. */
  void (*multiply)(mt_real *c, size_t c_stride, const mt_factor *a, const uint16_t *panels,
                   size_t cols, size_t depth, bool adds, size_t begin, size_t end);
} mt_bf16;

/* The fastest that this processor can run; NULL in the build in double. */
const mt_bf16 *mt_bf16_best(void);
/* Every one that this processor can run, portable C first; NULL after the last. */
const mt_bf16 *mt_bf16_get(size_t i);

#endif
