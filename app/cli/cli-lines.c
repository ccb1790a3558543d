/* cli-lines.c — lines of files, in order; and sentences with their references.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-lines.h"

#include <errno.h>
#include <mt-train.h>
#include <string.h>

struct _CliLineStream {
  const CliCommand *command;
  const char *name;
  RegardLineStream *lines;
};

CliLineStream *
cli_line_stream_open(const CliCommand *command, const char *name)
{
  RegardLineStream *lines = regard_line_stream_open(name);
  if (!lines) {
    cli_complain(command, "cannot open '%s': %s", name, g_strerror(errno));
    return NULL;
  }
  CliLineStream *stream = g_new0(CliLineStream, 1);
  *stream = (CliLineStream){command, name, lines};
  return stream;
}

gboolean
cli_line_stream_next(CliLineStream *stream, CliLine *line)
{
  return regard_line_stream_next(stream->lines, line);
}

gboolean
cli_line_stream_close(CliLineStream *stream)
{
  const int problem = regard_line_stream_close(stream->lines);
  if (problem)
    cli_complain(stream->command, "cannot read '%s': %s", stream->name, g_strerror(problem));
  g_free(stream);
  return problem == 0;
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
      regard_line_stream_join(stream->lines);
    if (whole && regard_line_stream_is_whole(stream->lines))
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
