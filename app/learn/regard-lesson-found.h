/* regard-lesson-found.h — what somebody found who was asked to find something, or what is missing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"

G_BEGIN_DECLS

/* Of a step that asks to find something, a sentence: "Found: cross 5.5, row “nicht”, 56 %.", or the
 * first comparison that does not hold, with the number that was reached and the one that is wanted.
 * On any thread. Caller frees; NULL: *error. */
char *regard_lesson_say_found(const RegardLessonStep *step, const RegardSetting *setting,
                              gboolean is_found, mt_error *error);

G_END_DECLS
