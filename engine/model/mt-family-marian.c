/* mt-family-marian.c — Marian as transformers saves it: the models of OPUS-MT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The names of the keys are those of MarianConfig. One is Regard's own:
 * "position_embedding_layout": "halves" (Marian's, the default) or "interleaved" (the paper's,
 * section 3.5).
 */
#include "base/mt-error.h"
#include "model/mt-config-bounds.h"
#include "model/mt-family.h"

#include <stddef.h>
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
    .language_mode = MT_LANGUAGES_SOURCE_TOKEN,
    .unit = MT_UNIT_SENTENCE,
    .num_beams = 1,
    .max_length = 0, /* as many as there are positions unless said */
    .length_penalty = 1,
    .early_stopping = MT_EARLY_STOPPING_FALSE,
};

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

static bool
read_marian(mt_config *c, const mt_json *json, mt_error *error)
{
#define AT(member) offsetof(mt_config, member)
  static const mt_size_key sizes[] = {
      {"decoder_vocab_size", 2, MT_CONFIG_MAX_VOCAB, AT(vocab_size[MT_STACK_DECODER])},
  };
  static const mt_switch_key switches[] = {
      {"normalize_before", AT(normalize_before)},
      {"normalize_embedding", AT(normalize_embedding)},
      {"add_final_layer_norm", AT(add_final_layer_norm)},
      {"share_encoder_decoder_embeddings", AT(share_embeddings)},
  };
  if (!mt_family_read_common(c, json, error) ||
      !mt_family_read_sizes(c, json, sizes, sizeof sizes / sizeof *sizes, error) ||
      !mt_family_read_switches(c, json, switches, sizeof switches / sizeof *switches, error) ||
      !read_positions(c, json, error))
    return false;
  if (c->vocab_size[MT_STACK_DECODER] == 0)
    c->vocab_size[MT_STACK_DECODER] = c->vocab_size[MT_STACK_ENCODER];
  if (c->share_embeddings && c->vocab_size[0] != c->vocab_size[1])
    return mt_fail(
        error, MT_ERROR_FORMAT,
        "%s: expected decoder_vocab_size %zu like vocab_size, because the embeddings are "
        "shared, found %zu.",
        json->label, c->vocab_size[0], c->vocab_size[1]);
  return true;
}

const mt_family mt_family_marian = {
    .model_type = "marian",
    .name = "Marian",
    .names = &mt_names_hugging_face,
    .text_kind = MT_TEXT_MARIAN,
    .defaults = &defaults,
    .read = read_marian,
};
