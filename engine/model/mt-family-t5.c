/* mt-family-t5.c — T5 and what descends from it: T5 1.1, Flan-T5, ByT5, CodeT5, MADLAD-400 (all
 * model_type t5), mT5 and UMT5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pre-norm with RMS norms, no biases, a number for each head and distance in place of positions,
 * scores without a divisor. Keys and defaults are those of T5Config, MT5Config and UMT5Config.
 */
#include "base/mt-error.h"
#include "model/mt-config-bounds.h"
#include "model/mt-family.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- Names of tensors ------------------------------------------------------------------------ */

#define T5(name)           \
  {                        \
    (name ".weight"), NULL \
  }
#define T5_SELF                                         \
  [MT_TENSOR_SELF_Q] = T5("layer.0.SelfAttention.q"),   \
  [MT_TENSOR_SELF_K] = T5("layer.0.SelfAttention.k"),   \
  [MT_TENSOR_SELF_V] = T5("layer.0.SelfAttention.v"),   \
  [MT_TENSOR_SELF_OUT] = T5("layer.0.SelfAttention.o"), \
  [MT_TENSOR_SELF_NORM] = T5("layer.0.layer_norm"),     \
  [MT_TENSOR_RELATIVE] = T5("layer.0.SelfAttention.relative_attention_bias")
#define T5_CROSS                                           \
  [MT_TENSOR_CROSS_Q] = T5("layer.1.EncDecAttention.q"),   \
  [MT_TENSOR_CROSS_K] = T5("layer.1.EncDecAttention.k"),   \
  [MT_TENSOR_CROSS_V] = T5("layer.1.EncDecAttention.v"),   \
  [MT_TENSOR_CROSS_OUT] = T5("layer.1.EncDecAttention.o"), \
  [MT_TENSOR_CROSS_NORM] = T5("layer.1.layer_norm")
/* fc1, gate: "wi", or "wi_0" with "wi_1" where there is a gate. */
#define T5_NETWORK(layer, fc1)                         \
  [MT_TENSOR_FC1] = T5(layer ".DenseReluDense." fc1),  \
  [MT_TENSOR_GATE] = T5(layer ".DenseReluDense.wi_1"), \
  [MT_TENSOR_FC2] = T5(layer ".DenseReluDense.wo"), [MT_TENSOR_FFN_NORM] = T5(layer ".layer_norm")
