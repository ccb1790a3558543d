/* mt-corpus-relations.h — which heads follow relations of Universal Dependencies. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CORPUS_RELATIONS_H
#define MT_CORPUS_RELATIONS_H

#include "corpus/mt-corpus-file.h"

#define MT_CORPUS_MOST_RELATIONS 256
#define MT_CORPUS_RELATION_NAME  64 /* bytes, with its end */

/* One relation in one direction, over a text. */
typedef struct {
  char name[MT_CORPUS_RELATION_NAME];
  bool is_reverse;
  uint64_t n;
  uint64_t offsets[MT_CORPUS_N_OFFSETS]; /* where the right word is, from the other, in words */
  uint64_t *hits;                        /* [heads of the encoder] */
} mt_corpus_relation_sums;

typedef struct {
  size_t n, n_heads;
  mt_corpus_relation_sums *items; /* by name, then the other direction */
} mt_corpus_relations;

void mt_corpus_relations_clear(mt_corpus_relations *relations);
/* What the heads of the encoder do about the relations of a tree. MT_ERROR_INPUT: the tree is not
 * one of this text, or has too many relations; MT_ERROR_NO_MEMORY. Then nothing was added. */
bool mt_corpus_relations_add(mt_corpus_relations *relations, const mt_capture *capture,
                             const mt_conllu_tree *tree, mt_error *error);
bool mt_corpus_relations_merge(mt_corpus_relations *relations, const mt_corpus_relations *others,
                               mt_error *error);
bool mt_corpus_relations_read(mt_corpus_relations *relations, mt_db *db, const mt_corpus_head *head,
                              mt_error *error);
bool mt_corpus_relations_write(const mt_corpus_relations *relations, mt_db *db, mt_error *error);

/* The best that one offset does, of equals the nearest to 0. */
int mt_corpus_relation_offset(const mt_corpus_relation_sums *sums, double *share);

#endif
