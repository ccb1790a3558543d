/* mt-operator-softmax.c — softmax over the vocabulary and the loss with label smoothing; the paper,
 * sections 3.4 and 5.4, Szegedy et al. 2015.
 *
 *     p    = softmax(z),  z = logits + bias
 *     t_k  = (1 - eps) [k is the answer] + eps / V
 *     loss = -sum_k t_k ln p_k = ln sum_k e^z_k - (1 - eps) z_answer - eps mean(z)
 *     dz   = p - t
 *
 * The loss needs no logarithm of a p, so it is exact where p is too small to be a number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-operator-exp.h"
#include "mt-operators.h"

/* z = logits + bias in place; its largest element and its sum. */
static void
add_bias_row(mt_real *restrict z, const mt_real *restrict bias, size_t n, mt_real *largest,
             mt_real *total)
{
  mt_real most = -(mt_real) INFINITY, sum = 0;
#pragma omp simd reduction(+ : sum) reduction(max : most)
  for (size_t i = 0; i < n; i++) {
    mt_real x = z[i] + bias[i];
    z[i] = x;
    sum += x;
    most = x > most ? x : most;
  }
  *largest = most;
  *total = sum;
}

void
OPERATOR(softmax)(const mt_softmax_pair *a, size_t begin, size_t end)
{
  size_t n = a->n;
  mt_real smoothing = a->smoothing, share = smoothing / (mt_real) n;
  for (size_t r = begin; r < end; r++) {
    mt_real *restrict z = a->logits + r * n;
    size_t answer = (size_t) a->answer[r];
    mt_real most, total, sum = 0;
    add_bias_row(z, a->bias, n, &most, &total);
    mt_real z_answer = z[answer];
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
      mt_real e = exp_real(z[i] - most);
      z[i] = e;
      sum += e;
    }
    double log_sum = (double) most + log((double) sum);
    a->nll[r] = log_sum - (double) z_answer;
    a->loss[r] = log_sum - (1 - (double) smoothing) * (double) z_answer -
                 (double) smoothing * ((double) total / (double) n);
    if (!a->wants_gradient)
      continue;
    mt_real scale = 1 / sum;
#pragma omp simd
    for (size_t i = 0; i < n; i++)
      z[i] = z[i] * scale - share;
    z[answer] -= 1 - smoothing;
  }
}
