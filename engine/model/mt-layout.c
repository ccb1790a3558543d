/* mt-layout.c — how a published model is laid out in its folder or archive: the list, and the
 * layout of transformers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-layout.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config.h"
#include "model/mt-family.h"

#include <string.h>

/* ---- A model as transformers saves it -------------------------------------------------------- */

/*     config.json                  the shape, and how to search (with generation_config.json)
 *     model.safetensors            weights, or one of the other formats in mt-container.c
 *     vocab.json                   one vocabulary, or one each (target_vocab.json)
 *     source.spm, target.spm       SentencePiece models
 *     tokenizer_config.json …      languages and added tokens (mt-added-tokens.h) */

#define TORCH(name)                  \
  {                                  \
    (name ".weight"), (name ".bias") \
  }

#define LAYER                                                                                  \
  {                                                                                            \
    [MT_TENSOR_SELF_Q] = TORCH("self_attn.q_proj"),                                            \
    [MT_TENSOR_SELF_K] = TORCH("self_attn.k_proj"),                                            \
    [MT_TENSOR_SELF_V] = TORCH("self_attn.v_proj"),                                            \
    [MT_TENSOR_SELF_OUT] = TORCH("self_attn.out_proj"),                                        \
    [MT_TENSOR_SELF_NORM] = TORCH("self_attn_layer_norm"),                                     \
    [MT_TENSOR_CROSS_Q] = TORCH("encoder_attn.q_proj"),                                        \
    [MT_TENSOR_CROSS_K] = TORCH("encoder_attn.k_proj"),                                        \
    [MT_TENSOR_CROSS_V] = TORCH("encoder_attn.v_proj"),                                        \
    [MT_TENSOR_CROSS_OUT] = TORCH("encoder_attn.out_proj"),                                    \
    [MT_TENSOR_CROSS_NORM] = TORCH("encoder_attn_layer_norm"), [MT_TENSOR_FC1] = TORCH("fc1"), \
    [MT_TENSOR_FC2] = TORCH("fc2"), [MT_TENSOR_FFN_NORM] = TORCH("final_layer_norm"),          \
  }

#define HUGGING_FACE                                                                             \
  .layers = {"model.encoder.layers.", "model.decoder.layers."}, .first_layer = 0,                \
  .after_number = ".", .places = {LAYER, LAYER}, .stacks = {"model.encoder.", "model.decoder."}, \
  .embedding_norm = TORCH("layernorm_embedding"), .final_norm = TORCH("layer_norm"),             \
  .shared = "model.shared.weight",                                                               \
  .embeddings = {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"},      \
  .positions = {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}, \
  .output = "lm_head.weight", .optional_prefix = "model.", .shape_from = "config.json",          \
  .ties = "tie_word_embeddings true", .no_tie = "tie_word_embeddings false",                     \
  .has_spare_shared = true

const mt_names mt_names_hugging_face = {
    HUGGING_FACE,
    .output_bias = "final_logits_bias",
    .positions_may_lack = true,
};
const mt_names mt_names_bart = {
    HUGGING_FACE,
    .output_bias = "final_logits_bias",
};
const mt_names mt_names_m2m = {
    HUGGING_FACE,
};
const mt_names mt_names_pegasus = {
    HUGGING_FACE,
    .output_bias = "final_logits_bias",
    .positions_may_lack = true,
    .positions_may_be_sinusoids = true,
};

static bool
has_config(const mt_dir *dir)
{
  return mt_dir_has(dir, "config.json");
}

/* The files of the tokenizer. Where those of Marian lie, which no other family has, they are its
 * own, whatever the family. */
static bool
find_text(mt_text_files *files, const char *vocabs[MT_N_STACKS], mt_text_kind kind,
          const mt_config *config, const mt_dir *dir, mt_error *error)
{
  const bool is_marian = mt_dir_has(dir, "vocab.json") && mt_dir_has(dir, "source.spm") &&
                         mt_dir_has(dir, "target.spm");
  if (!mt_text_files_find(files, is_marian ? MT_TEXT_MARIAN : kind, dir, error))
    return false;
  const bool separate = files->kind == MT_TEXT_MARIAN && !config->share_embeddings &&
                        mt_dir_has(dir, "target_vocab.json");
  vocabs[MT_STACK_ENCODER] = files->vocab;
  vocabs[MT_STACK_DECODER] = separate ? "target_vocab.json" : files->vocab;
  return true;
}

bool
mt_layout_keep_text(mt_manifest *manifest, const mt_config *config, const mt_dir *dir,
                    mt_error *error)
{
  mt_text_files files;
  const char *vocabs[MT_N_STACKS];
  if (!find_text(&files, vocabs, manifest->text_kind, config, dir, error))
    return false;
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_free(manifest->vocab_files[s]);
    mt_free(manifest->spm_files[s]);
    manifest->vocab_files[s] = mt_strdup(vocabs[s] ? vocabs[s] : "");
    manifest->spm_files[s] = mt_strdup(files.spm[s] ? files.spm[s] : "");
    if (!manifest->vocab_files[s] || !manifest->spm_files[s])
      return mt_fail_no_memory(error);
  }
  manifest->text_kind = files.kind;
  manifest->merges_file = files.merges;
  manifest->json_file = files.json;
  manifest->has_added_tokens = true;
  return true;
}

