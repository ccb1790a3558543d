/* cli-effects-file.c — effects of heads over the lines of a file: one after the other, until the
 * end or Ctrl+C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-effects.h"

#include "cli/cli-lines.h"
#include "cli/cli-stop.h"

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

static CliStatus
add_lines(const CliCommand *command, CliEngine *engine, const CliEffectsWanted *wanted,
          CliLineStream *stream, CliLineStream *references, RegardEffectsSum *sum)
{
  CliStatus status = CLI_DONE;
  CliLine line, reference = {0};
  guint64 n = 0;
  while (!cli_stop_is_wanted() && cli_line_stream_next(stream, &line)) {
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
    cli_stop_show("%" G_GUINT64_FORMAT " lines, %u sentences", n, regard_effects_sum_count(sum));
  }
  cli_stop_show_end();
  if (cli_stop_is_wanted()) {
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
    cli_stop_begin(&engine->hooks);
    *status = add_lines(command, engine, wanted, stream, references, sum);
    cli_stop_end(&engine->hooks);
    effects = regard_effects_sum_mean(sum, engine->model, engine->hooks.changes);
    regard_effects_sum_free(sum);
    if (!effects && !cli_stop_is_wanted())
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
