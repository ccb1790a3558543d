/* regard-corpus-loader.c — reading a corpus file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-corpus-loader.h"

#include "base/regard-error.h"

#include <string.h>

#define ENDING ".regard-corpus"

gboolean
regard_corpus_has_ending(const char *path)
{
  return g_str_has_suffix(path, ENDING);
}

char *
regard_corpus_find_beside(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autofree char *first = NULL;
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    if (regard_corpus_has_ending(name) && (!first || strcmp(name, first) < 0)) {
      g_free(first);
      first = g_strdup(name);
    }
  return first ? g_build_filename(folder, first, NULL) : NULL;
}

static void
corpus_destroy(gpointer corpus)
{
  regard_corpus_unref(corpus);
}

static void
load_thread(GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  mt_error failure = {0};
  RegardCorpus *corpus = regard_corpus_open(path, &failure);
  if (corpus) {
    g_task_return_pointer(task, corpus, corpus_destroy);
    return;
  }
  GError *error = NULL;
  regard_error_set_from_mt(&error, &failure);
  g_task_return_error(task, error);
}

void
regard_corpus_load_async(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  g_task_set_source_tag(task, regard_corpus_load_async);
  g_task_set_task_data(task, g_strdup(path), g_free);
  g_task_run_in_thread(task, load_thread);
}

RegardCorpus *
regard_corpus_load_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}
