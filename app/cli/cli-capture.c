/* cli-capture.c — regard-cli capture: everything one translation attended to, as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-engine.h"
#include "cli-json.h"

#include <stdio.h>
#include <string.h>

/* SHA-256 of a file in hexadecimal; NULL if it cannot be read. */
static char *
hash_file(const char *path)
{
  FILE *stream = fopen(path, "re");
  if (!stream)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *buffer = g_malloc(65536);
  size_t n;
  while ((n = fread(buffer, 1, 65536, stream)) > 0)
    g_checksum_update(checksum, buffer, (gssize) n);
  gboolean whole = !ferror(stream);
  fclose(stream);
  return whole ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

static void
add_hash(json_object *hashes, const mt_model *model, const char *name)
{
  if (json_object_object_get_ex(hashes, name, NULL))
    return;
  g_autofree char *path = g_build_filename(mt_model_directory(model), name, NULL);
  g_autofree char *hash = hash_file(path);
  if (hash)
    json_object_object_add(hashes, name, json_object_new_string(hash));
}

/* The files that decide what comes out: weights, configuration, vocabularies, tokenizers. */
static json_object *
hash_model(const mt_model *model)
{
  static const char *const others[] = {"config.json", "generation_config.json",
                                       "vocab.json",  "target_vocab.json",
                                       "source.spm",  "target.spm"};
  json_object *hashes = json_object_new_object();
  for (gsize i = 0; i < mt_model_n_tensors(model); i++)
    add_hash(hashes, model, mt_model_tensor(model, i)->file);
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
    add_hash(hashes, model, others[i]);
  return hashes;
}

static json_object *
describe_settings(const mt_search_params *params)
{
  static const char *const stopping[] = {"false", "true", "never"};
  json_object *object = json_object_new_object();
  json_object_object_add(object, "beam_size", cli_json_size(params->beam_size));
  json_object_object_add(object, "min_length", cli_json_size(params->min_length));
  json_object_object_add(object, "max_length", cli_json_size(params->max_length));
  json_object_object_add(object, "length_penalty", cli_json_float(params->length_penalty));
  json_object_object_add(object, "early_stopping", cli_json_text(stopping[params->early_stopping]));
  return object;
}

/* What one needs to know to make the same capture again. */
static json_object *
describe(const CliEngine *engine, const mt_translation *translation, gboolean forced)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, 0);
  json_object *object = json_object_new_object();
  json_object_object_add(object, "program", json_object_new_string("regard-cli " MT_VERSION));
  json_object_object_add(object, "model", cli_json_text(mt_model_name(engine->model)));
  json_object_object_add(object, "sha256", hash_model(engine->model));
  json_object_object_add(object, "text",
                         cli_json_text(mt_tokens_text(mt_translation_source(translation))));
  json_object_object_add(object, "translation", cli_json_text(hypothesis->text));
  json_object_object_add(object, "score", cli_json_float(hypothesis->score));
  json_object_object_add(object, "teacher_forced", json_object_new_boolean(forced));
  /* A given translation was not searched for, so no settings led to it. */
  json_object_object_add(object, "settings", forced ? NULL : describe_settings(&engine->params));
  return object;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  CliEngineOptions engine_options = {0};
  const char *output = NULL, *target = NULL;
  const CliOption options[] = {
      CLI_ENGINE_OPTION_MODEL(engine_options),
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE.npz", "Where to write"},
      {CLI_OPTION_TEXT, "target", 0, &target, "TEXT",
       "Take TEXT as the translation instead of searching for one"},
      CLI_ENGINE_OPTION_BEAM(engine_options),
      CLI_ENGINE_OPTION_MIN_LENGTH(engine_options),
      CLI_ENGINE_OPTION_MAX_LENGTH(engine_options),
      CLI_ENGINE_OPTION_THREADS(engine_options),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, texts, &status))
    return status;
  if (texts->len != 1)
    return cli_usage(command, "one TEXT wanted (in quotes), found %u", texts->len);
  if (!output)
    return cli_usage(command, "-o FILE.npz is missing");
  if (!g_str_has_suffix(output, ".npz"))
    return cli_usage(command, "-o wants a file name that ends with .npz, found '%s'", output);
  status = cli_engine_open(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;

  mt_translation *translation = cli_engine_translate(command, &engine, texts->pdata[0], target);
  if (!translation)
    return CLI_FAILED;
  mt_error error = {0};
  mt_capture *capture =
      mt_session_capture(engine.session, translation, 0, MT_CAPTURE_SCORES, NULL, &error);
  if (capture) {
    json_object *meta = describe(&engine, translation, target != NULL);
    const char *json = json_object_to_json_string_ext(meta, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    if (!mt_capture_write_npz(capture, output, json, &error))
      status = CLI_FAILED;
    json_object_put(meta);
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
        "decoder_positions (T,d), positions (the longer of the two); logprobs (T); source_ids,\n"
        "decoder_input_ids, output_ids; source_tokens, decoder_input_tokens, output_tokens; and\n"
        "meta, JSON text: model, SHA-256 of its files, text, translation, search settings.\n"
        "L layers, H heads, S source tokens, T target tokens, d dimensions of the model.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n",
    .run = run,
};
