/* cli-lines.c — lines of files, in order; and sentences with their references.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-lines.h"

#include <errno.h>
#include <mt-train.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct _CliLineStream {
  const CliCommand *command;
  const char *name;
  FILE *file;
  guint64 number; /* of lines so far */
  int problem;    /* errno when reading failed */
  GString *buffer;
  GString *paragraph;  /* lines joined; NULL: each line is for itself */
  gboolean is_endless; /* nothing more is read */
  guint64 blank;       /* number of the empty line that ended the last paragraph; 0: none did */
};

CliLineStream *
cli_line_stream_open(const CliCommand *command, const char *name)
{
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
  if (!file) {
    cli_complain(command, "cannot open '%s': %s", name, g_strerror(errno));
    return NULL;
  }
  CliLineStream *stream = g_new0(CliLineStream, 1);
  stream->command = command;
  stream->name = name;
  stream->file = file;
  stream->buffer = g_string_new(NULL);
  return stream;
}

/* From now on lines that follow one another are one, with a blank between them, up to an empty
 * line: a paragraph, whose number is that of its first line. */
static void
cli_line_stream_join(CliLineStream *stream)
{
  if (!stream->paragraph)
    stream->paragraph = g_string_new(NULL);
}

gboolean
cli_line_stream_is_whole(const CliLineStream *stream)
{
  struct stat info;
  return stream->file != stdin && fstat(fileno(stream->file), &info) == 0 && S_ISREG(info.st_mode);
}

/* One line into stream->buffer, of which *n bytes were read; more than CLI_LINE_MAX_BYTES: its end
 * was thrown away. FALSE at the end of the file. getc takes what the pipe has: it waits only while
 * no whole line has come. */
static gboolean
read_line(CliLineStream *stream, gsize *n)
{
  int c = EOF;
  *n = 0;
  g_string_truncate(stream->buffer, 0);
  while (!stream->is_endless && (c = getc_unlocked(stream->file)) != EOF && c != '\n') {
    if (++*n <= CLI_LINE_MAX_BYTES)
      g_string_append_c(stream->buffer, (char) c);
    stream->is_endless = *n > CLI_LINE_ENDLESS_BYTES;
  }
  return *n > 0 || c == '\n';
}

static gboolean
is_blank(const char *text)
{
  for (; *text; text = g_utf8_next_char(text)) {
    gunichar c = g_utf8_get_char_validated(text, -1);
    if (c == (gunichar) -1 || c == (gunichar) -2 || !g_unichar_isspace(c))
      return FALSE;
  }
  return TRUE;
}

static gboolean
next_line(CliLineStream *stream, CliLine *line)
{
  gsize n;
  if (!read_line(stream, &n)) {
    stream->problem = ferror(stream->file) ? errno : 0;
    return FALSE;
  }
  GString *buffer = stream->buffer;
  if (buffer->len && buffer->str[buffer->len - 1] == '\r')
    g_string_truncate(buffer, buffer->len - 1);
  char *text = buffer->str;
  stream->number++;
  if (stream->number == 1 && g_str_has_prefix(text, "\xEF\xBB\xBF"))
    text += 3; /* a byte order mark is no part of the sentence */

  *line = (CliLine){.file = stream->name, .number = stream->number, .text = text};
  if (stream->is_endless)
    line->error = "the line is longer than 64 MiB; the rest of the file is not read";
  else if (n > CLI_LINE_MAX_BYTES)
    line->error = "the line is longer than 1 MiB";
  else if (memchr(buffer->str, '\0', buffer->len))
    line->error = "the line holds a NUL byte";
  if (line->error)
    line->text = NULL;
  else
    line->blank = is_blank(text);
  return TRUE;
}

/* Chinese and Japanese have no blank where a line ends. */
static gboolean
is_without_blanks(gunichar c)
{
  return g_unichar_iswide(c) && g_unichar_get_script(c) != G_UNICODE_SCRIPT_HANGUL;
}

/* Put a line behind the others of its paragraph, without the blanks around it. What is no UTF-8 is
 * refused later, with its place. */
static void
join(GString *paragraph, const char *text)
{
  while (g_ascii_isspace(*text))
    text++;
  if (paragraph->len > 0) {
    const char *last = g_utf8_find_prev_char(paragraph->str, paragraph->str + paragraph->len);
    gunichar before = last ? g_utf8_get_char_validated(last, -1) : 0,
             after = g_utf8_get_char_validated(text, -1);
    if (!is_without_blanks(before) || !is_without_blanks(after))
      g_string_append_c(paragraph, ' ');
  }
  g_string_append(paragraph, text);
  while (paragraph->len > 0 && g_ascii_isspace(paragraph->str[paragraph->len - 1]))
    g_string_truncate(paragraph, paragraph->len - 1);
}

