/* mt-ngrams.h — how many n-grams two sequences share. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NGRAMS_H
#define MT_NGRAMS_H

#include "mt.h"

#define MT_NGRAMS_MAX_ORDER 8

/* n-grams of 1 … max_order symbols that a [n_a] and b [n_b] have in common, each counted as often
 * as it is in both: matches[n − 1] is Σ over n-grams of min(count in a, count in b). Takes time
 * proportional to n log n. False: MT_ERROR_NO_MEMORY. */
bool mt_ngrams_match(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t max_order,
                     uint64_t matches[MT_NGRAMS_MAX_ORDER], mt_error *error);

/* How many n-grams of n symbols a sequence has. */
size_t mt_ngrams_count(size_t n_symbols, size_t n);

/* Whether the character of `length` bytes at text separates words for Python's str.split, on which
 * sacreBLEU relies: Unicode's white space, and U+001C … U+001F. */
bool mt_ngrams_is_space(const char *text, size_t length);

#endif
