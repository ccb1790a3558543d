/* train-corpus.h — clean pairs of all sources, read once and kept in a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "train/train-plan.h"
#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* ==== How far it is, on a terminal; and whether it shall stop ================================= */

/* Interrupts (Ctrl-C, SIGTERM) are noted from here on; a second one ends the program at once. */
typedef struct _TrainProgress TrainProgress;

/* Writes to standard error if that is a terminal and quiet is not asked for. */
TrainProgress *train_progress_new(gboolean quiet);
/* Clears the line and gives interrupts back. */
void train_progress_free(TrainProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainProgress, train_progress_free)

/* "what: detail, 42 %". fraction below 0: unknown. FALSE, with MT_ERROR_CANCELLED, if it shall
 * stop. To be called often. detail may be NULL. */
gboolean train_progress_tell(TrainProgress *progress, const char *what, const char *detail,
                             double fraction, mt_error *error);

/* ==== What of a pair of sentences is kept, and why others are not ============================= */

/* Why a pair was dropped: the first that applies. Names in train-corpus.c. */
typedef enum {
  TRAIN_KEPT,
  TRAIN_DROP_COLUMNS,   /* a line without the tabs that it needs */
  TRAIN_DROP_UTF8,      /* not UTF-8 */
  TRAIN_DROP_CONTROL,   /* a control character, or the one that stands for a lost one */
  TRAIN_DROP_EMPTY,     /* a side without text */
  TRAIN_DROP_LONG,      /* too many characters */
  TRAIN_DROP_RATIO,     /* one side too long for the other */
  TRAIN_DROP_COPY,      /* both sides are the same */
  TRAIN_DROP_EXCLUDED,  /* a sentence of a test set */
  TRAIN_DROP_DUPLICATE, /* was there before */
  TRAIN_DROP_HELDOUT,   /* a sentence of the held-out pairs */
  TRAIN_DROP_TOKENS,    /* too many tokens, or none */
  TRAIN_N_DROPS,
} TrainDrop;

/* "columns", "utf8", … for JSON; and for people, of one word. */
const char *train_drop_name(TrainDrop drop);

typedef struct {
  gsize max_chars;
  double max_ratio;
} TrainLimits;

/* The longer side may have this many characters more than max_ratio times the shorter: short texts
 * differ by chance ("OK", "In Ordnung"). */
#define TRAIN_RATIO_SLACK 15

/* Clean both sides of a pair into out: Unicode normalisation form C (Latin letters in one piece),
 * no white space around, one space where there were several. */
TrainDrop train_clean_pair(const char *const texts[2], const gsize lengths[2],
                           const TrainLimits *limits, GString *const out[2]);

/* A number for a text: equal texts have equal ones, others do not but for one chance in 2^64.
 * Different salts give unrelated numbers. */
guint64 train_hash(const char *text, gsize n, guint64 salt);

/* Likewise, but for upper and lower case, punctuation and spaces, which do not count: for telling
 * whether a sentence is that of a test set. 0: there are no letters or digits. */
guint64 train_hash_loosely(const char *text, gsize n);

/* A number in (0, 1], drawn for item i of a seed; unrelated for different purposes. */
double train_draw(guint64 seed, guint64 purpose, guint64 i);

/* ==== The pairs =============================================================================== */

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

/* ==== Some of many, drawn by weight ==============================================================
 *
 * Without knowing how many there are (Efraimidis and Spirakis 2006): each draws a key, and the n
 * smallest win.
 */

typedef struct _TrainSample TrainSample;

/* Up to n items. purpose: see train_draw. */
TrainSample *train_sample_new(gsize n, guint64 seed, guint64 purpose);
void train_sample_free(TrainSample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainSample, train_sample_free)

/* Item i takes part; its chance is proportional to its weight, which is above 0. */
void train_sample_offer(TrainSample *sample, guint64 i, double weight);

/* Whether item i, which was offered with this weight, is among the winners of all that were. */
gboolean train_sample_has(const TrainSample *sample, guint64 i, double weight);

G_END_DECLS
