/* regard-word-diff.c — two texts as one, with the words that only one of them has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The longest common subsequence of their words (Wagner and Fischer 1974).
 */
#include "parts/regard-word-diff.h"

#define MOST_WORDS 500

static void
append(GString *out, const char *word, const char *tag)
{
  g_autofree char *text = g_markup_escape_text(word, -1);
  if (out->len)
    g_string_append_c(out, ' ');
  if (tag)
    g_string_append_printf(out, "<%s>%s</%s>", tag, text, tag);
  else
    g_string_append(out, text);
}

/* "a  b" has an empty word between, which is none. */
static GPtrArray *
split(char **words)
{
  GPtrArray *found = g_ptr_array_new();
  for (; *words; words++)
    if (**words)
      g_ptr_array_add(found, *words);
  return found;
}

char *
regard_word_diff_markup(const char *a, const char *b)
{
  g_auto(GStrv) a_all = g_strsplit_set(a, " \t\n", -1), b_all = g_strsplit_set(b, " \t\n", -1);
  g_autoptr(GPtrArray) x = split(a_all), y = split(b_all);
  const guint n = x->len, m = y->len, width = m + 1;
  if (n > MOST_WORDS || m > MOST_WORDS)
    return g_markup_escape_text(b, -1);
  /* [n + 1][m + 1] how many words what begins at i and at j has in common */
  g_autofree guint16 *common = g_new0(guint16, (gsize) (n + 1) * width);
  for (guint i = n; i-- > 0;)
    for (guint j = m; j-- > 0;)
      common[i * width + j] = g_str_equal(x->pdata[i], y->pdata[j])
                                  ? (guint16) (common[(i + 1) * width + j + 1] + 1)
                                  : MAX(common[(i + 1) * width + j], common[i * width + j + 1]);
  GString *out = g_string_new(NULL);
  guint i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && g_str_equal(x->pdata[i], y->pdata[j])) {
      append(out, x->pdata[i], NULL);
      i++, j++;
    } else if (i < n && (j == m || common[(i + 1) * width + j] >= common[i * width + j + 1]))
      append(out, x->pdata[i++], "s");
    else
      append(out, y->pdata[j++], "b");
  }
  return g_string_free(out, FALSE);
}
