/* mt-kv-pool.c — keys and values of all sentences in one place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-kv-pool.h"

#include <assert.h>

size_t
mt_kv_pool_pages(size_t n_rows)
{
  return n_rows / MT_KV_PAGE + (n_rows % MT_KV_PAGE > 0);
}

void
mt_kv_pool_lay_out(mt_kv_pool *pool, size_t n_layers, size_t n_pages, size_t d, mt_arena *arena)
{
  pool->d = d;
  pool->n_layers = n_layers;
  pool->n_pages = n_pages;
  size_t rows;
  if (n_pages > UINT32_MAX / MT_KV_PAGE || __builtin_mul_overflow(n_pages * MT_KV_PAGE, d, &rows)) {
    arena->overflow = true;
    return;
  }
  pool->k = mt_arena_take(arena, n_layers, rows, 1);
  pool->v = mt_arena_take(arena, n_layers, rows, 1);
  pool->free = mt_arena_take(arena, n_pages, 1, 1);
}

void
mt_kv_pool_clear(mt_kv_pool *pool)
{
  /* Page 0 is taken first: memory that is never used is never given by the system. */
  for (size_t i = 0; i < pool->n_pages; i++)
    pool->free[i] = (uint32_t) (pool->n_pages - 1 - i);
  pool->n_free = pool->n_pages;
}

bool
mt_kv_pool_take(mt_kv_pool *pool, mt_kv_rows *rows, size_t n, uint32_t *out)
{
  size_t n_new = mt_kv_pool_pages(rows->n_used + n) - rows->n_pages;
  if (n_new > pool->n_free)
    return false;
  assert(rows->n_pages + n_new <= rows->max_pages);
  while (n_new-- > 0)
    rows->pages[rows->n_pages++] = pool->free[--pool->n_free];
  for (size_t i = 0; i < n; i++) {
    size_t at = rows->n_used++;
    out[i] = rows->pages[at / MT_KV_PAGE] * MT_KV_PAGE + (uint32_t) (at % MT_KV_PAGE);
  }
  return true;
}

void
mt_kv_pool_give_back(mt_kv_pool *pool, mt_kv_rows *rows, size_t n)
{
  assert(n <= rows->n_used);
  rows->n_used -= n;
  while (rows->n_pages > mt_kv_pool_pages(rows->n_used))
    pool->free[pool->n_free++] = rows->pages[--rows->n_pages];
}
