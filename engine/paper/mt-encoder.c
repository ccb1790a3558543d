/* mt-encoder.c — the encoder stack, the paper, section 3.1: each layer is multi-head self-attention
 * and a feed-forward network, each with a residual connection and layer normalization.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

static void
encoder_layer(const mt_pass *pass, int layer, float *x)
{
  const mt_config *config = &pass->model->config;
  const mt_buffers *buffers = pass->buffers;
  size_t rows = pass->groups->n_rows;
  const mt_layer_weights *weights = mt_pass_layer(pass, MT_STACK_ENCODER, layer);
  mt_place place = {MT_ENCODER_SELF, layer, config->n_heads[MT_STACK_ENCODER]};

  mt_norm norm = {MT_SITE_NORM_INPUT, MT_ENCODER_SELF, layer, &weights->self_norm};
  const float *input = mt_sub_layer_input(pass, &norm, x, rows);
  mt_multi_head_self(pass, &place, &weights->self, buffers->sub_layer, input);
  mt_sub_layer_output(pass, &norm, x, buffers->sub_layer, rows);
  mt_pass_show(pass, MT_SITE_RESIDUAL, MT_ENCODER_SELF, layer, x, config->d_model);

  mt_feed_forward_sub_layer(pass, MT_ENCODER_SELF, layer, weights, x);
}

bool
mt_encoder_layers(const mt_pass *pass, size_t first, size_t end)
{
  for (size_t layer = first; layer < end; layer++) {
    if (mt_pass_is_stopped(pass))
      return false;
    encoder_layer(pass, (int) layer, pass->buffers->x);
  }
  return true;
}

bool
mt_encoder_run(const mt_pass *pass, const int32_t *ids)
{
  float *x = pass->buffers->x;
  mt_embed(pass, MT_STACK_ENCODER, x, ids);
  if (!mt_encoder_layers(pass, 0, pass->model->config.n_layers[MT_STACK_ENCODER]))
    return false;
  mt_stack_finish(pass, MT_STACK_ENCODER, x, pass->groups->n_rows);
  return true;
}
