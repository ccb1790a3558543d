/* regard-lesson-files.h — tasks of the window that read lessons: one, and those that come with the
 * program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* A path (char *), which is taken → RegardLesson *. */
extern const RegardTask regard_lesson_read_task;

/* A lesson in the list of them. */
typedef struct {
  char *id, *title, *path;
  guint minutes;
  gboolean is_done; /* not known here: FALSE */
} RegardLessonRow;

/* Without parameters → GPtrArray of RegardLessonRow *, those of the folder of the program by the
 * names of their files; one that cannot be read is left out. */
extern const RegardTask regard_lesson_list_task;

G_END_DECLS
