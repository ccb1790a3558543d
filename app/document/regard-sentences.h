/* regard-sentences.h — a text as a row of sentences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model translates one sentence at a time; people type paragraphs. Boundaries are those of
 * Unicode (UAX #29, from Pango), mended where an abbreviation or an initial looks like an end.
 * A new line always ends a sentence. White space between sentences belongs to none of them, so
 * that a translation can be laid out as its source is.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Byte range of one sentence in the text, without surrounding white space; never empty. */
typedef struct {
  gsize begin, end;
} RegardSentence;

/* Sentences of a valid UTF-8 text, in order: array of RegardSentence. A text without a visible
 * character has none. Free with g_array_unref. */
GArray *regard_sentences_split(const char *text);

/* Index of the sentence a caret at byte offset `at` belongs to: the one that holds it, else (in
 * white space) the one that ends just before on the same line, else the next, else the last. -1
 * if there are none. */
int regard_sentences_at(const GArray *sentences, const char *text, gsize at);

G_END_DECLS
