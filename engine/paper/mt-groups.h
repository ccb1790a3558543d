/* mt-groups.h — whose the rows of a pass are. Private to the engine.
 *
 * Several sentences go through the model together, or one. Their rows stand one after the other
 * without anything between: maps, norms and feed-forward treat all rows alike, and only attention
 * and positions know whose they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_GROUPS_H
#define MT_GROUPS_H

#include "mt.h"
#include "paper/mt-kv-sentence.h"

/* The rows of one sentence. */
typedef struct {
  size_t sentence; /* its number, for those who look */
  size_t first, n; /* rows of the pass */
  size_t position; /* of the first of them */
  /* Row r is hypothesis r % n_beams at position + r / n_beams: a decoding step, or several whose
   * tokens were guessed. 0: there is one sequence, and row r is its position + r. */
  size_t n_beams;
  const mt_kv_sentence *kv; /* in the decoder, with the keys of these rows */
  /* Made in these rows alone, after those of the pass, which wants their sites; or NULL. */
  const mt_changes *changes;
} mt_group;

typedef struct {
  mt_group *groups;
  size_t n, n_rows; /* of all groups */
  mt_kv_pool *pool;
} mt_groups;

/* The position of row r of a group in its sentence. */
static inline size_t
mt_group_position(const mt_group *group, size_t r)
{
  return group->position + (group->n_beams ? r / group->n_beams : r);
}

#endif
