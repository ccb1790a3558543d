/* fit-progress.h — how regard-train fit tells how it goes: lines for people, or JSON, and a log.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"
#include <mt-train.h>

G_BEGIN_DECLS

typedef struct _FitProgress FitProgress;

/* log: a file that JSON lines are appended to, opened with the first one; NULL: none. */
FitProgress *fit_progress_new(const CliCommand *command, gboolean json, guint64 steps,
                              guint64 report_every, const char *log);
void fit_progress_free(FitProgress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FitProgress, fit_progress_free)

/* Before the first step. */
void fit_progress_begin(FitProgress *self, const mt_trainer *trainer);
void fit_progress_step(FitProgress *self, const mt_trainer_step *step);
void fit_progress_validation(FitProgress *self, const mt_trainer_validation *validation);
void fit_progress_checkpoint(FitProgress *self, guint64 step, const char *path);
void fit_progress_note(FitProgress *self, const char *sentence);

G_END_DECLS
