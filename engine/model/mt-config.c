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
#include "model/mt-known-models.h"

#include <string.h>

#define MAX_BAD_WORDS 65536

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

/* A token id of the target vocabulary. null is "none" (-1) where that is allowed; a list of one id
 * is that id, as newer configurations write it. */
static bool
read_id(const mt_config *c, const mt_json *json, const char *key, bool optional, int32_t *id,
        mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  if (!value) {
    if (optional && mt_json_has_null(json, key))
      *id = -1;
    return true;
  }
  if (mt_json_kind_of(value) == MT_JSON_ARRAY && mt_json_length(value) == 1)
    value = mt_json_at(value, 0);
  size_t n = c->vocab_size[MT_STACK_DECODER];
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      (uint64_t) mt_json_integer(value) >= n) {
    char found[MT_JSON_DESCRIPTION_SIZE];
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be an id below the vocabulary size %zu, found %s.",
                   json->label, key, n, mt_json_describe(value, found));
  }
  *id = (int32_t) mt_json_integer(value);
  return true;
}

static void
clear_bad_words(mt_config *c)
{
  for (size_t i = 0; c->bad_words && i < c->n_bad_words; i++)
    mt_free((void *) c->bad_words[i]);
  mt_free((void *) c->bad_words);
  mt_free((void *) c->bad_word_lengths);
  c->bad_words = NULL;
  c->bad_word_lengths = NULL;
  c->n_bad_words = 0;
}

/* bad_words_ids: a list of non-empty lists of ids. */
static bool
read_bad_words(mt_config *c, const mt_json *json, mt_error *error)
{
  const char *key = "bad_words_ids";
  const mt_json_value *list = mt_json_get(json, key);
  if (!list) {
    if (mt_json_has_null(json, key))
      clear_bad_words(c);
    return true;
  }
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) > MAX_BAD_WORDS)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %d lists of ids.", json->label, key,
                   MAX_BAD_WORDS);
  clear_bad_words(c);
  size_t n = mt_json_length(list);
  const int32_t **words = mt_alloc(n, sizeof *words);
  size_t *lengths = mt_alloc(n, sizeof *lengths);
  c->bad_words = words;
  c->bad_word_lengths = lengths;
  if (!words || !lengths)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++) {
    const mt_json_value *word = mt_json_at(list, i);
    bool is_list = mt_json_kind_of(word) == MT_JSON_ARRAY;
    size_t length = is_list ? mt_json_length(word) : 0;
    if (length == 0 || length > c->max_positions)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected entry %zu of %s to be a list of 1 to %zu ids, found %s.",
                     json->label, i, key, c->max_positions,
                     !is_list      ? "something else"
                     : length == 0 ? "an empty one"
                                   : "a longer one");
    int32_t *ids = mt_alloc(length, sizeof *ids);
    if (!ids)
      return mt_fail_no_memory(error);
    words[i] = ids;
    lengths[i] = length;
    c->n_bad_words = i + 1;
    for (size_t k = 0; k < length; k++) {
      const mt_json_value *id = mt_json_at(word, k);
      size_t size = c->vocab_size[MT_STACK_DECODER];
      if (mt_json_kind_of(id) != MT_JSON_INTEGER || mt_json_integer(id) < 0 ||
          (uint64_t) mt_json_integer(id) >= size) {
        char found[MT_JSON_DESCRIPTION_SIZE];
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s: expected ids below the vocabulary size %zu in %s, found %s.",
                       json->label, size, key, mt_json_describe(id, found));
      }
      ids[k] = (int32_t) mt_json_integer(id);
    }
  }
  return true;
}

/* false, true or "never"; null is false. */
static bool
read_early_stopping(mt_config *c, const mt_json *json, mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, "early_stopping");
  if (!value)
    return true;
  if (mt_json_kind_of(value) == MT_JSON_BOOL) {
    c->early_stopping = mt_json_bool(value) ? MT_EARLY_STOPPING_TRUE : MT_EARLY_STOPPING_FALSE;
    return true;
  }
  const char *text = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (text && strcmp(text, "never") == 0) {
    c->early_stopping = MT_EARLY_STOPPING_NEVER;
    return true;
  }
  char found[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected early_stopping true, false or \"never\", found %s.", json->label,
                 mt_json_describe(value, found));
}

/* The keys that config.json and generation_config.json share. */
static bool
read_generation(mt_config *c, const mt_json *json, mt_error *error)
{
  double penalty = (double) c->length_penalty;
  bool ok =
      read_id(c, json, "pad_token_id", false, &c->pad_id, error) &&
      read_id(c, json, "eos_token_id", false, &c->eos_id, error) &&
      read_id(c, json, "bos_token_id", true, &c->bos_id, error) &&
      read_id(c, json, "decoder_start_token_id", false, &c->decoder_start_id, error) &&
      read_id(c, json, "forced_eos_token_id", true, &c->forced_eos_id, error) &&
      read_id(c, json, "forced_bos_token_id", true, &c->forced_bos_id, error) &&
      mt_json_get_size(json, "num_beams", 1, MT_CONFIG_MAX_BEAMS, &c->num_beams, error) &&
      mt_json_get_size(json, "max_length", 1, MT_CONFIG_MAX_POSITIONS, &c->max_length, error) &&
      mt_json_get_size(json, "min_length", 0, MT_CONFIG_MAX_POSITIONS, &c->min_length, error) &&
      mt_json_get_number(json, "length_penalty", &penalty, error) &&
      read_early_stopping(c, json, error) && read_bad_words(c, json, error);
  if (!ok)
    return false;
  if (penalty < -1000 || penalty > 1000)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected length_penalty from -1000 to 1000, found %g.", json->label,
                   penalty);
  c->length_penalty = (float) penalty;
  return true;
}

/* What the keys left unsaid, and what only makes sense together. */
static bool
check_generation(mt_config *c, const mt_dir *dir, mt_error *error)
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
  if (c->max_length == 0 || c->max_length > c->max_positions)
    c->max_length = c->max_positions;
  if (c->min_length > c->max_length)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/config.json: expected min_length of at most max_length %zu, found %zu.",
                   dir->name, c->max_length, c->min_length);
  return true;
}

/* ---- The files ----------------------------------------------------------------------------- */

static bool
load_model(mt_config *c, const mt_dir *dir, mt_error *error)
{
  mt_json json = {0};
  if (!mt_known_models_check_folder(dir, error) || !mt_json_load(&json, dir, "config.json", error))
    return false;
  bool ok = mt_known_models_check_config(&json, error) && read_model(c, &json, error) &&
            check_model(c, &json, error) && read_generation(c, &json, error);
  mt_json_clear(&json);
  return ok;
}

static bool
load_generation(mt_config *c, const mt_dir *dir, mt_error *error)
{
  if (!mt_dir_has(dir, "generation_config.json"))
    return true;
  mt_json json = {0};
  bool ok =
      mt_json_load(&json, dir, "generation_config.json", error) && read_generation(c, &json, error);
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
  if (load_model(&c, dir, error) && load_generation(&c, dir, error) &&
      check_generation(&c, dir, error) && load_languages(&c, dir, error)) {
    *config = c;
    return true;
  }
  mt_config_clear(&c);
  return false;
}

void
mt_config_clear(mt_config *config)
{
  clear_bad_words(config);
  mt_free((void *) config->source_lang);
  mt_free((void *) config->target_lang);
  config->source_lang = NULL;
  config->target_lang = NULL;
}
