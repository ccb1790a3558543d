/* regard-capture-loader.h — reading a capture from a file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

/* Read path in a thread. Cancelling makes the result be thrown away; reading itself is short. */
void regard_capture_load_async(const char *path, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
/* A reference for the caller, or NULL. */
mt_capture *regard_capture_load_finish(GAsyncResult *result, GError **error);

G_END_DECLS
