/* conllu.h — trees of Universal Dependencies, read from CoNLL-U. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CONLLU_H
#define MT_PUBLIC_CONLLU_H

#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word of a tree. Words of one multi-word token ("im" = "in" + "dem") share its bytes; empty
 * nodes (8.1) are left out. */
typedef struct {
  uint32_t begin, end;  /* bytes of the text */
  uint32_t head;        /* word that governs it, from 1; 0: it is the root */
  const char *relation; /* without its subtype: "nsubj" of "nsubj:pass" */
} mt_conllu_word;

/* A sentence. */
typedef struct {
  const char *text; /* of "# text = …", or put together from the words */
  size_t n_words;
  const mt_conllu_word *words;
  uint64_t line; /* of its first line in the file, from 1 */
} mt_conllu_tree;

/* One of your own; freed with mt_conllu_tree_free. NULL: MT_ERROR_NO_MEMORY. */
mt_conllu_tree *mt_conllu_tree_copy(const mt_conllu_tree *tree, mt_error *error);
void mt_conllu_tree_free(mt_conllu_tree *tree);

/* Reads tree after tree from lines that are handed to it, without their ends. */
typedef struct mt_conllu_reader mt_conllu_reader;
/* label: how messages call the file; borrowed. NULL: MT_ERROR_NO_MEMORY. */
mt_conllu_reader *mt_conllu_reader_new(const char *label, mt_error *error);
void mt_conllu_reader_free(mt_conllu_reader *reader);

typedef enum {
  MT_CONLLU_MORE, /* go on with the next line */
  MT_CONLLU_TREE, /* one is whole, in *tree, until the next call */
  MT_CONLLU_FAILED,
} mt_conllu_result;
/* The next line, NULL at the end of the file. Errors name the file and the line: MT_ERROR_FORMAT
 * for what is no CoNLL-U (ten columns, ids in order, heads that are there, one root, no cycle,
 * words that the text has), MT_ERROR_TOO_LONG, MT_ERROR_NO_MEMORY; nothing can be read behind them.
 */
mt_conllu_result mt_conllu_reader_add(mt_conllu_reader *reader, const char *line, size_t n,
                                      const mt_conllu_tree **tree, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
