/* mt-corpus-map.c — heads in the plane, by their distances (mt/scaling.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <mt/scaling.h>

bool
mt_corpus_map(const mt_corpus *corpus, mt_attention_kind kind, double *xy, double *kept,
              mt_error *error)
{
  const size_t n = corpus->head.shape.n_of_kind[kind];
  const size_t per_layer = corpus->head.shape.n_heads[kind];
  double *distances = mt_alloc(n * n, sizeof *distances), farthest = 0;
  if (!distances)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double d = mt_corpus_distance(corpus, kind, i / per_layer, i % per_layer, j / per_layer,
                                          j % per_layer);
      distances[i * n + j] = isnan(d) ? 0 : d; /* of no sentence: nothing parts them */
      farthest = fmax(farthest, distances[i * n + j]);
    }
  for (size_t i = 0; i < 2 * n; i++)
    xy[i] = 0;
  if (kept)
    *kept = 1;
  /* Heads in one place, or a single one, are shown as they are. */
  const bool ok = farthest == 0 || mt_scale_classical(distances, n, 2, xy, kept, error);
  mt_free(distances);
  return ok;
}
