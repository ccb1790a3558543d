/* regard-quality.h — how good a model's translations of a file are, without changes and with them,
 * by the length of the sentences: numbers to be drawn, listed and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* In points of 100, with the interval of 95 % that a paired bootstrap gives (mt/train/quality.h).
 */
typedef struct {
  double value, lo, hi;
} RegardInterval;

typedef enum { REGARD_QUALITY_BLEU, REGARD_QUALITY_CHRF, REGARD_N_QUALITIES } RegardQualityMeasure;

/* The sentences of some lengths. */
typedef struct {
  guint least, most; /* pieces of the source, without </s>; most 0: and more; both 0: all */
  guint n;
  RegardInterval scores[2][REGARD_N_QUALITIES]; /* without changes, with them */
  RegardInterval differences[REGARD_N_QUALITIES];
} RegardQualityRow;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name, *file; /* the file's name, for people */
  char *interventions;     /* NULL: none, and all that is about them is NAN */
  guint n_left_out;        /* pairs that the model could not translate */
  guint n_draws;           /* of the bootstrap */
  guint n_rows;
  RegardQualityRow *rows; /* [n_rows] all, then by length; only lengths that there are */
} RegardQuality;

/* The lengths that are told apart; [*n] of RegardQualityRow with least and most. */
const RegardQualityRow *regard_quality_lengths(guint *n);

/* rows [n_rows] are taken. */
RegardQuality *regard_quality_new(const mt_model *model, const char *file,
                                  const mt_interventions *interventions, RegardQualityRow *rows,
                                  guint n_rows, guint n_left_out, guint n_draws);
REGARD_DECLARE_SUBJECT(RegardQuality, regard_quality)

/* What is to be measured, and who measures it: the program, which has models translate. On any
 * thread; NULL and an error, G_IO_ERROR_CANCELLED if should_stop said so. */
typedef struct {
  mt_model *model;
  const mt_request *request; /* how to search; its changes and constraints do not count */
  const mt_interventions *interventions; /* NULL: none */
  const char *file, *references;         /* paths: a sentence a line */
  void (*on_progress)(void *progress, double share);
  void *progress;
  bool (*should_stop)(void *stop);
  void *stop;
} RegardQualityShares;
typedef RegardQuality *(*RegardQualityFunc)(const RegardQualityShares *wanted, GError **error);

/* Bars of each row, without changes above and with them below. Spots: part the measure, row the
 * row. Files of numbers hold the same rows; columns sentences, BLEU and chrF2, each with the ends
 * of its interval, where there are changes three times: without, with, difference. */
RegardFigure *regard_figure_new_quality(RegardQuality *quality, const RegardFigureStyle *style);

G_END_DECLS
