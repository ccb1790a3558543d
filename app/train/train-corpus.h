/* train-corpus.h — all clean pairs of all sources, read once and kept in a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "train/train-clean.h"
#include "train/train-plan.h"
#include "train/train-progress.h"

G_BEGIN_DECLS

/* What became of the lines of a source. */
typedef struct {
  guint64 n_read;
  guint64 dropped[TRAIN_N_DROPS]; /* [TRAIN_KEPT] is what is trained on */
  guint64 n_heldout;              /* kept for validation */
  guint64 n_tokens[MT_N_STACKS];  /* of what is trained on */
  guint64 n_unknown[MT_N_STACKS]; /* <unk> among them */
} TrainCounts;

typedef struct _TrainCorpus TrainCorpus;

typedef struct {
  guint64 i;                      /* among all clean pairs */
  guint source;                   /* of the plan */
  const char *texts[MT_N_STACKS]; /* terminated; valid until the next call */
  gsize lengths[MT_N_STACKS];
} TrainPair;

/* Read, clean and filter everything. counts [sources of the plan] is filled in as far as this goes:
 * all reasons before TRAIN_DROP_HELDOUT. scratch: a folder for the temporary file, which has no
 * name and is gone with the corpus. Errors: those of the files; MT_ERROR_CANCELLED. */
TrainCorpus *train_corpus_read(const TrainPlan *plan, const char *scratch, TrainCounts *counts,
                               TrainProgress *progress, mt_error *error);
void train_corpus_free(TrainCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainCorpus, train_corpus_free)

guint64 train_corpus_count(const TrainCorpus *corpus);
gboolean train_corpus_rewind(TrainCorpus *corpus, mt_error *error);
/* The next pair; *is_end behind the last. */
gboolean train_corpus_next(TrainCorpus *corpus, TrainPair *pair, gboolean *is_end, mt_error *error);

G_END_DECLS
