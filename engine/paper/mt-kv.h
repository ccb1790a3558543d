/* mt-kv.h — the keys and values of all sentences in one place, which of them a hypothesis sees, and
 * whose the rows of a pass are. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long an output becomes is known when it is finished. So no sentence has a region of its own
 * that would have to be large enough for the longest: all take pages of some rows from one pool
 * when they need them and give them back when they are done (Kwon et al. 2023, "PagedAttention").
 * Attention finds keys by their row numbers, wherever they are.
 */
#ifndef MT_KV_H
#define MT_KV_H

#include "base/mt-alloc.h"
#include "mt.h"

#define MT_KV_PAGE 16 /* rows */

/* Row r of layer l: the key and the value of one token, all heads side by side. */
typedef struct {
  size_t d; /* columns of all heads */
  size_t n_layers, n_pages;
  float *k, *v;   /* [layers][n_pages * MT_KV_PAGE][d] */
  uint32_t *free; /* [n_free] pages that nobody has; the last one is taken first */
  size_t n_free;
} mt_kv_pool;

/* What a sentence has of it: its i-th row is rows i % MT_KV_PAGE of page i / MT_KV_PAGE. */
typedef struct {
  uint32_t *pages; /* [n_pages], room for max_pages */
  size_t n_pages, max_pages;
  size_t n_used; /* rows */
} mt_kv_rows;

/* Pages for so many rows. */
size_t mt_kv_pool_pages(size_t n_rows);

void mt_kv_pool_lay_out(mt_kv_pool *pool, size_t n_layers, size_t n_pages, size_t d,
                        mt_arena *arena);
/* All pages are free. */
void mt_kv_pool_clear(mt_kv_pool *pool);

/* Row 0 of a layer of pool->k or pool->v. */
static inline float *
mt_kv_pool_layer(const mt_kv_pool *pool, float *from, size_t layer)
{
  return from + layer * pool->n_pages * MT_KV_PAGE * pool->d;
}

/* ---- Of one sentence ------------------------------------------------------------------------- */

typedef struct {
  mt_kv_rows rows; /* of both kinds */
  /* Cross-attention: rows of the pool, one for each source token. */
  uint32_t *source; /* [n_source] */
  size_t n_source;
  bool is_source_straight; /* they follow each other in the pool */
  /* Decoder self-attention. What was once computed stays in its row for ever; which row a
   * hypothesis sees for an earlier position is in its list, so that hypotheses which continue the
   * same one share rows, and reordering moves small integers, not vectors. */
  size_t length, max_length;    /* positions computed so far, and room */
  size_t n_rows, max_rows;      /* of the newest call of mt_kv_sentence_advance */
  size_t n_beams;               /* of these rows at each position */
  uint32_t *past, *former_past; /* [max_rows][max_length]: of each row of the newest call */
  uint32_t *last;               /* in past: rows at the newest position */
  uint32_t *fresh;              /* [max_rows] rows of the pool that the newest call took */
  bool is_fresh_straight;       /* they follow each other in the pool */
  size_t base;                  /* position of row 0 of the newest call */
} mt_kv_sentence;

void mt_kv_sentence_lay_out(mt_kv_sentence *kv, size_t n_source, size_t max_rows, size_t max_length,
                            mt_arena *arena);

/* A new sentence of n_source tokens takes rows for their keys and values; it has none yet. False:
 * the pool has not enough, and nothing has happened. */
bool mt_kv_sentence_begin(mt_kv_sentence *kv, mt_kv_pool *pool, size_t n_source);

/* n more rows: one for each hypothesis at the next position, hypothesis b continuing what was
 * parents[b]; or for n_steps positions one after the other, each with all hypotheses. parents [n].
 * Row r then finds its keys, its own the last, in past + r * max_length. False: the pool has not
 * enough, and nothing has happened. */
bool mt_kv_sentence_advance(mt_kv_sentence *kv, mt_kv_pool *pool, const uint32_t *parents, size_t n,
                            size_t n_steps);

/* Another sequence over the same source, whose keys and values it has no rows of its own for. */
void mt_kv_sentence_begin_beside(mt_kv_sentence *kv, const mt_kv_sentence *other);

/* Forget the positions from `length` on, but not all of them. Where there is more than one
 * hypothesis all of these came with the newest call of mt_kv_sentence_advance, though not the first
 * of them. */
void mt_kv_sentence_retreat(mt_kv_sentence *kv, mt_kv_pool *pool, size_t length);

/* Everything goes back to the pool. */
void mt_kv_sentence_end(mt_kv_sentence *kv, mt_kv_pool *pool);

/* ---- Groups: whose the rows of a pass are ---------------------------------------------------- */

/* Several sentences go through the model together, or one. Their rows stand one after the other
 * without anything between: maps, norms and feed-forward treat all rows alike, and only attention
 * and positions know whose they are. */

/* The rows of one sentence. */
typedef struct {
  size_t sentence; /* its number, for those who look */
  size_t first, n; /* rows of the pass */
  size_t position; /* of the first of them */
  /* Row r is hypothesis r % n_beams at position + r / n_beams: a decoding step, or several whose
   * tokens were guessed. 0: there is one sequence, and row r is its position + r. */
  size_t n_beams;
  const mt_kv_sentence *kv; /* in the decoder, with the keys of these rows */
  /* Made in these rows alone, after those of the pass, which wants their hook points; or NULL. */
  const mt_interventions *interventions;
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
