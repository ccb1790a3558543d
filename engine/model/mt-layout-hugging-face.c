/* mt-layout-hugging-face.c — a model as transformers saves it.
 *
 *     config.json                  the shape, and how to search (with generation_config.json)
 *     model.safetensors            weights, or one of the other formats in mt-container.c
 *     vocab.json                   one vocabulary, or one each (target_vocab.json)
 *     source.spm, target.spm       SentencePiece models
 *     tokenizer_config.json …      languages and added tokens (mt-added-tokens.h)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-layout.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config.h"

static bool
has_config(const mt_dir *dir)
{
  return mt_dir_has(dir, "config.json");
}

static bool
load_hugging_face(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  if (!mt_config_load(config, dir, error))
    return false;
  bool separate = !config->share_embeddings && mt_dir_has(dir, "target_vocab.json");
  manifest->names = &mt_names_hugging_face;
  manifest->vocab_files[MT_STACK_ENCODER] = mt_strdup("vocab.json");
  manifest->vocab_files[MT_STACK_DECODER] =
      mt_strdup(separate ? "target_vocab.json" : "vocab.json");
  manifest->spm_files[MT_STACK_ENCODER] = mt_strdup("source.spm");
  manifest->spm_files[MT_STACK_DECODER] = mt_strdup("target.spm");
  manifest->has_added_tokens = true;
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!manifest->vocab_files[s] || !manifest->spm_files[s])
      return mt_fail_no_memory(error);
  manifest->container = mt_container_open(dir, NULL, error);
  return manifest->container != NULL;
}

const mt_layout mt_layout_hugging_face = {
    .name = "Hugging Face",
    .recognise = has_config,
    .load = load_hugging_face,
};
