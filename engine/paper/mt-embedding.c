/* mt-embedding.c — token embeddings times sqrt(d_model), the paper, section 3.4, plus positions,
 * section 3.5. Both stacks begin here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

#include <math.h>
#include <string.h>

void
mt_embed(const mt_pass *pass, mt_stack stack, float *x, const int32_t *ids)
{
  const mt_config *config = &pass->model->config;
  const mt_stack_weights *weights = &pass->model->stacks[stack];
  size_t d = config->d_model, n_rows = pass->groups->n_rows;
  mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;

  float scale = config->scale_embedding ? sqrtf((float) d) : 1;
  for (size_t r = 0; r < n_rows; r++)
    for (size_t i = 0; i < d; i++)
      x[r * d + i] = weights->embedding[(size_t) ids[r] * d + i] * scale;
  mt_pass_show(pass, MT_SITE_EMBEDDING, kind, -1, x, d);

  /* A copy, so that what is added may be changed but never the model. */
  float *positions = pass->buffers->positions;
  const mt_changes *changes = pass->sites.changes[1];
  bool is_changed = mt_changes_sites(changes) & MT_SITE_BIT(MT_SITE_POSITION);
  for (size_t g = 0; g < pass->groups->n; g++) {
    const mt_group *group = &pass->groups->groups[g];
    for (size_t r = 0; r < group->n; r++) {
      size_t at = mt_group_position(group, r);
      float *row = positions + (group->first + r) * d;
      if (is_changed)
        mt_changes_position(changes, pass->model, stack, at, row);
      else
        memcpy(row, weights->positions + at * d, d * sizeof *row);
    }
  }
  mt_pass_show(pass, MT_SITE_POSITION, kind, -1, positions, d);
  mt_ops_add(x, positions, n_rows * d);

  if (weights->embedding_norm.gain)
    mt_layer_norm(pass, x, x, n_rows, &weights->embedding_norm);
  mt_pass_show(pass, MT_SITE_STREAM, kind, -1, x, d);
}
