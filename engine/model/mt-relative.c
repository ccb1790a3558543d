/* mt-relative.c — relative positions, as T5 has them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-relative.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-kinds.h"
#include "kernels/mt-ops.h"

#include <assert.h>
#include <math.h>

/* ---- Buckets --------------------------------------------------------------------------------- */

size_t
mt_relative_bucket(const mt_config *config, mt_stack stack, long distance)
{
  /* In an encoder half of the buckets are for keys behind the query; in a decoder those are not
   * seen. */
  const bool both = stack == MT_STACK_ENCODER;
  const size_t n = both ? config->n_buckets / 2 : config->n_buckets, exact = n / 2;
  const size_t first = both && distance > 0 ? n : 0;
  const unsigned long away = distance < 0 ? 0ul - (unsigned long) distance
                             : both       ? (unsigned long) distance
                                          : 0;
  if (away < exact)
    return first + away;
  /* The others grow by a factor, up to the distance from which all are the last one. */
  const double share =
      log((double) away / (double) exact) / log((double) config->max_distance / (double) exact);
  const size_t bucket = exact + (size_t) (share * (double) (n - exact));
  return first + (bucket < n ? bucket : n - 1);
}

/* ---- By distance ----------------------------------------------------------------------------- */

/* Distances from -(N - 1) to N - 1. */
static size_t
n_distances(const mt_config *config)
{
  return 2 * config->max_positions - 1;
}

/* Numbers of one table in both of its orders, of a stack. */
static size_t
table_size(const mt_config *config, mt_stack stack)
{
  return 2 * n_distances(config) * config->n_heads[stack];
}

static void
unroll(const mt_config *config, mt_stack stack, const float *table, float *by_distance,
       float *by_head)
{
  const size_t n = n_distances(config), n_heads = config->n_heads[stack];
  for (size_t i = 0; i < n; i++) {
    const long distance = (long) i - (long) (config->max_positions - 1);
    const float *row = table + mt_relative_bucket(config, stack, distance) * n_heads;
    for (size_t h = 0; h < n_heads; h++)
      by_distance[i * n_heads + h] = by_head[h * n + i] = row[h];
  }
}

bool
mt_relative_unroll(mt_model *model, float **block, mt_error *error)
{
  const mt_config *config = &model->config;
  size_t size = 0;
  *block = NULL;
  if (config->position_kind != MT_POSITIONS_RELATIVE)
    return true;
  /* No sum overflows: mt_kinds_check has limits. */
  for (mt_stack s = 0; s < MT_N_STACKS; s++)
    size += table_size(config, s) * (config->bias_each_layer ? config->n_layers[s] : 1);
  float *next = *block = mt_alloc(size, sizeof **block);
  if (!next)
    return mt_fail_no_memory(error);
  for (mt_stack s = 0; s < MT_N_STACKS; s++)
    for (size_t l = 0; l < config->n_layers[s]; l++) {
      mt_layer_weights *layer = &model->stacks[s].layers[l];
      if (l > 0 && !config->bias_each_layer) {
        layer->relative = layer[-1].relative;
        layer->by_distance = layer[-1].by_distance;
        layer->by_head = layer[-1].by_head;
        continue;
      }
      float *by_head = next + table_size(config, s) / 2;
      unroll(config, s, layer->relative, next, by_head);
      layer->by_distance = next;
      layer->by_head = by_head;
      next += table_size(config, s);
    }
  return true;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

void
mt_relative_add(const mt_model *model, mt_stack stack, const mt_layer_weights *layer, size_t head,
                size_t query, size_t n, float *scores)
{
  const mt_config *config = &model->config;
  assert(query < config->max_positions && n <= config->max_positions);
  const float *row = layer->by_head + head * n_distances(config);
  mt_ops_add(scores, row + config->max_positions - 1 - query, n);
}

float
mt_relative_at(const mt_model *model, mt_stack stack, const mt_layer_weights *layer, size_t head,
               long distance)
{
  const size_t bucket = mt_relative_bucket(&model->config, stack, distance);
  return layer->relative[bucket * model->config.n_heads[stack] + head];
}

void
mt_relative_add_block(const mt_model *model, mt_stack stack, const mt_layer_weights *layer,
                      size_t first, size_t n_heads, size_t n_keys, float *scores)
{
  const mt_config *config = &model->config;
  const size_t stride = config->n_heads[stack];
  assert(n_keys <= config->max_positions);
  const float *rows = layer->by_distance + (config->max_positions - n_keys) * stride + first;
  if (n_heads == stride)
    mt_ops_add(scores, rows, n_keys * n_heads);
  else
    for (size_t i = 0; i < n_keys; i++)
      mt_ops_add(scores + i * n_heads, rows + i * stride, n_heads);
}

/* ---- For those who look ---------------------------------------------------------------------- */

mt_matrix
mt_model_relative_table(const mt_model *model, mt_stack stack, size_t layer)
{
  const mt_config *config = &model->config;
  assert(layer < config->n_layers[stack]);
  const size_t n_heads = config->n_heads[stack];
  const float *table = model->stacks[stack].layers[layer].relative;
  return table ? (mt_matrix){table, config->n_buckets, n_heads, n_heads} : (mt_matrix){0};
}

float
mt_model_score_bias(const mt_model *model, mt_attention_kind kind, size_t layer, size_t head,
                    long distance)
{
  const mt_stack stack = mt_kind_stack(kind);
  assert(layer < model->config.n_layers[stack] && head < model->config.n_heads[stack]);
  if (!mt_scores_have_bias(&model->config, kind))
    return 0;
  return mt_relative_at(model, stack, &model->stacks[stack].layers[layer], head, distance);
}
