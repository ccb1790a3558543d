/* regard-words.h — lists and sentences one after the other, as the reader's language joins them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sentence is one message: what is said of three things has three messages, and no half ones.
 * Where a text is several sentences or a list of any length, these join them, since Chinese has no
 * blank between sentences and another comma in lists.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Appends one to a list: "merged, special tokens hidden". */
void regard_words_add_item(GString *list, const char *item);
/* The same of items that are lists themselves: "▁hat; step 4: ▁über". */
void regard_words_add_part(GString *list, const char *part);
/* Appends a whole sentence, with its full stop, to those that are there. */
void regard_words_add_sentence(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same of one that is there. */
void regard_words_take_sentence(GString *text, char *sentence);
/* From now on sentences of this thread have this character between them, for who wants them one by
 * one; until it is told otherwise. */
#define REGARD_WORDS_APART '\x1e'
void regard_words_keep_apart(gboolean apart);
/* "Source: “A dog barks.”", a sentence that is named and quoted; one that does not end itself is
 * ended behind the quotation. Caller frees. */
char *regard_words_quoted(const char *name, const char *sentence);
void regard_words_add_quoted(GString *text, const char *name, const char *sentence);
/* What is not a whole sentence, with a full stop: a title, and a badge, which gets a capital, too.
 * Caller frees. */
void regard_words_add_title(GString *text, const char *title);
char *regard_words_as_sentence(const char *phrase);
/* A message whose conversions, all of them %s or in another order %2$s, are drawn in other ways
 * than its words: its parts from the beginning. argument: from 0, then there is no text; -1: text,
 * which is never empty and of which length bytes belong to the part. Returns how many there are. */
typedef struct {
  const char *text;
  gsize length;
  int argument;
} RegardWordsPart;
#define REGARD_MOST_PARTS 8
guint regard_words_split(const char *format, RegardWordsPart parts[REGARD_MOST_PARTS]);

/* Two texts word by word, by the longest common subsequence of their words (Wagner and Fischer
 * 1974): each word in order, with those that both have, that only the first has, and that only the
 * second has. FALSE, and nothing is told: one of them has more than 500. */
typedef enum { REGARD_WORD_OF_BOTH, REGARD_WORD_GONE, REGARD_WORD_NEW } RegardWordChange;
typedef void (*RegardWordFunc)(gpointer user, const char *word, RegardWordChange change);
gboolean regard_words_compare(const char *before, const char *now, RegardWordFunc func,
                              gpointer user);

/* Whether a text was made of a format in the reader's language, such as _("changed: %s"), whatever
 * stands for its conversions. */
gboolean regard_words_fit(const char *format, const char *text);

/* C_() of a word that is in a table, where NC_() has it. Borrowed. */
const char *regard_words_of(const char *context, const char *word) G_GNUC_FORMAT(2);

/* What tables of the engine say that people read in the window: names, units and explanations of
 * statistics, measures, roles, methods, settings. The engine is English and knows no gettext; so
 * its words are messages here, and who shows one writes _(word), or regard_words_of where it has a
 * context. NULL-terminated. */
extern const char *const regard_engine_words[];

G_END_DECLS
