/* mt-vocab.h — pieces and their ids, read from files. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_VOCAB_H
#define MT_VOCAB_H

#include "files/mt-file.h"
#include "mt.h"
#include "text/mt-added-tokens.h"

/* ---- Files that list pieces and their ids ---------------------------------------------------- */

/* A kind of file is one function and one row of the list in mt-vocab.c. */

/* Pairs in the order of the file; a piece or an id may come twice. */
typedef struct {
  struct {
    size_t piece; /* place in strings */
    int32_t id;
  } * pairs;
  size_t n, capacity;
  char *strings; /* all pieces, each with its NUL */
  size_t n_strings, strings_capacity;
} mt_piece_list;

/* Read a file by its ending: _vocabulary.json ([piece], counted from 0); other .json and .yml,
 * .yaml ({piece: id}); .spm (the pieces of a
 * SentencePiece model); .vocab and .txt (a piece a line, counted from 0). All ids are below `size`;
 * size_from says what that is, for messages ("config.json"). Initialise with {0}; on failure *list
 * may hold a part. Clear with mt_piece_list_clear. Errors: those of the file, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED for other endings. */
bool mt_piece_list_read(mt_piece_list *list, const mt_dir *dir, const char *file, size_t size,
                        const char *size_from, mt_error *error);
void mt_piece_list_clear(mt_piece_list *list);

/* Append a pair: n bytes of a piece. MT_ERROR_NO_MEMORY. */
bool mt_piece_list_add(mt_piece_list *list, const char *piece, size_t n, int32_t id,
                       mt_error *error);

/* True if a name ends like one of the files that are read. */
bool mt_piece_list_is_known(const char *file);

/* ---- A vocabulary ---------------------------------------------------------------------------- */

/* Only read by others. */
typedef struct {
  size_t size;
  const char **pieces;         /* [size], NULL where there is none: mt_vocab_piece */
  struct mt_vocab_slot *slots; /* [mask + 1], a power of two */
  size_t mask;
  char *strings;    /* all pieces, one after the other */
  bool *special;    /* [size] */
  int32_t eos, unk; /* "</s>", "<unk>" */
} mt_vocab;

/* What a vocabulary must fit. */
typedef struct {
  size_t size;      /* ids in the file are below */
  const char *from; /* what says so, for messages: "config.json" */
  bool adds_pad;    /* one more id follows, "<pad>" */
  bool has_codes;   /* ">>deu<<" names a language, and is special */
  /* Also in it, borrowed for as long as the vocabulary lives; those without an id are given one,
   * the first vocabulary's. NULL: none. */
  mt_added_tokens *added;
} mt_vocab_shape;

/* Read a file that mt_piece_list_read reads; ids are rows of a matrix. A few rows may be without a
 * piece (matrices are padded to round sizes). "</s>" and "<unk>", or what the added tokens call
 * them, must be there. Errors: those of the file, MT_ERROR_FORMAT. Free with mt_vocab_free. */
mt_vocab *mt_vocab_load(const mt_dir *dir, const char *file, const mt_vocab_shape *shape,
                        mt_error *error);
/* The same of a list, whose strings it takes; the ids in it are below the size. dir, file: where it
 * was read, for messages. */
mt_vocab *mt_vocab_new(mt_piece_list *list, const mt_dir *dir, const char *file,
                       const mt_vocab_shape *shape, mt_error *error);
void mt_vocab_free(mt_vocab *vocab);

/* Id of the piece of n bytes, or -1. */
int32_t mt_vocab_find(const mt_vocab *vocab, const char *piece, size_t n);

/* Piece of an id; "<unk>" for a row without one, NULL if the id is out of range. */
const char *mt_vocab_piece(const mt_vocab *vocab, int32_t id);

/* Ids that are no text: of </s>, <s>, <pad>, of language tokens, of special ones among the added.
 */
bool mt_vocab_is_special(const mt_vocab *vocab, int32_t id);

#endif
