/* regard-lesson-shelf.h — the lessons of a folder: those that come with the program, in their
 * order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* More files than this are not looked at. */
#define REGARD_SHELF_MOST 500

typedef struct {
  char *path;           /* of the file that was read */
  char *name;           /* of the lesson's own file, "07-positions", whichever language was read */
  RegardLesson *lesson; /* id, title, minutes, after; NULL: it cannot be read */
  char *problem; /* NULL, or a sentence: why not, or why it is not in the person's language */
} RegardShelfRow;

/* The lessons of a folder, sorted by the names of their files. A lesson NAME.lesson.md may lie
 * there once more as NAME.LANGUAGE.lesson.md: languages, the preferred one first ("zh_CN", "zh";
 * NULL: none), decide which one is read. A file that cannot be read is a row that says why. An
 * array of RegardShelfRow *, which frees what is in it; empty if there is no folder. On any thread;
 * reads the disk. */
GPtrArray *regard_lesson_shelf_read(const char *folder, const char *const *languages);

/* The same with a row for each file, whatever its language. */
GPtrArray *regard_lesson_shelf_read_all(const char *folder);

/* The row of the lesson of this id. Borrowed; NULL: there is none. */
const RegardShelfRow *regard_lesson_shelf_find(const GPtrArray *shelf, const char *id);

/* For the window: a path (char *), which is taken → RegardLesson *. */
extern const RegardTask regard_lesson_read_task;

/* For the window: the bundled lessons in the languages of this desktop. No parameters; the result
 * is what regard_lesson_shelf_read returns. */
extern const RegardTask regard_lesson_shelf_task;

G_END_DECLS
