/* cli-reference.c — A beside B.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-reference.h"

#include <string.h>

static CliStatus
parse_changes(const CliCommand *command, const CliReferenceOptions *options, CliReference *self)
{
  mt_error error = {0};
  const char *text =
      options->changes && strcmp(options->changes, "none") != 0 ? options->changes : "";
  self->changes = mt_changes_parse("--reference", text, &error);
  if (self->changes &&
      mt_changes_check(self->changes, mt_model_config(self->engine->model), &error))
    return CLI_DONE;
  return cli_usage(command, "%s", error.message);
}

CliStatus
cli_reference_open(const CliCommand *command, const CliReferenceOptions *options,
                   const CliEngineOptions *of_b, CliEngine *engine, CliReference *reference)
{
  CliStatus status = CLI_DONE;
  reference->engine = engine;
  if (options->model || options->precision) {
    CliEngineOptions own = *of_b;
    own.changes = NULL;
    own.changes_file = own.means = own.patch_from = NULL;
    own.model = options->model ? options->model : of_b->model;
    own.precision = options->precision;
    reference->has_own = TRUE;
    reference->engine = &reference->own;
    status = cli_engine_open(command, &own, &reference->own);
  }
  return status == CLI_DONE ? parse_changes(command, options, reference) : status;
}

void
cli_reference_clear(CliReference *reference)
{
  if (reference->has_own)
    cli_engine_clear(&reference->own);
  mt_changes_unref(reference->changes);
  *reference = (CliReference){0};
}

mt_translation *
cli_reference_translate(const CliCommand *command, CliReference *reference, const char *text,
                        const char *target, mt_error *error)
{
  const mt_changes *own = reference->engine->hooks.changes;
  reference->engine->hooks.changes = reference->changes;
  mt_translation *translation =
      cli_engine_translate(command, reference->engine, text, target, error);
  reference->engine->hooks.changes = own;
  return translation;
}

static mt_capture *
capture(const CliCommand *command, CliEngine *engine, const mt_changes *changes,
        const mt_translation *translation, unsigned flags)
{
  mt_error error = {0};
  mt_hooks hooks = engine->hooks;
  hooks.changes = changes;
  mt_capture *result = mt_session_capture(engine->session, translation, 0, flags, &hooks, &error);
  if (!result)
    cli_complain(command, "%s", error.message);
  return result;
}

gboolean
cli_reference_capture_each(const CliCommand *command, CliReference *reference, CliEngine *b,
                           const mt_translation *translation_a, const mt_translation *translation_b,
                           unsigned flags, mt_capture **of_a, mt_capture **of_b)
{
  /* A precision that was asked for is one of its attention, too: else there is nothing to see. */
  const unsigned flags_a =
      reference->has_own && mt_model_precision(reference->engine->model) != MT_PRECISION_STORED
          ? flags | MT_CAPTURE_ROUNDED
          : flags;
  *of_a = capture(command, reference->engine, reference->changes, translation_a, flags_a);
  *of_b = *of_a ? capture(command, b, b->hooks.changes, translation_b, flags) : NULL;
  if (!*of_b)
    g_clear_pointer(of_a, mt_capture_unref);
  return *of_b != NULL;
}

gboolean
cli_reference_capture(const CliCommand *command, CliReference *reference, CliEngine *b,
                      const mt_translation *translation, unsigned flags, mt_capture **of_a,
                      mt_capture **of_b)
{
  return cli_reference_capture_each(command, reference, b, translation, translation, flags, of_a,
                                    of_b);
}

mt_translation *
cli_reference_force(CliEngine *b, const char *text, const mt_translation *of_a, mt_error *error)
{
  const mt_tokens *words = mt_translation_hypothesis(of_a, 0)->tokens;
  const gsize n = mt_tokens_count(words);
  g_autofree int32_t *ids = g_new(int32_t, MAX(n, 1));
  mt_tokens_copy_ids(words, n, ids);
  mt_constraints *all = mt_constraints_new(ids, n, NULL, 0, error);
  if (!all)
    return NULL;
  mt_search_params params = b->params;
  params.constraints = all;
  params.beam_size = params.n_best = 1;
  params.min_length = 0;
  mt_translation *translation = mt_session_translate(b->session, text, &params, &b->hooks, error);
  mt_constraints_unref(all);
  return translation;
}
