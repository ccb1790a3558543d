/* mt-operator-add-norm.c — dropout, residual connection and layer norm in one pass over the rows;
 * "Add & Norm" in figure 1 of the paper, sections 3.1 and 5.4. Ba et al. 2016.
 *
 *     s = x + factor dropout(f + bias)
 *     n = (s - mean(s)) / sqrt(variance(s) + eps)
 *     y = gain n + shift
 *
 * Backward, with i = 1 / sqrt(variance + eps) and means over the row:
 *
 *     dn     = gain dy                 dgain  += dy n        dshift += dy
 *     ds     = i (dn - mean(dn) - n mean(dn n))
 *     dx     = ds
 *     df     = factor dropout(ds)      dbias  += df
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-dropout.h"

#include <math.h>
#include <string.h>

/* s of row r, to normed[r] and where it is wanted; returns its sum. */
static mt_real
add(const mt_add_norm_pair *a, size_t r)
{
  size_t d = a->d;
  const mt_real *x = a->x + r * d, *bias = a->bias;
  mt_real *normed = a->normed + r * d;
  mt_real sum = 0;
  if (!a->f) {
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < d; i++) {
      normed[i] = x[i];
      sum += x[i];
    }
  } else if (a->dropout.threshold == 0) {
    const mt_real *f = a->f + r * d;
    mt_real factor = a->factor;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < d; i++) {
      mt_real s = x[i] + factor * (f[i] + bias[i]);
      normed[i] = s;
      sum += s;
    }
  } else {
    const mt_real *f = a->f + r * d;
    mt_dropout dropout = a->dropout;
    uint32_t first = (uint32_t) (r * d);
    dropout.scale *= a->factor;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < (uint32_t) d; i++) {
      mt_real s = x[i] + (f[i] + bias[i]) * dropout_factor(&dropout, first + i);
      normed[i] = s;
      sum += s;
    }
  }
  if (a->s)
    memcpy(a->s + r * d, normed, d * sizeof *normed);
  return sum;
}

void
OPERATOR(add_norm_forward)(const mt_add_norm_pair *a, size_t begin, size_t end)
{
  size_t d = a->d;
  const mt_real *gain = a->gain, *shift = a->shift;
  for (size_t r = begin; r < end; r++) {
    mt_real *normed = a->normed + r * d, *y = a->y + r * d;
    mt_real mean = add(a, r) / (mt_real) d, squares = 0;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < d; i++)
      squares += (normed[i] - mean) * (normed[i] - mean);
    mt_real inverse = 1 / (mt_real) sqrt(squares / (mt_real) d + MT_NORM_EPSILON);
    a->inverse[r] = inverse;
#pragma omp simd
    for (size_t i = 0; i < d; i++) {
      mt_real n = (normed[i] - mean) * inverse;
      normed[i] = n;
      y[i] = gain[i] * n + shift[i];
    }
  }
}

/* d_s of row r, without what is there already, to d_s. */
static void
norm_backward(const mt_add_norm_pair *a, size_t r, mt_real *d_gain, mt_real *d_shift)
{
  size_t d = a->d;
  const mt_real *d_y = a->d_y + r * d, *n = a->normed + r * d, *gain = a->gain;
  mt_real *d_s = a->d_s + r * d;
  mt_real sum = 0, product = 0, inverse = a->inverse[r];
#pragma omp simd reduction(+ : sum, product)
  for (size_t i = 0; i < d; i++) {
    mt_real d_n = gain[i] * d_y[i];
    sum += d_n;
    product += d_n * n[i];
    d_gain[i] += d_y[i] * n[i];
    d_shift[i] += d_y[i];
  }
  mt_real mean = sum / (mt_real) d, mean_product = product / (mt_real) d;
  if (a->adds) {
#pragma omp simd
    for (size_t i = 0; i < d; i++)
      d_s[i] += inverse * (gain[i] * d_y[i] - mean - n[i] * mean_product);
  } else {
#pragma omp simd
    for (size_t i = 0; i < d; i++)
      d_s[i] = inverse * (gain[i] * d_y[i] - mean - n[i] * mean_product);
  }
}

void
OPERATOR(add_norm_backward)(const mt_add_norm_pair *a, size_t begin, size_t end, mt_real *sums)
{
  size_t d = a->d;
  mt_real *d_bias = sums + MT_SUM_BIAS * d;
  memset(sums, 0, MT_N_ADD_NORM_SUMS * d * sizeof *sums);
  for (size_t r = begin; r < end; r++) {
    norm_backward(a, r, sums + MT_SUM_GAIN * d, sums + MT_SUM_SHIFT * d);
    if (!a->d_f)
      continue;
    const mt_real *d_s = a->d_s + r * d;
    mt_real *d_f = a->d_f + r * d;
    if (a->dropout.threshold == 0) {
      mt_real factor = a->factor;
#pragma omp simd
      for (size_t i = 0; i < d; i++) {
        mt_real g = factor * d_s[i];
        d_f[i] = g;
        d_bias[i] += g;
      }
      continue;
    }
    mt_dropout dropout = a->dropout;
    uint32_t first = (uint32_t) (r * d);
    dropout.scale *= a->factor;
#pragma omp simd
    for (uint32_t i = 0; i < (uint32_t) d; i++) {
      mt_real g = d_s[i] * dropout_factor(&dropout, first + i);
      d_f[i] = g;
      d_bias[i] += g;
    }
  }
}
