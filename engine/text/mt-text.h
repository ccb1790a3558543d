/* mt-text.h — what a kind of text is made of. Private to the engine's text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A kind is one file that defines an mt_text_row, and one row of the list in mt-text.c.
 */
#ifndef MT_TEXT_H
#define MT_TEXT_H

#include "files/mt-json.h"
#include "text/mt-added-tokens.h"
#include "text/mt-sentencepiece.h"
#include "text/mt-text-kind.h"
#include "text/mt-vocab.h"

typedef struct mt_text mt_text;
/* Byte-level BPE: what merges into what. */
typedef struct mt_bpe mt_bpe;

/* Receives one id and the bytes begin … end of the stretch that it stands for. Returns false to
 * stop, after setting its own error. */
typedef bool (*mt_text_visit)(void *user, int32_t id, size_t begin, size_t end);
/* Receives the part of a text that one id became. */
typedef bool (*mt_surface_visit)(void *user, const char *surface, size_t n);

/* White space that separates words as a space does, though SentencePiece knows no such character.
 */
typedef enum { MT_TEXT_CUTS_NOTHING, MT_TEXT_CUTS_LINES, MT_TEXT_CUTS_SPACE } mt_text_cuts;

typedef struct {
  const char *name;
  /* Read the files into *text, which is cleared by others. */
  bool (*open)(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error);
  /* The ids of n bytes of UTF-8 in which there is no added token; begin and end never go back and
   * do not cut characters. */
  bool (*split)(const mt_text *text, mt_stack side, const char *bytes, size_t n,
                mt_text_visit visit, void *user, mt_error *error);
  /* The text of n ids, none of which is special, without a piece or unknown: valid UTF-8, once for
   * each id. */
  bool (*join)(const mt_text *text, mt_stack side, const int32_t *ids, size_t n,
               mt_surface_visit visit, void *user, mt_error *error);
  bool begins_with_bos; /* where the model names no tokens around a text */
} mt_text_row;

struct mt_text {
  const mt_text_row *row;
  mt_vocab *vocab[MT_N_STACKS]; /* the same twice if there is one vocabulary */
  mt_spm *spm[MT_N_STACKS];     /* the same twice if the files are equal; NULL: the kind has none */
  mt_bpe *bpe;                  /* NULL: the kind has none */
  mt_text_cuts cuts;            /* what is cut out before SentencePiece sees the rest */
  mt_added_tokens added;
};

extern const mt_text_row mt_text_marian;
extern const mt_text_row mt_text_spm_own, mt_text_spm_fairseq, mt_text_spm_offset;
extern const mt_text_row mt_text_byte_bpe, mt_text_bytes;

/* THE list. */
const mt_text_row *mt_text_row_of(mt_text_kind kind);

/* The id of a piece, that of <unk> if there is none. A model may name added tokens that it has no
 * embedding for, and is as good as any until one is asked for: MT_ERROR_INPUT. */
bool mt_text_find_id(const mt_text *text, mt_stack side, const char *piece, size_t n, int32_t *id,
                     mt_error *error);

/* Bytes of a piece; published ones have at most 64 or so. */
#define MT_TEXT_PIECE_MAX 1024

/* ---- Opening --------------------------------------------------------------------------------- */

/* Read the added tokens as a fast tokenizer has them, if the spec says that there are any. */
bool mt_text_load_added(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec,
                        mt_error *error);
/* Whether the files give a token its id: then they say all of its kind. */
bool mt_text_has_id(const mt_text *text, const char *token);
/* The languages of M2M-100 and its like (is_m2m), or of NLLB and mBART: the longest list for which
 * there is room from the id `first` on, as special tokens, unless the files number them. *n: how
 * many it is in any case. */
bool mt_text_add_languages(mt_text *text, bool is_m2m, size_t first, size_t vocab_size, size_t *n,
                           mt_error *error);
/* Make the one vocabulary of both sides of a list, whose strings it takes, and compare its "</s>"
 * with the spec. file: where it was read, for messages. */
bool mt_text_take_pieces(mt_text *text, mt_piece_list *list, const mt_dir *dir, const char *file,
                         const mt_tokenizer_spec *spec, mt_error *error);

/* Read tokenizer.json, whichever kind it is, which becomes the row of the text.
 * MT_ERROR_UNSUPPORTED names a step that is not done. */
bool mt_text_open_json(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec,
                       mt_error *error);

/* ---- For kinds with SentencePiece ------------------------------------------------------------ */

/* Open the models that the spec names. */
bool mt_text_open_spms(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec,
                       mt_error *error);
/* What split and join are for them. */
bool mt_text_spm_split(const mt_text *text, mt_stack side, const char *bytes, size_t n,
                       mt_text_visit visit, void *user, mt_error *error);
bool mt_text_spm_join(const mt_text *text, mt_stack side, const int32_t *ids, size_t n,
                      mt_surface_visit visit, void *user, mt_error *error);

/* ---- For kinds with bytes -------------------------------------------------------------------- */

/* The bytes of an id; `byte` is room for one. */
typedef const char *(*mt_bytes_of)(const mt_text *text, int32_t id, char *byte, size_t *n);
/* What join is for them. What is no UTF-8 becomes U+FFFD, or nothing. */
bool mt_text_join_bytes(const mt_text *text, const int32_t *ids, size_t n, mt_bytes_of bytes_of,
                        bool ignores, mt_surface_visit visit, void *user, mt_error *error);
/* Where the character starts that a byte is in. */
size_t mt_text_character_at(const char *bytes, size_t at);

/* Read a byte-level BPE out of the model of a tokenizer.json; the added tokens are read.
 * has_prefix: a space goes before a text that does not start with one. */
bool mt_text_open_bpe_json(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec,
                           const mt_json_value *model, bool has_prefix, mt_error *error);
void mt_bpe_free(mt_bpe *bpe);

#endif
