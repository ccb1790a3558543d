/* mt-decoder.c — the decoder stack, the paper, section 3.1: masked self-attention, attention over
 * the encoder's output, feed-forward network; then the output projection, section 3.4.
 *
 * One layer function serves both ways of running: a cached step, whose rows are the beams at one
 * position, and the parallel pass, whose rows are all positions of one sequence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-decoder.h"

#include <string.h>

bool
mt_decoder_begin(const mt_pass *pass, mt_kv_cache *cache)
{
  const mt_config *config = &pass->model->config;
  mt_kv_cache_clear(cache);
  for (size_t layer = 0; layer < config->n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    mt_place place = {MT_CROSS, (int) layer, config->n_heads[MT_STACK_DECODER],
                      (mt_rows){.n = cache->n_source}};
    size_t offset = mt_kv_cache_cross_layer(cache, layer);
    mt_multi_head_keys(pass, &place, &pass->model->stacks[MT_STACK_DECODER].layers[layer].cross,
                       cache->cross_k + offset, cache->cross_v + offset, pass->buffers->x);
  }
  return true;
}

bool
mt_decoder_begin_groups(const mt_pass *pass, size_t n)
{
  const mt_config *config = &pass->model->config;
  const mt_buffers *buffers = pass->buffers;
  const mt_kv_pool *pool = pass->groups->pool;
  size_t d = config->d_model;
  for (size_t layer = 0; layer < config->n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    mt_place place = {MT_CROSS, (int) layer, config->n_heads[MT_STACK_DECODER], (mt_rows){.n = n}};
    mt_multi_head_keys(pass, &place, &pass->model->stacks[MT_STACK_DECODER].layers[layer].cross,
                       buffers->k, buffers->v, buffers->x);
    float *k = mt_kv_pool_layer(pool, pool->k, layer), *v = mt_kv_pool_layer(pool, pool->v, layer);
    for (size_t g = 0; g < pass->groups->n; g++) {
      const mt_group *group = &pass->groups->groups[g];
      for (size_t r = 0; r < group->n; r++) {
        size_t to = group->source[r] * d, from = (group->first + r) * d;
        memcpy(k + to, buffers->k + from, d * sizeof *k);
        memcpy(v + to, buffers->v + from, d * sizeof *v);
      }
    }
  }
  return true;
}

/* x [rows.n][d] through one layer; k and v receive the new keys and values of self-attention.
 * cache: NULL if groups have their own. */
static void
decoder_layer(const mt_pass *pass, const mt_kv_cache *cache, int layer, float *x, mt_rows rows,
              float *k, float *v, const mt_keys *self_keys)
{
  size_t d = pass->model->config.d_model;
  size_t n_heads = pass->model->config.n_heads[MT_STACK_DECODER];
  float *y = pass->buffers->sub_layer;
  const mt_layer_weights *weights = &pass->model->stacks[MT_STACK_DECODER].layers[layer];

  mt_place self = {MT_DECODER_SELF, layer, n_heads, rows};
  const float *input = mt_sub_layer_input(pass, x, rows.n, &weights->self_norm);
  mt_multi_head_self(pass, &self, &weights->self, y, input, k, v, self_keys);
  mt_sub_layer_output(pass, x, y, rows.n, &weights->self_norm);
  mt_hooks_probe(pass->hooks, MT_SITE_RESIDUAL, MT_DECODER_SELF, layer, -1, rows, x, d, d);

  mt_place cross = {MT_CROSS, layer, n_heads, rows};
  mt_keys source = {0};
  if (cache) {
    size_t offset = mt_kv_cache_cross_layer(cache, (size_t) layer);
    source =
        (mt_keys){.k = cache->cross_k + offset, .v = cache->cross_v + offset, .n = cache->n_source};
  }
  input = mt_sub_layer_input(pass, x, rows.n, &weights->cross_norm);
  mt_multi_head(pass, &cross, &weights->cross, y, input, &source);
  mt_sub_layer_output(pass, x, y, rows.n, &weights->cross_norm);
  mt_hooks_probe(pass->hooks, MT_SITE_RESIDUAL, MT_CROSS, layer, -1, rows, x, d, d);

  mt_feed_forward_sub_layer(pass, MT_DECODER_SELF, layer, weights, x, rows);
}

