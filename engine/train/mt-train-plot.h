/* mt-train-plot.h — how a training went, as a picture: loss and learning rate over steps, SVG.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TRAIN_PLOT_H
#define MT_TRAIN_PLOT_H

#include "mt.h"

/* One point in time. NAN: not known at this step; nothing is drawn for it. */
typedef struct {
  uint64_t step;        /* updates made; rises from record to record */
  double loss;          /* of training, nats a target token, as smoothed as the caller likes */
  double learning_rate; /* of this step */
  double valid_loss;    /* of the held-out pairs, nats a target token */
  double valid_bleu;    /* of the held-out pairs, 0 … 100 */
} mt_train_record;

/* Write the picture of n records. title: what was trained (UTF-8), may be NULL. The file appears
 * whole or not at all: it is written beside `path` and renamed over it. As many points are drawn as
 * can be told apart, so a run of a million steps is a small file too. n == 0 draws empty axes.
 * Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
bool mt_train_plot_write(const char *path, const char *title, const mt_train_record *records,
                         size_t n, mt_error *error);

#endif
