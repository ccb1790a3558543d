/* regard-lesson-files.c — tasks of the window that read lessons: one, and those that come with the
 * program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-files.h"

#include "base/regard-paths.h"
#include "learn/regard-lesson-shelf.h"

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

static void
row_free(gpointer data)
{
  RegardLessonRow *row = data;
  g_free(row->id);
  g_free(row->title);
  g_free(row->path);
  g_free(row);
}

static gpointer
list(RegardRun *run, mt_error *error)
{
  g_autofree char *folder = regard_paths_lessons();
  g_autoptr(GPtrArray) shelf = regard_lesson_shelf_read(folder, g_get_language_names());
  GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
  for (guint i = 0; i < shelf->len; i++) {
    const RegardShelfRow *on_shelf = shelf->pdata[i];
    const RegardLesson *lesson = on_shelf->lesson;
    if (!lesson)
      continue;
    RegardLessonRow *row = g_new0(RegardLessonRow, 1);
    *row = (RegardLessonRow){
        .id = g_strdup(lesson->id),
        .title = g_strdup(lesson->title),
        .path = g_strdup(on_shelf->path),
        .minutes = lesson->minutes,
    };
    g_ptr_array_add(rows, row);
  }
  return rows;
}

const RegardTask regard_lesson_list_task = {
    .priority = REGARD_RUN_READING,
    .compute = list,
    .free_result = (GDestroyNotify) g_ptr_array_unref,
};
