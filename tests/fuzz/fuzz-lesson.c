/* fuzz-lesson.c — a lesson: what is read can be written, and reads back as the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "learn/regard-lesson.h"

#include <string.h>

static void
look_at(const char *text, guint line, gpointer user)
{
  g_assert_true(g_utf8_validate(text, -1, NULL) && strlen(text) <= REGARD_LESSON_MOST_LINE);
  g_assert_cmpuint(line, >=, 1);
  g_autofree char *filled = regard_lesson_fill(user, text, NULL, 0);
  fuzz_sink += (double) strlen(filled);
}

/* Within the limits, whatever was read. */
static void
check(RegardLesson *lesson)
{
  g_assert_cmpuint(lesson->steps->len, <=, REGARD_LESSON_MOST_STEPS);
  g_assert_cmpuint(lesson->names->len, <=, REGARD_LESSON_MOST_NAMES);
  for (guint i = 0; i < lesson->steps->len; i++) {
    const RegardLessonStep *step = lesson->steps->pdata[i];
    guint cost = 0;
    for (guint k = 0; k < step->directives->len; k++) {
      const RegardDirective *directive = step->directives->pdata[k];
      cost += regard_term_cost(directive->term) + regard_condition_cost(directive->condition);
      /* No name of a model is a path. */
      g_assert_true(directive->type != REGARD_DIRECTIVE_MODEL ||
                    (!strchr(directive->text, '/') && *directive->text != '.'));
    }
    g_assert_cmpuint(cost, <=, REGARD_LESSON_MOST_PASSES);
    g_assert_cmpuint(step->options->len, <=, REGARD_LESSON_MOST_OPTIONS);
  }
  regard_lesson_foreach_string(lesson, look_at, lesson);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  g_autoptr(RegardLesson) lesson = regard_lesson_parse("input", (const char *) data, size, &error);
  if (!lesson) {
    g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_TOO_LONG);
    g_assert_true(g_utf8_validate(error.message, -1, NULL) && !strchr(error.message, '\n'));
    return 0;
  }
  check(lesson);
  g_autofree char *once = regard_lesson_write(lesson);
  g_autoptr(RegardLesson) again = regard_lesson_parse("written", once, strlen(once), &error);
  if (!again) {
    /* A line of it may be longer, where each sign stands by itself now. */
    g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
    return 0;
  }
  g_autofree char *twice = regard_lesson_write(again);
  g_assert_cmpstr(once, ==, twice);
  return 0;
}
