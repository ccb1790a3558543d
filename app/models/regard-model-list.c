/* regard-model-list.c — the models of this machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder is known by device and inode, so a link that leads in a circle, or two links to one
 * model, are met once. How many folders are looked at and how many models are listed is bounded.
 */
#include "models/regard-model-list.h"

#include "base/regard-paths.h"

#include <string.h>
#include <sys/stat.h>

#define MOST_LOOKED_AT 20000
#define MOST_LISTED    500
#define MOST_DEPTH     2

typedef struct {
  GPtrArray *infos;
  GHashTable *seen; /* "device:inode" */
  GCancellable *cancellable;
  guint n_looked_at, n_left_out;
} Scan;

char *
regard_model_list_folder(void)
{
  return g_build_filename(g_get_user_data_dir(), "regard", "models", NULL);
}

/* Where Argos Translate, and LibreTranslate with it, keeps its packages: as its settings.py has it.
 */
static char *
argos_folder(void)
{
  const char *set = g_getenv("ARGOS_PACKAGES_DIR");
  return set && *set ? g_strdup(set)
                     : g_build_filename(g_get_user_data_dir(), "argos-translate", "packages", NULL);
}

char **
regard_model_list_folders(void)
{
  g_autoptr(GPtrArray) folders = g_ptr_array_new();
  g_ptr_array_add(folders, regard_model_list_folder());
  for (const char *const *data = g_get_system_data_dirs(); *data; data++)
    g_ptr_array_add(folders, g_build_filename(*data, "regard", "models", NULL));
  g_ptr_array_add(folders, argos_folder());
  g_ptr_array_add(folders, NULL);
  return (char **) g_ptr_array_steal(folders, NULL);
}

/* ---- Scanning ------------------------------------------------------------------------------ */

/* TRUE the first time. */
static gboolean
is_new(Scan *scan, const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return TRUE;
  return g_hash_table_add(scan->seen,
                          g_strdup_printf("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                          (guint64) status.st_dev, (guint64) status.st_ino));
}

static gboolean
is_over(Scan *scan)
{
  return scan->n_looked_at >= MOST_LOOKED_AT || g_cancellable_is_cancelled(scan->cancellable);
}

static void
add(Scan *scan, RegardModelInfo *info)
{
  if (scan->infos->len < MOST_LISTED) {
    g_ptr_array_add(scan->infos, info);
  } else {
    scan->n_left_out++;
    regard_model_info_free(info);
  }
}

static void
add_expected(Scan *scan, const char *path, RegardModelOrigin place)
{
  if (is_new(scan, path))
    add(scan, regard_model_info_new(path, place, TRUE));
}

/* Another bundled model stands for all that come with Regard. */
static void
add_teaching(Scan *scan)
{
  char *(*const paths[])(void) = {regard_paths_by_hand, regard_paths_collapsed};
  const char *other = g_getenv("REGARD_MODEL_DIR");
  if (other && *other)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_autofree char *path = paths[i]();
    RegardModelInfo *info =
        is_new(scan, path) ? regard_model_info_new(path, REGARD_MODEL_TEACHING, FALSE) : NULL;
    if (info)
      add(scan, info);
  }
}

/* What lies in a folder of models; depth 1 is the folder itself. */
static void
look_through(Scan *scan, const char *folder, RegardModelOrigin place, guint depth)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && !is_over(scan) && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    gboolean is_archive = regard_model_is_archive(name);
    scan->n_looked_at++;
    if (*name == '.' || (!is_archive && !g_file_test(path, G_FILE_TEST_IS_DIR)) ||
        !is_new(scan, path))
      continue;
    RegardModelInfo *info = regard_model_info_new(path, place, FALSE);
    if (info)
      add(scan, info);
    else if (!is_archive && depth < MOST_DEPTH)
      look_through(scan, path, place, depth + 1);
  }
}

/* The models of the Hub's download cache that are, or were to be, Marian's: most of what lies there
 * is of other kinds, and is nobody's mistake. */
static void
look_in_hub_cache(Scan *scan)
{
  g_autofree char *cache = regard_hub_cache_folder();
  g_autoptr(GDir) dir = g_dir_open(cache, 0, NULL);
  const char *name;
  while (dir && !is_over(scan) && (name = g_dir_read_name(dir))) {
    scan->n_looked_at++;
    g_autofree char *folder = g_build_filename(cache, name, NULL);
    g_autofree char *snapshot =
        g_str_has_prefix(name, "models--") ? regard_hub_cache_snapshot(folder) : NULL;
    if (!snapshot || !is_new(scan, snapshot))
      continue;
    g_autoptr(RegardModelInfo) info = regard_model_info_new(snapshot, REGARD_MODEL_FOUND, FALSE);
    if (info && !info->is_other)
      add(scan, g_steal_pointer(&info));
  }
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const RegardModelInfo *x = *(RegardModelInfo *const *) a, *y = *(RegardModelInfo *const *) b;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->place == REGARD_MODEL_RECENT)
    return 0; /* newest first, as they come */
  int order = g_utf8_collate(x->title, y->title);
  return order ? order : strcmp(x->path, y->path);
}

GPtrArray *
regard_model_list_scan(const char *const *recent, GCancellable *cancellable, guint *n_left_out)
{
  GPtrArray *infos = g_ptr_array_new_with_free_func((GDestroyNotify) regard_model_info_free);
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  Scan scan = {infos, seen, cancellable, 0, 0};

  g_autofree char *bundled = regard_paths_bundled_model();
  add_expected(&scan, bundled, REGARD_MODEL_BUNDLED);
  add_teaching(&scan);
  for (guint i = 0; recent && recent[i] && !is_over(&scan); i++)
    add_expected(&scan, recent[i], REGARD_MODEL_RECENT);
  g_auto(GStrv) folders = regard_model_list_folders();
  for (guint i = 0; folders[i]; i++)
    if (is_new(&scan, folders[i]))
      look_through(&scan, folders[i], REGARD_MODEL_FOUND, 1);
  look_in_hub_cache(&scan);
  /* Stable, so recent ones keep their order. */
  g_ptr_array_sort(infos, compare);
  if (n_left_out)
    *n_left_out = scan.n_left_out;
  return infos;
}

/* ---- By name ------------------------------------------------------------------------------- */

char *
regard_model_list_resolve(const char *argument, const char *const *recent)
{
  if (g_file_test(argument, G_FILE_TEST_EXISTS))
    return regard_model_path(argument);
  g_auto(GStrv) folders = regard_model_list_folders();
  for (guint i = 0; folders[i] && *argument != '/'; i++) {
    g_autofree char *path = g_build_filename(folders[i], argument, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
      return regard_model_path(path);
  }
  char *snapshot = regard_hub_cache_find(argument);
  if (snapshot)
    return snapshot;
  if (!strchr(argument, '/')) {
    g_autoptr(GPtrArray) infos = regard_model_list_scan(recent, NULL, NULL);
    /* Of two with one name the one that is whole. */
    for (guint pass = 0; pass < 2; pass++)
      for (guint i = 0; i < infos->len; i++) {
        const RegardModelInfo *info = infos->pdata[i];
        if (g_str_equal(info->name, argument) && (pass == 1 || !info->problem))
          return g_strdup(info->path);
      }
  }
  return g_strdup(argument);
}
