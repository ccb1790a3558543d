/* regard-folder-tasks.c — what is looked for in folders, by the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-folder-tasks.h"

#include "base/regard-paths.h"
#include "document/regard-file-kinds.h"
#include "figures/regard-corpus.h"
#include <string.h>

/* ---- A corpus ------------------------------------------------------------------------------ */

static gpointer
find_corpus(RegardRun *run, mt_error *error)
{
  RegardCorpusFinding *finding = regard_run_get_params(run);
  finding->path = regard_corpus_find_beside(finding->folder);
  return finding->path && g_strcmp0(finding->path, finding->open_path) != 0
             ? (gpointer) regard_corpus_open(finding->path, error)
             : run;
}

static gpointer
open_corpus(RegardRun *run, mt_error *error)
{
  return regard_corpus_open(*(char **) regard_run_get_params(run), error);
}

static void
finding_clear(gpointer data)
{
  RegardCorpusFinding *finding = data;
  g_free(finding->folder);
  g_free(finding->open_path);
  g_free(finding->path);
}

static void
unref_corpus(gpointer corpus)
{
  regard_corpus_unref(corpus);
}

const RegardTask regard_corpus_opening_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = open_corpus,
    .clear_params = regard_task_free_parameter,
    .free_result = unref_corpus,
};

const RegardTask regard_corpus_finding_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardCorpusFinding),
    .compute = find_corpus,
    .clear_params = finding_clear,
    .free_result = unref_corpus,
};

/* ---- Sessions ------------------------------------------------------------------------------ */

static int
compare_names(gconstpointer a, gconstpointer b)
{
  g_autofree char *of_a = g_filename_display_name(*(const char *const *) a);
  g_autofree char *of_b = g_filename_display_name(*(const char *const *) b);
  g_autofree char *key_a = g_utf8_collate_key_for_filename(of_a, -1);
  g_autofree char *key_b = g_utf8_collate_key_for_filename(of_b, -1);
  return strcmp(key_a, key_b);
}

static gpointer
step_session(RegardRun *run, mt_error *error)
{
  RegardSessionStep *step = regard_run_get_params(run);
  g_autofree char *folder = g_path_get_dirname(step->path), *own = g_path_get_basename(step->path);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    if (regard_session_has_ending(name))
      g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  guint at;
  const gboolean is_listed = g_ptr_array_find_with_equal_func(names, own, g_str_equal, &at);
  const int next = (is_listed ? (int) at : -1) + step->step;
  if (next >= 0 && next < (int) names->len)
    step->next = g_build_filename(folder, names->pdata[next], NULL);
  return run;
}

static void
step_clear(gpointer data)
{
  RegardSessionStep *step = data;
  g_free(step->path);
  g_free(step->next);
}

const RegardTask regard_session_step_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionStep),
    .compute = step_session,
    .clear_params = step_clear,
};

/* ---- Caches of rounded weights -------------------------------------------------------------- */

static gpointer
look_at_caches(RegardRun *run, mt_error *error)
{
  RegardCaches *caches = regard_run_get_params(run);
  g_autofree char *folder = regard_paths_weights_cache();
  return (caches->removes ? mt_cache_remove : mt_cache_measure)(folder, &caches->n_files,
                                                                &caches->n_bytes, error)
             ? run
             : NULL;
}

const RegardTask regard_caches_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardCaches),
    .compute = look_at_caches,
};

/* ---- Files --------------------------------------------------------------------------------- */

static gpointer
find_existing(RegardRun *run, mt_error *error)
{
  char *const *paths = *(char ***) regard_run_get_params(run);
  g_autoptr(GStrvBuilder) found = g_strv_builder_new();
  for (; *paths; paths++)
    if (g_file_test(*paths, G_FILE_TEST_EXISTS))
      g_strv_builder_add(found, *paths);
  return g_strv_builder_end(found);
}

static void
clear_paths(gpointer params)
{
  g_strfreev(*(char ***) params);
}

const RegardTask regard_existing_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char **),
    .compute = find_existing,
    .clear_params = clear_paths,
    .free_result = (GDestroyNotify) g_strfreev,
};
