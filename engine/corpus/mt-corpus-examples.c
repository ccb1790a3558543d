/* mt-corpus-examples.c — the strongest sentences of a measure, and some of every strength.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One allocation: the list, its items and their weights. */
static mt_corpus_examples *
examples_new(size_t n, size_t n_weights, mt_error *error)
{
  mt_corpus_examples *examples =
      mt_alloc(sizeof *examples + n * sizeof *examples->items + n_weights * sizeof(float), 1);
  if (!examples)
    return mt_fail_no_memory(error), NULL;
  examples->n = n;
  examples->items = (mt_corpus_example *) (examples + 1);
  return examples;
}

void
mt_corpus_examples_free(mt_corpus_examples *examples)
{
  mt_free(examples);
}

static bool
has(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
    mt_corpus_measure measure)
{
  const mt_corpus_shape *shape = &corpus->head.shape;
  return mt_corpus_shape_has(shape, mt_corpus_shape_at(shape, kind, layer, head), measure,
                             corpus->head.about.has_effects);
}

mt_corpus_examples *
mt_corpus_strongest(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                    mt_corpus_measure measure, mt_error *error)
{
  const size_t i = mt_corpus_shape_at(&corpus->head.shape, kind, layer, head);
  mt_corpus_top top = {0};
  size_t n_weights = 0;
  if (has(corpus, kind, layer, head, measure) &&
      !mt_corpus_read_top(corpus->db, &corpus->head, i, measure, &top, error))
    return NULL;
  for (size_t k = 0; k < top.n; k++)
    n_weights += top.items[k].n;
  mt_corpus_examples *examples = examples_new(top.n, n_weights, error);
  float *weights = examples ? (float *) (examples->items + top.n) : NULL;
  for (size_t k = 0; examples && k < top.n; k++) {
    const mt_corpus_top_item *item = &top.items[k];
    examples->items[k] = (mt_corpus_example){.sentence = item->sentence,
                                             .value = mt_fixed_value(item->value),
                                             .query = item->query,
                                             .key = item->key,
                                             .n_weights = item->n,
                                             .weights = weights};
    for (size_t w = 0; w < item->n; w++)
      *weights++ = (float) item->weights[w] / 255;
  }
  mt_corpus_top_clear(&top);
  return examples;
}

/* ---- Quantiles ---------------------------------------------------------------------------------
 */

typedef struct {
  uint64_t hash;
  uint32_t at;
} hashed;

static int
compare(const void *a, const void *b)
{
  const hashed *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* The sentences by hash, each text once; read and sorted once. */
static bool
sort_texts(mt_corpus *corpus, mt_error *error)
{
  const size_t n = corpus->head.about.n_sentences;
  if (corpus->distinct)
    return true;
  uint64_t *hashes = mt_alloc(n, sizeof *hashes);
  hashed *sorted = mt_alloc(n, sizeof *sorted);
  uint32_t *distinct = mt_alloc(n, sizeof *distinct);
  bool ok = (hashes && sorted && distinct) || mt_fail_no_memory(error);
  ok = ok && mt_corpus_read_hashes(corpus->db, 0, n, hashes, error);
  size_t n_distinct = 0;
  if (ok) {
    for (size_t i = 0; i < n; i++)
      sorted[i] = (hashed){hashes[i], (uint32_t) i};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++)
      if (i == 0 || sorted[i].hash != sorted[i - 1].hash)
        distinct[n_distinct++] = sorted[i].at;
    corpus->distinct = distinct;
    corpus->n_distinct = n_distinct;
  } else {
    mt_free(distinct);
  }
  mt_free(hashes);
  mt_free(sorted);
  return ok;
}

/* Of groups of equal size, those that come first by hash; bytes [n_sentences]. */
static void
choose(const mt_corpus *corpus, mt_corpus_measure measure, mt_attention_kind kind,
       const unsigned char *bytes, mt_corpus_examples *examples)
{
  size_t before[257] = {0}, n_chosen[MT_CORPUS_GROUPS] = {0};
  const size_t n = corpus->n_distinct;
  for (size_t i = 0; i < n; i++)
    before[bytes[corpus->distinct[i]] + 1]++;
  for (size_t b = 1; b < 257; b++)
    before[b] += before[b - 1];
  for (size_t i = 0; i < n; i++) {
    const uint32_t at = corpus->distinct[i];
    const size_t rank = before[bytes[at]]++; /* by value, then by hash */
    const size_t group = rank * MT_CORPUS_GROUPS / n;
    if (n_chosen[group] == MT_CORPUS_PER_GROUP)
      continue;
    mt_corpus_example *item = &examples->items[group * MT_CORPUS_PER_GROUP + n_chosen[group]++];
    item->sentence = at + (uint64_t) 1;
    item->value = mt_corpus_dequantize(measure, kind, bytes[at]);
  }
}

mt_corpus_examples *
mt_corpus_quantiles(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                    mt_corpus_measure measure, mt_error *error)
{
  const size_t n = corpus->head.about.n_sentences;
  const size_t i = mt_corpus_shape_at(&corpus->head.shape, kind, layer, head);
  mt_corpus_examples *examples = examples_new(MT_CORPUS_GROUPS * MT_CORPUS_PER_GROUP, 0, error);
  for (size_t k = 0; examples && k < examples->n; k++)
    examples->items[k].value = NAN;
  if (!examples || n == 0 || !has(corpus, kind, layer, head, measure))
    return examples;
  unsigned char *bytes = mt_alloc(n, 1);
  /* What was read is kept, which nobody sees. */
  bool ok = (bytes || mt_fail_no_memory(error)) && sort_texts((mt_corpus *) corpus, error) &&
            mt_corpus_read_series(corpus->db, mt_corpus_series(i, measure), 0, n, bytes, error);
  if (ok)
    choose(corpus, measure, kind, bytes, examples);
  mt_free(bytes);
  if (ok)
    return examples;
  mt_corpus_examples_free(examples);
  return NULL;
}
