/* mt-operator-activation.c — what stands between the two maps of the feed-forward network, the
 * paper, equation 2, or a later choice, with dropout.
 *
 *     h = dropout(g(z + bias))         dz = dropout(dh) g'(z + bias)      dbias += dz
 *
 *     ReLU   g(x) = max(0, x)          g'(x) = [x > 0]
 *     SiLU   g(x) = x s(x)             g'(x) = s (1 + x (1 - s)),  s(x) = 1 / (1 + e^-x)
 *     GELU   g(x) = x F(x)             g'(x) = F + x e^(-x^2/2) / sqrt(2 pi),
 *                                      F(x) = (1 + erf(x / sqrt 2)) / 2
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-dropout.h"
#include "train/mt-operator-exp.h"

#define ROOT_HALF   0.70710678118654752
#define ROOT_TWO_PI 2.50662827463100050

/* F(x), the normal distribution. */
static inline mt_real
normal(mt_real x)
{
#ifdef MT_TRAIN_DOUBLE
  return 0.5 * (1 + erf(x * ROOT_HALF));
#else
  /* Abramowitz and Stegun 7.1.26: an error below 1.5e-7. */
  float u = fabsf(x) * (float) ROOT_HALF;
  float t = 1 / (1 + 0.3275911f * u);
  float p = 1.061405429f;
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  float tail = 0.5f * p * t * exp_real(-u * u);
  return x < 0 ? tail : 1 - tail;
#endif
}

static inline mt_real
silu(mt_real x)
{
  return x * logistic(x);
}

static inline mt_real
silu_slope(mt_real x)
{
  mt_real s = logistic(x);
  return s * (1 + x * (1 - s));
}

static inline mt_real
gelu(mt_real x)
{
  return x * normal(x);
}

static inline mt_real
gelu_slope(mt_real x)
{
  return normal(x) + x * exp_real(-x * x / 2) / (mt_real) ROOT_TWO_PI;
}

/* This way round NaN stays NaN. */
static inline mt_real
relu(mt_real x)
{
  return x < 0 ? 0 : x;
}

/* One row: `function` of z + bias; keeps z + bias unless h is z. A loop each, so that the compiler
 * sees one formula. */
#define FORWARD_ROW(function)            \
  do {                                   \
    if (z == h)                          \
      for (uint32_t i = 0; i < n; i++)   \
        h[i] = function(h[i] + bias[i]); \
    else                                 \
      for (uint32_t i = 0; i < n; i++) { \
        z[i] += bias[i];                 \
        h[i] = function(z[i]);           \
      }                                  \
  } while (0)

void
OPERATOR(activation_forward)(const mt_activation_pair *a, size_t begin, size_t end)
{
  uint32_t n = (uint32_t) a->n;
  const mt_real *restrict bias = a->bias;
  mt_dropout dropout = a->dropout;
  for (size_t r = begin; r < end; r++) {
    mt_real *z = a->z + r * n, *h = a->h + r * n;
    switch (a->activation) {
    case MT_ACTIVATION_RELU:
      FORWARD_ROW(relu);
      break;
    case MT_ACTIVATION_SILU:
      FORWARD_ROW(silu);
      break;
    case MT_ACTIVATION_GELU:
      FORWARD_ROW(gelu);
      break;
    }
    if (dropout.threshold == 0)
      continue;
    uint32_t first = (uint32_t) (r * n);
#pragma omp simd
    for (uint32_t i = 0; i < n; i++)
      h[i] *= dropout_factor(&dropout, first + i);
  }
}

/* One row: d_h becomes d_z, and is added up. */
#define BACKWARD_ROW(slope)          \
  for (uint32_t i = 0; i < n; i++) { \
    mt_real g = d_h[i] * (slope);    \
    d_h[i] = g;                      \
    sums[i] += g;                    \
  }

void
OPERATOR(activation_backward)(const mt_activation_pair *a, size_t begin, size_t end,
                              mt_real *restrict sums)
{
  uint32_t n = (uint32_t) a->n;
  mt_dropout dropout = a->dropout;
  for (uint32_t i = 0; i < n; i++)
    sums[i] = 0;
  for (size_t r = begin; r < end; r++) {
    const mt_real *restrict z = a->z + r * n, *restrict h = a->h + r * n;
    mt_real *restrict d_h = a->d_h + r * n;
    if (a->activation == MT_ACTIVATION_RELU) {
      /* What was dropped is 0 in h, too. A NaN of h is passed on. */
      mt_real scale = dropout.threshold ? dropout.scale : 1;
      BACKWARD_ROW(h[i] > 0 ? scale : 0 * h[i])
      continue;
    }
    if (dropout.threshold) {
      uint32_t first = (uint32_t) (r * n);
#pragma omp simd
      for (uint32_t i = 0; i < n; i++)
        d_h[i] *= dropout_factor(&dropout, first + i);
    }
    if (a->activation == MT_ACTIVATION_SILU) {
      BACKWARD_ROW(silu_slope(z[i]))
    } else {
      BACKWARD_ROW(gelu_slope(z[i]))
    }
  }
}