/* Lines up to an empty one or the end of the file; an empty one comes by itself, afterwards. */
static gboolean
next_paragraph(CliLineStream *stream, CliLine *line)
{
  GString *paragraph = stream->paragraph;
  CliLine part;
  gsize n = 0;
  *line = (CliLine){.file = stream->name, .number = stream->blank, .text = "", .blank = TRUE};
  g_string_truncate(paragraph, 0);
  if (stream->blank) {
    stream->blank = 0;
    return TRUE;
  }
  while (next_line(stream, &part)) {
    if (!line->number)
      line->number = part.number;
    if (part.blank && line->blank)
      return TRUE;
    if (part.blank) {
      stream->blank = part.number;
      break;
    }
    line->blank = FALSE;
    n += part.text ? strlen(part.text) + 1 : 0;
    if (stream->is_endless)
      line->error = part.error;
    else if (n > CLI_LINE_ENDLESS_BYTES) {
      line->error = "the paragraph is longer than 64 MiB; the rest of the file is not read";
      stream->is_endless = TRUE;
    } else if (part.text && paragraph->len + strlen(part.text) < CLI_LINE_MAX_BYTES)
      join(paragraph, part.text);
    else if (!line->error)
      line->error = part.text ? "the paragraph is longer than 1 MiB" : part.error;
  }
  line->text = line->error ? NULL : paragraph->str;
  return line->number > 0;
}

gboolean
cli_line_stream_next(CliLineStream *stream, CliLine *line)
{
  return stream->paragraph ? next_paragraph(stream, line) : next_line(stream, line);
}

gboolean
cli_line_stream_close(CliLineStream *stream)
{
  gboolean failed = stream->problem != 0;
  if (failed)
    cli_complain(stream->command, "cannot read '%s': %s", stream->name,
                 g_strerror(stream->problem));
  if (stream->file != stdin)
    fclose(stream->file);
  g_string_free(stream->buffer, TRUE);
  if (stream->paragraph)
    g_string_free(stream->paragraph, TRUE);
  g_free(stream);
  return !failed;
}

/* FALSE: stop everything. */
static gboolean
each_line(CliLineStream *stream, CliLineFunc func, gpointer user, CliStatus *status)
{
  CliLine line;
  while (cli_line_stream_next(stream, &line)) {
    CliLineResult result = func(&line, user);
    if (result != CLI_LINE_DONE)
      *status = CLI_FAILED;
    if (result == CLI_LINE_STOP)
      return FALSE;
  }
  return TRUE;
}

CliStatus
cli_lines_foreach(const CliCommand *command, const GPtrArray *files, gboolean joins,
                  CliLineFunc func, CliWholeFunc whole, gpointer user)
{
  CliStatus status = CLI_DONE;
  gboolean go_on = TRUE;
  for (guint i = 0; go_on && i < MAX(files->len, 1); i++) {
    CliLineStream *stream = cli_line_stream_open(command, files->len ? files->pdata[i] : "-");
    if (!stream) {
      status = CLI_FAILED;
      continue;
    }
    if (joins)
      cli_line_stream_join(stream);
    if (whole && cli_line_stream_is_whole(stream))
      go_on = whole(stream, user, &status);
    else
      go_on = each_line(stream, func, user, &status);
    if (!cli_line_stream_close(stream))
      status = CLI_FAILED;
  }
  return status;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

void
cli_csv_append_field(GString *out, const char *text)
{
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c(out, '"');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}

/* ==== Sentences and their references ========================================================== */

/* Of all sentences, which are kept. */
#define MOST_BYTES (1 << 28)

/* ---- Reading --------------------------------------------------------------------------------- */

static void
hash_text(guint64 *hash, const char *text)
{
  for (;; text++) { /* FNV-1a, of the end, too */
    *hash = (*hash ^ (guchar) *text) * G_GUINT64_CONSTANT(0x100000001b3);
    if (!*text)
      return;
  }
}

/* Whether the model reads it; else it has been told why not. */
static gboolean
is_readable(const CliCommand *command, const CliEngine *engine, const CliLine *line)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens =
      line->text ? mt_model_tokenize_for(engine->model, line->text, &engine->params, &error) : NULL;
  if (!tokens)
    cli_complain(command, "%s:%" G_GUINT64_FORMAT ": left out: %s", line->file, line->number,
                 line->text ? error.message : line->error);
  return tokens != NULL;
}

