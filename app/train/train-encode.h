/* train-encode.h — the tokenizer, and pairs to ids, some of which are kept for validation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "train/train-corpus.h"
#include <mt-train.h>

G_BEGIN_DECLS

/* ==== The tokenizer that text is prepared with: one that is there, or a new one =============== */

typedef struct _TrainTokenizer TrainTokenizer;

/* Open the tokenizer of a model or of a prepared folder. */
TrainTokenizer *train_tokenizer_open(const char *folder, mt_error *error);

/* Train one from the corpus: from at most plan->tokenizer_pairs pairs, drawn by the weights of
 * their sources. beside: where the prepared folder shall be; until it is written there, the
 * tokenizer lies in a temporary folder beside it. */
TrainTokenizer *train_tokenizer_train(const TrainPlan *plan, TrainCorpus *corpus,
                                      const char *beside, TrainProgress *progress, mt_error *error);
void train_tokenizer_free(TrainTokenizer *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainTokenizer, train_tokenizer_free)

const mt_text_ids *train_tokenizer_get_ids(const TrainTokenizer *tokenizer);
/* Put its files into a prepared folder. */
gboolean train_tokenizer_write(const TrainTokenizer *tokenizer, mt_dataset_writer *writer,
                               mt_error *error);

/* ==== Pairs to ids, and which of them are kept for validation ================================= */

/* Write all pairs of the corpus: those that are held out (sources that are as a whole, and
 * plan->n_heldout of the others, drawn by weight) apart from those that are trained on, from which
 * what has a held-out sentence on either side is dropped. Held-out pairs come in random order, so
 * that the first ones are a fair sample. counts is completed. n_threads encode; what is written
 * does not depend on how many. */
gboolean train_encode(const TrainPlan *plan, TrainCorpus *corpus, const mt_text_ids *ids,
                      mt_dataset_writer *writer, TrainCounts *counts, guint n_threads,
                      TrainProgress *progress, mt_error *error);

G_END_DECLS
