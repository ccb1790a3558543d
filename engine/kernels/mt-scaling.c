/* mt-scaling.c — classical scaling: points whose distances are those given, as well as can be.
 *
 * If d are distances of points x with mean 0, then -1/2 J D∘D J = X Xᵀ (Torgerson 1952): its
 * eigenvectors, each times the root of its eigenvalue, are such points. The largest few come from
 * LAPACK's dsyevr, which OpenBLAS carries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/scaling.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <limits.h>
#include <math.h>

/* OpenBLAS has the routine, but not every distribution its C header. Lengths of the three strings
 * come last, as gfortran passes them. */
extern void dsyevr_(const char *jobz, const char *range, const char *uplo, const int *n, double *a,
                    const int *lda, const double *vl, const double *vu, const int *il,
                    const int *iu, const double *abstol, int *m, double *w, double *z,
                    const int *ldz, int *isuppz, double *work, const int *lwork, int *iwork,
                    const int *liwork, int *info, size_t n_jobz, size_t n_range, size_t n_uplo);

/* Behind every array that LAPACK is given: a kernel of OpenBLAS (dsymv for SSE3) was seen to read
 * past the end of a vector, and what follows it may be no memory of ours. */
#define SLACK 512

static bool
check(const double *distances, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double d = distances[i * n + j];
      if (!(d >= 0) || !isfinite(d) || (i == j && d != 0))
        return mt_fail(error, MT_ERROR_INPUT, "The number between %zu and %zu, %g, is no distance.",
                       i, j, d);
    }
  return true;
}

/* b [n][n] = -1/2 J D∘D J. Returns its trace, which is the sum of its eigenvalues and, of distances
 * in some space, the sum of all squared ones over 2n. */
static double
double_centre(const double *distances, size_t n, double *b, double *row_mean)
{
  double mean = 0, trace = 0;
  for (size_t i = 0; i < n; i++) {
    row_mean[i] = 0;
    for (size_t j = 0; j < n; j++) {
      const double d = (distances[i * n + j] + distances[j * n + i]) / 2;
      b[i * n + j] = -d * d / 2;
      row_mean[i] += b[i * n + j] / (double) n;
    }
    mean += row_mean[i] / (double) n;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      b[i * n + j] += mean - row_mean[i] - row_mean[j];
      trace += i == j ? b[i * n + j] : 0;
    }
  return trace;
}

/* The k largest eigenvalues of b [n][n], rising, and their vectors, one after the other. b is
 * destroyed. */
static bool
solve(double *b, int n, int k, double *values, double *vectors, mt_error *error)
{
  const int first = n - k + 1, n_work = 26 * n, n_iwork = 10 * n;
  const double none = 0;
  int found = 0, info = 0;
  double *work = mt_alloc((size_t) n_work + SLACK, sizeof *work);
  int *iwork = mt_alloc((size_t) n_iwork, sizeof *iwork);
  int *support = mt_alloc(2 * (size_t) k, sizeof *support);
  const bool ready = work && iwork && support;
  if (ready)
    dsyevr_("V", "I", "L", &n, b, &n, &none, &none, &first, &n, &none, &found, values, vectors, &n,
            support, work, &n_work, iwork, &n_iwork, &info, 1, 1, 1);
  mt_free(work);
  mt_free(iwork);
  mt_free(support);
  if (!ready)
    return mt_fail_no_memory(error);
  if (info != 0 || found != k)
    return mt_fail(error, MT_ERROR_INPUT, "The distances cannot be scaled: LAPACK says %d.", info);
  return true;
}

/* One axis of the points, turned so that the longer tail is on the positive side. */
static void
place(const double *vector, double value, size_t n, double *points, size_t stride)
{
  double cubes = 0;
  for (size_t i = 0; i < n; i++)
    cubes += vector[i] * vector[i] * vector[i];
  const double scale = value > 0 ? copysign(sqrt(value), cubes) : 0;
  for (size_t i = 0; i < n; i++)
    points[i * stride] = scale * vector[i] + 0.0; /* no -0 */
}

bool
mt_scale_classical(const double *distances, size_t n, size_t n_dims, double *points, double *share,
                   mt_error *error)
{
  if (n_dims == 0 || n_dims > n || n > INT_MAX / 26)
    return mt_fail(error, MT_ERROR_INPUT, "%zu things cannot be put into %zu dimensions.", n,
                   n_dims);
  if (!check(distances, n, error))
    return false;
  double *b = mt_alloc(n * n + SLACK, sizeof *b);
  double *vectors = mt_alloc(n_dims * n + SLACK, sizeof *vectors);
  double *values = mt_alloc(n + SLACK, sizeof *values);
  bool ok = (b && vectors && values) || mt_fail_no_memory(error);
  const double trace = ok ? double_centre(distances, n, b, values) : 0;
  ok = ok && solve(b, (int) n, (int) n_dims, values, vectors, error);
  double held = 0;
  for (size_t k = 0; ok && k < n_dims; k++) {
    const size_t from = n_dims - 1 - k; /* the largest is the last */
    /* What rounding leaves of a zero is no axis. */
    const double value = values[from] > trace * 1e-12 ? values[from] : 0;
    place(vectors + from * n, value, n, points + k, n_dims);
    held += value;
  }
  if (ok && share)
    *share = trace > 0 ? held / trace : 0;
  mt_free(b);
  mt_free(vectors);
  mt_free(values);
  return ok;
}
