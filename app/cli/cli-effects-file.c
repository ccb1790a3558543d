/* cli-effects-file.c — effects of heads over the lines of a file: one after the other, until the
 * end or Ctrl+C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-effects.h"

#include "cli/cli-lines.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t is_interrupted;

static void
interrupt(int number)
{
  is_interrupted = 1;
}

static bool
should_stop(void *user)
{
  return is_interrupted;
}

/* A line of the file and its reference, or NULL: FALSE where it has been told that it fails. */
static gboolean
add_line(const CliCommand *command, CliEngine *engine, const CliEffectsWanted *wanted,
         const CliLine *line, const char *reference, RegardEffectsSum *sum)
{
  const mt_effects_params params = {.kind = (mt_effect_kind) wanted->with, .means = engine->means};
  mt_error error = {0};
  mt_translation *translation =
      line->text ? cli_engine_translate(command, engine, line->text, reference, &error) : NULL;
  mt_effects *effects =
      translation ? mt_effects_new(engine->session, translation, 0, &params, &engine->hooks, &error)
                  : NULL;
  if (effects)
    regard_effects_sum_add(sum, effects);
  else if (error.code != MT_ERROR_CANCELLED)
    cli_complain(command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  const gboolean done = effects || error.code == MT_ERROR_CANCELLED;
  mt_effects_unref(effects);
  mt_translation_unref(translation);
  return done;
}

/* Where somebody watches. */
static void
show_progress(const RegardEffectsSum *sum, guint64 line)
{
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%" G_GUINT64_FORMAT " lines, %u sentences ", line,
            regard_effects_sum_count(sum));
}

static CliStatus
add_lines(const CliCommand *command, CliEngine *engine, const CliEffectsWanted *wanted,
          CliLineStream *stream, CliLineStream *references, RegardEffectsSum *sum)
{
  CliStatus status = CLI_DONE;
  CliLine line, reference = {0};
  guint64 n = 0;
  while (!is_interrupted && cli_line_stream_next(stream, &line)) {
    if (references && !cli_line_stream_next(references, &reference)) {
      cli_complain(command, "--references has %" G_GUINT64_FORMAT " lines, and --file more", n);
      status = CLI_FAILED;
      break;
    }
    n++;
    if (references && reference.error) {
      cli_complain(command, "%s:%" G_GUINT64_FORMAT ": %s", reference.file, n, reference.error);
      status = CLI_FAILED;
    } else if (!line.blank && !add_line(command, engine, wanted, &line, reference.text, sum))
      status = CLI_FAILED;
    show_progress(sum, n);
  }
  if (isatty(STDERR_FILENO))
    fputc('\n', stderr);
  if (is_interrupted) {
    cli_complain(command, "interrupted after %u sentences", regard_effects_sum_count(sum));
    status = CLI_FAILED;
  }
  return status;
}

RegardEffects *
cli_effects_compute_file(const CliCommand *command, CliEngine *engine,
                         const CliEffectsWanted *wanted, CliStatus *status)
{
  CliLineStream *stream = cli_line_stream_open(command, wanted->file), *references = NULL;
  RegardEffects *effects = NULL;
  *status = CLI_FAILED;
  if (stream && wanted->references)
    references = cli_line_stream_open(command, wanted->references);
  if (stream && (references || !wanted->references)) {
    RegardEffectsSum *sum = regard_effects_sum_new();
    const struct sigaction action = {.sa_handler = interrupt};
    struct sigaction before;
    engine->hooks.should_stop = should_stop;
    is_interrupted = 0;
    sigaction(SIGINT, &action, &before);
    *status = add_lines(command, engine, wanted, stream, references, sum);
    sigaction(SIGINT, &before, NULL);
    effects = regard_effects_sum_mean(sum, engine->model, engine->hooks.changes);
    regard_effects_sum_free(sum);
    if (!effects && !is_interrupted)
      cli_complain(command, "%s: no sentence that this model can read", wanted->file);
    if (!effects)
      *status = CLI_FAILED;
  }
  if (stream && !cli_line_stream_close(stream))
    *status = CLI_FAILED;
  if (references && !cli_line_stream_close(references))
    *status = CLI_FAILED;
  return effects;
}
