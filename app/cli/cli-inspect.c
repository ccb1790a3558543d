/* cli-inspect.c — regard-cli inspect: what a model directory holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-engine-info.h"
#include "cli/cli-engine.h"
#include "cli/cli-foreign.h"
#include "cli/cli-json.h"
#include "cli/cli-session.h"
#include "models/regard-language.h"

static const char *const activation_names[] = {"relu", "silu", "gelu"};
static const char *const position_names[] = {"sinusoidal, halves", "sinusoidal, interleaved",
                                             "learned"};
static const char *const stopping_names[] = {"false", "true", "never"};

/* What else `generate` reads, where the model says it. */
static void
describe_generation(json_object *o, const mt_config *c)
{
  const mt_generation *g = &c->generation;
  gsize n_forced = 0;
  for (gsize i = 0; i < g->n_forced_ids; i++)
    n_forced += g->forced_ids[i] >= 0;
  const struct {
    const char *key;
    gsize n;
  } numbers[] = {
      {"max_new_tokens", g->max_new_tokens},
      {"min_new_tokens", g->min_new_tokens},
      {"no_repeat_ngram_size", g->no_repeat_ngram_size},
      {"encoder_no_repeat_ngram_size", g->encoder_no_repeat_ngram_size},
      {"more_eos_ids", g->more_eos_ids.n},
      {"more_forced_eos_ids", g->more_forced_eos_ids.n},
      {"suppress_tokens", g->suppressed.n},
      {"begin_suppress_tokens", g->begin_suppressed.n},
      {"sequence_bias", g->n_biases},
      {"forced_decoder_ids", n_forced},
      {"without_probability", g->left_out.n},
  };
  const struct {
    const char *key;
    float value;
  } penalties[] = {
      {"repetition_penalty", g->repetition_penalty},
      {"encoder_repetition_penalty", g->encoder_repetition_penalty},
  };
  json_object_object_add(o, "renormalize_logits", json_object_new_boolean(g->renormalize_logits));
  for (gsize i = 0; i < G_N_ELEMENTS(penalties); i++)
    if (penalties[i].value > 0)
      json_object_object_add(o, penalties[i].key, cli_json_float(penalties[i].value));
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (numbers[i].n > 0)
      json_object_object_add(o, numbers[i].key, cli_json_size(numbers[i].n));
  if (g->decay_factor > 0) {
    json_object *pair = json_object_new_array();
    json_object_array_add(pair, cli_json_size(g->decay_start));
    json_object_array_add(pair, cli_json_float(g->decay_factor));
    json_object_object_add(o, "exponential_decay_length_penalty", pair);
  }
  if (g->not_honoured)
    json_object_object_add(o, "not_honoured", cli_json_text(g->not_honoured));
}