static gboolean
read_pairs(const CliCommand *command, const CliEngine *engine, CliLineStream *stream,
           CliLineStream *references, gint64 limit, CliCorpus *corpus)
{
  CliLine line, reference = {0};
  gsize n_bytes = 0;
  while ((!limit || corpus->texts->len < limit) && cli_line_stream_next(stream, &line)) {
    if (references && !cli_line_stream_next(references, &reference)) {
      cli_complain(command, "--references has %" G_GUINT64_FORMAT " lines, and --file more",
                   line.number - 1);
      return FALSE;
    }
    if (line.blank || reference.blank)
      continue;
    if (!is_readable(command, engine, &line)) {
      corpus->n_left_out++;
      continue;
    }
    if (reference.error) {
      cli_complain(command, "%s:%" G_GUINT64_FORMAT ": %s", reference.file, reference.number,
                   reference.error);
      return FALSE;
    }
    n_bytes += strlen(line.text) + (references ? strlen(reference.text) : 0);
    if (n_bytes > MOST_BYTES) {
      cli_complain(command,
                   "%s:%" G_GUINT64_FORMAT ": expected at most %d MiB of sentences, found "
                   "more",
                   line.file, line.number, MOST_BYTES >> 20);
      return FALSE;
    }
    hash_text(&corpus->hash, line.text);
    g_ptr_array_add(corpus->texts, g_strdup(line.text));
    if (references) {
      hash_text(&corpus->hash, reference.text);
      g_ptr_array_add(corpus->references, g_strdup(reference.text));
    }
  }
  if (corpus->texts->len == 0)
    cli_complain(command, "no sentence that this model can read");
  return corpus->texts->len > 0;
}

CliCorpus *
cli_corpus_open(const CliCommand *command, const CliEngine *engine, const char *file,
                const char *references, gint64 limit)
{
  CliCorpus *corpus = g_new0(CliCorpus, 1);
  corpus->texts = g_ptr_array_new_with_free_func(g_free);
  corpus->hash = G_GUINT64_CONSTANT(0xcbf29ce484222325);
  if (references)
    corpus->references = g_ptr_array_new_with_free_func(g_free);
  CliLineStream *a = cli_line_stream_open(command, file), *b = NULL;
  if (a && references)
    b = cli_line_stream_open(command, references);
  gboolean ok = a && (b || !references) && read_pairs(command, engine, a, b, limit, corpus);
  ok = (!a || cli_line_stream_close(a)) && ok;
  ok = (!b || cli_line_stream_close(b)) && ok;
  if (ok)
    return corpus;
  cli_corpus_free(corpus);
  return NULL;
}

void
cli_corpus_free(CliCorpus *corpus)
{
  g_ptr_array_unref(corpus->texts);
  g_clear_pointer(&corpus->references, g_ptr_array_unref);
  g_free(corpus);
}

/* ---- Translating ----------------------------------------------------------------------------- */

typedef struct {
  const CliCommand *command;
  const CliCorpus *corpus;
  guint next;
  mt_bleu bleu;
  mt_chrf chrf;
  gboolean failed;
} Scoring;

static const char *
next_text(void *user)
{
  Scoring *self = user;
  return self->next < self->corpus->texts->len ? self->corpus->texts->pdata[self->next++] : NULL;
}

/* What cannot be translated counts as nothing said. */
static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Scoring *self = user;
  const char *said = translation ? mt_translation_hypothesis(translation, 0)->text : "";
  const char *wanted = self->corpus->references->pdata[i];
  mt_error own = {0};
  if (!mt_bleu_add(&self->bleu, said, strlen(said), wanted, strlen(wanted), &own) ||
      !mt_chrf_add(&self->chrf, said, strlen(said), wanted, strlen(wanted), &own))
    self->failed = TRUE;
}

gboolean
cli_corpus_score(const CliCommand *command, CliEngine *engine, const CliCorpus *corpus,
                 const mt_interventions *interventions, CliScores *scores)
{
  Scoring self = {.command = command, .corpus = corpus};
  mt_hooks hooks = engine->hooks;
  hooks.interventions = interventions;
  const mt_texts texts = {.next = next_text,
                          .on_result = on_result,
                          .user = &self,
                          .hooks = &hooks};
  mt_error error = {0};
  const bool done = mt_session_translate_many(engine->session, &texts, &engine->params, &error);
  if (!done && error.code != MT_ERROR_CANCELLED)
    cli_complain(command, "%s", error.message);
  if (self.failed)
    cli_complain(command, "not enough memory");
  *scores = (CliScores){mt_bleu_score(&self.bleu), mt_chrf_score(&self.chrf)};
  return done && !self.failed;
}

mt_interventions *
cli_corpus_without(const CliEngine *engine, const char *head, mt_ablation_kind with,
                   mt_error *error)
{
  const char *own = mt_interventions_text(engine->hooks.interventions);
  g_autofree char *text =
      g_strdup_printf("%s%s%s %s", own, *own ? "\n" : "", head, mt_ablation_kind_name(with));
  g_autoptr(mt_interventions) bare = mt_interventions_parse("changes", text, error);
  g_autoptr(mt_interventions) means =
      bare ? mt_interventions_with_means(bare, engine->means, error) : NULL;
  mt_activations *states =
      (mt_activations *) mt_interventions_activations(engine->hooks.interventions);
  return means ? mt_interventions_with_activations(means, states, error) : NULL;
}
