/* cli-capture.c — regard-cli capture: everything one translation attended to, as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"

/* What is written, numbers from 1 and 0 for all. */
typedef struct {
  guint kind;
  gint64 layer, head;
} Part;

static gboolean
is_whole(const Part *part)
{
  return part->kind == CLI_NO_CHOICE && part->layer == 0 && part->head == 0;
}

/* Every kind that is written must have the layer and the head. */
static CliStatus
check_part(const CliCommand *command, const mt_config *config, const Part *part)
{
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_stack stack = k == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    const gint64 n_layers = (gint64) config->n_layers[stack],
                 n_heads = (gint64) config->n_heads[stack];
    if (part->kind != CLI_NO_CHOICE && part->kind != k)
      continue;
    if (part->layer > n_layers)
      return cli_usage(command,
                       "--layer wants 1 to %" G_GINT64_FORMAT
                       ", the layers of %s, found %" G_GINT64_FORMAT,
                       n_layers, regard_kind_ids[k], part->layer);
    if (part->head > n_heads)
      return cli_usage(command,
                       "--head wants 1 to %" G_GINT64_FORMAT
                       ", the heads of %s, found %" G_GINT64_FORMAT,
                       n_heads, regard_kind_ids[k], part->head);
  }
  return CLI_DONE;
}

/* Takes the whole, gives the part. */
static mt_capture *
take_part(mt_capture *whole, const Part *part, mt_error *error)
{
  if (!whole || is_whole(part))
    return whole;
  mt_capture *capture = mt_capture_part(whole, part->kind == CLI_NO_CHOICE ? -1 : (int) part->kind,
                                        (int) part->layer - 1, (int) part->head - 1, error);
  mt_capture_unref(whole);
  return capture;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  const char *output = NULL, *target = NULL;
  Part part = {.kind = CLI_NO_CHOICE};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE.npz", "Where to write"},
      CLI_ENGINE_OPTION_TARGET(target),
      {CLI_OPTION_CHOICE, "kind", 0, &part.kind, "KIND", "One kind of attention; default all", 0, 0,
       regard_kind_ids},
      {CLI_OPTION_WHOLE, "layer", 0, &part.layer, "L", "One layer, from 1; default all", 1,
       G_MAXINT},
      {CLI_OPTION_WHOLE, "head", 0, &part.head, "H", "One head, from 1; default all", 1, G_MAXINT},
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
  if (status == CLI_DONE)
    status = check_part(command, mt_model_config(engine.model), &part);
  if (status != CLI_DONE)
    return status;

  mt_error error = {0};
  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  unsigned flags = MT_CAPTURE_SCORES | cli_engine_capture_flags(&engine_options);
  mt_capture *capture =
      take_part(mt_session_capture(engine.session, translation, 0, flags, &engine.hooks, &error),
                &part, &error);
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
        "With --kind, --layer or --head it writes these matrices alone, and no positions; the\n"
        "numbers of the first layer and head of each kind are in encoder_first, decoder_first and\n"
        "cross_first. attend --capture draws such a file, inspect says what it has.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n"
        "\n"
        "--precision is for the search: attention is computed with the weights as stored, unless\n"
        "--capture-precision same asks for rounded ones.\n",
    .run = run,
};
