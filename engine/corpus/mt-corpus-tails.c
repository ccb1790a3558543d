/* mt-corpus-tails.c — how likely a mean is by chance: the tails of two distributions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * P(T >= t) = I_x(f/2, 1/2) / 2 for t >= 0, with x = f / (f + t²) and the regularised incomplete
 * beta function I, by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated as Lentz 1976
 * does).
 */
#include "corpus/mt-corpus-sums.h"

#include <math.h>

static double
not_zero(double x)
{
  return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The fraction behind I_x(a, b); x < (a + 1) / (a + b + 2), where it converges fast. */
static double
fraction(double a, double b, double x)
{
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int i = 1; i < 10000; i++) {
    const double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    value *= d * c;
    if (fabs(d * c - 1) < 1e-15)
      break;
  }
  return value;
}

/* I_x(a, b); y = 1 - x, which the caller knows better. */
static double
beta(double a, double b, double x, double y)
{
  if (x <= 0 || y <= 0)
    return x <= 0 ? 0 : 1;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                   : 1 - front * fraction(b, a, y) / b;
}

double
mt_student_tail(double t, double freedom)
{
  const double all = freedom + t * t;
  const double tail = isinf(t) ? 0 : beta(freedom / 2, 0.5, freedom / all, t * t / all) / 2;
  return t >= 0 ? tail : 1 - tail;
}

double
mt_normal_tail(double z)
{
  return erfc(z / sqrt(2)) / 2;
}
