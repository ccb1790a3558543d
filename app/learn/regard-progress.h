/* regard-progress.h — how far this person is in the lessons: lessons.json in the user's data
 * folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is in the file is here at once when it has been read, and what is noted here is in the file
 * a moment later: reading and writing are tasks of the runner. A note says one thing ("step 3 of
 * the lesson row was reached"), and writing means reading the file once more and making the notes
 * in that, under a lock: so two windows or processes keep what each of them noted. A file that
 * cannot be understood, or that a later Regard wrote, is never overwritten: it is renamed, and a
 * message says so.
 *
 * On the main thread only.
 */
#pragma once

#include "learn/regard-answers.h"
#include <gio/gio.h>

G_BEGIN_DECLS

/* "changed": something that was noted elsewhere, or read, is here now, or there is a message. */
#define REGARD_TYPE_PROGRESS (regard_progress_get_type())
G_DECLARE_FINAL_TYPE(RegardProgress, regard_progress, REGARD, PROGRESS, GObject)

/* The one of this process, whose file begins to be read when it is asked for first. Borrowed. */
RegardProgress *regard_progress_get_default(void);
/* Of another file, which begins to be read. */
RegardProgress *regard_progress_new(const char *path);
/* The file was read, or could not be. */
gboolean regard_progress_is_loaded(RegardProgress *self);
/* What a person should know: that a file was kept aside, or cannot be written. A sentence, borrowed
 * until the next change; NULL: nothing. */
const char *regard_progress_get_message(RegardProgress *self);
/* It was read. */
void regard_progress_clear_message(RegardProgress *self);

/* What is known of a lesson. Borrowed until the next note or "changed"; NULL: it was not begun. */
const RegardLessonRecord *regard_progress_get(RegardProgress *self, const char *id);
/* All of it, of RegardLessonRecord *, in the order in which lessons were touched. Borrowed. */
const GPtrArray *regard_progress_get_all(RegardProgress *self);
gboolean regard_progress_is_done(RegardProgress *self, const char *id);

/* A lesson begins, or goes on. If it was changed since it was begun, answers to questions that it
 * still has are kept, and the others dropped: then a sentence says how many, which the caller
 * frees; else NULL. */
char *regard_progress_begin(RegardProgress *self, const RegardLesson *lesson);
/* A step (from 0) was reached, and values [n] were measured for its names up to there. */
void regard_progress_note_step(RegardProgress *self, const RegardLesson *lesson, guint step,
                               const RegardValue *values, guint n);
/* Takes what was said to the question of a step. */
void regard_progress_note_answer(RegardProgress *self, const RegardLesson *lesson,
                                 RegardAnswer *answer);
/* The lesson has been gone through. */
void regard_progress_note_done(RegardProgress *self, const RegardLesson *lesson);
/* The lesson was never begun. */
void regard_progress_forget(RegardProgress *self, const char *id);

/* What is not in the file yet is when this returns; for the end of a program. FALSE: *error. */
gboolean regard_progress_flush(RegardProgress *self, GError **error);

G_END_DECLS
