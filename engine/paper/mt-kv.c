/* mt-kv.c — keys and values of all sentences in one place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-kv.h"

#include <assert.h>
#include <string.h>

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

/* n more rows, their numbers in out [n]; false: there are not so many free pages, and nothing has
 * happened. */
static bool
take(mt_kv_pool *pool, mt_kv_rows *rows, size_t n, uint32_t *out)
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

/* The newest n rows back. */
static void
give_back(mt_kv_pool *pool, mt_kv_rows *rows, size_t n)
{
  assert(n <= rows->n_used);
  rows->n_used -= n;
  while (rows->n_pages > mt_kv_pool_pages(rows->n_used))
    pool->free[pool->n_free++] = rows->pages[--rows->n_pages];
}

/* ---- Of one sentence ------------------------------------------------------------------------- */

void
mt_kv_sentence_lay_out(mt_kv_sentence *kv, size_t n_source, size_t max_rows, size_t max_length,
                       mt_arena *arena)
{
  size_t n_hypotheses = max_rows * max_length; /* both are checked parameters */
  *kv = (mt_kv_sentence){.max_rows = max_rows, .max_length = max_length};
  kv->rows.max_pages = mt_kv_pool_pages(n_source + n_hypotheses);
  kv->rows.pages = mt_arena_take(arena, kv->rows.max_pages, 1, 1);
  kv->source = mt_arena_take(arena, n_source, 1, 1);
  kv->past = mt_arena_take(arena, max_rows, max_length, 1);
  kv->former_past = mt_arena_take(arena, max_rows, max_length, 1);
  kv->fresh = mt_arena_take(arena, max_rows, 1, 1);
}

static bool
is_straight(const uint32_t *rows, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (rows[i] != rows[0] + i)
      return false;
  return true;
}

bool
mt_kv_sentence_begin(mt_kv_sentence *kv, mt_kv_pool *pool, size_t n_source)
{
  if (!take(pool, &kv->rows, n_source, kv->source))
    return false;
  kv->n_source = n_source;
  kv->is_source_straight = is_straight(kv->source, n_source);
  kv->length = kv->base = kv->n_rows = 0;
  kv->last = kv->past;
  return true;
}

void
mt_kv_sentence_begin_beside(mt_kv_sentence *kv, const mt_kv_sentence *other)
{
  kv->source = other->source;
  kv->n_source = other->n_source;
  kv->is_source_straight = other->is_source_straight;
  kv->length = kv->base = kv->n_rows = 0;
  kv->last = kv->past;
}

bool
mt_kv_sentence_advance(mt_kv_sentence *kv, mt_kv_pool *pool, const uint32_t *parents, size_t n,
                       size_t n_steps)
{
  assert(n <= kv->max_rows && kv->length + n_steps <= kv->max_length && n % n_steps == 0);
  if (!take(pool, &kv->rows, n, kv->fresh))
    return false;
  kv->is_fresh_straight = is_straight(kv->fresh, n);
  const uint32_t *parent_rows = kv->last, *fresh = kv->fresh;
  uint32_t *past = kv->former_past;
  kv->former_past = kv->past;
  kv->past = past;
  kv->base = kv->length;
  kv->n_rows = n;
  kv->n_beams = n / n_steps;
  for (size_t s = 0; s < n_steps; s++) {
    size_t position = kv->length++;
    for (size_t b = 0; b < kv->n_beams; b++) {
      uint32_t *own = past + b * kv->max_length;
      if (position > 0)
        memcpy(own, parent_rows + parents[b] * kv->max_length, position * sizeof *own);
      own[position] = fresh[b];
    }
    parent_rows = kv->last = past;
    past += kv->n_beams * kv->max_length;
    parents += kv->n_beams;
    fresh += kv->n_beams;
  }
  return true;
}

void
mt_kv_sentence_retreat(mt_kv_sentence *kv, mt_kv_pool *pool, size_t length)
{
  assert(length > 0 && length <= kv->length && (length > kv->base || kv->n_beams == 1));
  give_back(pool, &kv->rows, (kv->length - length) * kv->n_beams);
  kv->length = length;
  /* One hypothesis has its earlier positions in every row. */
  size_t at = length > kv->base ? length - 1 - kv->base : 0;
  kv->last = kv->past + at * kv->n_beams * kv->max_length;
}

void
mt_kv_sentence_end(mt_kv_sentence *kv, mt_kv_pool *pool)
{
  give_back(pool, &kv->rows, kv->rows.n_used);
}
