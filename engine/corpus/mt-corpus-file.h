/* mt-corpus-file.h — what is where in a corpus file. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CORPUS_FILE_H
#define MT_CORPUS_FILE_H

#include "corpus/mt-corpus-top.h"
#include "corpus/mt-db.h"

extern const mt_db_format mt_corpus_format;

/* Sentences whose bytes of one series lie together: so many fill a page of the file. */
#define MT_CORPUS_CHUNK ((size_t) 4000)

/* ---- Heads -------------------------------------------------------------------------------------
 */

/* Most of a model whose pairs are to be compared. */
#define MT_CORPUS_MOST_HEADS  4096
#define MT_CORPUS_MOST_LAYERS 256

/* Heads are numbered by kind, layer and head. */
typedef struct {
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];
  size_t first[MT_N_KINDS], n_of_kind[MT_N_KINDS], n;
} mt_corpus_shape;
/* first, n_of_kind and n from the others. False: there are none, or too many. */
bool mt_corpus_shape_count(mt_corpus_shape *shape);

static inline size_t
mt_corpus_shape_at(const mt_corpus_shape *shape, mt_attention_kind kind, size_t layer, size_t head)
{
  return shape->first[kind] + layer * shape->n_heads[kind] + head;
}
mt_attention_kind mt_corpus_shape_kind(const mt_corpus_shape *shape, size_t i);
/* Pairs of heads of one kind. */
size_t mt_corpus_shape_pairs(const mt_corpus_shape *shape, mt_attention_kind kind);
/* Whether head i has this measure in a file with or without effects. */
bool mt_corpus_shape_has(const mt_corpus_shape *shape, size_t i, mt_corpus_measure measure,
                         bool has_effects);

/* The number of a measure of head i, as a key, and of one chunk of it. */
static inline int64_t
mt_corpus_series(size_t i, mt_corpus_measure measure)
{
  return (int64_t) i * 16 + measure;
}

static inline int64_t
mt_corpus_series_chunk(int64_t series, uint64_t chunk)
{
  return series << 32 | (int64_t) chunk;
}

/* ---- What the file says of itself --------------------------------------------------------------
 */

typedef struct {
  mt_corpus_about about; /* its strings are those below */
  char *model_name, *text_name, *search, *changes;
  uint64_t n_lines, text_hash; /* how far the text was read */
  mt_corpus_shape shape;
} mt_corpus_head;
void mt_corpus_head_clear(mt_corpus_head *head);
/* Strings are copied. False: no memory. */
bool mt_corpus_head_set(mt_corpus_head *head, const char *model_name, const char *text_name,
                        const char *search, const char *changes);
bool mt_corpus_head_read(mt_corpus_head *head, mt_db *db, mt_error *error);
bool mt_corpus_head_write(const mt_corpus_head *head, mt_db *db, mt_error *error);

/* In what two files were made differently, "another model"; NULL: alike. */
const char *mt_corpus_head_difference(const mt_corpus_about *a, const mt_corpus_about *b);

/* ---- Parts -------------------------------------------------------------------------------------
 */

/* All of it is checked. */
bool mt_corpus_read_sums(mt_db *db, const mt_corpus_head *head, size_t i, mt_corpus_sums *sums,
                         mt_error *error);
bool mt_corpus_read_top(mt_db *db, const mt_corpus_head *head, size_t i, mt_corpus_measure measure,
                        mt_corpus_top *top, mt_error *error);
/* out [pairs] of a kind. */
bool mt_corpus_read_distances(mt_db *db, const mt_corpus_head *head, mt_attention_kind kind,
                              uint64_t *out, mt_error *error);
/* Bytes [n] of sentences first + 1 … first + n of a series; first is a multiple of
 * MT_CORPUS_CHUNK. */
bool mt_corpus_read_series(mt_db *db, int64_t series, uint64_t first, uint64_t n,
                           unsigned char *out, mt_error *error);
/* Hashes [n] of the texts of the same sentences. */
bool mt_corpus_read_hashes(mt_db *db, uint64_t first, uint64_t n, uint64_t *out, mt_error *error);

bool mt_corpus_write_bytes(mt_db *db, const char *table, int64_t key, const mt_packed *packed,
                           mt_error *error);

#endif
