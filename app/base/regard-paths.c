/* regard-paths.c — where models, schema and examples lie, installed or in the build folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The executable of a build folder is <source>/<build>/app/regard, so the source tree is found
 * from /proc/self/exe; nothing about this build's location is compiled in.
 */
#include "base/regard-paths.h"

#include "regard-config.h"
#include <string.h>

static char *
executable_folder(void)
{
  g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
  return path ? g_path_get_dirname(path) : NULL;
}

/* folder/name of the source tree that the build folder is in; NULL: there is none of that type. */
static char *
find_in_source(const char *folder, const char *name, GFileTest type)
{
  g_autofree char *own = executable_folder();
  if (!own)
    return NULL;
  g_autofree char *beside = g_build_filename(own, "..", "..", folder, name, NULL);
  g_autofree char *whole = g_canonicalize_filename(beside, NULL);
  return g_file_test(whole, type) ? g_steal_pointer(&whole) : NULL;
}

static char *
find_models(const char *name)
{
  char *found = find_in_source("models", name, G_FILE_TEST_IS_DIR);
  if (!found) /* a program of the tests, which lies one folder deeper */
    found = find_in_source("../models", name, G_FILE_TEST_IS_DIR);
  return found ? found : g_build_filename(REGARD_PKGDATADIR, "models", name, NULL);
}

static char *
find_assets(const char *name)
{
  char *found = find_in_source("assets", name, G_FILE_TEST_IS_DIR);
  if (!found)
    found = find_in_source("../assets", name, G_FILE_TEST_IS_DIR);
  return found ? found : g_build_filename(REGARD_PKGDATADIR, name, NULL);
}

char *
regard_paths_bundled_model(void)
{
  const char *set = g_getenv("REGARD_MODEL_DIR");
  return set && *set ? g_strdup(set) : find_models(REGARD_BUNDLED);
}

char *
regard_paths_weights_cache(void)
{
  return g_build_filename(g_get_user_data_dir(), "regard", "cache", NULL);
}

char *
regard_paths_bundled_training(void)
{
  const char *set = g_getenv("REGARD_TRAINING_DIR");
  return set && *set ? g_strdup(set) : find_models("learning" G_DIR_SEPARATOR_S "checkpoints");
}

char *
regard_paths_other_training(const char *name)
{
  g_autofree char *inner = g_build_filename("learning", name, NULL);
  return find_models(inner);
}

char *
regard_paths_by_hand(void)
{
  return find_models("by-hand");
}

char *
regard_paths_collapsed(void)
{
  return find_models("collapsed");
}

char *
regard_paths_lessons(void)
{
  const char *set = g_getenv("REGARD_LESSONS_DIR");
  return set && *set ? g_strdup(set) : find_assets("lessons");
}

char *
regard_paths_figures(void)
{
  return find_assets("figures");
}

char *
regard_paths_gloss(const char *language)
{
  g_autofree char *folder = find_assets("gloss");
  g_autofree char *name = g_strconcat(language, ".tsv", NULL);
  return g_build_filename(folder, name, NULL);
}

char *
regard_paths_lesson_sentences(void)
{
  char *found = find_in_source("tests" G_DIR_SEPARATOR_S "data", "first-forty.en.txt",
                               G_FILE_TEST_IS_REGULAR);
  return found ? found : g_build_filename(REGARD_PKGDATADIR, "lessons", "first-forty.en.txt", NULL);
}

char *
regard_paths_build_schemas(void)
{
  g_autofree char *folder = executable_folder();
  if (!folder)
    return NULL;
  g_autofree char *assets = g_build_filename(folder, "..", "assets", NULL);
  g_autofree char *compiled = g_build_filename(assets, "gschemas.compiled", NULL);
  return g_file_test(compiled, G_FILE_TEST_EXISTS) ? g_steal_pointer(&assets) : NULL;
}

char *
regard_paths_catalogues(void)
{
  const char *set = g_getenv("REGARD_LOCALE_DIR");
  if (set && *set)
    return g_strdup(set);
  g_autofree char *folder = executable_folder();
  g_autofree char *built = g_build_filename(folder ? folder : ".", "..", "po", NULL);
  return folder && g_file_test(built, G_FILE_TEST_IS_DIR) ? g_steal_pointer(&built)
                                                          : g_strdup(REGARD_LOCALEDIR);
}

char *
regard_paths_document(const char *name)
{
  char *found = find_in_source("docs", name, G_FILE_TEST_IS_REGULAR);
  return found ? found
               : g_build_filename(REGARD_PKGDATADIR, "..", "doc", "regard", "docs", name, NULL);
}

char *
regard_paths_shorten(const char *path)
{
  const char *home = g_get_home_dir();
  g_autofree char *name = g_filename_display_name(path);
  gsize n = strlen(home);
  if (n > 1 && strncmp(name, home, n) == 0 && (name[n] == '/' || name[n] == '\0'))
    return g_strconcat("~", name + n, NULL);
  return g_steal_pointer(&name);
}
