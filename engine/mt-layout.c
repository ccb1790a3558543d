/* mt-layout.c — how a published model is laid out in its folder or archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-layout.h"

#include "mt-alloc.h"
#include "mt-config.h"
#include "mt-error.h"

/* THE list. The first one that recognises the folder wins; if none does, what the first one misses
 * is what is said. */
static const mt_layout *const layouts[] = {
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
  return layouts[i < N_LAYOUTS ? i : 0]->load(manifest, config, dir, error);
}

void
mt_manifest_clear(mt_manifest *manifest)
{
  mt_container_free(manifest->container);
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_free(manifest->vocab_files[s]);
    mt_free(manifest->spm_files[s]);
  }
  *manifest = (mt_manifest){0};
}

/* ---- Hugging Face ---------------------------------------------------------------------------- */

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
