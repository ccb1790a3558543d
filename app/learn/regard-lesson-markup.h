/* regard-lesson-markup.h — the prose of a lesson as the markup of labels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"

G_BEGIN_DECLS

/* A paragraph or an option as Pango has it, with the values [n] of its names: *emphasis*,
 * **strong**, `code`, and links to targets of the window, whose addresses are "regard:TARGET". All
 * else is escaped, so that neither a stranger's lesson nor what a model says can be markup. Caller
 * frees. */
char *regard_lesson_markup(const RegardLesson *lesson, const char *text, const RegardValue *values,
                           guint n);

G_END_DECLS
