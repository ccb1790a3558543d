/* regard-gloss.c — what words mean, in a language of the reader's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-gloss.h"

#include "figures/regard-naming.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST_BYTES (1 << 20) /* of a file */
#define MOST_CHARS 40        /* of a word and of a meaning, which stands under a word */

struct RegardGloss {
  GHashTable *meanings; /* of words, folded */
};

static void
clear(gpointer data)
{
  g_hash_table_unref(((RegardGloss *) data)->meanings);
}

RegardGloss *
regard_gloss_ref(RegardGloss *self)
{
  return g_atomic_rc_box_acquire(self);
}

void
regard_gloss_unref(RegardGloss *self)
{
  if (self)
    g_atomic_rc_box_release_full(self, clear);
}

const char *
regard_gloss_find(const RegardGloss *self, const char *word)
{
  g_autofree char *folded = g_utf8_strdown(word, -1);
  return g_hash_table_lookup(self->meanings, folded);
}

/* ---- A file -----------------------------------------------------------------------------------
 */

/* All of a file of a modest size; NULL: it is none. Caller frees. */
static char *
read_text(const char *path)
{
  char *text = NULL;
  gsize n = 0;
  GStatBuf about;
  if (g_stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES ||
      !g_file_get_contents(path, &text, &n, NULL))
    return NULL;
  if (n <= MOST_BYTES && strlen(text) == n)
    return text;
  g_free(text); /* zeros in it: no text */
  return NULL;
}

/* In place, as other systems end lines. */
static char *
without_return(char *line)
{
  const gsize n = strlen(line);
  if (n > 0 && line[n - 1] == '\r')
    line[n - 1] = '\0';
  return line;
}

static gsize
length_of_language(const char *code)
{
  return strcspn(code, "_-");
}

static gboolean
is_same(const char *column, const char *language)
{
  g_autofree char *code = g_strdelimit(g_strdup(language), "-", '_');
  return g_str_equal(column, code);
}

/* The column of a language, 0: none; column 0 has the words. */
static guint
find_column(char **columns, const char *language)
{
  const gsize n = length_of_language(language);
  guint same_language = 0;
  for (guint i = 1; columns[0] && columns[i]; i++) {
    if (is_same(columns[i], language))
      return i;
    if (!same_language && length_of_language(columns[i]) == n &&
        strncmp(columns[i], language, n) == 0)
      same_language = i;
  }
  return same_language;
}

static gboolean
is_short_text(const char *text)
{
  if (!g_utf8_validate(text, -1, NULL) || g_utf8_strlen(text, -1) > MOST_CHARS)
    return FALSE;
  g_autofree char *visible = regard_visible(text);
  return g_str_equal(visible, text);
}

/* FALSE: the line is not as it should be. */
static gboolean
take_line(RegardGloss *self, char **fields, guint n_columns, guint column)
{
  if (g_strv_length(fields) != n_columns || !*fields[0] || !is_short_text(fields[0]) ||
      !is_short_text(fields[column]))
    return FALSE;
  char *word = g_utf8_strdown(fields[0], -1);
  if (g_hash_table_contains(self->meanings, word)) {
    g_free(word);
    return FALSE;
  }
  /* A word without a meaning is known to be there once. */
  g_hash_table_insert(self->meanings, word, *fields[column] ? g_strdup(fields[column]) : NULL);
  return TRUE;
}

RegardGloss *
regard_gloss_read(const char *path, const char *language, guint *ignored)
{
  g_autofree char *text = read_text(path);
  g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : g_new0(char *, 1);
  guint at = 0, passed_over = 0;
  while (lines[at] && *lines[at] == '#')
    at++;
  g_auto(GStrv) columns = g_strsplit(lines[at] ? without_return(lines[at]) : "", "\t", -1);
  const guint n_columns = g_strv_length(columns), column = find_column(columns, language);
  if (column == 0)
    return NULL;
  RegardGloss *self = g_atomic_rc_box_new(RegardGloss);
  self->meanings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (char **line = lines + at + 1; *line; line++) {
    g_auto(GStrv) fields = g_strsplit(without_return(*line), "\t", -1);
    if (**line && **line != '#' && !take_line(self, fields, n_columns, column))
      passed_over++;
  }
  if (ignored)
    *ignored = passed_over;
  return self;
}
