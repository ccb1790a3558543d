/* cli-batch.c — the lines of a file translated several at a time, with the results in order.
 *
 * The engine sees only the lines that hold something to translate; the others, blank and bad ones,
 * wait here for their turn.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-batch.h"

/* A line that was read and is not written. */
typedef struct {
  CliLine line;
  char *text; /* what line.text points to */
} Waiting;

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  CliLineStream *stream;
  CliBatchFunc func;
  gpointer user;
  GQueue waiting; /* of Waiting, in order */
  CliStatus status;
  gboolean stop;
} Batch;

static void
waiting_free(Waiting *waiting)
{
  g_free(waiting->text);
  g_free(waiting);
}

static gboolean
is_for_engine(const CliLine *line)
{
  return !line->error && !line->blank;
}

/* The first line that waits is done. */
static void
put_first(Batch *self, mt_translation *translation, const char *problem)
{
  Waiting *first = g_queue_pop_head(&self->waiting);
  if (translation)
    cli_engine_ask_language(self->command, self->engine, translation);
  CliLineResult result =
      self->stop ? CLI_LINE_STOP : self->func(&first->line, translation, problem, self->user);
  if (result != CLI_LINE_DONE)
    self->status = CLI_FAILED;
  if (result == CLI_LINE_STOP)
    self->stop = TRUE;
  waiting_free(first);
}

/* Lines that need no engine, as far as they are the first. */
static void
put_others(Batch *self)
{
  const Waiting *first;
  while ((first = g_queue_peek_head(&self->waiting)) && !is_for_engine(&first->line))
    put_first(self, NULL, first->line.error);
}

static const char *
next_text(void *user)
{
  Batch *self = user;
  CliLine line;
  while (!self->stop && cli_line_stream_next(self->stream, &line)) {
    Waiting *waiting = g_new0(Waiting, 1);
    waiting->line = line;
    waiting->line.text = waiting->text = g_strdup(line.text);
    g_queue_push_tail(&self->waiting, waiting);
    if (is_for_engine(&line))
      return waiting->text;
    put_others(self);
  }
  return NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Batch *self = user;
  put_others(self);
  put_first(self, translation, error ? error->message : NULL);
  put_others(self);
}

static bool
should_stop(void *user)
{
  return ((const Batch *) user)->stop;
}

gboolean
cli_batch_translate(const CliCommand *command, CliEngine *engine, CliLineStream *stream,
                    gsize max_tokens, CliBatchFunc func, gpointer user, CliStatus *status)
{
  Batch self = {.command = command,
                .engine = engine,
                .stream = stream,
                .func = func,
                .user = user,
                .waiting = G_QUEUE_INIT,
                .status = CLI_DONE};
  mt_texts texts = {.next = next_text,
                    .on_result = on_result,
                    .should_stop = should_stop,
                    .user = &self,
                    .max_tokens = max_tokens,
                    .hooks = &engine->hooks};
  mt_error error = {0};
  if (!mt_session_translate_many(engine->session, &texts, &engine->params, &error)) {
    if (!self.stop)
      cli_complain(command, "%s", error.message);
    self.status = CLI_FAILED;
  }
  g_queue_clear_full(&self.waiting, (GDestroyNotify) waiting_free);
  if (self.status != CLI_DONE)
    *status = self.status;
  return !self.stop;
}