bool
mt_model_text_files(const mt_files *of, const char *names[MT_MODEL_TEXT_FILES], size_t *n,
                    mt_error *error)
{
  const mt_dir *dir = mt_files_dir(of);
  mt_config config = {0};
  mt_text_kind kind;
  mt_text_files files;
  const char *vocabs[MT_N_STACKS];
  *n = 0;
  if (!mt_config_load(&config, &kind, dir, NULL))
    return mt_fail(error, MT_ERROR_UNSUPPORTED, "%s/config.json: expected a configuration.",
                   dir->name);
  const bool ok = find_text(&files, vocabs, kind, &config, dir, error);
  mt_config_clear(&config);
  if (!ok)
    return false;
  const char *const all[] = {vocabs[0],    vocabs[1],    files.spm[0],
                             files.spm[1], files.merges, files.json};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    bool is_new = all[i] != NULL;
    for (size_t k = 0; k < *n && is_new; k++)
      is_new = strcmp(names[k], all[i]) != 0;
    if (is_new)
      names[(*n)++] = all[i];
  }
  return true;
}

static bool
load_hugging_face(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  if (!mt_config_load(config, &manifest->text_kind, dir, error))
    return false;
  manifest->names = mt_family_names(config);
  if (!mt_layout_keep_text(manifest, config, dir, error))
    return false;
  manifest->container = mt_container_open(dir, NULL, error);
  return manifest->container != NULL;
}

const mt_layout mt_layout_hugging_face = {
    .name = "Hugging Face",
    .recognise = has_config,
    .load = load_hugging_face,
};

/* ---- Layouts --------------------------------------------------------------------------------- */

/* THE list. The first one that recognises the folder wins: CTranslate2 has a config.json, too. */
static const mt_layout *const layouts[] = {
    &mt_layout_ctranslate2,
    &mt_layout_hugging_face,
    &mt_layout_marian,
};
#define N_LAYOUTS (sizeof layouts / sizeof *layouts)

bool
mt_layout_load(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  size_t i = 0;
  while (i < N_LAYOUTS && !layouts[i]->recognise(dir))
    i++;
  /* If none does, what the usual one misses is what is said. */
  const mt_layout *layout = i < N_LAYOUTS ? layouts[i] : &mt_layout_hugging_face;
  return layout->load(manifest, config, dir, error);
}

void
mt_manifest_clear(mt_manifest *manifest)
{
  mt_container_free(manifest->container);
  mt_free(manifest->own_names);
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_free(manifest->vocab_files[s]);
    mt_free(manifest->spm_files[s]);
  }
  *manifest = (mt_manifest){0};
}
