/* regard-animation-job.h — animations of the window as tasks of the runner: computing what they
 * show, looking at what they will be, and writing them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stopped job leaves no file behind, and none half.
 */
#pragma once

#include "document/regard-document.h"
#include "formats/regard-animation.h"
#include "runner/regard-runner.h"
#include "views/regard-view.h"

G_BEGIN_DECLS

/* ---- What is looked at, over the training that the model is of ------------------------------- */

/* The id that its choice has. */
#define REGARD_ANIMATION_TRAINING "training"

/* Whether the view shows attention of a translation whose model is a checkpoint beside others.
 * document may be NULL. */
gboolean regard_animation_has_training(RegardDocument *document, RegardView *view);
/* What there is to be computed; in the language in force. The opposite is the task's. */
typedef struct {
  GArray *steps;        /* RegardTrainingStep */
  RegardResult *result; /* whose text and translation each checkpoint is given */
  RegardMatrixSpec spec;
  guint8 *chosen; /* that of the spec */
  RegardFigureStyle style;
  RegardLanguage language;
} RegardTrainingJob;
void regard_training_job_init(RegardTrainingJob *job, RegardDocument *document, RegardView *view);
/* → RegardFrames */
extern const RegardTask regard_training_frames_task;

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Taken all; it is looked at without a path. */
typedef struct {
  RegardFrames *frames;
  const RegardAnimationFormat *format;
  RegardExportOptions options;
  char *path;
  gboolean replaces; /* numbered files may be there already; of others whoever chose it was asked */
  guint frame;       /* one that is to be seen … */
  double dpi;        /* … at so many dots per inch, */
  RegardAnimationMeasure measured; /* n 0: it has to be measured first */
} RegardAnimationJob;

/* How large it will be, and the PNG of a frame. */
typedef struct {
  RegardAnimationMeasure measured;
  GError *error; /* why it cannot be written in this format; NULL: it can */
  GBytes *png;   /* NULL: there is none, for that reason */
} RegardAnimationLook;
void regard_animation_look_free(RegardAnimationLook *look);
/* → RegardAnimationLook */
extern const RegardTask regard_animation_look_task;
/* No result; G_IO_ERROR_EXISTS where numbered files are there and are not to be replaced. */
extern const RegardTask regard_animation_write_task;

G_END_DECLS
