/* dataset.h — a prepared folder: pairs of sentences as ids, mapped. Part of mt-train.h.
 *
 * `regard-train prepare` writes it, `regard-train fit` reads it. Side 0 (MT_STACK_ENCODER) is the
 * source, side 1 (MT_STACK_DECODER) the target. In the folder are
 *
 *   manifest.json             version of the format, settings, sources with their weights and what
 *                             was dropped, and size and CRC-32 of every other file
 *   source.spm, target.spm    SentencePiece models (the same bytes if they were trained jointly)
 *   vocab.json                pieces and ids, as Hugging Face Marian has them, "<pad>" included;
 *                             target_vocab.json too if the vocabularies are separate
 *   train.source.npy          '<u2', or '<u4' if ids need it, [tokens]: the ids of all sentences,
 *                             one after the other, each with its </s>
 *   train.source-offsets.npy  '<u8' [pairs + 1]: sentence i is ids[offsets[i] … offsets[i + 1])
 *   train.target.npy, train.target-offsets.npy
 *   heldout.source.npy, …     likewise, the pairs that are kept for validation
 *   heldout.source.txt, heldout.target.txt    their text, line i for pair i
 *
 * Pairs of one source of text lie together, in the order of the manifest; shuffling and batching
 * are the reader's. A pair may be there several times, cut into tokens in different ways. No pair
 * has an empty side: each sentence has a token before its </s>, and at most max_tokens in all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_DATASET_H
#define MT_PUBLIC_TRAIN_DATASET_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_DATASET_FORMAT 1 /* "format" of manifest.json; another is refused */

#define MT_DATASET_MAX_SEGMENTATIONS 64

typedef enum {
  MT_DATASET_TRAIN,
  MT_DATASET_HELDOUT,
  MT_DATASET_N_PARTS,
} mt_dataset_part;

/* What all pairs have in common. Strings are borrowed from the dataset (reading) or only read
 * during the call (writing). */
typedef struct {
  const char *languages[MT_N_STACKS]; /* "en", "de"; "" if nobody said */
  /* Rows of the embedding, <pad> included. Every id in the folder is below. */
  size_t vocab_size[MT_N_STACKS];
  bool separate_vocabs; /* target_vocab.json is there; else both sides share vocab.json */
  /* The same on both sides. <pad> also starts the decoder, as in every Marian model. */
  int32_t pad_id, eos_id, unk_id;
  size_t max_tokens; /* longest sentence allowed, </s> included */
  uint64_t seed;     /* of the split and of what was drawn */
} mt_dataset_info;

/* Where pairs came from. */
typedef struct {
  const char *name;    /* "tatoeba-manythings" */
  const char *licence; /* "CC BY 2.0 FR", "" if nobody said */
  const char *note;    /* whatever the configuration says about it, "" if nothing */
  /* How many times an epoch shows each of its pairs, on average: 8 shows each eight times, 0.25
   * one in four. A pair of this source is drawn with probability proportional to it. Above 0. */
  double weight;
  /* In how many ways each pair was cut into tokens; it is there so many times. Writing: 0 is 1. */
  size_t segmentations;
  size_t first_pair, n_pairs;   /* pairs of MT_DATASET_TRAIN; segmentations of one count each */
  size_t n_tokens[MT_N_STACKS]; /* of those pairs, </s> included */
} mt_dataset_source;

/* ---- Reading --------------------------------------------------------------------------------
 *
 * Immutable, may be used by several threads at once. */

typedef struct mt_dataset mt_dataset;

/* Open a prepared folder. Everything is checked before it is used: the manifest, the sizes, the
 * CRC-32 of every file, that offsets rise and ids are below the vocabulary's size, that each
 * sentence ends with its only </s> and holds no <pad>, and that the held-out text is UTF-8 and has
 * a line for each pair. That reads all of it once (1 GB takes about a second).
 * Errors name the file as "prepared/train.source.npy": MT_ERROR_IO, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED (another version of the format), MT_ERROR_NO_MEMORY. */
mt_dataset *mt_dataset_open(const char *path, mt_error *error);
void mt_dataset_free(mt_dataset *dataset);

