/* mt-operators.c — the operators of the network but attention and large products, forward and
 * backward, and the table of all of them for one instruction set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operators.h"

#include "train/mt-operator-exp.h"
#include "train/mt-operator-product.h"

#include <math.h>
#include <string.h>

/* ---- Embedding ------------------------------------------------------------------------------- */

/* Token embeddings times sqrt(d), plus positions, dropout; the paper,
 * sections 3.4, 3.5 and 5.4.
 *
 *     x[r] = dropout(scale E[id[r]] + P[position[r]])
 *
 * Backward: dE[id[r]] += scale dropout(dx[r]), dP[position[r]] += dropout(dx[r]). */

static void
OPERATOR(embedding_forward)(const mt_embedding_pair *a, size_t begin, size_t end)
{
  size_t d = a->d;
  mt_real scale = a->scale;
  for (size_t r = begin; r < end; r++) {
    const mt_real *e = a->embedding + (size_t) a->ids[r] * d;
    const mt_real *p = a->table + a->positions[r] * d;
    mt_real *x = a->x + r * d;
    if (a->dropout.threshold == 0) {
#pragma omp simd
      for (size_t i = 0; i < d; i++)
        x[i] = scale * e[i] + p[i];
      continue;
    }
    uint32_t first = (uint32_t) (r * d);
#pragma omp simd
    for (uint32_t i = 0; i < (uint32_t) d; i++)
      x[i] = (scale * e[i] + p[i]) * dropout_factor(&a->dropout, first + i);
  }
}

static void
OPERATOR(embedding_backward)(const mt_embedding_pair *a, size_t rows, size_t begin, size_t end)
{
  size_t d = a->d;
  mt_real scale = a->scale;
  for (size_t r = 0; r < rows; r++) {
    mt_real *d_x = a->d_x + r * d;
    mt_real *d_e = a->d_embedding + (size_t) a->ids[r] * d;
    if (a->dropout.threshold != 0) {
      uint32_t first = (uint32_t) (r * d);
#pragma omp simd
      for (uint32_t i = (uint32_t) begin; i < (uint32_t) end; i++)
        d_x[i] *= dropout_factor(&a->dropout, first + i);
    }
#pragma omp simd
    for (size_t i = begin; i < end; i++)
      d_e[i] += scale * d_x[i];
    if (a->d_table) {
      mt_real *d_p = a->d_table + a->positions[r] * d;
#pragma omp simd
      for (size_t i = begin; i < end; i++)
        d_p[i] += d_x[i];
    }
  }
}

/* ---- Add & norm ------------------------------------------------------------------------------ */

/* Dropout, residual connection and layer norm in one pass over the rows;
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
 *     df     = factor dropout(ds)      dbias  += df */

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

static void
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

static void
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

/* ---- Activation ------------------------------------------------------------------------------ */

/* What stands between the two maps of the feed-forward network, the
 * paper, equation 2, or a later choice, with dropout.
 *
 *     h = dropout(g(z + bias))         dz = dropout(dh) g'(z + bias)      dbias += dz
 *
 *     ReLU   g(x) = max(0, x)          g'(x) = [x > 0]
 *     SiLU   g(x) = x s(x)             g'(x) = s (1 + x (1 - s)),  s(x) = 1 / (1 + e^-x)
 *     GELU   g(x) = x F(x)             g'(x) = F + x e^(-x^2/2) / sqrt(2 pi),
 *                                      F(x) = (1 + erf(x / sqrt 2)) / 2 */

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

static void
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
    case MT_ACTIVATION_GELU_TANH: /* which check_config refuses */
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

static void
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

/* ---- Softmax and loss ------------------------------------------------------------------------ */

/* Softmax over the vocabulary and the loss with label smoothing; the paper,
 * sections 3.4 and 5.4, Szegedy et al. 2015; and the same for two passes, R-Drop, Liang et al.
 * 2021.
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
 *     dz       = p - t + alpha / 2 (p (D - KL(p, q)) + p - q) */

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

static void
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

/* ---- R-Drop ---------------------------------------------------------------------------------- */

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

static void
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

/* ---- Linear maps ----------------------------------------------------------------------------- */

/* What a linear map y = x W^T + b needs beside its products (mt-product.h).
 *
 *     dx = dy W          dW += dy^T x          db += sum over rows of dy */

static void
OPERATOR(add_bias)(mt_real *x, size_t stride, const mt_real *restrict bias, size_t n, size_t begin,
                   size_t end)
{
  for (size_t r = begin; r < end; r++) {
    mt_real *restrict row = x + r * stride;
    for (size_t i = 0; i < n; i++)
      row[i] += bias[i];
  }
}

/* Columns that are summed at once: they stay in the first cache. */
#define BLOCK 1024

static void
OPERATOR(add_columns)(mt_real *restrict sum, const mt_real *restrict x, size_t stride, size_t rows,
                      size_t begin, size_t end)
{
  for (size_t from = begin; from < end; from += BLOCK) {
    size_t to = end - from > BLOCK ? from + BLOCK : end;
    for (size_t r = 0; r < rows; r++)
      for (size_t i = from; i < to; i++)
        sum[i] += x[r * stride + i];
  }
}

/* ---- The table ------------------------------------------------------------------------------- */

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

extern const mt_operators OPERATOR(operators);
const mt_operators OPERATOR(operators) = {
    .name = TEXT(MT_ISA),
    .embedding_forward = OPERATOR(embedding_forward),
    .embedding_backward = OPERATOR(embedding_backward),
    .add_norm_forward = OPERATOR(add_norm_forward),
    .add_norm_backward = OPERATOR(add_norm_backward),
    .activation_forward = OPERATOR(activation_forward),
    .activation_backward = OPERATOR(activation_backward),
    .attention_forward = OPERATOR(attention_forward),
    .attention_backward = OPERATOR(attention_backward),
    .softmax = OPERATOR(softmax),
    .r_drop = OPERATOR(r_drop),
    .multiplies = VECTOR_BYTES > 16,
    .panels_size = OPERATOR(panels_size),
    .pack_panels = OPERATOR(pack_panels),
    .multiply = OPERATOR(multiply),
    .add_bias = OPERATOR(add_bias),
    .add_columns = OPERATOR(add_columns),
};
