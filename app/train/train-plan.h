/* train-plan.h — what shall be prepared: sources of text with their weights, and all settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Pairs of one origin: a file of lines with tabs, or two files of which line i belongs to line i.
 */
typedef struct {
  char *name, *licence, *note;
  char *files[2];      /* the second is NULL for a file with tabs */
  guint columns[2];    /* of a file with tabs, from 0: source and target */
  guint64 first, last; /* lines that are taken, from 1 */
  double weight;
  gint64 segmentations; /* ways in which each pair is cut into tokens; 0: as the plan says */
  gboolean heldout;     /* all of it is kept for validation */
} TrainSource;

typedef struct {
  char *languages[2];
  GPtrArray *sources; /* of TrainSource */
  GPtrArray *exclude; /* of char *: files whose sentences are not trained on */
  char *tokenizer;    /* folder of the one to use; NULL: one is trained */
  gboolean separate;  /* a vocabulary for each language */
  gint64 vocab_size, tokenizer_pairs;
  guint segmentation, normalization; /* of a new tokenizer: indices into the lists below */
  double coverage;                   /* share of the characters of a text that get a piece */
  char *characters;                  /* that get one in any case; NULL: none */
  gboolean split_digits; /* each of 0 … 9 is a piece, with the space before it or not */
  /* Of each pair the most probable segmentation, and, where there are to be more, others drawn
   * from the nbest_size most probable ones: mt_spm_draw. */
  gint64 segmentations, nbest_size;
  guint segmented; /* which sides: index into train_segmented */
  double alpha;
  gint64 max_chars, max_tokens;
  double max_ratio;
  gint64 n_heldout;
  gint64 seed;
} TrainPlan;

#define TRAIN_MAX_NBEST 512 /* of nbest_size; SentencePiece after 0.2.0 has no more */

/* How a new tokenizer cuts words, and how it changes text before, by SentencePiece's names; which
 * sides of a pair are cut in several ways. The first is the default. NULL at the end. */
extern const char *const train_segmentations[];
extern const char *const train_normalizations[];
extern const char *const train_segmented[];

/* The defaults, and no source. */
TrainPlan *train_plan_new(void);
void train_plan_free(TrainPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrainPlan, train_plan_free)

/* In how many ways the pairs of a source are cut into tokens, and whether one side is. */
gsize train_plan_count_segmentations(const TrainPlan *plan, const TrainSource *source);
gsize train_plan_most_segmentations(const TrainPlan *plan); /* of all its sources, 1 or more */
gboolean train_plan_segments(const TrainPlan *plan, mt_stack side);

/* Add what a JSON file says; keys that it has not keep their value. Paths of text are relative to
 * `corpora`, or to the file's folder if that is NULL; that of a tokenizer to the file's folder. */
gboolean train_plan_load(TrainPlan *plan, const char *path, const char *corpora, mt_error *error);

/* Cut ":WEIGHT" off an argument, in place; without one, *weight stays as it is. Errors:
 * MT_ERROR_INPUT. */
gboolean train_split_weight(char *argument, double *weight, mt_error *error);

/* Add a source as an argument names it: "FILE", "SOURCE,TARGET", either with ":WEIGHT" behind. */
gboolean train_plan_add_argument(TrainPlan *plan, const char *argument, mt_error *error);

G_END_DECLS
