/* mt-neighbours.c — which pieces have embeddings like that of a piece.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "explain/mt-ranking.h"
#include "model/mt-model.h"

#include <math.h>
#include <mt/lens.h>

size_t
mt_embedding_nearest(const mt_model *model, mt_stack stack, int32_t piece, size_t n,
                     mt_neighbour *out)
{
  mt_matrix table = mt_model_embedding(model, stack);
  size_t count = 0;
  if (piece < 0 || (size_t) piece >= table.rows)
    return 0;
  n = n < table.rows ? n : table.rows;
  mt_ranked *list = mt_alloc(n, sizeof *list);
  const float *own = table.data + (size_t) piece * table.stride;
  for (size_t v = 0; list && v < table.rows; v++) {
    const float *row = table.data + v * table.stride;
    double dot = 0, a = 0, b = 0;
    for (size_t i = 0; i < table.cols; i++) {
      dot += (double) own[i] * row[i];
      a += (double) own[i] * own[i];
      b += (double) row[i] * row[i];
    }
    if (v != (size_t) piece && a > 0 && b > 0)
      count = mt_ranking_add(list, count, n, v, (float) (dot / sqrt(a * b)));
  }
  for (size_t i = 0; i < count; i++)
    out[i] = (mt_neighbour){(int32_t) list[i].index, list[i].score};
  mt_free(list);
  return count;
}
