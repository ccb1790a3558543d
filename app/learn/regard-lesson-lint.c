/* regard-lesson-lint.c — what makes a lesson hard to follow, although it can be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-lint.h"

#include <glib/gi18n.h>

guint
regard_lesson_count_words(const char *text)
{
  guint n_words = 0, n_ideographs = 0;
  gboolean in_word = FALSE;
  for (; *text; text = g_utf8_next_char(text)) {
    const gunichar c = g_utf8_get_char(text);
    if (g_unichar_iswide(c)) {
      n_ideographs += g_unichar_isalpha(c);
      in_word = FALSE;
    } else if (g_unichar_isspace(c)) {
      in_word = FALSE;
    } else {
      n_words += !in_word;
      in_word = TRUE;
    }
  }
  return n_words + (n_ideographs + 1) / 2;
}

static guint
count_step_words(const RegardLessonStep *step)
{
  guint n = 0;
  for (guint i = 0; i < step->paragraphs->len; i++)
    n += regard_lesson_count_words(step->paragraphs->pdata[i]);
  for (guint i = 0; i < step->options->len; i++)
    n += regard_lesson_count_words(((const RegardLessonOption *) step->options->pdata[i])->text);
  return n;
}

static guint
count_directives(const RegardLessonStep *step, RegardDirectiveType type)
{
  guint n = 0;
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    n += directive->type == type && !directive->is_after;
  }
  return n;
}

static void
lint_step(const RegardLessonStep *step, RegardLessonLintFunc func, gpointer user)
{
  const guint n_words = count_step_words(step),
              n_points = count_directives(step, REGARD_DIRECTIVE_POINT);
  if (n_words > REGARD_LESSON_MOST_WORDS) {
    g_autofree char *sentence =
        g_strdup_printf(ngettext("The step “%s” has %u word; at most %d are read.",
                                 "The step “%s” has %u words; at most %d are read.", n_words),
                        step->title, n_words, REGARD_LESSON_MOST_WORDS);
    func(step->line, sentence, user);
  }
  if (n_points > 1) {
    g_autofree char *sentence =
        g_strdup_printf(_("The step “%s” points at %u things; one looks at one at a time."),
                        step->title, n_points);
    func(step->line, sentence, user);
  }
  if (!step->question && count_directives(step, REGARD_DIRECTIVE_WAIT) == 0) {
    g_autofree char *sentence = g_strdup_printf(
        _("The step “%s” has nothing to do: it asks nothing, and waits for nothing."), step->title);
    func(step->line, sentence, user);
  }
}

void
regard_lesson_lint(const RegardLesson *lesson, RegardLessonLintFunc func, gpointer user)
{
  gboolean asks = lesson->minutes > 0 && lesson->minutes <= REGARD_LESSON_SHORT;
  for (guint i = 0; i < lesson->steps->len; i++) {
    const RegardLessonStep *step = lesson->steps->pdata[i];
    asks = asks || step->question;
    lint_step(step, func, user);
  }
  if (!asks)
    func(1, _("The lesson has no question: who only watches learns little."), user);
}
