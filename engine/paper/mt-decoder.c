/* mt-decoder.c — the decoder stack, the paper, section 3.1: masked self-attention, attention over
 * the encoder's output, feed-forward network; then the output projection, section 3.4.
 *
 * One layer function serves both ways of running: a decoding step, whose rows are the beams of
 * sentences at one position, and the parallel pass, whose rows are all positions of a sequence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-decoder.h"

bool
mt_decoder_begin(const mt_pass *pass)
{
  const mt_config *config = &pass->model->config;
  for (size_t layer = 0; layer < config->n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_pass_is_stopped(pass))
      return false;
    mt_place place = {MT_CROSS, (int) layer, config->n_heads[MT_STACK_DECODER]};
    mt_multi_head_keys(pass, &place, &mt_pass_layer(pass, MT_STACK_DECODER, (int) layer)->cross,
                       pass->buffers->x);
  }
  return true;
}

/* x [rows][d] through one layer. */
static void
decoder_layer(const mt_pass *pass, int layer, float *x)
{
  size_t d = pass->model->config.d_model, rows = pass->groups->n_rows;
  size_t n_heads = pass->model->config.n_heads[MT_STACK_DECODER];
  float *y = pass->buffers->sub_layer;
  const mt_layer_weights *weights = mt_pass_layer(pass, MT_STACK_DECODER, layer);

  mt_place self = {MT_DECODER_SELF, layer, n_heads};
  mt_norm self_norm = {MT_SITE_NORM_INPUT, MT_DECODER_SELF, layer, &weights->self_norm};
  const float *input = mt_sub_layer_input(pass, &self_norm, x, rows);
  mt_multi_head_self(pass, &self, &weights->self, y, input);
  mt_sub_layer_output(pass, &self_norm, x, y, rows);
  mt_pass_show(pass, MT_SITE_RESIDUAL, MT_DECODER_SELF, layer, x, d);

  mt_place cross = {MT_CROSS, layer, n_heads};
  mt_norm cross_norm = {MT_SITE_NORM_INPUT, MT_CROSS, layer, &weights->cross_norm};
  input = mt_sub_layer_input(pass, &cross_norm, x, rows);
  mt_multi_head_cross(pass, &cross, &weights->cross, y, input);
  mt_sub_layer_output(pass, &cross_norm, x, y, rows);
  mt_pass_show(pass, MT_SITE_RESIDUAL, MT_CROSS, layer, x, d);

  mt_feed_forward_sub_layer(pass, MT_DECODER_SELF, layer, weights, x);
}

bool
mt_decoder_layers(const mt_pass *pass, size_t first, size_t end)
{
  for (size_t layer = first; layer < end; layer++) {
    if (mt_pass_is_stopped(pass))
      return false;
    decoder_layer(pass, (int) layer, pass->buffers->x);
  }
  return true;
}

bool
mt_decoder_run(const mt_pass *pass, const int32_t *ids)
{
  mt_embed(pass, MT_STACK_DECODER, pass->buffers->x, ids);
  return mt_decoder_layers(pass, 0, pass->model->config.n_layers[MT_STACK_DECODER]);
}

void
mt_decoder_finish(const mt_pass *pass)
{
  mt_stack_finish(pass, MT_STACK_DECODER, pass->buffers->x, pass->groups->n_rows);
}

void
mt_decoder_all_logits(const mt_pass *pass, size_t first, size_t n, float *logits)
{
  const mt_linear *output = &pass->model->output;
  const float *x = pass->buffers->x + first * pass->model->config.d_model;
  mt_ops_linear(pass->ops, logits, x, n, output);
  if (!mt_sites_want(&pass->sites, MT_SITE_LOGITS))
    return;
  mt_tensor tensor = {.site = MT_SITE_LOGITS,
                      .kind = MT_DECODER_SELF,
                      .layer = -1,
                      .head = -1,
                      .first = first,
                      .n = n,
                      .data = logits,
                      .cols = output->n_out,
                      .stride = output->n_out};
  mt_sites_reach(&pass->sites, pass->groups, &tensor);
}

void
mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits)
{
  mt_decoder_all_logits(pass, first, n, logits);
  for (size_t r = 0; r < n; r++)
    mt_model_leave_out(pass->model, logits + r * pass->model->output.n_out);
}

bool
mt_decoder_score(const mt_pass *pass, const int32_t *targets, float *logprobs)
{
  const mt_buffers *buffers = pass->buffers;
  size_t vocab_size = pass->model->output.n_out, n_rows = pass->groups->n_rows;
  /* The vocabulary is wide: a block of rows at a time keeps the logits small. */
  for (size_t first = 0; first < n_rows; first += buffers->logit_rows) {
    if (mt_pass_is_stopped(pass))
      return false;
    size_t n = n_rows - first < buffers->logit_rows ? n_rows - first : buffers->logit_rows;
    mt_decoder_logits(pass, first, n, buffers->logits);
    for (size_t r = 0; r < n; r++) {
      const float *row = buffers->logits + r * vocab_size;
      logprobs[first + r] =
          row[targets[first + r]] - pass->ops->kernels->log_sum_exp(row, vocab_size);
    }
  }
  return true;
}