const mt_dataset_info *mt_dataset_get_info(const mt_dataset *dataset);
size_t mt_dataset_count_sources(const mt_dataset *dataset);
const mt_dataset_source *mt_dataset_get_source(const mt_dataset *dataset, size_t i);

/* CRC-32 of manifest.json, which holds those of all other files: two folders with the same one hold
 * the same data. For a checkpoint, to know its data by. */
uint32_t mt_dataset_get_checksum(const mt_dataset *dataset);

/* How many pairs, and how many tokens on one side of them. */
size_t mt_dataset_count(const mt_dataset *dataset, mt_dataset_part part);
size_t mt_dataset_count_tokens(const mt_dataset *dataset, mt_dataset_part part, mt_stack side);

/* Tokens of one side of pair i < count, </s> included: 2 … max_tokens. */
size_t mt_dataset_length(const mt_dataset *dataset, mt_dataset_part part, mt_stack side, size_t i);

/* Copy the ids of one side of pair i to out [n], where n is what mt_dataset_length said; the last
 * is
 * </s>. MT_ERROR_IO if the files were changed since they were opened. Allocates nothing. */
bool mt_dataset_copy(const mt_dataset *dataset, mt_dataset_part part, mt_stack side, size_t i,
                     int32_t *out, size_t n, mt_error *error);

/* The text of one side of held-out pair i, of *n bytes (not terminated), without its line end. */
const char *mt_dataset_get_text(const mt_dataset *dataset, mt_stack side, size_t i, size_t *n);

/* Copy the files of the tokenizer (source.spm, target.spm, vocab.json, and target_vocab.json if
 * there is one) into a folder that exists, for a checkpoint. The files are written in place, so
 * `folder` should be a temporary one. Errors: MT_ERROR_IO. */
bool mt_dataset_copy_tokenizer(const mt_dataset *dataset, const char *folder, mt_error *error);

/* MT_ERROR_IO if a mapped file was cut off since it was opened: what was read since then were
 * zeros. To be asked before a checkpoint is written. */
bool mt_dataset_check(const mt_dataset *dataset, mt_error *error);

/* ---- Writing --------------------------------------------------------------------------------
 *
 * Files go to a temporary folder beside `path`, which takes its place when it is whole. */

typedef struct mt_dataset_writer mt_dataset_writer;

/* Start a folder. replace: an existing *prepared* folder may be there and is replaced at the end;
 * otherwise it is MT_ERROR_IO if `path` exists. Errors: MT_ERROR_IO, MT_ERROR_INPUT for an info
 * that contradicts itself, MT_ERROR_NO_MEMORY. */
mt_dataset_writer *mt_dataset_writer_new(const char *path, bool replace,
                                         const mt_dataset_info *info, mt_error *error);

/* One whole file of the tokenizer: "source.spm", "target.spm", "vocab.json", "target_vocab.json".
 */
bool mt_dataset_writer_add_file(mt_dataset_writer *writer, const char *name, const void *bytes,
                                size_t n, mt_error *error);

/* Begin the next source: name, licence, note and weight are copied; training pairs that follow are
 * its own. */
bool mt_dataset_writer_begin_source(mt_dataset_writer *writer, const mt_dataset_source *source,
                                    mt_error *error);

/* One training pair of the source that was begun last: ids with their </s>. MT_ERROR_INPUT for ids
 * that mt_dataset_open would refuse. */
bool mt_dataset_writer_add_pair(mt_dataset_writer *writer, const int32_t *source, size_t n_source,
                                const int32_t *target, size_t n_target, mt_error *error);

/* One held-out pair, with its text (valid UTF-8, no line ends). Any time. */
bool mt_dataset_writer_add_heldout(mt_dataset_writer *writer, const int32_t *source,
                                   size_t n_source, const char *source_text, const int32_t *target,
                                   size_t n_target, const char *target_text, mt_error *error);

/* Write manifest.json, make everything durable, and move the folder into place. report_json: an
 * object, as text, that becomes the manifest's "report" (what was dropped and why); may be NULL.
 * MT_ERROR_FORMAT if it is none. */
bool mt_dataset_writer_finish(mt_dataset_writer *writer, const char *report_json, mt_error *error);

/* Without finish: removes what was written. NULL is fine. */
void mt_dataset_writer_free(mt_dataset_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
