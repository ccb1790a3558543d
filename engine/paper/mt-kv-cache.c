/* mt-kv-cache.c — the key/value cache: what a decoding step need not compute again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-kv-cache.h"

#include <assert.h>
#include <string.h>

void
mt_kv_cache_clear(mt_kv_cache *cache)
{
  cache->length = cache->base = 0;
  cache->last = cache->index;
}

void
mt_kv_cache_advance(mt_kv_cache *cache, const uint32_t *parents, size_t n, size_t n_steps)
{
  assert(n <= cache->n_rows && cache->length + n_steps <= cache->max_length);
  assert(n_steps == 1 ? n <= cache->n_beams : n == n_steps * cache->n_beams);
  const uint32_t *parent_rows = cache->last;
  uint32_t *index = cache->former_index;
  cache->former_index = cache->index;
  cache->index = index;
  cache->base = cache->length;
  for (size_t s = 0; s < n_steps; s++) {
    size_t position = cache->length++, n_here = n / n_steps;
    for (size_t b = 0; b < n_here; b++) {
      uint32_t *own = index + b * cache->max_length;
      if (position > 0)
        memcpy(own, parent_rows + parents[b] * cache->max_length, position * sizeof *own);
      own[position] = (uint32_t) (position * cache->n_beams + b);
    }
    parent_rows = cache->last = index;
    index += n_here * cache->max_length;
    parents += n_here;
  }
}

void
mt_kv_cache_retreat(mt_kv_cache *cache, size_t length)
{
  assert(length > cache->base && length <= cache->length);
  cache->length = length;
  cache->last = cache->index + (length - 1 - cache->base) * cache->n_beams * cache->max_length;
}

size_t
mt_kv_cache_self_layer(const mt_kv_cache *cache, size_t layer)
{
  return layer * cache->max_length * cache->n_beams * cache->d;
}

size_t
mt_kv_cache_cross_layer(const mt_kv_cache *cache, size_t layer)
{
  return layer * cache->n_source * cache->d;
}

size_t
mt_kv_cache_new_rows(const mt_kv_cache *cache, size_t layer)
{
  return mt_kv_cache_self_layer(cache, layer) + cache->base * cache->n_beams * cache->d;
}
