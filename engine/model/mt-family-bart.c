/* mt-family-bart.c — BART and its relatives: mBART, M2M-100 with NLLB-200, Pegasus.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One configuration and one set of names, with other norms, positions and special tokens. Keys and
 * defaults are those of BartConfig, MBartConfig, M2M100Config and PegasusConfig; where norms stand
 * is no key: transformers has it in the code of each, and passes over what old files say.
 */
#include "model/mt-config-bounds.h"
#include "model/mt-family.h"

#include <string.h>

/* Of MBart50's vocabulary, which has 52 languages; that of cc25 has 25. */
#define MBART50_SIZE 250054

/* What the four have in common, and mostly never say. */
#define COMMON                                                                                \
  .d_model = 1024, .n_layers = {12, 12}, .n_heads = {16, 16}, .d_ffn = {4096, 4096},          \
  .max_positions = 1024, .share_embeddings = true, .tie_word_embeddings = true, .unk_id = -1, \
  .forced_bos_id = -1, .num_beams = 1, .length_penalty = 1,                                   \
  .early_stopping = MT_EARLY_STOPPING_FALSE

static const mt_config bart_defaults = {
    COMMON,
    .vocab_size = {50265},
    .activation = MT_ACTIVATION_GELU,
    .position_kind = MT_POSITIONS_LEARNED,
    .position_offset = 2,
    .normalize_embedding = true,
    .pad_id = 1,
    .bos_id = 0,
    .eos_id = 2,
    .decoder_start_id = 2,
    .forced_eos_id = 2,
    .language_mode = MT_LANGUAGES_NONE,
    .unit = MT_UNIT_TEXT,
};

static const mt_config mbart_defaults = {
    COMMON,
    .vocab_size = {50265},
    .activation = MT_ACTIVATION_GELU,
    .position_kind = MT_POSITIONS_LEARNED,
    .position_offset = 2,
    .normalize_before = true,
    .normalize_embedding = true,
    .add_final_layer_norm = true,
    .pad_id = 1,
    .bos_id = 0,
    .eos_id = 2,
    .decoder_start_id = -1, /* bos_id */
    .forced_eos_id = 2,
    .language_mode = MT_LANGUAGES_FORCED,
    .unit = MT_UNIT_SENTENCE,
};

static const mt_config m2m_defaults = {
    COMMON,
    .vocab_size = {128112},
    .activation = MT_ACTIVATION_RELU,
    .position_kind = MT_POSITIONS_SINUSOIDAL_FAIRSEQ,
    .position_offset = 2,
    .scale_embedding = true,
    .normalize_before = true,
    .add_final_layer_norm = true,
    .pad_id = 1,
    .bos_id = 0,
    .eos_id = 2,
    .decoder_start_id = 2,
    .forced_eos_id = -1,
    .language_mode = MT_LANGUAGES_FORCED,
    .unit = MT_UNIT_SENTENCE,
};

static const mt_config pegasus_defaults = {
    COMMON,
    .vocab_size = {50265},
    .activation = MT_ACTIVATION_GELU,
    .position_kind = MT_POSITIONS_LEARNED, /* sinusoids, which the file has or has not */
    .normalize_before = true,
    .add_final_layer_norm = true,
    .pad_id = 0,
    .bos_id = -1,
    .eos_id = 1,
    .decoder_start_id = 0,
    .forced_eos_id = 1,
    .language_mode = MT_LANGUAGES_NONE,
    .unit = MT_UNIT_TEXT,
};

/* ---- What old files say of it ---------------------------------------------------------------- */

