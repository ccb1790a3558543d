/* mt-family.c — families of models as transformers saves them: the list, and what they share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-family.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config-bounds.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Families -------------------------------------------------------------------------------- */

/* THE list. */
static const mt_family *const families[] = {
    &mt_family_marian,  &mt_family_bart, &mt_family_mbart, &mt_family_m2m,
    &mt_family_pegasus, &mt_family_t5,   &mt_family_mt5,   &mt_family_umt5,
};
#define N_FAMILIES (sizeof families / sizeof *families)

const mt_family *
mt_family_find(const char *model_type)
{
  for (size_t i = 0; model_type && i < N_FAMILIES; i++)
    if (strcmp(families[i]->model_type, model_type) == 0)
      return families[i];
  return NULL;
}

const mt_names *
mt_family_names(const mt_config *config)
{
  const mt_family *family = mt_family_find(config->family);
  const bool is_gated = config->feed_forward_kind == MT_FEED_FORWARD_GATED;
  return is_gated && family->gated_names ? family->gated_names : family->names;
}

const char *
mt_family_list(char out[MT_FAMILY_LIST_SIZE])
{
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < N_FAMILIES && used < MT_FAMILY_LIST_SIZE; i++)
    used += (size_t) snprintf(out + used, MT_FAMILY_LIST_SIZE - used, "%s%s",
                              i == 0                ? ""
                              : i + 1 == N_FAMILIES ? " or "
                                                    : ", ",
                              families[i]->name);
  return out;
}

bool
mt_model_type_is_run(const char *model_type)
{
  return mt_family_find(model_type) != NULL;
}

/* ---- What families share --------------------------------------------------------------------- */

bool
mt_family_read_sizes(mt_config *config, const mt_json *json, const mt_size_key *keys, size_t n,
                     mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    size_t *value = (size_t *) (void *) ((char *) config + keys[i].offset);
    if (!mt_json_get_size(json, keys[i].key, keys[i].min, keys[i].max, value, error))
      return false;
  }
  return true;
}

bool
mt_family_read_switches(mt_config *config, const mt_json *json, const mt_switch_key *keys, size_t n,
                        mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    bool *value = (bool *) (void *) ((char *) config + keys[i].offset);
    if (!mt_json_get_bool(json, keys[i].key, value, error))
      return false;
  }
  return true;
}

bool
mt_family_find_activation(const char *name, mt_activation *activation)
{
  static const struct {
    const char *name;
    mt_activation activation;
  } names[] = {
      {"relu", MT_ACTIVATION_RELU},
      {"swish", MT_ACTIVATION_SILU},
      {"silu", MT_ACTIVATION_SILU},
      {"gelu", MT_ACTIVATION_GELU},
      {"gelu_new", MT_ACTIVATION_GELU_TANH},
      {"gelu_fast", MT_ACTIVATION_GELU_TANH},
      {"gelu_pytorch_tanh", MT_ACTIVATION_GELU_TANH},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, name) == 0) {
      *activation = names[i].activation;
      return true;
    }
  return false;
}

static bool
read_activation(mt_config *config, const mt_json *json, mt_error *error)
{
  const char *name = NULL;
  if (!mt_json_get_string(json, "activation_function", &name, error))
    return false;
  if (!name || mt_family_find_activation(name, &config->activation))
    return true;
  return mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s: expected activation_function relu, swish, silu, gelu or gelu_new, found "
                 "\"%.100s\".",
                 json->label, name);
}

#define AT(member) offsetof(mt_config, member)

bool
mt_family_read_common(mt_config *c, const mt_json *json, mt_error *error)
{
  static const mt_size_key sizes[] = {
      {"d_model", 1, MT_CONFIG_MAX_D, AT(d_model)},
      {"encoder_layers", 1, MT_CONFIG_MAX_LAYERS, AT(n_layers[MT_STACK_ENCODER])},
      {"decoder_layers", 1, MT_CONFIG_MAX_LAYERS, AT(n_layers[MT_STACK_DECODER])},
      {"encoder_attention_heads", 1, MT_CONFIG_MAX_D, AT(n_heads[MT_STACK_ENCODER])},
      {"decoder_attention_heads", 1, MT_CONFIG_MAX_D, AT(n_heads[MT_STACK_DECODER])},
      {"encoder_ffn_dim", 1, MT_CONFIG_MAX_FFN, AT(d_ffn[MT_STACK_ENCODER])},
      {"decoder_ffn_dim", 1, MT_CONFIG_MAX_FFN, AT(d_ffn[MT_STACK_DECODER])},
      {"vocab_size", 2, MT_CONFIG_MAX_VOCAB, AT(vocab_size[MT_STACK_ENCODER])},
      {"max_position_embeddings", 1, MT_CONFIG_MAX_POSITIONS, AT(max_positions)},
      {"attention_window", 0, MT_CONFIG_MAX_POSITIONS, AT(attention_window)},
  };
  static const mt_switch_key switches[] = {
      {"scale_embedding", AT(scale_embedding)},
      {"tie_word_embeddings", AT(tie_word_embeddings)},
  };
  static const char *const stacks[MT_N_STACKS] = {"encoder", "decoder"};
  if (!mt_family_read_sizes(c, json, sizes, sizeof sizes / sizeof *sizes, error) ||
      !mt_family_read_switches(c, json, switches, sizeof switches / sizeof *switches, error) ||
      !read_activation(c, json, error))
    return false;
  for (int s = 0; s < MT_N_STACKS; s++)
    if (c->d_model % c->n_heads[s] != 0)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected %s_attention_heads to divide d_model %zu, found %zu.",
                     json->label, stacks[s], c->d_model, c->n_heads[s]);
  return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

bool
mt_family_load_text(mt_config *c, const mt_family *family, mt_text_kind *kind, const mt_dir *dir,
                    const mt_json *of_model, mt_error *error)
{
  static const char file[] = "tokenizer_config.json";
  const char *source = "", *target = "";
  mt_family_text text = {.class_name = "",
                         .has_vocab_json = mt_dir_has(dir, "vocab.json"),
                         .kind = family->text_kind};
  mt_json json = {0};
  bool ok = !of_model || mt_json_get_string(of_model, "tokenizer_class", &text.class_name, error);
  if (ok && mt_dir_has(dir, file))
    ok = mt_json_load(&json, dir, file, error) &&
         mt_json_get_string(&json, "src_lang", &source, error) &&
         mt_json_get_string(&json, "source_lang", &source, error) &&
         mt_json_get_string(&json, "tgt_lang", &target, error) &&
         mt_json_get_string(&json, "target_lang", &target, error) &&
         mt_json_get_string(&json, "tokenizer_class", &text.class_name, error) &&
         mt_json_get_bool(&json, "legacy_behaviour", &text.is_legacy, error);
  if (ok && family->settle_text)
    ok = family->settle_text(c, &text, error);
  *kind = text.kind;
  if (ok) {
    mt_free((void *) c->source_lang);
    mt_free((void *) c->target_lang);
    c->source_lang = mt_strdup(source);
    c->target_lang = mt_strdup(target);
    ok = (c->source_lang && c->target_lang) || mt_fail_no_memory(error);
  }
  mt_json_clear(&json);
  return ok;
}
