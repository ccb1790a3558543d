/* mt-operator-softmax.c — softmax over the vocabulary and the loss with label smoothing; the paper,
 * sections 3.4 and 5.4, Szegedy et al. 2015; and the same for two passes, R-Drop, Wu et al. 2021.
 *
 *     p    = softmax(z),  z = logits + bias
 *     t_k  = (1 - eps) [k is the answer] + eps / V
 *     loss = -sum_k t_k ln p_k = ln sum_k e^z_k - (1 - eps) z_answer - eps mean(z)
 *     dz   = p - t
 *
 * The loss needs no logarithm of a p, so it is exact where p is too small to be a number.
 *
 * With R-Drop, p and q are what two passes with different dropout say of the same word, and what is
 * minimised for both of them has alpha / 2 (KL(p, q) + KL(q, p)) more:
 *
 *     D        = ln p - ln q
 *     KL(p, q) = sum_k p_k D_k
 *     dz       = p - t + alpha / 2 (p (D - KL(p, q)) + p - q)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-exp.h"
#include "train/mt-operators.h"

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

/* Loss and nll of row r, where ln sum e^z is log_sum and sum z is total. */
static void
set_loss(const mt_softmax_pair *a, size_t r, double log_sum, mt_real z_answer, mt_real total)
{
  a->nll[r] = log_sum - (double) z_answer;
  a->loss[r] = log_sum - (1 - (double) a->smoothing) * (double) z_answer -
               (double) a->smoothing * ((double) total / (double) a->n);
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
    set_loss(a, r, (double) most + log((double) sum), z_answer, total);
    if (!a->wants_gradient)
      continue;
    mt_real scale = 1 / sum;
#pragma omp simd
    for (size_t i = 0; i < n; i++)
      z[i] = z[i] * scale - share;
    z[answer] -= 1 - smoothing;
  }
}

/* ---- R-Drop -----------------------------------------------------------------------------------
 */

/* z = logits + bias in place, then loss and nll of row r without R-Drop; ln sum e^z. */
static double
loss_of_row(const mt_softmax_pair *a, size_t r)
{
  size_t n = a->n;
  mt_real *restrict z = a->logits + r * n;
  mt_real most, total, sum = 0;
  add_bias_row(z, a->bias, n, &most, &total);
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++)
    sum += exp_real(z[i] - most);
  double log_sum = (double) most + log((double) sum);
  set_loss(a, r, log_sum, z[a->answer[r]], total);
  return log_sum;
}

/* Divergences of the rows p = e^(z - z_log), q = e^(w - w_log) from each other. */
static void
divergences(const mt_real *restrict z, mt_real z_log, const mt_real *restrict w, mt_real w_log,
            size_t n, mt_real kl[2])
{
  mt_real pq = 0, qp = 0;
#pragma omp simd reduction(+ : pq, qp)
  for (size_t i = 0; i < n; i++) {
    mt_real ln_p = z[i] - z_log, ln_q = w[i] - w_log;
    pq += exp_real(ln_p) * (ln_p - ln_q);
    qp += exp_real(ln_q) * (ln_q - ln_p);
  }
  kl[0] = pq;
  kl[1] = qp;
}

void
OPERATOR(r_drop)(const mt_r_drop_pair *a, size_t begin, size_t end)
{
  const mt_softmax_pair *first = &a->passes[0], *second = &a->passes[1];
  size_t n = first->n;
  mt_real share = first->smoothing / (mt_real) n, half = a->alpha / 2;
  for (size_t r = begin; r < end; r++) {
    mt_real z_log = (mt_real) loss_of_row(first, r), w_log = (mt_real) loss_of_row(second, r);
    mt_real *restrict z = first->logits + r * n, *restrict w = second->logits + r * n;
    mt_real kl[2];
    divergences(z, z_log, w, w_log, n, kl);
    first->loss[r] += (double) (half * kl[0]);
    second->loss[r] += (double) (half * kl[1]);
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
      mt_real ln_p = z[i] - z_log, ln_q = w[i] - w_log;
      mt_real p = exp_real(ln_p), q = exp_real(ln_q), d = ln_p - ln_q;
      z[i] = p - share + half * (p * (d - kl[0]) + p - q);
      w[i] = q - share + half * (q * (-d - kl[1]) + q - p);
    }
    z[first->answer[r]] -= 1 - first->smoothing;
    w[second->answer[r]] -= 1 - second->smoothing;
  }
}
