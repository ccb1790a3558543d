/* mt-tokens.h — what the engine itself needs of token lists beyond mt.h. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TOKENS_H
#define MT_TOKENS_H

#include "mt.h"

/* The list itself comes from mt_tokens_new (mt.h), which copies everything into one allocation. */

/* The decoder's input for an output y(0) … y(T-1): start, y(0) … y(T-2), the paper's "outputs
 * (shifted right)"; the text and the offsets stay those of the output. output must not be empty.
 * start_piece is copied. Returns a new list of the same length, or NULL (no memory). */
mt_tokens *mt_tokens_shift_right(const mt_tokens *output, int32_t start_id, const char *start_piece,
                                 mt_error *error);

/* The list with a special token before it, which has no text and is a word of its own. The piece is
 * copied. NULL: no memory. */
mt_tokens *mt_tokens_begin_with(const mt_tokens *tokens, int32_t id, const char *piece,
                                mt_error *error);

#define MT_WORD_HASHES "##"

/* See mt_tokens_word_mark. */
mt_word_mark mt_tokens_find_mark(const mt_token *items, size_t n);

/* The ids of a list, borrowed from it: [mt_tokens_count]. */
const int32_t *mt_tokens_ids(const mt_tokens *tokens);

#endif
