/* mt-sampler.h — which pairs of sentences come in which batch; the paper, section 5.1. Private to
 * the trainer.
 *
 * "Sentence pairs were batched together by approximate sequence length." An epoch draws each pair
 * of a source as often as the source's weight says, mixes all of them, sorts a stretch of so many
 * batches at a time by length, cuts it into batches of about equal numbers of tokens, and mixes
 * those. All of it follows from the seed and the number of the epoch: where a run stands is two
 * numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SAMPLER_H
#define MT_SAMPLER_H

#include "mt/train/dataset.h"
#include "train/mt-train-pass.h"

typedef struct {
  uint64_t seed;
  /* Source and target tokens of a batch together, </s> included; a single pair that has more is a
   * batch of its own. At least 2. */
  size_t batch_tokens;
  /* So many batches are sorted by length together. 0: not sorted; batches are packed, so that
   * lengths that differ cost nothing but the attention's own work. */
  size_t sort_batches;
  /* [count of sources] how often an epoch shows a pair of each; 0 leaves a source out. NULL: what
   * the dataset says. Copied. */
  const double *weights;
  /* A batch has each of its pairs twice, all of them one after the other and then once more, in the
   * same number of tokens: for R-Drop. */
  bool is_twice;
} mt_sampler_options;

/* Where a run stands: the next batch. */
typedef struct {
  uint64_t epoch, batch; /* from 0; batch counts within the epoch */
} mt_sampler_position;

/* Reads the dataset, which must live as long. For one thread. */
typedef struct mt_sampler mt_sampler;

/* At the beginning of epoch 0. Errors: MT_ERROR_INPUT (options out of range, nothing to draw),
 * MT_ERROR_NO_MEMORY. */
mt_sampler *mt_sampler_new(const mt_dataset *dataset, const mt_sampler_options *options,
                           mt_error *error);
void mt_sampler_free(mt_sampler *sampler);

mt_sampler_position mt_sampler_get_position(const mt_sampler *sampler);
/* Go on from there. MT_ERROR_INPUT if the epoch has no such batch; the sampler stays where it was.
 */
bool mt_sampler_set_position(mt_sampler *sampler, mt_sampler_position position, mt_error *error);

/* Batches, and pairs drawn, of the epoch that the position is in. */
size_t mt_sampler_count_batches(const mt_sampler *sampler);
size_t mt_sampler_count_pairs(const mt_sampler *sampler);

/* The next batch, borrowed until the next call, and move on. Errors: MT_ERROR_IO (the dataset's
 * files were changed), MT_ERROR_NO_MEMORY; the position then stays. */
bool mt_sampler_next(mt_sampler *sampler, mt_train_batch *batch, mt_error *error);
/* Move on without making the batch: another machine computes it. */
bool mt_sampler_skip(mt_sampler *sampler, mt_error *error);

/* ---- Pairs as a batch ------------------------------------------------------------------------ */

/* Arrays that a batch borrows; grow with the largest one. Initialise with {0}. */
typedef struct {
  uint32_t *begins[MT_N_STACKS]; /* [n_sentences + 1] */
  int32_t *source, *target_in, *target_out;
  size_t n_sentences, n_source, n_target; /* room */
} mt_train_batch_buffer;
void mt_train_batch_buffer_clear(mt_train_batch_buffer *buffer);

/* Put n pairs of a part of a dataset into one batch, and as often as n_times says. Row t of a
 * target reads what row t - 1 is to predict; the first reads <pad>. Errors: as mt_sampler_next. */
bool mt_train_batch_fill(mt_train_batch_buffer *buffer, const mt_dataset *dataset,
                         mt_dataset_part part, const uint32_t *pairs, size_t n, size_t n_times,
                         mt_train_batch *batch, mt_error *error);

#endif