/* The configuration as a flat object, the source of both ways to print it. */
static json_object *
describe_config(const mt_config *c)
{
  json_object *o = json_object_new_object();
  json_object_object_add(o, "source_lang", cli_json_text(c->source_lang));
  json_object_object_add(o, "target_lang", cli_json_text(c->target_lang));
  json_object_object_add(o, "d_model", cli_json_size(c->d_model));
  json_object_object_add(o, "encoder_layers", cli_json_size(c->n_layers[MT_STACK_ENCODER]));
  json_object_object_add(o, "decoder_layers", cli_json_size(c->n_layers[MT_STACK_DECODER]));
  json_object_object_add(o, "encoder_heads", cli_json_size(c->n_heads[MT_STACK_ENCODER]));
  json_object_object_add(o, "decoder_heads", cli_json_size(c->n_heads[MT_STACK_DECODER]));
  json_object_object_add(o, "encoder_ffn", cli_json_size(c->d_ffn[MT_STACK_ENCODER]));
  json_object_object_add(o, "decoder_ffn", cli_json_size(c->d_ffn[MT_STACK_DECODER]));
  json_object_object_add(o, "source_vocabulary", cli_json_size(c->vocab_size[MT_STACK_ENCODER]));
  json_object_object_add(o, "target_vocabulary", cli_json_size(c->vocab_size[MT_STACK_DECODER]));
  json_object_object_add(o, "max_positions", cli_json_size(c->max_positions));
  json_object_object_add(o, "attention_window", cli_json_size(c->attention_window));
  json_object_object_add(o, "positions", cli_json_text(position_names[c->position_kind]));
  json_object_object_add(o, "activation", cli_json_text(activation_names[c->activation]));
  json_object_object_add(o, "pre_norm", json_object_new_boolean(c->normalize_before));
  json_object_object_add(o, "scale_embedding", json_object_new_boolean(c->scale_embedding));
  json_object_object_add(o, "normalize_embedding", json_object_new_boolean(c->normalize_embedding));
  json_object_object_add(o, "final_layer_norm", json_object_new_boolean(c->add_final_layer_norm));
  json_object_object_add(o, "share_embeddings", json_object_new_boolean(c->share_embeddings));
  json_object_object_add(o, "tie_word_embeddings", json_object_new_boolean(c->tie_word_embeddings));
  json_object_object_add(o, "pad_id", json_object_new_int(c->pad_id));
  json_object_object_add(o, "eos_id", json_object_new_int(c->eos_id));
  json_object_object_add(o, "bos_id", json_object_new_int(c->bos_id));
  json_object_object_add(o, "unk_id", json_object_new_int(c->unk_id));
  json_object_object_add(o, "decoder_start_id", json_object_new_int(c->decoder_start_id));
  json_object_object_add(o, "forced_bos_id", json_object_new_int(c->forced_bos_id));
  json_object_object_add(o, "forced_eos_id", json_object_new_int(c->forced_eos_id));
  json_object_object_add(o, "num_beams", cli_json_size(c->num_beams));
  json_object_object_add(o, "min_length", cli_json_size(c->min_length));
  json_object_object_add(o, "max_length", cli_json_size(c->max_length));
  json_object_object_add(o, "length_penalty", cli_json_float(c->length_penalty));
  json_object_object_add(o, "early_stopping", cli_json_text(stopping_names[c->early_stopping]));
  json_object_object_add(o, "bad_words", cli_json_size(c->n_bad_words));
  describe_generation(o, c);
  return o;
}

static gsize
tensor_values(const mt_tensor_info *tensor)
{
  gsize n = 1;
  for (gsize i = 0; i < tensor->n_dims; i++)
    n *= tensor->shape[i];
  return n;
}

static json_object *
describe_tensors(const mt_model *model)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_model_n_tensors(model); i++) {
    const mt_tensor_info *tensor = mt_model_tensor(model, i);
    json_object *item = json_object_new_object(), *shape = json_object_new_array();
    for (gsize k = 0; k < tensor->n_dims; k++)
      json_object_array_add(shape, cli_json_size(tensor->shape[k]));
    json_object_object_add(item, "name", cli_json_text(tensor->name));
    json_object_object_add(item, "dtype", cli_json_text(tensor->dtype));
    json_object_object_add(item, "shape", shape);
    json_object_object_add(item, "file", cli_json_text(tensor->file));
    json_object_array_add(array, item);
  }
  return array;
}

static json_object *
describe_languages(const mt_model *model)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_model_n_languages(model); i++)
    json_object_array_add(array, cli_json_text(mt_model_language(model, i)));
  return array;
}

static gboolean
put_json(const CliCommand *command, const mt_model *model)
{
  json_object *object = json_object_new_object();
  json_object_object_add(object, "directory", cli_json_text(mt_model_directory(model)));
  json_object_object_add(object, "name", cli_json_text(mt_model_name(model)));
  json_object_object_add(object, "format", cli_json_text(mt_model_format(model)));
  json_object_object_add(object, "parameters", cli_json_size(mt_model_n_parameters(model)));
  json_object_object_add(object, "file_bytes", cli_json_size(mt_model_file_bytes(model)));
  json_object_object_add(object, "configuration", describe_config(mt_model_config(model)));
  json_object_object_add(object, "languages", describe_languages(model));
  json_object_object_add(object, "tensors", describe_tensors(model));
  json_object_object_add(object, "engine", regard_engine_info_json());
  return cli_json_put(command, object, TRUE);
}

