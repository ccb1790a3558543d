/* cli-align-pairs.c — sentences with their translations from a file with tabs, or from two files
 * side by side; and the same sentences tokenised, from a third.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-align.h"

#include <string.h>

struct _CliPairs {
  const CliCommand *command;
  CliLineStream *file, *targets, *words;
  const char *targets_name, *words_name;
  GString *text, *word_text; /* the newest lines, divided at their tabs */
  gboolean failed, is_over;
};

CliPairs *
cli_pairs_open(const CliCommand *command, const char *file, const char *targets, const char *words)
{
  CliPairs *pairs = g_new0(CliPairs, 1);
  pairs->command = command;
  pairs->text = g_string_new(NULL);
  pairs->word_text = g_string_new(NULL);
  pairs->targets_name = targets;
  pairs->words_name = words;
  pairs->file = cli_line_stream_open(command, file ? file : "-");
  pairs->targets = pairs->file && targets ? cli_line_stream_open(command, targets) : NULL;
  pairs->words = pairs->file && words ? cli_line_stream_open(command, words) : NULL;
  if (pairs->file && (pairs->targets || !targets) && (pairs->words || !words))
    return pairs;
  pairs->failed = TRUE;
  cli_pairs_close(pairs);
  return NULL;
}

/* The first two columns of a line; *second is NULL if there is one. */
static void
split(GString *buffer, const char *line, const char **first, const char **second)
{
  g_string_assign(buffer, line);
  char *tab = strchr(buffer->str, '\t');
  *first = buffer->str;
  *second = NULL;
  if (!tab)
    return;
  *tab = '\0';
  *second = tab + 1;
  tab = strchr(tab + 1, '\t');
  if (tab)
    *tab = '\0';
}

/* The line of a file that goes along. FALSE: there is none. */
static gboolean
next_beside(CliPairs *pairs, CliLineStream *stream, const char *name, CliLine *line)
{
  if (cli_line_stream_next(stream, line))
    return TRUE;
  cli_complain(pairs->command, "'%s' has fewer lines than the sentences", name);
  pairs->failed = pairs->is_over = TRUE;
  return FALSE;
}

gboolean
cli_pairs_next(CliPairs *pairs, CliPair *pair)
{
  CliLine beside;
  *pair = (CliPair){0};
  if (pairs->is_over || !cli_line_stream_next(pairs->file, &pair->line)) {
    pairs->is_over = TRUE;
    return FALSE;
  }
  pair->problem = pair->line.error;
  if (pair->line.text) {
    split(pairs->text, pair->line.text, &pair->source, &pair->target);
    if (pairs->targets)
      pair->source = pair->line.text;
  }
  if (pairs->targets) {
    if (!next_beside(pairs, pairs->targets, pairs->targets_name, &beside))
      return FALSE;
    g_string_assign(pairs->text, beside.text ? beside.text : "");
    pair->target = pairs->text->str;
    pair->problem = pair->problem ? pair->problem : beside.error;
  }
  if (pairs->words) {
    if (!next_beside(pairs, pairs->words, pairs->words_name, &beside))
      return FALSE;
    pair->problem = pair->problem ? pair->problem : beside.error;
    if (beside.text)
      split(pairs->word_text, beside.text, &pair->source_words, &pair->target_words);
    if (beside.text && !pair->target_words && !pair->problem)
      pair->problem = "--words wants source and target with a tab between";
  }
  return TRUE;
}

/* At the end of the sentences the others must end, too. */
static void
check_end(CliPairs *pairs, CliLineStream *stream, const char *name)
{
  CliLine line;
  if (!pairs->failed && pairs->is_over && stream && cli_line_stream_next(stream, &line)) {
    cli_complain(pairs->command, "'%s' has more lines than the sentences", name);
    pairs->failed = TRUE;
  }
}

gboolean
cli_pairs_close(CliPairs *pairs)
{
  CliLineStream *streams[] = {pairs->file, pairs->targets, pairs->words};
  check_end(pairs, pairs->targets, pairs->targets_name);
  check_end(pairs, pairs->words, pairs->words_name);
  gboolean ok = !pairs->failed;
  for (guint i = 0; i < G_N_ELEMENTS(streams); i++)
    if (streams[i] && !cli_line_stream_close(streams[i]))
      ok = FALSE;
  g_string_free(pairs->text, TRUE);
  g_string_free(pairs->word_text, TRUE);
  g_free(pairs);
  return ok;
}

void
cli_align_csv_field(GString *out, const char *text)
{
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c(out, '"');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}
