/* regard-naming.h — what kinds of attention, axes and texts of a capture are called.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A capture from elsewhere need not be of a translation, and may not even say in which stack its
 * tokens attend to each other. Everything that names them asks here.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Names of the kinds in settings, files and on the command line, in the order of mt_attention_kind,
 * and NULL: "encoder", "decoder", "cross". */
extern const char *const regard_kind_ids[MT_N_KINDS + 1];
static inline const char *
regard_kind_id(mt_attention_kind kind)
{
  return regard_kind_ids[kind];
}
/* The kinds as people see them, from the source through to the translation: encoder, cross,
 * decoder. */
extern const mt_attention_kind regard_kinds_in_order[MT_N_KINDS];
/* "cross 4.1", as the text form of changes has it; layer and head from 0. Caller frees. */
char *regard_naming_head(mt_attention_kind kind, guint layer, guint head);
/* What layer or head of a capture is called, from 1: a part of a capture may begin with another one
 * than the model's first. capture may be NULL. */
char *regard_naming_head_of(const mt_capture *capture, mt_attention_kind kind, guint layer,
                            guint head);
guint regard_naming_layer(const mt_capture *capture, mt_attention_kind kind, guint layer);
guint regard_naming_head_number(const mt_capture *capture, mt_attention_kind kind, guint head);
/* Names for people, in their language: "Encoder self-attention", "Cross-attention", … */
const char *regard_kind_name(mt_attention_kind kind);
/* The same for a capture (or NULL): "Self-attention" where nobody knows in which stack. */
const char *regard_naming_kind(const mt_capture *capture, mt_attention_kind kind);

/* "source", "translation"; "output" of a decoder that need not translate; "tokens" where there is
 * one text only. */
const char *regard_naming_stack(const mt_capture *capture, mt_stack stack);
/* The same with a capital, for titles: "Source". */
const char *regard_naming_stack_title(const mt_capture *capture, mt_stack stack);
/* "Pieces of the source". */
const char *regard_naming_pieces_of(const mt_capture *capture, mt_stack stack);
/* Which of the two texts the rows and the columns of a kind are; the stack that a kind is of, which
 * has its layers and heads, is that of its rows. */
mt_stack regard_naming_rows(mt_attention_kind kind);
mt_stack regard_naming_columns(mt_attention_kind kind);

/* How many positions later an output of the decoder goes in again: 1; 0 where one list of tokens
 * stands for both, as in a decoder from elsewhere (GPT). NULL: 1. */
int regard_naming_input_shift(const mt_capture *capture);

/* Where it comes from: the model's name; of a file "dogs.npz", or "dogs.npz (en-de)" if it says
 * which model it was. Caller frees. */
char *regard_naming_origin(const mt_capture *capture);

/* How the translation was searched for, where the model itself does not ask for that: "beam size 8,
 * length penalty 0.6"; NULL: nothing is to be said. is_data: for a file, always in English. Caller
 * frees. */
char *regard_naming_search(const mt_capture *capture, gboolean is_data);

/* Lines of changes one after the other, as badges have them: "cross 4.1 zero; source 2 hide".
 * Caller frees. */
char *regard_naming_joined(const char *interventions);

/* "9 pieces"; tokens may be NULL. Caller frees. */
char *regard_naming_pieces(const mt_tokens *tokens);

/* A precision as people know it: "F32" for weights as the checkpoint has them, since all arithmetic
 * is in floats then; "F16", "BF16", "int8", "int8, encoder too". */
const char *regard_naming_precision(mt_precision precision);
/* Of a capture: "F32", or "F32, translation found in int8"; NULL if it says nothing of it. Caller
 * frees. */
char *regard_naming_precisions(const mt_capture *capture);

/* What was changed in the model: "cross 4.1 scale 0.5; source 3 hide"; NULL: nothing. Caller frees.
 */
char *regard_naming_interventions(const mt_capture *capture);

/* What a vocabulary lacks of a text, in a line that stays short: the first of the texts, each cut
 * where it is long, and whether there are more. Caller frees. */
char *regard_naming_unknown(const char *const *texts);

/* Token i as people read it: its piece, but "⏎" for the end of a sentence, "‹…›" around text that
 * the vocabulary does not have (<unk>) and, with is_start, "start" for what the decoder is given
 * first. Caller frees. */
char *regard_token_display(const mt_tokens *tokens, gsize i, gboolean is_start);
/* What it returned, for who has not met pieces: without the mark that says where words begin, and
 * "end" for "⏎". It may be replaced. */
void regard_plain_text(char **text);
/* The same of each piece in a sentence about them: "start → ▁Katze". Caller frees. */
char *regard_plain_words(const char *text);
/* The token's piece, special tokens as they stand in the vocabulary. Caller frees. */
char *regard_piece_display(const mt_tokens *tokens, gsize i);

/* A token as lessons name it: its piece without the mark of a word, and "end" for the last one.
 * Borrowed. */
const char *regard_naming_token(const mt_token *token);
/* A token of a list by its number, from 1, or, where name is not NULL, the first of that name;
 * *found counts from 0. FALSE: it is not there. */
gboolean regard_naming_find_token(const mt_tokens *tokens, guint number, const char *name,
                                  gsize *found);

/* ---- Text that people and terminals can be shown, whoever wrote it ---------------------- */

/* Text of a file, a vocabulary or a name, on one line and without what would command a terminal,
 * tear a label apart, turn the order of letters around or stop cairo:
 *   control characters and ends of lines become their pictures (U+2400 …);
 *   those of C1, and what overrides, embeds or isolates a direction, their numbers: "[U+202E]";
 *   bytes that are not UTF-8, and code points that are no characters (U+FFFE, U+FDD0 …), U+FFFD.
 * What is visible stays as it is: made visible once more, the result is the same. NULL is the empty
 * text. Caller frees. */
char *regard_visible(const char *text);
/* The same for an answer of several lines: ends of lines and tabs stay. */
char *regard_visible_lines(const char *text);

/* ---- Which pieces make one word for people ---------------------------------------------- */

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
