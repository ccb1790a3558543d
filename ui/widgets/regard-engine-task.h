/* regard-engine-task.h — what tasks that call the engine in a thread have in common.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

/* For hooks and whatever else polls: user data is a GCancellable, or NULL. */
bool regard_engine_is_cancelled(void *cancellable);
/* The task ends with the error: G_IO_ERROR_CANCELLED for MT_ERROR_CANCELLED, else
 * G_IO_ERROR_FAILED. */
void regard_engine_return_error(GTask *task, const mt_error *error);

G_END_DECLS
