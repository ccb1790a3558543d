/* regard-model-store.c — the files of a model, in a folder or in a zip archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-store.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <mt.h>
#include <string.h>

struct _RegardModelStore {
  mt_files *files;
};

void
regard_model_store_free(RegardModelStore *store)
{
  if (!store)
    return;
  mt_files_free(store->files);
  g_free(store);
}

/* What the engine says of a path, without the path and the full stop: the name stands before it in
 * the list. */
static char *
problem_of(const char *path, const mt_error *error)
{
  g_autofree char *name = g_path_get_basename(path);
  const char *const prefixes[] = {path, name};
  const char *said = error->message;
  for (guint i = 0; i < G_N_ELEMENTS(prefixes) && said == error->message; i++) {
    gsize n = strlen(prefixes[i]);
    if (strncmp(said, prefixes[i], n) == 0 && g_str_has_prefix(said + n, ": "))
      said += n + 2;
  }
  char *problem = g_utf8_make_valid(said, -1);
  if (g_str_has_suffix(problem, "."))
    problem[strlen(problem) - 1] = '\0';
  return problem;
}

RegardModelStore *
regard_model_store_open(const char *path, char **problem)
{
  *problem = NULL;
  GStatBuf status;
  if (g_stat(path, &status) == 0 ? !S_ISDIR(status.st_mode) && !g_str_has_suffix(path, ".zip")
                                 : errno == ENOENT || errno == ENOTDIR)
    return NULL;
  mt_error error = {0};
  mt_files *files = mt_files_open(path, &error);
  if (!files) {
    *problem = problem_of(path, &error);
    return NULL;
  }
  RegardModelStore *store = g_new0(RegardModelStore, 1);
  store->files = files;
  return store;
}

gboolean
regard_model_store_is_archive(const RegardModelStore *store)
{
  return mt_files_is_archive(store->files);
}

static void
add_name(void *names, const char *name)
{
  g_ptr_array_add(names, g_strdup(name));
}

char **
regard_model_store_dup_names(const RegardModelStore *store)
{
  mt_error error;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  mt_files_each(store->files, add_name, names, &error);
  g_ptr_array_add(names, NULL);
  return (char **) g_ptr_array_steal(names, NULL);
}

gint64
regard_model_store_get_archive_size(const RegardModelStore *store)
{
  return (gint64) mt_files_archive_size(store->files);
}

gint64
regard_model_store_get_size(const RegardModelStore *store, const char *name)
{
  return mt_files_size(store->files, name);
}

gboolean
regard_model_store_is_dangling(const RegardModelStore *store, const char *name)
{
  return mt_files_is_dangling(store->files, name);
}

char *
regard_model_store_read(const RegardModelStore *store, const char *name, gsize most, gsize *length)
{
  gint64 size = mt_files_size(store->files, name);
  if (size < 0)
    return NULL;
  gsize wanted = (gsize) MIN((gint64) most, size);
  g_autofree char *text = g_malloc(wanted + 1);
  mt_error error;
  if (!mt_files_read(store->files, name, text, wanted, length, &error))
    return NULL;
  text[*length] = '\0';
  return g_steal_pointer(&text);
}
