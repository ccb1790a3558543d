/* copies.h — words of the source in place of those that the vocabulary of the translation lacks.
 * Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_COPIES_H
#define MT_PUBLIC_COPIES_H

#include <mt/alignment.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <mt/translation.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One word that was copied. */
typedef struct {
  size_t first, n;                 /* tokens of the output that it stands for, <unk> among them */
  size_t begin, end;               /* bytes of the text of mt_copies_tokens */
  size_t source_begin, source_end; /* bytes of the text of the source's tokens */
  float weight; /* share that the source word has of what all have in the rows of <unk> */
} mt_copied;

/* Immutable, atomically reference-counted. */
typedef struct mt_copies mt_copies;

/* Whether the output of a hypothesis has a token that says only that there is no token. */
bool mt_copies_are_wanted(const mt_hypothesis *hypothesis);

/* Hypothesis `index` with each such word replaced by the word of the source that it stands for by
 * mt_recipe_default: the largest of the norms of cross-attention, in the layer with the highest
 * mean norm of this sentence, in the row whose input is <unk> (of the last token, which is no
 * input: the row that predicts it), summed over the pieces of a source word. The word is <unk> and
 * the pieces beside it that belong to the same word, without punctuation; of the source, what
 * stands between white space, without the punctuation around it, or the piece alone in scripts that
 * have no white space between words. One more pass of the model, if there is an <unk>. An <unk> for
 * which attention names no word stays away. Errors as mt_alignable_of_translation. */
mt_copies *mt_copies_new(mt_session *session, const mt_translation *translation, size_t index,
                         const mt_hooks *hooks, mt_error *error);
mt_copies *mt_copies_ref(mt_copies *copies);
void mt_copies_unref(mt_copies *copies); /* NULL is fine */

/* In the order of the output. */
size_t mt_copies_count(const mt_copies *copies);
const mt_copied *mt_copies_get(const mt_copies *copies, size_t i); /* i < count */
/* The tokens of the output with their places in the text that has the copied words: mt_tokens_text
 * of it. Those of a copied word have all of it. Borrowed. */
const mt_tokens *mt_copies_tokens(const mt_copies *copies);

#ifdef __cplusplus
}
#endif
#endif
