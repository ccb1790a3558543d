/* mt-complexity.c — what layers cost: the paper's table 1, and the multiply-adds of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"

#include <math.h>
#include <mt/complexity.h>

mt_layer_complexity
mt_complexity(mt_layer_type type, const mt_layer_sizes *sizes)
{
  const double n = (double) sizes->n, d = (double) sizes->d, k = (double) sizes->k;
  const double r = sizes->r < sizes->n ? (double) sizes->r : n;
  switch (type) {
  case MT_LAYER_RECURRENT:
    return (mt_layer_complexity){n * d * d, n, n};
  case MT_LAYER_CONVOLUTIONAL:
    return (mt_layer_complexity){k * n * d * d, 1, log(n) / log(k)};
  case MT_LAYER_RESTRICTED:
    return (mt_layer_complexity){r * n * d, 1, n / r};
  default:
    return (mt_layer_complexity){n * n * d, 1, 1};
  }
}

const char *
mt_cost_name(mt_cost cost)
{
  static const char *const names[MT_N_COSTS] = {
      [MT_COST_ENCODER_PROJECTIONS] = "encoder_projections",
      [MT_COST_ENCODER_SCORES] = "encoder_scores",
      [MT_COST_ENCODER_FEED_FORWARD] = "encoder_feed_forward",
      [MT_COST_DECODER_PROJECTIONS] = "decoder_projections",
      [MT_COST_DECODER_SCORES] = "decoder_scores",
      [MT_COST_DECODER_FEED_FORWARD] = "decoder_feed_forward",
      [MT_COST_OUTPUT] = "output",
  };
  return names[cost];
}

/* Columns of the heads of a stack side by side: d_model, unless the model says something else. */
static uint64_t
inner_of(const mt_config *config, mt_stack stack)
{
  return config->d_head[stack] ? mt_inner(config, stack) : config->d_model;
}

mt_costs
mt_costs_count(const mt_config *config, size_t n_source, size_t n_target, mt_decoding decoding)
{
  const uint64_t n = n_source, m = n_target, d = config->d_model;
  const uint64_t encoder = config->n_layers[MT_STACK_ENCODER];
  const uint64_t decoder = config->n_layers[MT_STACK_DECODER];
  /* Pairs of masked self-attention; m (m + 1) / 2 = 1 + 2 + … + m, one step after the other. */
  const uint64_t own = decoding == MT_DECODING_STEPS ? m * (m + 1) / 2 : m * m;
  mt_costs costs;
  /* The heads' matrices side by side are [inner][d], whatever their number, and a pair of positions
   * costs d_head in each head, and so inner. */
  const uint64_t maps = config->feed_forward_kind == MT_FEED_FORWARD_GATED ? 3 : 2;
  const uint64_t e = inner_of(config, MT_STACK_ENCODER), i = inner_of(config, MT_STACK_DECODER);
  costs.of[MT_COST_ENCODER_PROJECTIONS] = encoder * 4 * n * d * e;
  costs.of[MT_COST_ENCODER_SCORES] = encoder * 2 * n * n * e;
  costs.of[MT_COST_ENCODER_FEED_FORWARD] = encoder * maps * n * d * config->d_ffn[MT_STACK_ENCODER];
  costs.of[MT_COST_DECODER_PROJECTIONS] = decoder * (6 * m + 2 * n) * d * i;
  costs.of[MT_COST_DECODER_SCORES] = decoder * 2 * (own + m * n) * i;
  costs.of[MT_COST_DECODER_FEED_FORWARD] = decoder * maps * m * d * config->d_ffn[MT_STACK_DECODER];
  costs.of[MT_COST_OUTPUT] = m * d * config->vocab_size[MT_STACK_DECODER];
  return costs;
}

uint64_t
mt_costs_sum(const mt_costs *costs)
{
  uint64_t sum = 0;
  for (int i = 0; i < MT_N_COSTS; i++)
    sum += costs->of[i];
  return sum;
}

/* Positions from 0 to `last` that are at most `window` from position i; window 0: all. */
static uint64_t
count_seen(uint64_t i, uint64_t last, uint64_t window)
{
  const uint64_t before = window && i > window ? window : i;
  const uint64_t behind = window && last - i > window ? window : last - i;
  return before + 1 + behind;
}

uint64_t
mt_costs_unmasked(const mt_config *config, size_t n_source, size_t n_target)
{
  const uint64_t n = n_source, m = n_target, window = config->attention_window;
  uint64_t encoder = 0, decoder = m * n;
  for (uint64_t i = 0; i < n; i++)
    encoder += count_seen(i, n - 1, window);
  for (uint64_t i = 0; i < m; i++)
    decoder += count_seen(i, i, window);
  return 2 * (inner_of(config, MT_STACK_ENCODER) * config->n_layers[MT_STACK_ENCODER] * encoder +
              inner_of(config, MT_STACK_DECODER) * config->n_layers[MT_STACK_DECODER] * decoder);
}
