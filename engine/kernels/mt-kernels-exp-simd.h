/* mt-kernels-exp-simd.h — e^x for vectors of floats; with the definitions of mt-kernels-simd.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* e^x for x <= 0: x = m ln 2 + r with |r| <= ln 2 / 2, then Taylor's series to r^7 / 7!, whose rest
 * is below 1e-8 of the result. ln 2 is subtracted in two parts so that r keeps its last bits. Below
 * e^-87 the result would be denormal: it is 0, and -INFINITY gives exactly 0. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(exp)(VEC x)
{
  VEC m = ROUND(MUL(x, SET1(1.44269504088896341f)));
  VEC r = FMA(m, SET1(-0.693359375f), x);
  r = FMA(m, SET1(2.12194440054690583e-4f), r);
  VEC p = SET1(1.0f / 5040);
  p = FMA(p, r, SET1(1.0f / 720));
  p = FMA(p, r, SET1(1.0f / 120));
  p = FMA(p, r, SET1(1.0f / 24));
  p = FMA(p, r, SET1(1.0f / 6));
  p = FMA(p, r, SET1(0.5f));
  p = FMA(p, r, SET1(1));
  p = FMA(p, r, SET1(1));
  return ZERO_BELOW(EXP_SCALE(p, m), x, -87.0f);
}
