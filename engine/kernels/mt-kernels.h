/* mt-kernels.h — the inner loops of decoding, picked once for the processor at hand. Private.
 *
 * While decoding, a step multiplies one to a few rows (the beams) with every weight of the decoder;
 * a general matrix product is built for other shapes. Each table holds the same functions for one
 * instruction set; "plain" is portable C and the reference that tests hold the others against.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_H
#define MT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define MT_KERNELS_ROWS 24

typedef struct {
  const char *name;

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o].
   * y [rows][n_out], consecutive rows y_stride apart; x [rows][n_in] contiguous; w [n_out][n_in];
   * bias [n_out] or NULL. A row comes out the same, bit for bit, however many there are. No
   * aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                 const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in);
  /* Up to so many rows, at least MT_KERNELS_ROWS, linear is no slower than a general matrix
   * product. */
  size_t most_rows;

  /* x becomes exp(x - max) / sum of the same; returns ln sum exp x. -INFINITY becomes exactly 0.
   * A row of nothing but -INFINITY becomes all zeros and -INFINITY; NaN spreads to the row. */
  float (*softmax)(float *x, size_t n);

  /* ln sum exp x, without changing x; n > 0. */
  float (*log_sum_exp)(const float *x, size_t n);

  /* -sum p ln p with p = exp(x - log_sum): of a row whose log_sum_exp that is; n > 0. An element of
   * -INFINITY counts 0. */
  float (*entropy)(const float *x, size_t n, float log_sum);

  /* The first of the largest elements, or 0 if there is none above -INFINITY; x has no NaN, n > 0.
   */
  size_t (*arg_max)(const float *x, size_t n);

  /* The first i from `begin` on with (x[i] - log_sum) + so_far > least, or n. */
  size_t (*find_above)(const float *x, size_t begin, size_t n, float log_sum, float so_far,
                       float least);

  /* x becomes x / (1 + exp(-x)), the SiLU or swish (Ramachandran et al. 2017); NaN stays NaN. Each
   * element comes out the same, bit for bit, wherever it stands. */
  void (*silu)(float *x, size_t n);

  /* out = gain * (x - mean) / sqrt(variance + eps) + bias; out may be x. */
  void (*layer_norm)(float *out, const float *x, const float *gain, const float *bias, size_t d,
                     float eps);

  /* out = gain * (x - mean): a norm without its deviation; out may be x. */
  void (*centre)(float *out, const float *x, const float *gain, size_t d);

  /* sum |y| - |y - scale t|: how much shorter y is, in L1, without scale times t. */
  float (*shortening)(const float *y, const float *t, float scale, size_t n);

  /* The same of many rows without their sums ever standing in memory: out[r * out_stride] is the
   * shortening of y [rows][n], rows y_stride apart, by t_r = sum_h a[r * n_parts + h] f_h, f
   * [n_parts][n]. */
  void (*shortenings)(float *out, size_t out_stride, const float *y, size_t y_stride,
                      const float *a, const float *f, size_t rows, size_t n_parts, size_t n);
} mt_kernels;

/* The fastest table that this processor can run. */
const mt_kernels *mt_kernels_best(void);

/* Every table this processor can run, plain first; i counts up until NULL comes back. */
const mt_kernels *mt_kernels_get(size_t i);

#endif
