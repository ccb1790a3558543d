/* regard-file-loader.h — reading a file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

/* What a file holds, for whoever asked; NULL with *error. On any thread. */
typedef gpointer (*RegardFileRead)(const char *path, mt_error *error);

/* Read path in a thread; destroy is for what was read and nobody took. Cancelling makes that be
 * thrown away: reading itself is short. */
void regard_file_load_async(const char *path, RegardFileRead read, GDestroyNotify destroy,
                            GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data);
/* For the caller; NULL and an error, G_IO_ERROR_CANCELLED if it was cancelled. */
gpointer regard_file_load_finish(GAsyncResult *result, GError **error);

G_END_DECLS