#define T5_NAMES(fc1)                                                                \
  {                                                                                  \
    .layers = {"encoder.block.", "decoder.block."}, .after_number = ".",             \
    .places = {{T5_SELF, T5_NETWORK("layer.1", fc1)},                                \
               {T5_SELF, T5_CROSS, T5_NETWORK("layer.2", fc1)}},                     \
    .stacks = {"encoder.", "decoder."}, .final_norm = T5("final_layer_norm"),        \
    .shared = "shared.weight",                                                       \
    .embeddings = {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"},    \
    .output = "lm_head.weight", .shape_from = "config.json",                         \
    .ties = "that it is a T5, which has one", .no_tie = "tie_word_embeddings false", \
    .output_wins = true,                                                             \
  }

static const mt_names names_plain = T5_NAMES("wi");
static const mt_names names_gated = T5_NAMES("wi_0");

/* ---- Defaults -------------------------------------------------------------------------------- */

/* There is no table of positions: their number is a limit of memory, n_positions of old files. */
#define COMMON                                                                                   \
  .d_model = 512, .d_head = {64, 64}, .score_divisor = {1, 1}, .max_positions = 512,             \
  .norm_kind = MT_NORM_RMS, .norm_epsilon = 1e-6, .position_kind = MT_POSITIONS_RELATIVE,        \
  .n_buckets = 32, .max_distance = 128, .normalize_before = true, .add_final_layer_norm = true,  \
  .share_embeddings = true, .tie_word_embeddings = true, .pad_id = 0, .eos_id = 1, .bos_id = -1, \
  .unk_id = -1, .decoder_start_id = 0, .forced_eos_id = -1, .forced_bos_id = -1,                 \
  .language_mode = MT_LANGUAGES_NONE, .unit = MT_UNIT_SENTENCE, .reads_prefix = true,            \
  .num_beams = 1, .length_penalty = 1, .early_stopping = MT_EARLY_STOPPING_FALSE
/* Of mT5 and UMT5. */
#define MULTILINGUAL                                                                    \
  .vocab_size = {250112}, .n_layers = {8, 0}, .n_heads = {6, 6}, .d_ffn = {1024, 1024}, \
  .activation = MT_ACTIVATION_GELU_TANH, .feed_forward_kind = MT_FEED_FORWARD_GATED

static const mt_config t5_defaults = {
    COMMON,
    .vocab_size = {32128},
    .n_layers = {6, 0}, /* decoder: as the encoder unless said */
    .n_heads = {8, 8},
    .d_ffn = {2048, 2048},
    .activation = MT_ACTIVATION_RELU,
};
static const mt_config mt5_defaults = {COMMON, MULTILINGUAL};
static const mt_config umt5_defaults = {COMMON, MULTILINGUAL, .bias_each_layer = true};

/* ---- Reading --------------------------------------------------------------------------------- */

/* "relu", "gated-gelu": an activation by its name, and whether there is a gate. Exactly
 * "gated-gelu" means the GELU by way of tanh. */
static bool
read_feed_forward(mt_config *c, const mt_json *json, mt_error *error)
{
  static const char gated[] = "gated-";
  const char *projection = NULL, *own = NULL;
  bool is_gated;
  if (!mt_json_get_string(json, "feed_forward_proj", &projection, error))
    return false;
  if (projection) {
    is_gated = strncmp(projection, gated, strlen(gated)) == 0;
    const char *name = projection + (is_gated ? strlen(gated) : 0);
    if (strcmp(projection, "gated-gelu") == 0)
      c->activation = MT_ACTIVATION_GELU_TANH;
    else if (!mt_family_find_activation(name, &c->activation))
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected feed_forward_proj relu, silu, gelu, gelu_new, or one of them "
                     "behind \"gated-\", found \"%.100s\".",
                     json->label, projection);
    c->feed_forward_kind = is_gated ? MT_FEED_FORWARD_GATED : MT_FEED_FORWARD_PLAIN;
  }
  /* The same in other words, of files that were saved since transformers 4.17. */
  mt_activation activation = c->activation;
  is_gated = c->feed_forward_kind == MT_FEED_FORWARD_GATED;
  if (!mt_json_get_string(json, "dense_act_fn", &own, error) ||
      !mt_json_get_bool(json, "is_gated_act", &is_gated, error))
    return false;
  if (own && (!mt_family_find_activation(own, &activation) || activation != c->activation))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected dense_act_fn to be the activation of feed_forward_proj, found "
                   "\"%.100s\".",
                   json->label, own);
  if (is_gated != (c->feed_forward_kind == MT_FEED_FORWARD_GATED))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected is_gated_act to say what feed_forward_proj says, found %s.",
                   json->label, is_gated ? "true" : "false");
  return true;
}

/* Before the output matrix states are multiplied by 1/sqrt(d) if the file says so; where it says
 * nothing, if it does not say that the matrix is another one than the embedding. mT5 never does. */
static bool
read_output(mt_config *c, const mt_json *json, mt_error *error)
{
  bool is_tied = true;
  if (!mt_json_get_bool(json, "tie_word_embeddings", &is_tied, error))
    return false;
  bool scales = is_tied;
  if (!mt_json_get_bool(json, "scale_decoder_outputs", &scales, error))
    return false;
  if (scales && strcmp(c->family, "mt5") != 0)
    c->output_scale = (float) (1 / sqrt((double) c->d_model));
  return true;
}