static gboolean
put_plain(const CliCommand *command, const mt_model *model)
{
  g_autoptr(GString) out = g_string_new(NULL);
  json_object *config = describe_config(mt_model_config(model));
  g_string_append_printf(out,
                         "directory            %s\nname                 %s\n"
                         "format               %s\n"
                         "parameters           %zu\nbytes of weights     %zu\n\nConfiguration\n",
                         mt_model_directory(model), mt_model_name(model), mt_model_format(model),
                         mt_model_n_parameters(model), mt_model_file_bytes(model));
  json_object_object_foreach(config, key, value)
      g_string_append_printf(out, "  %-19s  %s\n", key, value ? json_object_get_string(value) : "");
  json_object_put(config);

  gsize n_languages = mt_model_n_languages(model);
  if (n_languages)
    g_string_append_printf(out, "\nTarget languages: %zu\n", n_languages);
  for (gsize i = 0; i < n_languages; i++) {
    g_autofree char *name = regard_language_name(mt_model_language(model, i));
    g_string_append_printf(out, "  %-10s  %s\n", mt_model_language(model, i), name);
  }

  gsize n_tensors = mt_model_n_tensors(model);
  int width = 4;
  for (gsize i = 0; i < n_tensors; i++)
    width = MAX(width, (int) g_utf8_strlen(mt_model_tensor(model, i)->name, -1));
  g_string_append_printf(out, "\nTensors: %zu\n  %-*s  %-5s  %-14s  %10s  %s\n", n_tensors, width,
                         "name", "type", "shape", "values", "file");
  for (gsize i = 0; i < n_tensors; i++) {
    const mt_tensor_info *tensor = mt_model_tensor(model, i);
    g_autoptr(GString) shape = g_string_new(NULL);
    for (gsize k = 0; k < tensor->n_dims; k++)
      g_string_append_printf(shape, "%s%zu", k ? " × " : "", tensor->shape[k]);
    /* Columns are counted in characters; printf counts bytes, and × has two. */
    int pad = 14 + (int) shape->len - (int) g_utf8_strlen(shape->str, -1);
    g_string_append_printf(out, "  %-*s  %-5s  %-*s  %10zu  %s\n", width, tensor->name,
                           tensor->dtype, pad, shape->str, tensor_values(tensor), tensor->file);
  }
  return cli_put(command, out->str, out->len);
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  CliEngineOptions engine_options = {0};
  gboolean json = FALSE;
  const CliOption options[] = {
      CLI_ENGINE_OPTION_MODEL(engine_options),
      {CLI_OPTION_FLAG, "json", 0, &json, NULL, "Print one JSON object"},
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) rest = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, rest, &status))
    return status;
  if (rest->len + (engine_options.model != NULL) > 1)
    return cli_usage(command, "one model directory wanted, found %u",
                     rest->len + (engine_options.model != NULL));
  if (rest->len && cli_session_is_session(rest->pdata[0]))
    return cli_session_inspect(command, rest->pdata[0], json);
  if (rest->len && cli_foreign_is_capture(rest->pdata[0]))
    return cli_foreign_inspect(command, rest->pdata[0], json);
  if (rest->len)
    engine_options.model = rest->pdata[0];
  status = cli_engine_open_model(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;
  gboolean written = json ? put_json(command, engine.model) : put_plain(command, engine.model);
  return written ? CLI_DONE : CLI_FAILED;
}

const CliCommand cli_inspect = {
    .name = "inspect",
    .summary = "Show what is in a model, a capture, or a session",
    .arguments = "[DIR | FILE.npz | FILE.regard]",
    .details =
        "Opens the model DIR (a folder, a zip archive or a name, as for --model; the bundled\n"
        "model if none is given) and prints its configuration, the number of parameters (a\n"
        "shared matrix counts once), the bytes and the format of its weight files, the target\n"
        "languages of a multi-target model, and the tensors in the order of the files; with\n"
        "--json also the engine: its version, and the kernels and the OpenBLAS that run here.\n"
        "\n"
        "Of a capture FILE.npz, whatever program wrote it, it prints the kinds of attention\n"
        "with their layers, heads and sizes, the range of the weights, what the rows sum\n"
        "to, and the tokens.\n",
    .run = run,
};
