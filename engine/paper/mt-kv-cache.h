/* mt-kv-cache.h — keys and values kept between decoding steps. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KV_CACHE_H
#define MT_KV_CACHE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t d;
  /* Cross-attention: one row for each source token. */
  size_t n_source;
  float *cross_k, *cross_v; /* [layers][n_source][d] */
  /* Decoder self-attention. Beam b's key of position p, once computed, stays in row p * n_beams + b
   * for ever; which row a beam reads for an earlier position is in its index, so that beams which
   * continue the same hypothesis share rows and reordering moves small integers, not vectors. */
  size_t n_beams;
  size_t max_length;
  size_t length;                  /* positions computed so far */
  float *self_k, *self_v;         /* [layers][max_length * n_beams][d] */
  size_t n_rows;                  /* most rows of one call of mt_kv_cache_advance */
  uint32_t *index, *former_index; /* [n_rows][max_length]: of each row of the newest call */
  uint32_t *last;                 /* [n_beams][max_length]: in index, of the newest position */
  size_t base;                    /* position of row 0 of index */
} mt_kv_cache;

/* Forget everything. */
void mt_kv_cache_clear(mt_kv_cache *cache);

/* Make room for n more rows: one for each beam at the next position, beam b continuing what was
 * beam parents[b]; or for n_steps positions, each with all beams. parents [n]. cache->length is
 * then the new number of positions; the caller fills rows mt_kv_cache_new_rows … + n of each
 * layer, and row r finds its keys in cache->index + r * max_length. */
void mt_kv_cache_advance(mt_kv_cache *cache, const uint32_t *parents, size_t n, size_t n_steps);

/* Forget the positions from `length` on, all of which came with the newest call of
 * mt_kv_cache_advance, though not the first of them. */
void mt_kv_cache_retreat(mt_kv_cache *cache, size_t length);

/* First row that the newest call made room for, in layer `layer` of self_k and self_v, as an
 * offset. */
size_t mt_kv_cache_new_rows(const mt_kv_cache *cache, size_t layer);

/* Offset of a layer in self_k and self_v, and in cross_k and cross_v. */
size_t mt_kv_cache_self_layer(const mt_kv_cache *cache, size_t layer);
size_t mt_kv_cache_cross_layer(const mt_kv_cache *cache, size_t layer);

#endif
