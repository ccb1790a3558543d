/* mt-corpus-map.c — heads in the plane, by their distances.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classical scaling (Torgerson 1952): with squared distances D and J = I - 11ᵀ/n, the two
 * eigenvectors of B = -J D J / 2 with the greatest eigenvalues, each times the root of its own.
 * They are found by the cyclic Jacobi method, which has no start to depend on.
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>

#define SWEEPS 50

/* B, from the distances. */
static void
center(const mt_corpus *corpus, mt_attention_kind kind, size_t n, double *b)
{
  const size_t per_layer = corpus->head.shape.n_heads[kind];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double d = mt_corpus_distance(corpus, kind, i / per_layer, i % per_layer, j / per_layer,
                                          j % per_layer);
      b[i * n + j] = isnan(d) ? 0 : d * d;
    }
  for (size_t i = 0; i < n; i++) {
    double mean = 0;
    for (size_t j = 0; j < n; j++)
      mean += b[i * n + j] / (double) n;
    for (size_t j = 0; j < n; j++)
      b[i * n + j] -= mean;
  }
  for (size_t j = 0; j < n; j++) {
    double mean = 0;
    for (size_t i = 0; i < n; i++)
      mean += b[i * n + j] / (double) n;
    for (size_t i = 0; i < n; i++)
      b[i * n + j] = -(b[i * n + j] - mean) / 2;
  }
}

/* One rotation that makes a[p][q] 0; v collects them. */
static void
rotate(double *a, double *v, size_t n, size_t p, size_t q)
{
  const double apq = a[p * n + q];
  if (fabs(apq) < 1e-300)
    return;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < n; k++) {
    const double kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (size_t k = 0; k < n; k++) {
    const double pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
    const double vp = v[k * n + p], vq = v[k * n + q];
    v[k * n + p] = c * vp - s * vq;
    v[k * n + q] = s * vp + c * vq;
  }
}

/* a becomes diagonal, the columns of v its vectors. */
static void
diagonalize(double *a, double *v, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      v[i * n + j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = 0, on = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        *(i == j ? &on : &off) += a[i * n + j] * a[i * n + j];
    if (off <= 1e-24 * on)
      return;
    for (size_t p = 0; p + 1 < n; p++)
      for (size_t q = p + 1; q < n; q++)
        rotate(a, v, n, p, q);
  }
}

/* Axis k of xy from vector i; its sign is chosen so that the largest coordinate is positive. */
static void
place(const double *a, const double *v, size_t n, size_t i, size_t k, double *xy)
{
  const double scale = sqrt(fmax(a[i * n + i], 0));
  size_t most = 0;
  for (size_t h = 1; h < n; h++)
    if (fabs(v[h * n + i]) > fabs(v[most * n + i]) + 1e-12)
      most = h;
  const double sign = v[most * n + i] < 0 ? -1 : 1;
  for (size_t h = 0; h < n; h++)
    xy[2 * h + k] = sign * scale * v[h * n + i];
}

bool
mt_corpus_map(const mt_corpus *corpus, mt_attention_kind kind, double *xy, double *kept,
              mt_error *error)
{
  const size_t n = corpus->head.shape.n_of_kind[kind];
  double *a = mt_alloc(n * n, sizeof *a), *v = mt_alloc(n * n, sizeof *v), all = 0;
  if (!a || !v) {
    mt_free(a);
    mt_free(v);
    return mt_fail_no_memory(error);
  }
  center(corpus, kind, n, a);
  diagonalize(a, v, n);
  size_t best[2] = {0, 0};
  for (size_t i = 0; i < n; i++)
    all += fmax(a[i * n + i], 0);
  for (size_t k = 0; k < 2; k++) {
    bool has = false;
    for (size_t i = 0; i < n; i++)
      if (!(k == 1 && i == best[0]) && (!has || a[i * n + i] > a[best[k] * n + best[k]])) {
        best[k] = i;
        has = true;
      }
    for (size_t h = 0; h < n; h++)
      xy[2 * h + k] = 0;
    if (has)
      place(a, v, n, best[k], k, xy);
  }
  if (kept) {
    double shown = 0;
    for (size_t k = 0; k < 2 && k < n; k++)
      shown += fmax(a[best[k] * n + best[k]], 0);
    *kept = all > 0 ? shown / all : 1;
  }
  mt_free(a);
  mt_free(v);
  return true;
}
