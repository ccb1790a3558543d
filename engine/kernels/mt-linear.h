/* mt-linear.h — the weights of a linear map, as the kernels read them. Private to the engine.
 *
 * y = x W^T + b keeps W as the checkpoint does, [n_out][n_in], so that one output is one contiguous
 * row. All pointers are borrowed, and aligned for floats, not for vectors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_LINEAR_H
#define MT_LINEAR_H

#include "kernels/mt-kernels-int8.h"
#include "kernels/mt-kernels-rows.h"
#include "mt.h"

/* A matrix once more, in the order in which products read it, and mostly in fewer bits: less to
 * read, which is what decoding waits for. */
typedef struct {
  /* MT_PRECISION_STORED: the floats themselves, or nothing. */
  mt_precision format;
  const void *panels; /* F16, BF16 and floats: see mt-kernels-rows.h; NULL: there are none */
  mt_int8_weights int8;
} mt_narrow;

typedef struct {
  const float *weight; /* [n_out][n_in] */
  const float *bias;   /* [n_out], or NULL */
  mt_narrow as_stored; /* the same numbers as the checkpoint has them */
  mt_narrow rounded;   /* for translations, in the precision of the model */
  size_t n_out, n_in;
} mt_linear;

#endif
