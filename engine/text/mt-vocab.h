/* mt-vocab.h — pieces and their ids. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_VOCAB_H
#define MT_VOCAB_H

#include "files/mt-file.h"
#include "mt.h"
#include "text/mt-added-tokens.h"

typedef struct mt_vocab mt_vocab;

/* What a vocabulary must fit. */
typedef struct {
  size_t size;      /* ids in the file are below */
  const char *from; /* what says so, for messages: "config.json" */
  bool adds_pad;    /* one more id follows, "<pad>" */
  /* Also in it, borrowed for as long as the vocabulary lives; those without an id are given one,
   * the first vocabulary's. NULL: none. */
  mt_added_tokens *added;
} mt_vocab_shape;

/* Read a file that mt_piece_list_read reads; ids are rows of a matrix. A few rows may be without a
 * piece (matrices are padded to round sizes). "</s>" and "<unk>", or what the added tokens call
 * them, must be there. Errors: those of the file, MT_ERROR_FORMAT. Free with mt_vocab_free. */
mt_vocab *mt_vocab_load(const mt_dir *dir, const char *file, const mt_vocab_shape *shape,
                        mt_error *error);
void mt_vocab_free(mt_vocab *vocab);

/* Id of the piece of n bytes, or -1. */
int32_t mt_vocab_find(const mt_vocab *vocab, const char *piece, size_t n);

/* Piece of an id; "<unk>" for a row without one, NULL if the id is out of range. */
const char *mt_vocab_piece(const mt_vocab *vocab, int32_t id);

size_t mt_vocab_size(const mt_vocab *vocab);
int32_t mt_vocab_eos(const mt_vocab *vocab); /* "</s>" */
int32_t mt_vocab_unk(const mt_vocab *vocab); /* "<unk>" */

/* Pieces that are no text: </s>, <s>, <pad>, language tokens such as ">>deu<<", special ones among
 * the added. */
bool mt_vocab_is_special(const mt_vocab *vocab, int32_t id);

#endif
