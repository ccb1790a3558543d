/* regard-model-loader.h — opening a model folder without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "models/regard-first-head.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* Open a folder or a zip archive; the running model is not touched. One is opened at a time: the
 * next waits until the model of this one is in its place (regard_model_load_done) or gone. A model
 * that cannot be had in this precision, for its numbers or for want of memory, is opened as it is
 * stored: mt_model_precision says so. RegardModelLoad → mt_model. */
typedef struct {
  char *dir; /* taken; a file of a model is for its folder then (regard_model_path) */
  mt_precision precision;
  gboolean caches; /* rounded weights are kept in a file (regard_paths_weights_cache) */
  /* Of the answer, whether it is a model or an error. */
  char *title; /* "English → German", or the model's name where nothing says its languages; NULL:
                * it failed */
  GArray *steps;   /* the training beside it: regard_training_steps; NULL: none */
  mt_means *means; /* that lie beside it; NULL: there are none, and why, unless it failed */
  char *why_no_means;
  RegardFirstHead first_head; /* of a model: the one that is looked at first */
  gboolean has_turn;
} RegardModelLoad;
extern const RegardTask regard_model_load_task;
/* The model of such a run, one reference, or NULL with an error that names the file. With a model
 * comes the duty to call regard_model_load_done() once, when it runs and the old one is out of
 * memory, or when it was let go. */
mt_model *regard_model_load_finish(RegardRun *run, GError **error);
void regard_model_load_done(void);

/* "6 + 6 layers · 8 heads". Caller frees. */
char *regard_model_shape(mt_model *model);

G_END_DECLS
