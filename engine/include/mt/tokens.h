/* tokens.h — text as tokens. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TOKENS_H
#define MT_PUBLIC_TOKENS_H

#include <mt/error.h>
#include <mt/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* One token. begin and end are byte offsets into the text it came from (source) or that it
 * decodes to (target); equal for tokens without text of their own, such as </s>. As SentencePiece
 * counts, white space belongs to the word after it: "▁two" in "I have two" is bytes 6 to 10. */
typedef struct {
  int32_t id;
  /* As in the vocabulary, e.g. "▁cross", "</s>". Of byte-level BPE it is the text that it stands
   * for, a space as "Ġ"; of a part of a character the bytes, "<0xC3>". */
  const char *piece;
  uint32_t begin, end;
  int32_t word;    /* running number of the whitespace word it belongs to; specials get their own */
  bool is_special; /* </s>, <pad> (as decoder start), language tokens */
  bool is_prefix;  /* of the words that tell the model its task, which the text has not: begin and
                      end are 0 */
} mt_token;

/* Immutable, reference-counted list of tokens with its text. */
typedef struct mt_tokens mt_tokens;
mt_tokens *mt_tokens_ref(mt_tokens *tokens);
void mt_tokens_unref(mt_tokens *tokens);
size_t mt_tokens_count(const mt_tokens *tokens);
const mt_token *mt_tokens_get(const mt_tokens *tokens, size_t i); /* i < count */
/* The ids of the first n tokens, n <= count, into ids [n]. */
void mt_tokens_copy_ids(const mt_tokens *tokens, size_t n, int32_t *ids);
const char *mt_tokens_text(const mt_tokens *tokens);
/* Whether the vocabulary lacks what the token stands for: its piece is "<unk>", or "[UNK]" in
 * captures of such models. */
bool mt_token_is_unknown(const mt_token *token);
/* The parts of the text that the vocabulary lacks, each once, in the order of the text, with a
 * space between two: "ï é €" of "naïve café, 3,5 €"; "" if there are none. Characters beside each
 * other are one part. Those of the first 64 unknown tokens. Borrowed from the list. */
const char *mt_tokens_unknown(const mt_tokens *tokens);

/* How the pieces of a list say where words begin. */
typedef enum {
  MT_WORD_MARK_NONE,      /* not at all */
  MT_WORD_MARK_LOWER_BAR, /* "▁two" begins a word: SentencePiece */
  MT_WORD_MARK_SPACE,     /* "Ġtwo" begins a word: byte-level BPE (GPT-2, RoBERTa) */
  MT_WORD_MARK_HASHES,    /* "##ing" continues one: WordPiece (BERT) */
} mt_word_mark;
/* The first of these marks that a piece has. */
mt_word_mark mt_tokens_word_mark(const mt_tokens *tokens);

/* Build a list by hand (captures from elsewhere, tests). items and their strings are copied. */
mt_tokens *mt_tokens_new(const char *text, const mt_token *items, size_t n, mt_error *error);

/* Tokenise a text as the tokenizer of the model's family does: SentencePiece, byte-level BPE or
 * bytes, then vocabulary ids (<unk> where there is none), with the special tokens around it that
 * the model wants, mostly </s> at the end. A leading language code such as ">>deu<<" is one token
 * where such tokens name languages. "</s>" spelled out in the text is text. Returns a list that you
 * own. May be called from several threads at once. Errors: MT_ERROR_INPUT for invalid UTF-8 (names
 * the byte offset) and for text that holds no token; MT_ERROR_TOO_LONG when the result has more
 * than max_positions tokens. */
mt_tokens *mt_model_tokenize(const mt_model *model, mt_stack side, const char *text,
                             mt_error *error);
/* Text and offsets of target (or source) ids. Special ids and <unk> decode to nothing. Ids outside
 * the vocabulary: MT_ERROR_INPUT. Returns a list of n tokens that you own. */
mt_tokens *mt_model_detokenize(const mt_model *model, mt_stack side, const int32_t *ids, size_t n,
                               mt_error *error);
/* Piece of an id, borrowed from the model; "<unk>" for a row of the matrix without a piece, NULL if
 * it is outside the vocabulary. */
const char *mt_model_piece(const mt_model *model, mt_stack side, int32_t id);

#ifdef __cplusplus
}
#endif
#endif
