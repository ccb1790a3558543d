/* regard-words.h — which pieces make one word for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Begins [count + 1] of the words of a list, the last one its count; *n words. Caller frees.
 *
 * A word is what stands between white space (mt_token.word), less the punctuation at its two ends,
 * which is a word of its own: "village" and ".", "(" and "today" and "!)". Punctuation inside stays
 * ("don't", "3,5"), and so does the point of an abbreviation that has others ("z.B."). A piece is
 * never divided, and a special token is always alone. */
guint *regard_words_find(const mt_tokens *tokens, guint *n);

/* If what a hypothesis was made to begin with ends in the middle of a word, and the model went on
 * with it: that word as far as it was forced, and whole. Caller frees both. FALSE: it does not. */
gboolean regard_words_continued(const mt_hypothesis *hypothesis, char **part, char **whole);

G_END_DECLS
