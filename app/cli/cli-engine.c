/* cli-engine.c — the engine opened as the command line asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-engine.h"

#include "regard-paths.h"

CliStatus
cli_engine_open_model(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  g_autofree char *bundled = options->model ? NULL : regard_paths_bundled_model();
  mt_error error = {0};
  engine->model = mt_model_open(options->model ? options->model : bundled, NULL, &error);
  if (engine->model)
    return CLI_DONE;
  cli_complain(command, "%s", error.message);
  return CLI_FAILED;
}

/* The model's own settings, with what was asked for put over them. */
static CliStatus
choose_params(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_search_params *params = &engine->params;
  gint64 max_positions = (gint64) mt_model_config(engine->model)->max_positions;

  *params = mt_search_params_default(engine->model);
  if (options->n_best && options->beam && options->n_best > options->beam)
    return cli_usage(command,
                     "--nbest %" G_GINT64_FORMAT " wants at least as many beams, found --beam "
                     "%" G_GINT64_FORMAT,
                     options->n_best, options->beam);
  if (options->max_length > max_positions)
    return cli_usage(command,
                     "--max-length wants at most the model's %" G_GINT64_FORMAT
                     " positions, found %" G_GINT64_FORMAT,
                     max_positions, options->max_length);
  if (options->max_length)
    params->max_length = (size_t) options->max_length;
  if (options->min_length > (gint64) params->max_length)
    return cli_usage(command,
                     "--min-length wants at most the maximum length %zu, found %" G_GINT64_FORMAT,
                     params->max_length, options->min_length);
  if (options->min_length)
    params->min_length = (size_t) options->min_length;
  params->min_length = MIN(params->min_length, params->max_length);
  if (options->beam)
    params->beam_size = (size_t) options->beam;
  if (options->n_best) {
    params->n_best = (size_t) options->n_best;
    params->beam_size = MAX(params->beam_size, params->n_best);
  }
  return CLI_DONE;
}

CliStatus
cli_engine_open(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  CliStatus status = cli_engine_open_model(command, options, engine);
  if (status == CLI_DONE)
    status = choose_params(command, options, engine);
  if (status != CLI_DONE)
    return status;

  mt_session_options session_options = {.n_threads = (unsigned) options->threads};
  mt_error error = {0};
  engine->session = mt_session_new(engine->model, &session_options, &error);
  if (engine->session)
    return CLI_DONE;
  cli_complain(command, "%s", error.message);
  return CLI_FAILED;
}

void
cli_engine_clear(CliEngine *engine)
{
  mt_session_free(engine->session);
  mt_model_unref(engine->model);
  *engine = (CliEngine){0};
}

mt_translation *
cli_engine_translate(const CliCommand *command, CliEngine *engine, const char *text,
                     const char *target)
{
  mt_error error = {0};
  mt_translation *translation =
      target ? mt_session_score(engine->session, text, target, -1, NULL, &error)
             : mt_session_translate(engine->session, text, &engine->params, NULL, &error);
  if (!translation)
    cli_complain(command, "%s", error.message);
  return translation;
}
