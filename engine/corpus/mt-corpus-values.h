/* mt-corpus-values.h — the numbers of heads on one sentence. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CORPUS_VALUES_H
#define MT_CORPUS_VALUES_H

#include "base/mt-pool.h"
#include "corpus/mt-corpus-sums.h"

/* What the keys of one kind are. */
typedef struct {
  size_t n;
  unsigned char *is_special, *is_punctuation; /* [n] */
  size_t rarest; /* the key of the rarest token; n: there are only special ones */
} mt_corpus_keys;
bool mt_corpus_keys_init(mt_corpus_keys *keys, const mt_tokens *tokens);
void mt_corpus_keys_clear(mt_corpus_keys *keys);

/* All numbers of a head but its effect. */
void mt_corpus_values_compute(mt_corpus_values *values, const mt_capture *capture,
                              const mt_corpus_keys *keys, mt_attention_kind kind, size_t layer,
                              size_t head);

/* [n * (n - 1) / 2] of the n heads of a kind, those of heads b < a at a * (a - 1) / 2 + b: mean
 * over rows of the Jensen–Shannon divergence (base 2), to 2^-30, from 32-bit sums. scratch: as much
 * as mt_corpus_divergences_room says. Threads of the pool, which may be NULL, share the work. */
void mt_corpus_divergences(const mt_capture *capture, mt_attention_kind kind, float *scratch,
                           mt_pool *pool, mt_fixed *out);
/* Floats. */
size_t mt_corpus_divergences_room(const mt_capture *capture, mt_attention_kind kind);

#endif
