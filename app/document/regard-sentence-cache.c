/* regard-sentence-cache.c — translations of sentences seen lately.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-sentence-cache.h"

#define MOST_SENTENCES 512

struct _RegardSentenceCache {
  GHashTable *table; /* key → RegardCachedSentence */
};

static void
cached_free(gpointer data)
{
  RegardCachedSentence *cached = data;
  mt_translation_unref(cached->translation);
  mt_copies_unref(cached->copies);
  g_free(cached);
}

RegardSentenceCache *
regard_sentence_cache_new(void)
{
  RegardSentenceCache *cache = g_new0(RegardSentenceCache, 1);
  cache->table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, cached_free);
  return cache;
}

void
regard_sentence_cache_free(RegardSentenceCache *cache)
{
  g_hash_table_unref(cache->table);
  g_free(cache);
}

RegardCachedSentence *
regard_sentence_cache_get(RegardSentenceCache *cache, const char *key, guint serial)
{
  RegardCachedSentence *cached = g_hash_table_lookup(cache->table, key);
  if (cached)
    cached->used = serial;
  return cached;
}

RegardCachedSentence *
regard_sentence_cache_put(RegardSentenceCache *cache, const char *key, mt_translation *translation,
                          guint serial)
{
  RegardCachedSentence *cached = g_new0(RegardCachedSentence, 1);
  cached->translation = mt_translation_ref(translation);
  cached->used = serial;
  g_hash_table_replace(cache->table, g_strdup(key), cached);
  return cached;
}

static gboolean
is_unused(gpointer key, gpointer value, gpointer serial)
{
  const RegardCachedSentence *cached = value;
  return cached->used != GPOINTER_TO_UINT(serial);
}

void
regard_sentence_cache_trim(RegardSentenceCache *cache, guint serial)
{
  if (g_hash_table_size(cache->table) > MOST_SENTENCES)
    g_hash_table_foreach_remove(cache->table, is_unused, GUINT_TO_POINTER(serial));
}

void
regard_sentence_cache_clear(RegardSentenceCache *cache)
{
  g_hash_table_remove_all(cache->table);
}
