/* regard-words.c — lists and sentences one after the other, as the reader's language joins them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-words.h"
#include "figures/regard-language.h"

#include <string.h>

void
regard_words_add_item(GString *list, const char *item)
{
  if (list->len > 0) {
    /* Translators: what joins two of a list of any length: "merged, special tokens hidden" */
    g_autofree char *joined = g_strdup_printf(C_("list", "%s, %s"), list->str, item);
    g_string_assign(list, joined);
  } else
    g_string_append(list, item);
}

void
regard_words_add_part(GString *list, const char *part)
{
  if (list->len > 0) {
    /* Translators: what joins two of a list whose items may have commas in them */
    g_autofree char *joined = g_strdup_printf(C_("list", "%s; %s"), list->str, part);
    g_string_assign(list, joined);
  } else
    g_string_append(list, part);
}

/* Whether this thread keeps sentences apart. */
static GPrivate is_apart = G_PRIVATE_INIT(NULL);

void
regard_words_keep_apart(gboolean apart)
{
  g_private_set(&is_apart, GINT_TO_POINTER(apart));
}

void
regard_words_take_sentence(GString *text, char *sentence)
{
  if (text->len > 0 && g_private_get(&is_apart))
    g_string_append_printf(text, "%c%s", REGARD_WORDS_APART, sentence);
  else if (text->len > 0) {
    /* Translators: a sentence, and the one after it; Chinese has no blank between them */
    g_autofree char *joined = g_strdup_printf(C_("sentences", "%s %s"), text->str, sentence);
    g_string_assign(text, joined);
  } else
    g_string_append(text, sentence);
  g_free(sentence);
}

void
regard_words_add_sentence(GString *text, const char *format, ...)
{
  REGARD_IN_LANGUAGE(regard_language_get()); /* numbers, too */
  va_list args;
  va_start(args, format);
  regard_words_take_sentence(text, g_strdup_vprintf(format, args));
  va_end(args);
}

char *
regard_words_quoted(const char *name, const char *sentence)
{
  /* A sentence that ends itself needs no second full stop. */
  const gboolean ends = *sentence && strchr(".!?", sentence[strlen(sentence) - 1]);
  /* Translators: "Source: “A dog barks.”"; the second is for one without a full stop of its own */
  return g_strdup_printf(ends ? _("%s: “%s”") : _("%s: “%s”."), name, sentence);
}

void
regard_words_add_quoted(GString *text, const char *name, const char *sentence)
{
  regard_words_take_sentence(text, regard_words_quoted(name, sentence));
}

/* Translators: ends what is no whole sentence, such as a title, with a full stop */
#define ENDED C_("sentence", "%s.")

void
regard_words_add_title(GString *text, const char *title)
{
  regard_words_add_sentence(text, ENDED, title);
}

char *
regard_words_as_sentence(const char *phrase)
{
  char first[6];
  const int n = g_unichar_to_utf8(g_unichar_toupper(g_utf8_get_char(phrase)), first);
  g_autofree char *begun = g_strdup_printf("%.*s%s", n, first, g_utf8_next_char(phrase));
  return g_strdup_printf(ENDED, begun);
}

gboolean
regard_words_fit(const char *format, const char *text)
{
  g_autoptr(GString) pattern = g_string_new(NULL);
  for (const char *at = format; *at; at++) {
    if (*at != '%')
      g_string_append_c(pattern, *at);
    else if (at[1] == '%')
      g_string_append_c(pattern, *++at);
    else {
      at += strcspn(at + 1, "diufgsc"); /* up to what ends a conversion */
      at += at[1] != '\0';
      g_string_append_c(pattern, '*');
    }
  }
  return g_pattern_match_simple(pattern->str, text);
}

guint
regard_words_split(const char *format, RegardWordsPart parts[REGARD_MOST_PARTS])
{
  guint n = 0;
  int next = 0;
  while (*format && n + 1 < REGARD_MOST_PARTS) {
    const gsize length = strcspn(format, "%");
    if (length > 0)
      parts[n++] = (RegardWordsPart){format, length, -1};
    format += length;
    if (!*format || !format[1])
      break;
    if (g_ascii_isdigit(format[1]) && format[2] && format[3]) { /* "%2$s" */
      next = format[1] - '1';
      format += 2;
    }
    parts[n++] = (RegardWordsPart){NULL, 0, next++};
    format += 2;
  }
  return n;
}

const char *
regard_words_of(const char *context, const char *word)
{
  return regard_word_of(context, word);
}

/* ---- Two texts ------------------------------------------------------------------------------- */

#define MOST_WORDS 500

/* "a  b" has an empty word between, which is none. */
static GPtrArray *
find_words(char **words)
{
  GPtrArray *found = g_ptr_array_new();
  for (; *words; words++)
    if (**words)
      g_ptr_array_add(found, *words);
  return found;
}

gboolean
regard_words_compare(const char *before, const char *now, RegardWordFunc func, gpointer user)
{
  g_auto(GStrv) of_before = g_strsplit_set(before, " \t\n", -1),
                of_now = g_strsplit_set(now, " \t\n", -1);
  g_autoptr(GPtrArray) x = find_words(of_before), y = find_words(of_now);
  const guint n = x->len, m = y->len, width = m + 1;
  if (n > MOST_WORDS || m > MOST_WORDS)
    return FALSE;
  /* [n + 1][m + 1] how many words what begins at i and at j has in common */
  g_autofree guint16 *common = g_new0(guint16, (gsize) (n + 1) * width);
  for (guint i = n; i-- > 0;)
    for (guint j = m; j-- > 0;)
      common[i * width + j] = g_str_equal(x->pdata[i], y->pdata[j])
                                  ? (guint16) (common[(i + 1) * width + j + 1] + 1)
                                  : MAX(common[(i + 1) * width + j], common[i * width + j + 1]);
  for (guint i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && g_str_equal(x->pdata[i], y->pdata[j])) {
      func(user, x->pdata[i++], REGARD_WORD_OF_BOTH);
      j++;
    } else if (i < n && (j == m || common[(i + 1) * width + j] >= common[i * width + j + 1]))
      func(user, x->pdata[i++], REGARD_WORD_GONE);
    else
      func(user, y->pdata[j++], REGARD_WORD_NEW);
  }
  return TRUE;
}
