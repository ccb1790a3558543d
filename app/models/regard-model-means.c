/* regard-model-means.c — the means that lie beside a model: what its heads find in a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-means.h"

#include "base/regard-paths.h"

#include <glib/gi18n.h>

#define NAME   "means.npz"
#define ENDING "." NAME

/* Of several the first by name, so that it is the same every time. Caller frees; NULL: there is
 * none. */
static char *
find_file(const char *folder)
{
  g_autofree char *plain = g_build_filename(folder, NAME, NULL);
  if (g_file_test(plain, G_FILE_TEST_EXISTS))
    return g_steal_pointer(&plain);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autofree char *found = NULL;
  for (const char *name; dir && (name = g_dir_read_name(dir));)
    if (g_str_has_suffix(name, ENDING) && (!found || strcmp(name, found) < 0)) {
      g_free(found);
      found = g_strdup(name);
    }
  return found ? g_build_filename(folder, found, NULL) : NULL;
}

mt_means *
regard_model_means_read(const mt_model *model, const char *dir, char **why_not)
{
  g_autofree char *folder = dir && *dir ? g_strdup(dir) : regard_paths_bundled_model();
  g_autofree char *path = find_file(folder);
  mt_error error = {0};
  mt_means *means = path ? mt_means_read(path, model, &error) : NULL;
  if (means)
    return means;
  g_autofree char *shown = regard_paths_shorten(folder);
  *why_not = path ? g_strdup(error.message)
                  : g_strdup_printf(_("There are no means beside this model: make them of a text, "
                                      "regard-cli means FILE -o %s/" NAME),
                                    shown);
  return NULL;
}