static const mt_fixed_key bart_fixed[] = {
    {"normalize_before", "false"},     {"normalize_embedding", "true"},
    {"add_final_layer_norm", "false"}, {"static_position_embeddings", "false"},
    {"extra_pos_embeddings", "2"},     {"share_encoder_decoder_embeddings", "true"},
};
static const mt_fixed_key mbart_fixed[] = {
    {"normalize_before", "true"},     {"normalize_embedding", "true"},
    {"add_final_layer_norm", "true"}, {"static_position_embeddings", "false"},
    {"extra_pos_embeddings", "2"},    {"share_encoder_decoder_embeddings", "true"},
};
/* Both. Nothing hangs on extra_pos_embeddings, since positions are sinusoids. */
static const mt_fixed_key sinusoidal_fixed[] = {
    {"normalize_before", "true"},
    {"normalize_embedding", "false"},
    {"add_final_layer_norm", "true"},
    {"static_position_embeddings", "true"},
    {"share_encoder_decoder_embeddings", "true"},
};

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
read_bart(mt_config *c, const mt_json *json, mt_error *error)
{
  if (!mt_family_read_common(c, json, error))
    return false;
  c->vocab_size[MT_STACK_DECODER] = c->vocab_size[MT_STACK_ENCODER];
  return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* <s> X </s> */
static bool
settle_bart(mt_config *c, mt_family_text *text, mt_error *error)
{
  return mt_config_set_source(c, c->bos_id, c->eos_id, error);
}

/* X </s> */
static bool
settle_end(mt_config *c, mt_family_text *text, mt_error *error)
{
  return mt_config_set_source(c, -1, c->eos_id, error);
}

/* mBART-50: xx X </s>, and the target's language first in the translation. mBART-cc25: X </s> xx,
 * and the decoder starts with the target's. */
static bool
settle_mbart(mt_config *c, mt_family_text *text, mt_error *error)
{
  const bool says = *text->class_name != '\0';
  if (says ? !strstr(text->class_name, "50") : c->vocab_size[0] < MBART50_SIZE) {
    c->language_mode = MT_LANGUAGES_START;
    c->language_last = true;
  }
  return settle_end(c, text, error);
}

/* xx X </s>; NLLB's legacy behaviour: X </s> xx. Only M2M-100 has a vocab.json. */
static bool
settle_m2m(mt_config *c, mt_family_text *text, mt_error *error)
{
  const bool says = *text->class_name != '\0';
  if (says ? strncmp(text->class_name, "Nllb", 4) == 0 : !text->has_vocab_json) {
    text->kind = MT_TEXT_SPM_FAIRSEQ;
    c->language_last = text->is_legacy;
  }
  return settle_end(c, text, error);
}

/* ---- Families -------------------------------------------------------------------------------- */

#define FIXED(keys) .fixed = (keys), .n_fixed = sizeof(keys) / sizeof *(keys)

const mt_family mt_family_bart = {
    .model_type = "bart",
    .name = "BART",
    .names = &mt_names_bart,
    .text_kind = MT_TEXT_BYTE_BPE,
    .defaults = &bart_defaults,
    FIXED(bart_fixed),
    .read = read_bart,
    .settle_text = settle_bart,
};

const mt_family mt_family_mbart = {
    .model_type = "mbart",
    .name = "mBART",
    .names = &mt_names_bart,
    .text_kind = MT_TEXT_SPM_FAIRSEQ,
    .defaults = &mbart_defaults,
    FIXED(mbart_fixed),
    .read = read_bart,
    .settle_text = settle_mbart,
};

const mt_family mt_family_m2m = {
    .model_type = "m2m_100",
    .name = "M2M-100 and NLLB",
    .names = &mt_names_m2m,
    .text_kind = MT_TEXT_MARIAN,
    .defaults = &m2m_defaults,
    FIXED(sinusoidal_fixed),
    .read = read_bart,
    .settle_text = settle_m2m,
};

const mt_family mt_family_pegasus = {
    .model_type = "pegasus",
    .name = "Pegasus",
    .names = &mt_names_pegasus,
    .text_kind = MT_TEXT_SPM_OFFSET,
    .defaults = &pegasus_defaults,
    FIXED(sinusoidal_fixed),
    .read = read_bart,
    .settle_text = settle_end,
};
