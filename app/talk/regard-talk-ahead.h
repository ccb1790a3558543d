/* regard-talk-ahead.h — the picture of a slide that has none of its own, as those of a lesson,
 * before it is shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model translates beside the window, and what the slide will show is drawn as pages draw it:
 * attention, the steps of the translation, Inside, Layers. Other pages have no picture.
 */
#pragma once

#include "figures/regard-matrix-attention.h"
#include "learn/regard-lesson-run.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

typedef struct {
  mt_model *model; /* reference; NULL: it is opened */
  char *folder, *text, *changes;
  mt_precision precision; /* of one that is opened */
  mt_request search;
  char *page; /* "steps/tree" */
  guint step; /* from 1; 0: any */
  gboolean is_lines;
  double lines_share;
  RegardMatrixSpec spec; /* of one head */
  RegardFigureStyle style;
} RegardTalkAheadJob;

/* What a step of the lesson that runs will show. FALSE: nothing that is drawn ahead, and *job is
 * not to be cleared. */
gboolean regard_talk_ahead_init(RegardTalkAheadJob *job, RegardLessonRun *run, guint step,
                                RegardStage *stage);
/* → GBytes of a PNG. */
extern const RegardTask regard_talk_ahead_task;

G_END_DECLS
