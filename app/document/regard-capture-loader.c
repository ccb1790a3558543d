/* regard-capture-loader.c — reading a capture from a file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-capture-loader.h"

#include "base/regard-error.h"

static void
capture_destroy(gpointer capture)
{
  mt_capture_unref(capture);
}

static void
load_thread(GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  mt_error failure = {0};
  mt_capture *capture = mt_capture_read_npz(path, NULL, &failure);
  if (capture) {
    g_task_return_pointer(task, capture, capture_destroy);
    return;
  }
  GError *error = NULL;
  regard_error_set_from_mt(&error, &failure);
  g_task_return_error(task, error);
}

void
regard_capture_load_async(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  g_task_set_source_tag(task, regard_capture_load_async);
  g_task_set_task_data(task, g_strdup(path), g_free);
  g_task_run_in_thread(task, load_thread);
}

mt_capture *
regard_capture_load_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}
