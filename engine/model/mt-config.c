/* mt-config.c — config.json, generation_config.json and tokenizer_config.json.
 *
 * The names of the keys are Hugging Face's (MarianConfig, GenerationConfig). One is Regard's own:
 * "position_embedding_layout": "halves" (Marian's, the default) or "interleaved" (the paper's,
 * section 3.5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-config.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "model/mt-generation.h"
#include "model/mt-known-models.h"

#include <string.h>

static const mt_config defaults = {
    .d_model = 1024,
    .n_layers = {12, 12},
    .n_heads = {16, 16},
    .d_ffn = {4096, 4096},
    .vocab_size = {58101, 0}, /* target: as the source unless said */
    .max_positions = 1024,
    .activation = MT_ACTIVATION_GELU,
    .position_kind = MT_POSITIONS_SINUSOIDAL_HALVES,
    .share_embeddings = true,
    .tie_word_embeddings = true,
    .pad_id = 58100,
    .eos_id = 0,
    .bos_id = -1,
    .unk_id = -1,
    .decoder_start_id = 58100,
    .forced_eos_id = 0,
    .forced_bos_id = -1,
    .num_beams = 1,
    .max_length = 0, /* as many as there are positions unless said */
    .length_penalty = 1,
    .early_stopping = MT_EARLY_STOPPING_FALSE,
};

/* ---- The model ----------------------------------------------------------------------------- */

static bool
read_activation(mt_config *config, const mt_json *json, mt_error *error)
{
  static const struct {
    const char *name;
    mt_activation activation;
  } names[] = {
      {"relu", MT_ACTIVATION_RELU},
      {"swish", MT_ACTIVATION_SILU},
      {"silu", MT_ACTIVATION_SILU},
      {"gelu", MT_ACTIVATION_GELU},
  };
  const char *name = NULL;
  if (!mt_json_get_string(json, "activation_function", &name, error))
    return false;
  if (!name)
    return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, name) == 0) {
      config->activation = names[i].activation;
      return true;
    }
  return mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s: expected activation_function relu, swish, silu or gelu, found \"%.100s\".",
                 json->label, name);
}

static bool
read_positions(mt_config *config, const mt_json *json, mt_error *error)
{
  bool is_static = true;
  static const char key[] = "position_embedding_layout";
  const char *layout = "halves";
  if (!mt_json_get_bool(json, "static_position_embeddings", &is_static, error) ||
      !mt_json_get_string(json, key, &layout, error))
    return false;
  if (!is_static)
    config->position_kind = MT_POSITIONS_LEARNED;
  else if (strcmp(layout, "halves") == 0)
    config->position_kind = MT_POSITIONS_SINUSOIDAL_HALVES;
  else if (strcmp(layout, "interleaved") == 0)
    config->position_kind = MT_POSITIONS_SINUSOIDAL_INTERLEAVED;
  else
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected %s \"halves\" or \"interleaved\", found \"%.100s\".", json->label,
                   key, layout);
  return true;
}

/* Sizes and switches, each on its own; check_model compares them. */
static bool
read_model(mt_config *c, const mt_json *json, mt_error *error)
{
  const struct {
    const char *key;
    size_t min, max;
    size_t *value;
  } sizes[] = {
      {"d_model", 1, MT_CONFIG_MAX_D, &c->d_model},
      {"encoder_layers", 1, MT_CONFIG_MAX_LAYERS, &c->n_layers[MT_STACK_ENCODER]},
      {"decoder_layers", 1, MT_CONFIG_MAX_LAYERS, &c->n_layers[MT_STACK_DECODER]},
      {"encoder_attention_heads", 1, MT_CONFIG_MAX_D, &c->n_heads[MT_STACK_ENCODER]},
      {"decoder_attention_heads", 1, MT_CONFIG_MAX_D, &c->n_heads[MT_STACK_DECODER]},
      {"encoder_ffn_dim", 1, MT_CONFIG_MAX_FFN, &c->d_ffn[MT_STACK_ENCODER]},
      {"decoder_ffn_dim", 1, MT_CONFIG_MAX_FFN, &c->d_ffn[MT_STACK_DECODER]},
      {"vocab_size", 2, MT_CONFIG_MAX_VOCAB, &c->vocab_size[MT_STACK_ENCODER]},
      {"decoder_vocab_size", 2, MT_CONFIG_MAX_VOCAB, &c->vocab_size[MT_STACK_DECODER]},
      {"max_position_embeddings", 1, MT_CONFIG_MAX_POSITIONS, &c->max_positions},
      {"attention_window", 0, MT_CONFIG_MAX_POSITIONS, &c->attention_window},
  };
  const struct {
    const char *key;
    bool *value;
  } switches[] = {
      {"scale_embedding", &c->scale_embedding},
      {"normalize_before", &c->normalize_before},
      {"normalize_embedding", &c->normalize_embedding},
      {"add_final_layer_norm", &c->add_final_layer_norm},
      {"share_encoder_decoder_embeddings", &c->share_embeddings},
      {"tie_word_embeddings", &c->tie_word_embeddings},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (!mt_json_get_size(json, sizes[i].key, sizes[i].min, sizes[i].max, sizes[i].value, error))
      return false;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    if (!mt_json_get_bool(json, switches[i].key, switches[i].value, error))
      return false;
  if (c->vocab_size[MT_STACK_DECODER] == 0)
    c->vocab_size[MT_STACK_DECODER] = c->vocab_size[MT_STACK_ENCODER];
  return read_activation(c, json, error) && read_positions(c, json, error);
}

bool
mt_config_check_positions(const mt_config *c, const char *label, mt_error *error)
{
  if (c->d_model % 2 != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected an even d_model for sinusoidal positions, found %zu.", label,
                   c->d_model);
  if (c->max_positions > MT_CONFIG_MAX_TABLE / c->d_model)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected max_position_embeddings of at most %zu for d_model %zu, found "
                   "%zu.",
                   label, MT_CONFIG_MAX_TABLE / c->d_model, c->d_model, c->max_positions);
  return true;
}

