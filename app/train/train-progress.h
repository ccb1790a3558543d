/* train-progress.h — how far it is, on a terminal; and whether it shall stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

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

G_END_DECLS
