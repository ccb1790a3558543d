/* mt-embedding.c — token embeddings times sqrt(d_model), the paper, section 3.4, plus positions,
 * section 3.5. Both stacks begin here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

#include <math.h>
#include <string.h>

void
mt_embed(const mt_pass *pass, mt_stack stack, float *x, const int32_t *ids, mt_rows rows)
{
  const mt_config *config = &pass->model->config;
  const mt_stack_weights *weights = &pass->model->stacks[stack];
  size_t d = config->d_model;
  mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;

  float scale = config->scale_embedding ? sqrtf((float) d) : 1;
  for (size_t r = 0; r < rows.n; r++)
    for (size_t i = 0; i < d; i++)
      x[r * d + i] = weights->embedding[(size_t) ids[r] * d + i] * scale;
  mt_hooks_probe(pass->hooks, MT_SITE_EMBEDDING, kind, -1, -1, rows, x, d, d);

  /* A copy, so that a hook may change what is added but never the model. */
  float *positions = pass->buffers->positions;
  for (size_t r = 0; r < rows.n; r++) {
    size_t position = mt_rows_position(rows, r);
    memcpy(positions + r * d, weights->positions + position * d, d * sizeof *positions);
  }
  mt_hooks_probe(pass->hooks, MT_SITE_POSITION, kind, -1, -1, rows, positions, d, d);
  if (pass->capture)
    memcpy(mt_capture_fill_positions(pass->capture, stack), positions,
           rows.n * d * sizeof *positions);
  mt_ops_add(x, positions, rows.n * d);

  if (weights->embedding_norm.gain)
    mt_layer_norm(pass, x, x, rows.n, &weights->embedding_norm);
}
