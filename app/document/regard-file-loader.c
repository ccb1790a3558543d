/* regard-file-loader.c — reading a file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-file-loader.h"

#include "base/regard-error.h"

typedef struct {
  char *path;
  RegardFileRead read;
  GDestroyNotify destroy;
} Wanted;

static void
wanted_free(gpointer data)
{
  Wanted *wanted = data;
  g_free(wanted->path);
  g_free(wanted);
}

static void
load_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Wanted *wanted = data;
  mt_error failure = {0};
  gpointer found = wanted->read(wanted->path, &failure);
  if (found) {
    g_task_return_pointer(task, found, wanted->destroy);
    return;
  }
  GError *error = NULL;
  regard_error_set_from_mt(&error, &failure);
  g_task_return_error(task, error);
}

void
regard_file_load_async(const char *path, RegardFileRead read, GDestroyNotify destroy,
                       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  Wanted *wanted = g_new(Wanted, 1);
  *wanted = (Wanted){g_strdup(path), read, destroy};
  g_task_set_source_tag(task, regard_file_load_async);
  g_task_set_task_data(task, wanted, wanted_free);
  g_task_run_in_thread(task, load_thread);
}

gpointer
regard_file_load_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}
