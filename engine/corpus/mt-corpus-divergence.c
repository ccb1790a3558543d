/* mt-corpus-divergence.c — how different the heads of one kind are on a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jensen–Shannon divergence of rows p and q (Lin 1991), with m = (p + q) / 2 and H in bits:
 *
 *     JS = H(m) - (H(p) + H(q)) / 2,  and with g(x) = x log2 x:
 *     2 JS = sum g(p) + sum g(q) - sum g(p + q) + sum (p + q)
 *
 * The mean over rows of it takes only sums over all cells: those of one head are made once, so that
 * each pair of heads is one pass over two lists of numbers, with one logarithm in each step. 1,128
 * pairs of 48 heads are many: g is computed in single precision, four cells at a time. What a
 * causal mask hides is left out first.
 */
#include "corpus/mt-corpus-values.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES 4
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t wholes __attribute__((vector_size(4 * LANES)));

/* x log2 x for 0 <= x <= 2, and 0 for 0: x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and of
 * log2(1 + f) the series of the inverse hyperbolic tangent: with s = f / (2 + f), |s| < 0.172,
 * 2 / ln 2 (s + s³/3 + s⁵/5 + s⁷/7 + s⁹/9); the next term is below 4e-10. */
static floats
x_log_x(floats x)
{
  const wholes bits = (wholes) x;
  const wholes shifted = bits - 0x3f3504f3; /* the bits of sqrt(1/2) */
  const wholes exponent = shifted >> 23;
  const floats scaled = (floats) ((shifted & 0x007fffff) + 0x3f3504f3);
  const floats f = scaled - 1.0f, s = f / (scaled + 1.0f), z = s * s;
  const floats series = 1.0f + z * (0.33333333f + z * (0.2f + z * (0.14285714f + z * 0.11111111f)));
  const floats log2 = __builtin_convertvector(exponent, floats) + 2.88539008f * s * series;
  /* Below the least normal number there is nothing worth adding, and 0 has no logarithm. */
  const wholes is_there = x > 1e-37f;
  return (floats) ((wholes) (x * log2) & is_there);
}

/* Sum of g(a + b) over n numbers, n a multiple of LANES; b NULL: of g(a). Some hundred are added in
 * single precision before they go to a double. */
static double
sum_x_log_x(const float *a, const float *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n;) {
    floats part = {0};
    const size_t end = n - i > 64 * LANES ? i + 64 * LANES : n;
    for (; i < end; i += LANES) {
      floats x, y = {0};
      memcpy(&x, a + i, sizeof x);
      if (b)
        memcpy(&y, b + i, sizeof y);
      part += x_log_x(x + y);
    }
    for (size_t l = 0; l < LANES; l++)
      sum += (double) part[l];
  }
  return sum;
}

/* Cells of a head that can have weight, filled up to whole vectors. */
static size_t
n_packed(const mt_capture *capture, mt_attention_kind kind)
{
  const mt_matrix a = mt_capture_weights(capture, kind, 0, 0);
  const size_t n = kind == MT_DECODER_SELF ? a.rows * (a.rows + 1) / 2 : a.rows * a.cols;
  return (n + LANES - 1) / LANES * LANES;
}

static size_t
n_heads(const mt_capture *capture, mt_attention_kind kind)
{
  return mt_capture_n_layers(capture, kind) * mt_capture_n_heads(capture, kind);
}

size_t
mt_corpus_divergences_room(const mt_capture *capture, mt_attention_kind kind)
{
  const size_t n = n_heads(capture, kind);
  return n ? n * n_packed(capture, kind) + 4 * n : 0; /* and two doubles for each head */
}

typedef struct {
  const mt_capture *capture;
  mt_attention_kind kind;
  size_t n, size, rows;
  float *cells;      /* [n][size] */
  double *own, *all; /* [n] sum g(p), sum p */
  mt_fixed *out;
} work;

static void
pack_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  const size_t per_layer = mt_capture_n_heads(w->capture, w->kind);
  for (size_t h = part; h < w->n; h += n_parts) {
    const mt_matrix a = mt_capture_weights(w->capture, w->kind, h / per_layer, h % per_layer);
    float *to = w->cells + h * w->size;
    size_t at = 0;
    double all = 0;
    for (size_t i = 0; i < a.rows; i++) {
      const size_t n = w->kind == MT_DECODER_SELF ? i + 1 : a.cols;
      memcpy(to + at, a.data + i * a.stride, n * sizeof *to);
      at += n;
    }
    for (size_t i = 0; i < at; i++)
      all += (double) to[i];
    for (; at < w->size; at++)
      to[at] = 0;
    w->all[h] = all;
    w->own[h] = sum_x_log_x(to, NULL, w->size);
  }
}

static void
pairs_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  for (size_t a = part; a < w->n; a += n_parts)
    for (size_t b = 0; b < a; b++) {
      const double both = sum_x_log_x(w->cells + a * w->size, w->cells + b * w->size, w->size);
      const double twice = w->own[a] + w->own[b] - both + w->all[a] + w->all[b];
      const double mean = twice / (2 * (double) w->rows);
      w->out[a * (a - 1) / 2 + b] = mt_fixed_of(fmax(fmin(mean, 1), 0));
    }
}

void
mt_corpus_divergences(const mt_capture *capture, mt_attention_kind kind, float *scratch,
                      mt_pool *pool, mt_fixed *out)
{
  work w = {.capture = capture, .kind = kind, .n = n_heads(capture, kind), .out = out};
  if (w.n == 0)
    return;
  w.size = n_packed(capture, kind);
  w.rows = mt_capture_weights(capture, kind, 0, 0).rows;
  w.own = (double *) (void *) scratch;
  w.all = w.own + w.n;
  w.cells = scratch + 4 * w.n;
  const size_t n_parts = w.n < 16 ? w.n : 16;
  mt_pool_run(pool, n_parts, pack_part, &w);
  mt_pool_run(pool, n_parts, pairs_part, &w);
}
