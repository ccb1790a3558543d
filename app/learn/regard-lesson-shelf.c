/* regard-lesson-shelf.c — the lessons of a folder: those that come with the program, in their
 * order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-shelf.h"

#include "base/regard-paths.h"

#include <string.h>

static void
row_free(gpointer data)
{
  RegardShelfRow *row = data;
  g_free(row->path);
  g_free(row->name);
  g_free(row->problem);
  regard_lesson_unref(row->lesson);
  g_free(row);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Names of files without their ending. */
static GPtrArray *
list_names(const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && names->len < REGARD_SHELF_MOST && (name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, REGARD_LESSON_SUFFIX) && *name != '.')
      g_ptr_array_add(names, g_strndup(name, strlen(name) - strlen(REGARD_LESSON_SUFFIX)));
  g_ptr_array_sort(names, compare_names);
  return names;
}

static gboolean
has_name(const GPtrArray *names, const char *name)
{
  return g_ptr_array_find_with_equal_func((GPtrArray *) names, name, g_str_equal, NULL);
}

/* "07-positions.zh_CN" beside "07-positions". */
static gboolean
is_translation(const GPtrArray *names, const char *name)
{
  const char *dot = strrchr(name, '.');
  g_autofree char *of = dot ? g_strndup(name, (gsize) (dot - name)) : NULL;
  return of && has_name(names, of);
}

static gboolean
is_english(const char *language)
{
  return strcmp(language, "C") == 0 || strcmp(language, "en") == 0;
}

/* FALSE: the row says why. What it said before stays. */
static gboolean
read_into(RegardShelfRow *row, const char *folder, const char *name)
{
  mt_error error = {0};
  g_autofree char *file = g_strconcat(name, REGARD_LESSON_SUFFIX, NULL);
  g_free(row->path);
  row->path = g_build_filename(folder, file, NULL);
  row->lesson = regard_lesson_read(row->path, &error);
  if (!row->lesson && !row->problem)
    row->problem = g_utf8_make_valid(error.message, -1);
  return row->lesson != NULL;
}

static RegardShelfRow *
read_row(const char *folder, const char *name, const GPtrArray *names, const char *const *languages)
{
  RegardShelfRow *row = g_new0(RegardShelfRow, 1);
  row->name = g_utf8_make_valid(name, -1);
  /* The lesson's own file is in English: who prefers that to a translation has it. */
  for (guint i = 0; languages && languages[i] && !is_english(languages[i]); i++) {
    g_autofree char *translation = g_strconcat(name, ".", languages[i], NULL);
    if (has_name(names, translation) && read_into(row, folder, translation))
      return row;
  }
  read_into(row, folder, name);
  if (languages)
    regard_lesson_translate(row->lesson);
  return row;
}

GPtrArray *
regard_lesson_shelf_read(const char *folder, const char *const *languages)
{
  GPtrArray *shelf = g_ptr_array_new_with_free_func(row_free);
  g_autoptr(GPtrArray) names = list_names(folder);
  for (guint i = 0; i < names->len; i++)
    if (!is_translation(names, names->pdata[i]))
      g_ptr_array_add(shelf, read_row(folder, names->pdata[i], names, languages));
  return shelf;
}

GPtrArray *
regard_lesson_shelf_read_all(const char *folder)
{
  GPtrArray *shelf = g_ptr_array_new_with_free_func(row_free);
  g_autoptr(GPtrArray) names = list_names(folder);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add(shelf, read_row(folder, names->pdata[i], names, NULL));
  return shelf;
}

const RegardShelfRow *
regard_lesson_shelf_find(const GPtrArray *shelf, const char *id)
{
  for (guint i = 0; i < shelf->len; i++) {
    const RegardShelfRow *row = shelf->pdata[i];
    if (row->lesson && strcmp(row->lesson->id, id) == 0)
      return row;
  }
  return NULL;
}

/* ---- For the window -------------------------------------------------------------------------- */

static gpointer
read_one(RegardRun *run, mt_error *error)
{
  char *const *path = regard_run_get_params(run);
  return regard_lesson_translate(regard_lesson_read(*path, error));
}

const RegardTask regard_lesson_read_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = read_one,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) regard_lesson_unref,
};

static gpointer
read_bundled(RegardRun *run, mt_error *error)
{
  g_autofree char *folder = regard_paths_lessons();
  return regard_lesson_shelf_read(folder, g_get_language_names());
}

const RegardTask regard_lesson_shelf_task = {
    .priority = REGARD_RUN_READING,
    .compute = read_bundled,
    .free_result = (GDestroyNotify) g_ptr_array_unref,
};
