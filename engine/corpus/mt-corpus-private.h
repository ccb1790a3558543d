/* mt-corpus-private.h — the inside of a corpus: its file, its numbers on a sentence, and both as
 * they are read and written. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CORPUS_PRIVATE_H
#define MT_CORPUS_PRIVATE_H

#include "base/mt-pool.h"
#include "corpus/mt-corpus-sums.h"
#include "corpus/mt-db.h"

/* ---- The file -------------------------------------------------------------------------------- */

extern const mt_db_format mt_corpus_format;

/* Sentences whose bytes of one series lie together: so many fill a page of the file. */
#define MT_CORPUS_CHUNK ((size_t) 4000)

/* ---- Heads ----------------------------------------------------------------------------------- */

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

/* ---- What the file says of itself ------------------------------------------------------------ */

typedef struct {
  mt_corpus_about about; /* its strings are those below */
  char *model_name, *text_name, *search, *interventions;
  uint64_t n_lines, text_hash; /* how far the text was read */
  mt_corpus_shape shape;
} mt_corpus_head;
void mt_corpus_head_clear(mt_corpus_head *head);
/* Strings are copied. False: no memory. */
bool mt_corpus_head_set(mt_corpus_head *head, const char *model_name, const char *text_name,
                        const char *search, const char *interventions);
bool mt_corpus_head_read(mt_corpus_head *head, mt_db *db, mt_error *error);
bool mt_corpus_head_write(const mt_corpus_head *head, mt_db *db, mt_error *error);

/* In what two files were made differently, "another model"; NULL: alike. */
const char *mt_corpus_head_difference(const mt_corpus_about *a, const mt_corpus_about *b);

/* ---- Parts ----------------------------------------------------------------------------------- */

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

/* ---- The numbers of heads on one sentence ---------------------------------------------------- */

/* What the keys of one kind are. */
typedef struct {
  size_t n;
  unsigned char *is_special, *is_punctuation; /* [n] */
  size_t rarest; /* the key of the rarest token; n: there are only special ones */
} mt_corpus_keys;
bool mt_corpus_keys_init(mt_corpus_keys *keys, const mt_tokens *tokens);
void mt_corpus_keys_clear(mt_corpus_keys *keys);

/* All numbers of a head but its effect. */
void mt_corpus_values_compute(mt_corpus_values *values, const mt_capture *capture,
                              const mt_corpus_keys *keys, mt_attention_kind kind, size_t layer,
                              size_t head);

/* [n * (n - 1) / 2] of the n heads of a kind, those of heads b < a at a * (a - 1) / 2 + b: mean
 * over rows of the Jensen–Shannon divergence (base 2), to 2^-30, from 32-bit sums. scratch: as much
 * as mt_corpus_divergences_room says. Threads of the pool, which may be NULL, share the work. */
void mt_corpus_divergences(const mt_capture *capture, mt_attention_kind kind, float *scratch,
                           mt_pool *pool, mt_fixed *out);
/* Floats. */
size_t mt_corpus_divergences_room(const mt_capture *capture, mt_attention_kind kind);

/* ---- Relations of Universal Dependencies ----------------------------------------------------- */

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

/* ---- A corpus that is read ------------------------------------------------------------------- */

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

#endif
