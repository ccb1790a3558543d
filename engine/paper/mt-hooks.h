/* mt-hooks.h — showing a tensor to the hooks. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_HOOKS_H
#define MT_HOOKS_H

#include "mt.h"

/* How the rows of the tensors in hand lie: as positions of one sequence (a parallel pass), or one
 * row for each beam at a position (a decoding step), or at several positions one after the other
 * (steps whose tokens were guessed). */
typedef struct {
  size_t n;
  size_t first;   /* position of row 0 */
  size_t n_beams; /* row r is sequence r % n_beams at position first + r / n_beams; 0: there is one
                     sequence, and row r is its position first + r */
  const uint32_t *positions; /* not NULL: of each row, in whatever order they are */
} mt_rows;

static inline size_t
mt_rows_position(mt_rows rows, size_t r)
{
  return rows.positions ? rows.positions[r] : rows.first + (rows.n_beams ? r / rows.n_beams : r);
}

static inline bool
mt_hooks_want(const mt_hooks *hooks, mt_site site)
{
  return (hooks->sites & MT_SITE_BIT(site)) != 0;
}

/* Show data [rows.n][cols] to on_probe: at once, or row by row for a step. */
void mt_hooks_show(const mt_hooks *hooks, mt_site site, mt_attention_kind kind, int layer, int head,
                   mt_rows rows, float *data, size_t cols, size_t stride);

/* The same behind the one branch that a site costs when nobody looks. */
static inline void
mt_hooks_probe(const mt_hooks *hooks, mt_site site, mt_attention_kind kind, int layer, int head,
               mt_rows rows, float *data, size_t cols, size_t stride)
{
  if (mt_hooks_want(hooks, site))
    mt_hooks_show(hooks, site, kind, layer, head, rows, data, cols, stride);
}

/* True if should_stop says so; then *error is MT_ERROR_CANCELLED. */
bool mt_hooks_stopped(const mt_hooks *hooks, mt_error *error);

/* hooks, or a set without callbacks if it is NULL. */
const mt_hooks *mt_hooks_or_none(const mt_hooks *hooks);

#endif
