/* regard-similarity.c — ways to compare a query with keys, and what a row of weights is like.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Transformer learns W_Q and W_K, so q·k is all it needs. Other forms have matrices of their own,
 * which this model was never taught: the identity or random numbers stand for them.
 */
#include "figures/regard-inside.h"

#include <glib/gi18n.h>
#include <math.h>

static const RegardSimilarityInfo infos[REGARD_N_SIMILARITIES] = {
    [REGARD_SIMILARITY_DOT] = {"dot", N_("dot product"), "q·k", FALSE},
    [REGARD_SIMILARITY_SCALED] = {"scaled", N_("scaled"), "q·k / √d_k", FALSE},
    [REGARD_SIMILARITY_GENERAL] = {"general", N_("general"), "q·Wk", TRUE},
    [REGARD_SIMILARITY_CONCAT] = {"concat", N_("concatenation"), "v·tanh(W[q; k])", TRUE},
    [REGARD_SIMILARITY_PERCEPTRON] = {"perceptron", N_("perceptron"), "v·tanh(Wq + Uk)", TRUE},
    [REGARD_SIMILARITY_COSINE] = {"cosine", N_("cosine"), "q·k / ‖q‖‖k‖", FALSE},
};

const RegardSimilarityInfo *
regard_similarity_info(RegardSimilarity similarity)
{
  return &infos[similarity];
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* SplitMix64 (Steele 2014): a few lines in any language give the same numbers. */
static guint64
next(guint64 *state)
{
  guint64 z = *state += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Between 0 and 1, never either. */
static double
uniform(guint64 *state)
{
  return ((double) (next(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal numbers of variance 1/columns, by Box and Muller. */
static double *
random_matrix(guint rows, guint columns, double variance, guint64 *state)
{
  double *m = g_new(double, (gsize) rows *columns);
  for (gsize i = 0; i < (gsize) rows * columns; i++) {
    double radius = sqrt(-2 * log(uniform(state))), angle = 2 * G_PI * uniform(state);
    m[i] = radius * cos(angle) * sqrt(variance);
  }
  return m;
}

/* [n][copies n]: identities beside each other. */
static double *
identities(guint n, guint copies)
{
  double *m = g_new0(double, (gsize) n *n *copies);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < copies; c++)
      m[(gsize) i * n * copies + (gsize) c * n + i] = 1;
  return m;
}

static double *
ones(guint n)
{
  double *v = g_new(double, n);
  for (guint i = 0; i < n; i++)
    v[i] = 1;
  return v;
}

void
regard_similarity_weights(RegardSimilarity similarity, RegardSimilarityMaps maps, guint d,
                          RegardSimilarityWeights *weights)
{
  const gboolean is_random = maps == REGARD_MAPS_RANDOM;
  const guint copies = similarity == REGARD_SIMILARITY_CONCAT ? 2 : 1;
  guint64 state = REGARD_RANDOM_SEED + (guint64) similarity;
  *weights = (RegardSimilarityWeights){NULL, NULL, NULL};
  if (!infos[similarity].has_maps)
    return;
  weights->w =
      is_random ? random_matrix(d, copies * d, 1.0 / (copies * d), &state) : identities(d, copies);
  if (similarity == REGARD_SIMILARITY_PERCEPTRON)
    weights->u = is_random ? random_matrix(d, d, 1.0 / d, &state) : identities(d, 1);
  if (similarity != REGARD_SIMILARITY_GENERAL)
    weights->v = is_random ? random_matrix(1, d, 1, &state) : ones(d);
}

void
regard_similarity_weights_clear(RegardSimilarityWeights *weights)
{
  g_clear_pointer(&weights->w, g_free);
  g_clear_pointer(&weights->u, g_free);
  g_clear_pointer(&weights->v, g_free);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static double
dot(const float *a, const float *b, guint n)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

/* Columns [first, first + n) of a row of m, times x. */
static double
row_times(const double *m, guint columns, guint row, guint first, const float *x, guint n)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += m[(gsize) row * columns + first + i] * x[i];
  return sum;
}

static double
compare(RegardSimilarity similarity, const RegardSimilarityWeights *m, const float *q,
        const float *k, guint d)
{
  double sum = 0;
  switch (similarity) {
  case REGARD_SIMILARITY_SCALED:
    return dot(q, k, d) / sqrt(d);
  case REGARD_SIMILARITY_GENERAL:
    for (guint i = 0; i < d; i++)
      sum += q[i] * row_times(m->w, d, i, 0, k, d);
    return sum;
  case REGARD_SIMILARITY_CONCAT:
    for (guint i = 0; i < d; i++)
      sum +=
          m->v[i] * tanh(row_times(m->w, 2 * d, i, 0, q, d) + row_times(m->w, 2 * d, i, d, k, d));
    return sum;
  case REGARD_SIMILARITY_PERCEPTRON:
    for (guint i = 0; i < d; i++)
      sum += m->v[i] * tanh(row_times(m->w, d, i, 0, q, d) + row_times(m->u, d, i, 0, k, d));
    return sum;
  case REGARD_SIMILARITY_COSINE: {
    double norms = sqrt(dot(q, q, d) * dot(k, k, d));
    return norms > 0 ? dot(q, k, d) / norms : 0;
  }
  default:
    return dot(q, k, d);
  }
}

void
regard_similarity_scores(RegardSimilarity similarity, const RegardSimilarityWeights *weights,
                         const float *query, mt_matrix keys, double *out)
{
  for (guint j = 0; j < keys.rows; j++)
    out[j] = compare(similarity, weights, query, keys.data + j * keys.stride, (guint) keys.cols);
}

/* ---- Rows of weights ------------------------------------------------------------------------- */

void
regard_softmax(const double *scores, const gboolean *allowed, guint n, double divisor,
               double *weights)
{
  double largest = -INFINITY, sum = 0;
  for (guint j = 0; j < n; j++)
    if (allowed[j])
      largest = MAX(largest, scores[j] / divisor);
  for (guint j = 0; j < n; j++) {
    weights[j] = allowed[j] ? exp(scores[j] / divisor - largest) : 0;
    sum += weights[j];
  }
  for (guint j = 0; j < n; j++)
    weights[j] = sum > 0 ? weights[j] / sum : 0;
}

RegardRowNumbers
regard_row_numbers(const double *weights, guint n)
{
  RegardRowNumbers numbers = {0, 0, 0};
  double squares = 0, cubes = 0;
  for (guint j = 0; j < n; j++) {
    const double a = weights[j];
    numbers.largest = MAX(numbers.largest, a);
    numbers.entropy -= a > 0 ? a * log2(a) : 0;
    squares += a * a;
    cubes += a * a * a;
  }
  /* ‖diag(a) − a aᵀ‖² = Σ a² − 2 Σ a³ + (Σ a²)² */
  numbers.gradient = sqrt(MAX(squares - 2 * cubes + squares * squares, 0));
  return numbers;
}