static bool
read_t5(mt_config *c, const mt_json *json, mt_error *error)
{
#define AT(member) offsetof(mt_config, member)
  static const mt_size_key sizes[] = {
      {"d_model", 1, MT_CONFIG_MAX_D, AT(d_model)},
      {"d_kv", 1, MT_CONFIG_MAX_D, AT(d_head[0])},
      {"d_ff", 1, MT_CONFIG_MAX_FFN, AT(d_ffn[0])},
      {"num_layers", 1, MT_CONFIG_MAX_LAYERS, AT(n_layers[0])},
      {"num_decoder_layers", 1, MT_CONFIG_MAX_LAYERS, AT(n_layers[1])},
      {"num_heads", 1, MT_CONFIG_MAX_D, AT(n_heads[0])},
      {"vocab_size", 2, MT_CONFIG_MAX_VOCAB, AT(vocab_size[0])},
      {"n_positions", 1, MT_CONFIG_MAX_POSITIONS, AT(max_positions)},
      {"relative_attention_num_buckets", 4, MT_CONFIG_MAX_BUCKETS, AT(n_buckets)},
      {"relative_attention_max_distance", 1, MT_CONFIG_MAX_POSITIONS, AT(max_distance)},
  };
  if (!mt_family_read_sizes(c, json, sizes, sizeof sizes / sizeof *sizes, error))
    return false;
  const mt_stack encoder = MT_STACK_ENCODER, decoder = MT_STACK_DECODER;
  c->d_head[decoder] = c->d_head[encoder];
  c->d_ffn[decoder] = c->d_ffn[encoder];
  c->n_heads[decoder] = c->n_heads[encoder];
  c->vocab_size[decoder] = c->vocab_size[encoder];
  if (c->n_layers[decoder] == 0)
    c->n_layers[decoder] = c->n_layers[encoder];
  if (!mt_json_get_number(json, "layer_norm_epsilon", &c->norm_epsilon, error))
    return false;
  if (!(c->norm_epsilon > 0 && c->norm_epsilon <= 1))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected layer_norm_epsilon above 0 and at most 1, found %g.", json->label,
                   c->norm_epsilon);
  /* The decoder has buckets of their own for distances below half of their number. */
  if (c->max_distance <= c->n_buckets / 2)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected relative_attention_max_distance above half of "
                   "relative_attention_num_buckets %zu, found %zu.",
                   json->label, c->n_buckets, c->max_distance);
  return read_feed_forward(c, json, error) && read_output(c, json, error);
}
#undef AT

/* ---- Text ------------------------------------------------------------------------------------ */

/* X </s>. MADLAD has pieces "<2de>" among its own, and a tokenizer is asked for them. */
static bool
settle_t5(mt_config *c, mt_family_text *text, mt_error *error)
{
  c->language_mode = MT_LANGUAGES_SOURCE_TOKEN;
  if (strncmp(text->class_name, "ByT5", 4) == 0)
    text->kind = MT_TEXT_BYTES;
  else if (strncmp(text->class_name, "Roberta", 7) == 0) /* CodeT5 */
    text->kind = MT_TEXT_BYTE_BPE;
  return mt_config_set_source(c, text->kind == MT_TEXT_BYTE_BPE ? c->bos_id : -1, c->eos_id, error);
}

/* ---- Families -------------------------------------------------------------------------------- */

const mt_family mt_family_t5 = {
    .model_type = "t5",
    .name = "T5",
    .names = &names_plain,
    .gated_names = &names_gated,
    .text_kind = MT_TEXT_SPM_OWN,
    .defaults = &t5_defaults,
    .read = read_t5,
    .settle_text = settle_t5,
};

const mt_family mt_family_mt5 = {
    .model_type = "mt5",
    .name = "mT5",
    .names = &names_plain,
    .gated_names = &names_gated,
    .text_kind = MT_TEXT_SPM_OWN,
    .defaults = &mt5_defaults,
    .read = read_t5,
    .settle_text = settle_t5,
};

const mt_family mt_family_umt5 = {
    .model_type = "umt5",
    .name = "UMT5",
    .names = &names_plain,
    .gated_names = &names_gated,
    .text_kind = MT_TEXT_SPM_OWN,
    .defaults = &umt5_defaults,
    .read = read_t5,
    .settle_text = settle_t5,
};
