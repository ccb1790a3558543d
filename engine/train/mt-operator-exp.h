/* mt-operator-exp.h — e^x in a form that a loop's vectors can take. Private to the operators.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPERATOR_EXP_H
#define MT_OPERATOR_EXP_H

#include "train/mt-real.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef MT_TRAIN_DOUBLE
static inline mt_real
exp_real(mt_real x)
{
  return exp(x);
}
#else
/* x = m ln 2 + r with |r| <= ln 2 / 2, then Taylor's series to r^7 / 7!, whose rest is below 1e-8
 * of the result. ln 2 is subtracted in two parts so that r keeps its last bits. x is held between
 * -87 and 88, where the result is neither denormal nor infinite. NaN stays NaN. As the engine's
 * kernels have it, mt-kernels-simd.h. */
static inline mt_real
exp_real(mt_real x)
{
  /* Written so that NaN passes. */
  float y = x < -87.0f ? -87.0f : x;
  y = y > 88.0f ? 88.0f : y;
  /* Adding and subtracting 1.5 2^23 rounds to a whole number. */
  float shifted = y * 1.44269504088896341f + 12582912.0f;
  float m = shifted - 12582912.0f;
  float r = y - m * 0.693359375f;
  r = r + m * 2.12194440054690583e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1;
  p = p * r + 1;
  /* The low bits of `shifted` are m: into the exponent field with them. */
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127u) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}
#endif

/* The logistic function 1 / (1 + e^-x). */
static inline mt_real
logistic(mt_real x)
{
  return 1 / (1 + exp_real(-x));
}

#endif
