/* mt-kv-cache.c — the key/value cache: what a decoding step need not compute again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-kv-cache.h"

#include <assert.h>
#include <string.h>

void
mt_kv_cache_clear(mt_kv_cache *cache)
{
  cache->length = 0;
}

void
mt_kv_cache_advance(mt_kv_cache *cache, const uint32_t *parents, size_t n)
{
  assert(n <= cache->n_beams && cache->length < cache->max_length);
  size_t position = cache->length;
  uint32_t *former = cache->index;
  cache->index = cache->former_index;
  cache->former_index = former;
  for (size_t b = 0; b < n; b++) {
    uint32_t *own = cache->index + b * cache->max_length;
    if (position > 0)
      memcpy(own, former + parents[b] * cache->max_length, position * sizeof *own);
    own[position] = (uint32_t) (position * cache->n_beams + b);
  }
  cache->length = position + 1;
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
  return mt_kv_cache_self_layer(cache, layer) + (cache->length - 1) * cache->n_beams * cache->d;
}
