/* mt-corpus-private.h — the inside of a corpus that is read, and of one that is written. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CORPUS_PRIVATE_H
#define MT_CORPUS_PRIVATE_H

#include "corpus/mt-corpus-relations.h"
#include "corpus/mt-corpus-values.h"

/* What was read stays: it is asked for again and again. */
struct mt_corpus {
  mt_db *db;
  mt_corpus_head head;
  mt_corpus_sums **sums;           /* [heads] NULL: not read yet */
  uint64_t *distances[MT_N_KINDS]; /* [pairs] */
  mt_corpus_relations relations;
  size_t *relation_order; /* [relations.n] the most frequent first */
  /* [n_distinct] sentences less 1, of each text the first, by hash; NULL: not read yet */
  uint32_t *distinct;
  size_t n_distinct;
};

struct mt_corpus_writer {
  mt_db *db;
  mt_corpus_head head;
  mt_corpus_sums *sums; /* [heads] */
  mt_corpus_top *tops;  /* [heads][MT_N_CORPUS_MEASURES] */
  uint64_t *distances[MT_N_KINDS];
  mt_corpus_relations relations;
  /* Of the newest, unfinished chunk: [heads][MT_N_CORPUS_MEASURES][MT_CORPUS_CHUNK]; [CHUNK]. */
  unsigned char *series;
  unsigned char *hashes; /* 8 bytes each, little-endian */
  mt_pool *pool;
  mt_corpus_values *values; /* [heads] of the sentence that is added */
  mt_fixed *divergences;    /* [most pairs of a kind] */
  float *scratch;
  size_t scratch_size;
  mt_rows *insert_sentence, *insert_words;
  bool is_open;   /* a transaction is */
  bool is_broken; /* something was half done: nothing is committed any more */
};

/* ---- Sentences ---------------------------------------------------------------------------------
 */

/* A sentence as it stands in the file. */
typedef struct {
  uint64_t line;
  const char *source, *target;
  const void *tokens;
  size_t n_tokens_bytes;
  uint64_t hash;
} mt_corpus_row;

/* The writer's next sentence: its row and its words, and room in the chunk for its bytes, which are
 * set by the caller. */
bool mt_corpus_writer_append(mt_corpus_writer *writer, const mt_corpus_row *row, mt_error *error);
/* Where the byte of the newest sentence goes. */
unsigned char *mt_corpus_writer_byte(mt_corpus_writer *writer, size_t head,
                                     mt_corpus_measure measure);
/* Its bytes are there. */
bool mt_corpus_writer_advance(mt_corpus_writer *writer, mt_error *error);
/* An empty file for this head, which is taken over. NULL: *error. */
mt_corpus_writer *mt_corpus_writer_create(const char *path, mt_corpus_head *head, mt_error *error);

#endif
