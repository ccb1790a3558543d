/* regard-hub-cache.c — models in the download cache of the Hugging Face Hub.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-hub-cache.h"

#include <string.h>

#define PREFIX      "models--"
#define MOST_COMMIT 200 /* bytes of refs/main: 40, and a line's end */

static const char *
variable(const char *name)
{
  const char *value = g_getenv(name);
  return value && *value ? value : NULL;
}

/* As huggingface_hub's constants.py does. */
char *
regard_hub_cache_folder(void)
{
  const char *folder = variable("HF_HUB_CACHE"), *home = variable("HF_HOME");
  if (!folder)
    folder = variable("HUGGINGFACE_HUB_CACHE");
  if (folder || home) {
    const char *path = folder ? folder : home;
    gboolean is_below_home = path[0] == '~' && (path[1] == '/' || !path[1]);
    return g_build_filename(is_below_home ? g_get_home_dir() : "", path + (is_below_home ? 1 : 0),
                            folder ? NULL : "hub", NULL);
  }
  return g_build_filename(g_get_user_cache_dir(), "huggingface", "hub", NULL);
}

/* A commit is one word, and no way out of the folder. */
static gboolean
is_commit(const char *text)
{
  if (!*text)
    return FALSE;
  for (const char *c = text; *c; c++)
    if (!g_ascii_isalnum(*c))
      return FALSE;
  return TRUE;
}

static char *
main_commit(const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "refs", "main", NULL);
  g_autofree char *text = NULL;
  gsize n;
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents(path, &text, &n, NULL) ||
      n > MOST_COMMIT)
    return NULL;
  g_strchomp(text);
  return is_commit(text) ? g_steal_pointer(&text) : NULL;
}

char *
regard_hub_cache_snapshot(const char *folder)
{
  g_autofree char *snapshots = g_build_filename(folder, "snapshots", NULL);
  g_autofree char *commit = main_commit(folder);
  if (!commit) {
    g_autoptr(GDir) dir = g_dir_open(snapshots, 0, NULL);
    const char *name = dir ? g_dir_read_name(dir) : NULL;
    if (!name || g_dir_read_name(dir))
      return NULL;
    commit = g_strdup(name);
  }
  g_autofree char *path = g_build_filename(snapshots, commit, NULL);
  return g_file_test(path, G_FILE_TEST_IS_DIR) ? g_steal_pointer(&path) : NULL;
}

char *
regard_hub_cache_find(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "/", 3);
  if (g_strv_length(parts) > 2 || !*parts[0] || strstr(name, "..") || (parts[1] && !*parts[1]))
    return NULL;
  g_autofree char *joined = g_strjoinv("--", parts);
  g_autofree char *base = g_strconcat(PREFIX, joined, NULL);
  g_autofree char *cache = regard_hub_cache_folder();
  g_autofree char *folder = g_build_filename(cache, base, NULL);
  return regard_hub_cache_snapshot(folder);
}

char *
regard_hub_cache_name(const char *path)
{
  g_autofree char *snapshots = g_path_get_dirname(path);
  g_autofree char *last = g_path_get_basename(snapshots);
  if (!g_str_equal(last, "snapshots"))
    return NULL;
  g_autofree char *folder = g_path_get_dirname(snapshots);
  g_autofree char *base = g_path_get_basename(folder);
  if (!g_str_has_prefix(base, PREFIX) || !base[strlen(PREFIX)])
    return NULL;
  g_autofree char *shown = g_filename_display_name(base + strlen(PREFIX));
  g_auto(GStrv) parts = g_strsplit(shown, "--", 2);
  return g_strjoinv("/", parts);
}
