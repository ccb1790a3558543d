/* mt-kv-sentence.h — the keys and values that one sentence has in the pool, and which of them each
 * of its hypotheses sees. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KV_SENTENCE_H
#define MT_KV_SENTENCE_H

#include "paper/mt-kv-pool.h"

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

/* Forget the positions from `length` on, all of which came with the newest call of
 * mt_kv_sentence_advance, though not the first of them. */
void mt_kv_sentence_retreat(mt_kv_sentence *kv, mt_kv_pool *pool, size_t length);

/* Everything goes back to the pool. */
void mt_kv_sentence_end(mt_kv_sentence *kv, mt_kv_pool *pool);

#endif
