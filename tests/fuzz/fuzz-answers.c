/* fuzz-answers.c — answers that were handed in: what is read keeps its limits, is written, and
 * reads back as the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "learn/regard-answers.h"

#include <string.h>

static const char lesson_text[] =
    "---\nregard-lesson: 1\nid: row\ntitle: A row\n---\n\n## Predict\n\n- [ ] x {a}\n- [ ] y "
    "{b}\n\n"
    "```regard\nlet n = words\nask predict\nright a\n```\n\n## Count\n\n```regard\nask number\n"
    "answer n within 0\n```\n\n## Own\n\n```regard\nask find\nfound if n > 3\n```\n";

static void
look_at(const RegardAnswer *answer)
{
  g_assert_cmpuint(answer->step, <, REGARD_LESSON_MOST_STEPS);
  g_assert_true(g_utf8_validate(answer->title, -1, NULL) && !strpbrk(answer->title, "\n\x1b"));
  g_assert_true(answer->question >= REGARD_ASK_PREDICT && answer->question <= REGARD_ASK_FIND);
  g_assert_true(answer->letter == 0 || (answer->letter >= 'a' && answer->letter <= 'h'));
  g_assert_cmpuint(strlen(answer->changes), <=, REGARD_ANSWERS_MOST_TEXT);
  g_assert_true(!answer->text || (g_utf8_validate(answer->text, -1, NULL) &&
                                  strlen(answer->text) <= REGARD_ANSWERS_MOST_TEXT));
  g_assert_cmpuint(answer->verdict, <, REGARD_N_VERDICTS);
  fuzz_sink += answer->number + answer->measured + (double) answer->layer;
}

/* As it is used: with a lesson that may be another one. */
static void
use(RegardLessonRecord *record, const RegardLesson *lesson)
{
  RegardValue value = {0};
  guint n = 0;
  for (guint i = 0; i < record->answers->len; i++)
    look_at(record->answers->pdata[i]);
  for (guint i = 0; i < lesson->steps->len; i++)
    n += regard_lesson_record_find(record, lesson, i) != NULL;
  regard_lesson_record_get_values(record, lesson, &value, 1);
  regard_value_clear(&value);
  g_autoptr(RegardLessonRecord) fitted = regard_lesson_record_copy(record);
  const guint n_dropped = regard_lesson_record_fit(fitted, lesson);
  g_assert_cmpuint(fitted->answers->len, ==, n);
  g_assert_cmpuint(n + n_dropped, ==, record->answers->len);
  g_assert_cmpuint(fitted->step, <, lesson->steps->len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static RegardLesson *lesson;
  mt_error error = {0};
  if (!lesson)
    lesson = regard_lesson_parse("x", lesson_text, strlen(lesson_text), &error);
  g_assert_nonnull(lesson);
  g_autofree char *text = g_malloc(size + 1);
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  g_autoptr(GError) failure = NULL;
  g_autoptr(RegardAnswers) answers = regard_answers_parse("input", text, size, &failure);
  g_assert_true((answers != NULL) == (failure == NULL));
  if (!answers) {
    g_assert_true(g_utf8_validate(failure->message, -1, NULL));
    return 0;
  }
  for (guint i = 0; i < answers->records->len; i++)
    use(answers->records->pdata[i], lesson);
  g_autofree char *once = regard_answers_to_json(answers);
  g_autoptr(RegardAnswers) again = regard_answers_parse("written", once, strlen(once), &failure);
  if (!again)
    g_error("what was written cannot be read: %s", failure->message);
  g_autofree char *twice = regard_answers_to_json(again);
  g_assert_cmpstr(once, ==, twice);
  return 0;
}
