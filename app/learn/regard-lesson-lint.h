/* regard-lesson-lint.h — what makes a lesson hard to follow, although it can be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"

G_BEGIN_DECLS

/* Words of a step, as they are seen before its question is answered. */
#define REGARD_LESSON_MOST_WORDS 60
/* Minutes of a lesson that need ask nothing. */
#define REGARD_LESSON_SHORT 2

typedef void (*RegardLessonLintFunc)(guint line, const char *sentence, gpointer user);
/* Calls func for each: a step with too many words, with two things to look at, or with nothing to
 * do; a lesson without a question. */
void regard_lesson_lint(const RegardLesson *lesson, RegardLessonLintFunc func, gpointer user);

/* Words of a text; two ideographs are one. */
guint regard_lesson_count_words(const char *text);

G_END_DECLS
