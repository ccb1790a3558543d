/* mt-corpus-top.h — the sentences on which a measure of a head is greatest. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A total order, the greater value first, of equals the lesser hash of the texts, makes the best of
 * two lists the best of all that went into them.
 */
#ifndef MT_CORPUS_TOP_H
#define MT_CORPUS_TOP_H

#include "corpus/mt-corpus-sums.h"

typedef struct {
  mt_fixed value;
  uint64_t hash, sentence; /* of the texts; id */
  uint32_t query, key;
  uint32_t n;             /* weights of the row, as far as it sees keys */
  unsigned char *weights; /* [n] 255 is 1 */
} mt_corpus_top_item;

typedef struct {
  size_t n;
  mt_corpus_top_item items[MT_CORPUS_STRONGEST]; /* the strongest first, none with another's hash */
  bool is_changed;                               /* since whoever writes it looked */
} mt_corpus_top;

void mt_corpus_top_clear(mt_corpus_top *top);
/* Whether a sentence would come among them. */
bool mt_corpus_top_wants(const mt_corpus_top *top, mt_fixed value, uint64_t hash);
/* Take it in, if so; weights are copied. False: no memory. */
bool mt_corpus_top_add(mt_corpus_top *top, const mt_corpus_top_item *item);
void mt_corpus_top_put(const mt_corpus_top *top, mt_packed *packed);
/* An empty list from what was put, of a file with n_sentences. False: it cannot be one, or no
 * memory
 * (*no_memory). */
bool mt_corpus_top_get(mt_corpus_top *top, mt_packed_in *in, uint64_t n_sentences, bool *no_memory);

#endif
