/* cli-capture.c — regard-cli capture: everything one translation attended to, as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "export/regard-capture-meta.h"

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid};
  const char *output = NULL, *target = NULL;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE.npz", "Where to write"},
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_ENGINE_OPTION_PRECISION(engine_options),
      CLI_ENGINE_OPTION_CAPTURE_PRECISION(engine_options),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  status = cli_engine_check_npz(command, output);
  if (status == CLI_DONE)
    status = cli_engine_open(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;

  mt_error error = {0};
  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  unsigned flags = MT_CAPTURE_SCORES | cli_engine_capture_flags(&engine_options);
  mt_capture *capture =
      mt_session_capture(engine.session, translation, 0, flags, &engine.hooks, &error);
  if (capture) {
    g_autofree char *meta =
        regard_capture_meta("regard-cli " MT_VERSION, engine.model, translation, 0,
                            target ? NULL : &engine.params, mt_capture_precision(capture),
                            mt_capture_changes(capture));
    if (!mt_capture_write_npz(capture, output, meta, &error))
      status = CLI_FAILED;
  } else
    status = CLI_FAILED;
  if (status == CLI_FAILED)
    cli_complain(command, "%s", error.message);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return status;
}

const CliCommand cli_capture = {
    .name = "capture",
    .summary = "Write every attention of a translation as NumPy arrays",
    .arguments = "-o FILE.npz TEXT",
    .details =
        "Translates TEXT and writes an archive for numpy.load: encoder_attentions (L,H,S,S),\n"
        "decoder_attentions (L,H,T,T), cross_attentions (L,H,T,S); encoder_scores,\n"
        "decoder_scores, cross_scores, the same before the softmax; encoder_positions (S,d),\n"
        "decoder_positions (T,d), positions (the longer of the two); logprobs (T); source_tokens,\n"
        "decoder_input_tokens, output_tokens, each with its _ids, _words, _special, _text and\n"
        "_spans; row_lse of each kind; model, naming, position_kind,\n"
        "attention_precision, translation_precision; interventions, what was changed in the\n"
        "model, if anything was; and meta, JSON text: engine, model, SHA-256 of its files, text,\n"
        "what of it is unknown, language, translation, precisions, changes, search settings.\n"
        "L layers, H heads, S source tokens, T target tokens, d dimensions of the model.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n"
        "\n"
        "--precision is for the search: attention is computed with the weights as stored, unless\n"
        "--capture-precision same asks for rounded ones.\n",
    .run = run,
};