/* logits [rows.n][vocab] = x W_out^T + b. */
static void
output_logits(const mt_pass *pass, float *logits, const float *x, mt_rows rows)
{
  const mt_linear *output = &pass->model->output;
  mt_ops_linear(pass->ops, logits, x, rows.n, output);
  mt_hooks_probe(pass->hooks, MT_SITE_LOGITS, MT_DECODER_SELF, -1, -1, rows, logits, output->n_out,
                 output->n_out);
}

bool
mt_decoder_step(const mt_pass *pass, mt_kv_cache *cache, const uint32_t *parents,
                const int32_t *ids, size_t n, size_t n_steps, float *logits)
{
  if (mt_hooks_stopped(pass->hooks, pass->error))
    return false;
  mt_rows rows = {.n = n, .first = cache->length, .n_beams = n / n_steps};
  float *x = pass->buffers->x;
  mt_kv_cache_advance(cache, parents, n, n_steps);
  mt_embed(pass, MT_STACK_DECODER, x, ids, rows);
  for (size_t layer = 0; layer < pass->model->config.n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    size_t all = mt_kv_cache_self_layer(cache, layer), new = mt_kv_cache_new_rows(cache, layer);
    mt_keys keys = {
        .k = cache->self_k + all,
        .v = cache->self_v + all,
        .n = cache->length,
        .n_beams = rows.n_beams,
        .index = cache->index,
        .index_stride = cache->max_length,
    };
    decoder_layer(pass, cache, (int) layer, x, rows, cache->self_k + new, cache->self_v + new,
                  &keys);
  }
  mt_stack_finish(pass, MT_STACK_DECODER, x, n);
  output_logits(pass, logits, x, rows);
  return true;
}

bool
mt_decoder_step_groups(const mt_pass *pass, const int32_t *ids, size_t n)
{
  const mt_buffers *buffers = pass->buffers;
  mt_rows rows = {.n = n, .positions = pass->groups->positions};
  mt_embed(pass, MT_STACK_DECODER, buffers->x, ids, rows);
  for (size_t layer = 0; layer < pass->model->config.n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    decoder_layer(pass, NULL, (int) layer, buffers->x, rows, buffers->k, buffers->v, NULL);
  }
  mt_stack_finish(pass, MT_STACK_DECODER, buffers->x, n);
  return true;
}

void
mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits)
{
  size_t d = pass->model->config.d_model;
  output_logits(pass, logits, pass->buffers->x + first * d, (mt_rows){.n = n});
}

bool
mt_decoder_score(const mt_pass *pass, const mt_kv_cache *cache, const int32_t *ids,
                 const int32_t *targets, size_t n, float *logprobs)
{
  mt_rows rows = {.n = n};
  const mt_buffers *buffers = pass->buffers;
  size_t d = pass->model->config.d_model, vocab_size = pass->model->output.n_out;
  mt_embed(pass, MT_STACK_DECODER, buffers->x, ids, rows);
  for (size_t layer = 0; layer < pass->model->config.n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    mt_keys keys = {.k = buffers->k, .v = buffers->v, .n = n, .is_causal = true};
    decoder_layer(pass, cache, (int) layer, buffers->x, rows, buffers->k, buffers->v, &keys);
  }
  if (!logprobs)
    return true;
  mt_stack_finish(pass, MT_STACK_DECODER, buffers->x, n);

  /* The vocabulary is wide: a block of rows at a time keeps the logits small. */
  for (size_t first = 0; first < n; first += buffers->logit_rows) {
    if (mt_hooks_stopped(pass->hooks, pass->error))
      return false;
    mt_rows block = {.n = n - first, .first = first};
    if (block.n > buffers->logit_rows)
      block.n = buffers->logit_rows;
    output_logits(pass, buffers->logits, buffers->x + first * d, block);
    for (size_t r = 0; r < block.n; r++) {
      const float *row = buffers->logits + r * vocab_size;
      logprobs[first + r] =
          row[targets[first + r]] - pass->ops->kernels->log_sum_exp(row, vocab_size);
    }
  }
  return true;
}
