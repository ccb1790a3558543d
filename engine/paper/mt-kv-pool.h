/* mt-kv-pool.h — keys and values of all sentences in one place. Private to the engine.
 *
 * How long an output becomes is known when it is finished. So no sentence has a region of its own
 * that would have to be large enough for the longest: all take pages of some rows from one pool
 * when they need them and give them back when they are done (Kwon et al. 2023, "PagedAttention").
 * Attention finds keys by their row numbers, wherever they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KV_POOL_H
#define MT_KV_POOL_H

#include "base/mt-alloc.h"

#define MT_KV_PAGE 16 /* rows */

/* Row r of layer l: the key and the value of one token, all heads side by side. */
typedef struct {
  size_t d, n_layers, n_pages;
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

/* n more rows, their numbers in out [n]; false: there are not so many free pages, and nothing has
 * happened. */
bool mt_kv_pool_take(mt_kv_pool *pool, mt_kv_rows *rows, size_t n, uint32_t *out);

/* The newest n rows back. */
void mt_kv_pool_give_back(mt_kv_pool *pool, mt_kv_rows *rows, size_t n);

/* Row 0 of a layer of pool->k or pool->v. */
static inline float *
mt_kv_pool_layer(const mt_kv_pool *pool, float *from, size_t layer)
{
  return from + layer * pool->n_pages * MT_KV_PAGE * pool->d;
}

#endif
