/* regard-lesson-markup.c — the prose of a lesson as the markup of labels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is open and does not close stands there as it is, as a star between two numbers does.
 */
#include "learn/regard-lesson-markup.h"

#include <string.h>

typedef struct {
  const RegardLesson *lesson;
  const RegardValue *values;
  guint n;
  GString *out;
} Writer;

static void
append_escaped(Writer *w, const char *text, gsize n)
{
  g_autofree char *escaped = g_markup_escape_text(text, (gssize) n);
  g_string_append(w->out, escaped);
}

/* "{name}" with its braces. */
static void
append_value(Writer *w, const char *text, gsize n)
{
  g_autofree char *name = g_strndup(text, n);
  g_autofree char *value = regard_lesson_fill(w->lesson, name, w->values, w->n);
  append_escaped(w, value, strlen(value));
}

/* Where a mark stands again, behind a letter; NULL: it does not. A single star is no half of two.
 */
static const char *
find_end(const char *at, const char *end, const char *mark)
{
  const gsize n = strlen(mark);
  for (const char *found = at + 1; found + n <= end; found++) {
    if (strncmp(found, mark, n) != 0)
      continue;
    if (n == 1 && *mark == '*' && found + 1 < end && found[1] == '*') {
      found++;
      continue;
    }
    if (found[-1] != ' ')
      return found;
  }
  return NULL;
}

static void append_inline(Writer *w, const char *at, const char *end, gboolean in_link);

/* A passage between two marks. NULL: there is none here; else what follows it. */
static const char *
append_between(Writer *w, const char *at, const char *end, const char *mark, const char *tag,
               gboolean in_link)
{
  const gsize n = strlen(mark);
  const char *begin = at + n;
  if ((gsize) (end - at) <= n || strncmp(at, mark, n) != 0 || *begin == ' ')
    return NULL;
  const char *close = find_end(begin, end, mark);
  if (!close)
    return NULL;
  g_string_append_printf(w->out, "<%s>", tag);
  if (*mark == '`')
    append_escaped(w, begin, (gsize) (close - begin));
  else
    append_inline(w, begin, close, in_link);
  g_string_append_printf(w->out, "</%s>", tag);
  return close + n;
}

/* "[text](regard:TARGET)"; the reader has seen to it that it is one. */
static const char *
append_link(Writer *w, const char *at, const char *end)
{
  const char *middle = g_strstr_len(at, end - at, "](");
  const char *close = middle ? memchr(middle, ')', (gsize) (end - middle)) : NULL;
  if (!close || !g_str_has_prefix(middle + 2, "regard:"))
    return NULL;
  g_string_append(w->out, "<a href=\"");
  append_escaped(w, middle + 2, (gsize) (close - middle - 2));
  g_string_append(w->out, "\">");
  append_inline(w, at + 1, middle, TRUE);
  g_string_append(w->out, "</a>");
  return close + 1;
}

static void
append_inline(Writer *w, const char *at, const char *end, gboolean in_link)
{
  while (at < end) {
    const gsize plain = MIN(strcspn(at, "*`[{"), (gsize) (end - at));
    append_escaped(w, at, plain);
    at += plain;
    if (at >= end)
      return;
    const char *next = NULL;
    if (*at == '{') {
      const char *close = memchr(at, '}', (gsize) (end - at));
      if (close)
        append_value(w, at, (gsize) (close + 1 - at));
      next = close ? close + 1 : NULL;
    } else if (*at == '[')
      next = in_link ? NULL : append_link(w, at, end);
    else if (*at == '`')
      next = append_between(w, at, end, "`", "tt", in_link);
    else if (at + 1 < end && at[1] == '*')
      next = append_between(w, at, end, "**", "b", in_link);
    else
      next = append_between(w, at, end, "*", "i", in_link);
    if (!next) {
      append_escaped(w, at, 1);
      next = at + 1;
    }
    at = next;
  }
}

char *
regard_lesson_markup(const RegardLesson *lesson, const char *text, const RegardValue *values,
                     guint n)
{
  Writer w = {lesson, values, n, g_string_new(NULL)};
  append_inline(&w, text, text + strlen(text), FALSE);
  return g_string_free(w.out, FALSE);
}
