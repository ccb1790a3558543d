/* mt-words.h — the words of a text, and which of them each piece has characters of. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_WORDS_H
#define MT_WORDS_H

#include "mt.h"

/* What stands between white space in the text of the tokens; or in `text`, which has the same
 * characters but for white space. mt_words_end in any case. MT_ERROR_INPUT: it has others, or is
 * not UTF-8; MT_ERROR_NO_MEMORY. */
bool mt_words_begin(mt_words *words, const mt_tokens *tokens, const char *text, mt_error *error);
void mt_words_end(mt_words *words);

/* What may stand in a word of punctuation: a character of `length` bytes. */
bool mt_words_is_sign(const char *character, size_t length);

#endif
