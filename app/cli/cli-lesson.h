/* cli-lesson.h — what the commands called lesson share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-analysis.h"
#include "learn/regard-lesson-check.h"

G_BEGIN_DECLS

/* Models that lessons name, each opened once. */
typedef struct {
  GPtrArray *opened;
  unsigned n_threads; /* 0: the engine's choice */
} CliLessonModels;
void cli_lesson_models_clear(CliLessonModels *self);
/* For RegardLessonModels.open, with a CliLessonModels as its user. */
RegardRuns *cli_lesson_models_open(const char *name, gint64 step, gpointer user, mt_error *error);

extern const char cli_lesson_details[];
/* All of them say the same of themselves. */
#define CLI_LESSON_ABOUT                                                                    \
  .name = "lesson", .summary = "Measure what lessons claim, grade answers, list the texts", \
  .arguments = "check FILE.lesson.md… | grade FILE.regard-answers… | strings FILE…",        \
  .details = cli_lesson_details

extern const CliCommand cli_lesson_grade;

G_END_DECLS
