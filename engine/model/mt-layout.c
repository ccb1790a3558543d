/* mt-layout.c — how a published model is laid out in its folder or archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-layout.h"

#include "base/mt-alloc.h"

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
