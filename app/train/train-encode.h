/* train-encode.h — pairs to ids, and which of them are kept for validation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "train/train-corpus.h"
#include <mt-train.h>

G_BEGIN_DECLS

/* Write all pairs of the corpus: those that are held out (sources that are as a whole, and
 * plan->n_heldout of the others, drawn by weight) apart from those that are trained on, from which
 * what has a held-out sentence on either side is dropped. Held-out pairs come in random order, so
 * that the first ones are a fair sample. counts is completed. n_threads encode; what is written
 * does not depend on how many. */
gboolean train_encode(const TrainPlan *plan, TrainCorpus *corpus, const mt_text_ids *ids,
                      mt_dataset_writer *writer, TrainCounts *counts, guint n_threads,
                      TrainProgress *progress, mt_error *error);

G_END_DECLS
