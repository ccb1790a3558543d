/* regard-made-up.c — queries and keys of random numbers, of as many dimensions as one likes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     q·k = Σ q_i k_i has mean 0 and variance d_k              the paper, section 3.2.1, footnote 4
 *
 * so that softmax saturates as d_k grows, unless scores are divided by √d_k.
 */
#include "figures/regard-made-up.h"

#include "figures/regard-walkthrough.h"

#include <math.h>

#define N_VECTORS (REGARD_MADE_UP_QUERIES + REGARD_MADE_UP_KEYS)

/* [N_VECTORS][MOST]: queries, then keys. Made once. */
static const double *
get_vectors(void)
{
  static double *vectors;
  if (g_once_init_enter(&vectors)) {
    guint64 state = REGARD_MADE_UP_SEED;
    g_once_init_leave(&vectors, regard_random_matrix(N_VECTORS, REGARD_MADE_UP_MOST, 1, &state));
  }
  return vectors;
}

void
regard_made_up(guint d, RegardMadeUp *made)
{
  const double *vectors = get_vectors();
  gboolean allowed[REGARD_MADE_UP_KEYS];
  double squares = 0, sum = 0;
  d = CLAMP(d, 1, REGARD_MADE_UP_MOST);
  *made = (RegardMadeUp){.d = d};
  for (guint k = 0; k < REGARD_MADE_UP_KEYS; k++)
    allowed[k] = TRUE;
  for (guint q = 0; q < REGARD_MADE_UP_QUERIES; q++) {
    double scores[REGARD_MADE_UP_KEYS] = {0}, weights[REGARD_MADE_UP_KEYS];
    for (guint k = 0; k < REGARD_MADE_UP_KEYS; k++) {
      const double *query = vectors + (gsize) q * REGARD_MADE_UP_MOST;
      const double *key = vectors + (gsize) (REGARD_MADE_UP_QUERIES + k) * REGARD_MADE_UP_MOST;
      for (guint i = 0; i < d; i++)
        scores[k] += query[i] * key[i];
      sum += scores[k];
      squares += scores[k] * scores[k];
    }
    for (guint way = 0; way < 2; way++) {
      double largest = 0, left = 1;
      regard_softmax(scores, allowed, REGARD_MADE_UP_KEYS, way ? sqrt(d) : 1, weights);
      for (guint k = 0; k < REGARD_MADE_UP_KEYS; k++) {
        largest = MAX(largest, weights[k]);
        left -= weights[k] * weights[k];
        if (q == 0)
          made->with[way].weights[k] = weights[k];
      }
      made->with[way].largest += largest / REGARD_MADE_UP_QUERIES;
      made->with[way].slope += MAX(left, 0) / REGARD_MADE_UP_QUERIES;
    }
  }
  const double n = REGARD_MADE_UP_QUERIES * REGARD_MADE_UP_KEYS, mean = sum / n;
  made->spread = sqrt(squares / n - mean * mean);
}
