/* mt-ranking.h — the best few of many. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_RANKING_H
#define MT_RANKING_H

#include <stddef.h>

typedef struct {
  size_t index;
  float score;
} mt_ranked;

/* Add one to a list of at most `most`, largest score first; of equal ones, those that came first
 * stay first. Returns how many there are now. NaN is not added. */
size_t mt_ranking_add(mt_ranked *list, size_t n, size_t most, size_t index, float score);

#endif
