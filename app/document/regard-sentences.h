/* regard-sentences.h — a text as a row of sentences, of which the caret is in one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Most models translate one sentence at a time; people type paragraphs. Boundaries are those of
 * Unicode (UAX #29, from Pango), mended where an abbreviation or an initial looks like an end.
 * A new line always ends a sentence. White space between sentences belongs to none of them, so
 * that a translation can be laid out as its source is. A model that summarises reads the whole text
 * at once, which then is one sentence.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Byte range of one sentence in the text, without surrounding white space; never empty. */
typedef struct {
  gsize begin, end;
} RegardSentence;

/* Sentences of a valid UTF-8 text, in order: array of RegardSentence. A text without a visible
 * character has none. unit: what the model reads at a time. Free with g_array_unref. */
GArray *regard_sentences_split(const char *text, mt_text_unit unit);

/* Index of the sentence a caret at byte offset `at` belongs to: the one that holds it, else (in
 * white space) the one that ends just before on the same line, else the next, else the last. -1
 * if there are none. */
int regard_sentences_at(const GArray *sentences, const char *text, gsize at);

/* ---- A text, and the sentence that its caret is in ------------------------------------------- */

/* To be read by whoever has it, and changed by the functions below. */
typedef struct {
  char *text;
  gsize caret;
  GArray *sentences; /* of RegardSentence */
  int active;        /* the one that the caret is in; -1: none */
  char *sentence;    /* its words; NULL: none */
} RegardText;

void regard_text_init(RegardText *self);
void regard_text_clear(RegardText *self);
/* sentences are of the text; a reference is taken. */
void regard_text_set(RegardText *self, const char *text, GArray *sentences, gsize caret);

/* Their words, to be freed with g_strfreev. */
char **regard_sentences_dup(const char *text, const GArray *sentences);

G_END_DECLS
