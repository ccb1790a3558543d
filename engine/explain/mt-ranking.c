/* mt-ranking.c — the best few of many, by insertion: nearly all are below the last one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "explain/mt-ranking.h"

size_t
mt_ranking_add(mt_ranked *list, size_t n, size_t most, size_t index, float score)
{
  if (score != score || most == 0 || (n == most && !(score > list[n - 1].score)))
    return n;
  size_t i = n < most ? n++ : n - 1;
  for (; i > 0 && list[i - 1].score < score; i--)
    list[i] = list[i - 1];
  list[i] = (mt_ranked){index, score};
  return n;
}
