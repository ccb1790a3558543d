/* mt-corpus-top.c — the strongest examples of a measure of a head.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-top.h"

#include "base/mt-alloc.h"

#include <string.h>

/* Positions of a model. */
#define MOST_KEYS ((uint64_t) 1 << 20)

void
mt_corpus_top_clear(mt_corpus_top *top)
{
  for (size_t i = 0; i < top->n; i++)
    mt_free(top->items[i].weights);
  *top = (mt_corpus_top){0};
}

static bool
is_before(mt_fixed value_a, uint64_t hash_a, mt_fixed value_b, uint64_t hash_b)
{
  return value_a != value_b ? value_a > value_b : hash_a < hash_b;
}

bool
mt_corpus_top_wants(const mt_corpus_top *top, mt_fixed value, uint64_t hash)
{
  const mt_corpus_top_item *last = &top->items[MT_CORPUS_STRONGEST - 1];
  if (top->n == MT_CORPUS_STRONGEST && !is_before(value, hash, last->value, last->hash))
    return false;
  for (size_t i = 0; i < top->n; i++)
    if (top->items[i].hash == hash)
      return false;
  return true;
}

bool
mt_corpus_top_add(mt_corpus_top *top, const mt_corpus_top_item *item)
{
  if (!mt_corpus_top_wants(top, item->value, item->hash))
    return true;
  unsigned char *weights = mt_alloc(item->n, 1);
  if (!weights)
    return false;
  memcpy(weights, item->weights, item->n);
  if (top->n == MT_CORPUS_STRONGEST)
    mt_free(top->items[--top->n].weights);
  size_t at = top->n++;
  for (; at > 0 &&
         is_before(item->value, item->hash, top->items[at - 1].value, top->items[at - 1].hash);
       at--)
    top->items[at] = top->items[at - 1];
  top->items[at] = *item;
  top->items[at].weights = weights;
  top->is_changed = true;
  return true;
}

void
mt_corpus_top_put(const mt_corpus_top *top, mt_packed *packed)
{
  mt_packed_put_whole(packed, top->n);
  for (size_t i = 0; i < top->n; i++) {
    const mt_corpus_top_item *item = &top->items[i];
    mt_packed_put_signed(packed, item->value);
    mt_packed_put_whole(packed, item->hash);
    mt_packed_put_whole(packed, item->sentence);
    mt_packed_put_whole(packed, item->query);
    mt_packed_put_whole(packed, item->key);
    mt_packed_put_whole(packed, item->n);
    mt_packed_put(packed, item->weights, item->n);
  }
}

bool
mt_corpus_top_get(mt_corpus_top *top, mt_packed_in *in, uint64_t n_sentences, bool *no_memory)
{
  const size_t n = mt_packed_get_whole(in, MT_CORPUS_STRONGEST);
  *top = (mt_corpus_top){0};
  for (size_t i = 0; i < n; i++) {
    mt_corpus_top_item item = {
        .value = (mt_fixed) mt_packed_get_signed(in, MT_FIXED_LIMIT),
        .hash = mt_packed_get_whole(in, UINT64_MAX),
        .sentence = mt_packed_get_whole(in, n_sentences),
        .query = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
        .key = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
        .n = (uint32_t) mt_packed_get_whole(in, MOST_KEYS),
    };
    item.weights = (unsigned char *) mt_packed_get(in, item.n);
    if (in->failed || item.sentence == 0 || item.key >= item.n)
      return false;
    const size_t before = top->n;
    *no_memory = !mt_corpus_top_add(top, &item);
    /* In order, and each once. */
    if (*no_memory || top->n != before + 1 || top->items[before].hash != item.hash)
      return false;
  }
  top->is_changed = false;
  return !in->failed;
}