static bool
check_model(const mt_config *c, const mt_json *json, mt_error *error)
{
  static const char *const stacks[MT_N_STACKS] = {"encoder", "decoder"};
  for (int s = 0; s < MT_N_STACKS; s++)
    if (c->d_model % c->n_heads[s] != 0)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected %s_attention_heads to divide d_model %zu, found %zu.",
                     json->label, stacks[s], c->d_model, c->n_heads[s]);
  if (c->share_embeddings && c->vocab_size[0] != c->vocab_size[1])
    return mt_fail(
        error, MT_ERROR_FORMAT,
        "%s: expected decoder_vocab_size %zu like vocab_size, because the embeddings are "
        "shared, found %zu.",
        json->label, c->vocab_size[0], c->vocab_size[1]);
  return c->position_kind == MT_POSITIONS_LEARNED ||
         mt_config_check_positions(c, json->label, error);
}

/* ---- Generation ---------------------------------------------------------------------------- */

/* What the keys left unsaid. */
static bool
check_ids(const mt_config *c, const mt_dir *dir, mt_error *error)
{
  const struct {
    const char *key;
    int32_t id;
  } ids[] = {
      {"pad_token_id", c->pad_id},
      {"eos_token_id", c->eos_id},
      {"decoder_start_token_id", c->decoder_start_id},
  };
  size_t size = c->vocab_size[MT_STACK_DECODER];
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if ((size_t) ids[i].id >= size)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s/config.json: expected %s below the vocabulary size %zu, found none and "
                     "its default is %d.",
                     dir->name, ids[i].key, size, (int) ids[i].id);
  return true;
}

/* Of generation_config.json, and of config.json where there is none; as in transformers,
 * config.json then only tells who is who. */
static bool
load_generation(mt_config *c, const mt_json *of_model, const mt_dir *dir, mt_error *error)
{
  static const char file[] = "generation_config.json";
  mt_json own = {0};
  bool has_own = mt_dir_has(dir, file), ok;
  if (has_own) {
    c->forced_eos_id = -1;
    ok = mt_generation_read(c, of_model, MT_GENERATION_IDS, true, error) &&
         mt_json_load(&own, dir, file, error) &&
         mt_generation_read(c, &own, MT_GENERATION_ALL, false, error) &&
         mt_generation_name_put_aside(c, of_model, &own, error);
  } else {
    ok = mt_generation_read(c, of_model, MT_GENERATION_ALL, true, error);
  }
  ok = ok && check_ids(c, dir, error) &&
       mt_generation_settle(c, has_own ? own.label : of_model->label, error);
  mt_json_clear(&own);
  return ok;
}

/* ---- The files ----------------------------------------------------------------------------- */

static bool
load_model(mt_config *c, const mt_dir *dir, mt_error *error)
{
  mt_json json = {0};
  if (!mt_known_models_check_folder(dir, error) || !mt_json_load(&json, dir, "config.json", error))
    return false;
  bool ok = mt_known_models_check_config(&json, error) && read_model(c, &json, error) &&
            check_model(c, &json, error) && load_generation(c, &json, dir, error);
  mt_json_clear(&json);
  return ok;
}

static bool
load_languages(mt_config *c, const mt_dir *dir, mt_error *error)
{
  const char *source = "", *target = "";
  mt_json json = {0};
  bool ok = !mt_dir_has(dir, "tokenizer_config.json") ||
            (mt_json_load(&json, dir, "tokenizer_config.json", error) &&
             mt_json_get_string(&json, "source_lang", &source, error) &&
             mt_json_get_string(&json, "target_lang", &target, error));
  if (ok) {
    c->source_lang = mt_strdup(source);
    c->target_lang = mt_strdup(target);
    ok = (c->source_lang && c->target_lang) || mt_fail_no_memory(error);
  }
  mt_json_clear(&json);
  return ok;
}

bool
mt_config_load(mt_config *config, const mt_dir *dir, mt_error *error)
{
  mt_config c = defaults;
  if (load_model(&c, dir, error) && load_languages(&c, dir, error)) {
    *config = c;
    return true;
  }
  mt_config_clear(&c);
  return false;
}

void
mt_config_clear(mt_config *config)
{
  mt_generation_clear(config);
  mt_free((void *) config->source_lang);
  mt_free((void *) config->target_lang);
  config->source_lang = NULL;
  config->target_lang = NULL;
}
