/* mt-model-weights.c — the weights of a model, for those who look.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model.h"

#include <assert.h>

static const mt_layer_weights *
layer_of(const mt_model *model, mt_attention_kind kind, size_t layer)
{
  assert(layer < model->config.n_layers[mt_kind_stack(kind)]);
  return &model->stacks[mt_kind_stack(kind)].layers[layer];
}

static const mt_linear *
linear_of(const mt_model *model, mt_attention_kind kind, size_t layer, mt_map map)
{
  const mt_layer_weights *weights = layer_of(model, kind, layer);
  const mt_attention_weights *attention = kind == MT_CROSS ? &weights->cross : &weights->self;
  switch (map) {
  case MT_MAP_QUERY:
    return &attention->q;
  case MT_MAP_KEY:
    return &attention->k;
  case MT_MAP_VALUE:
    return &attention->v;
  default:
    return &attention->out;
  }
}

mt_matrix
mt_model_head_map(const mt_model *model, mt_attention_kind kind, size_t layer, size_t head,
                  mt_map map)
{
  const mt_linear *linear = linear_of(model, kind, layer, map);
  size_t d = model->config.d_model, d_head = d / model->config.n_heads[mt_kind_stack(kind)];
  assert(head * d_head < d);
  /* Heads are rows of what makes q, k and v, and columns of what puts them together again. */
  if (map == MT_MAP_OUTPUT)
    return (mt_matrix){linear->weight + head * d_head, d, d_head, d};
  return (mt_matrix){linear->weight + head * d_head * d, d_head, d, d};
}

const float *
mt_model_head_bias(const mt_model *model, mt_attention_kind kind, size_t layer, size_t head,
                   mt_map map)
{
  const mt_linear *linear = linear_of(model, kind, layer, map);
  size_t d_head = model->config.d_model / model->config.n_heads[mt_kind_stack(kind)];
  if (!linear->bias || map == MT_MAP_OUTPUT)
    return linear->bias;
  return linear->bias + head * d_head;
}

bool
mt_model_norm(const mt_model *model, mt_norm_place place, mt_attention_kind kind, size_t layer,
              const float **gain, const float **bias)
{
  const mt_stack_weights *stack = &model->stacks[mt_kind_stack(kind)];
  const mt_norm_weights *norm;
  switch (place) {
  case MT_NORM_ATTENTION:
    norm = kind == MT_CROSS ? &layer_of(model, kind, layer)->cross_norm
                            : &layer_of(model, kind, layer)->self_norm;
    break;
  case MT_NORM_FEED_FORWARD:
    norm = &layer_of(model, kind, layer)->ffn_norm;
    break;
  case MT_NORM_EMBEDDING:
    norm = &stack->embedding_norm;
    break;
  default:
    norm = &stack->final_norm;
  }
  *gain = norm->gain;
  *bias = norm->bias;
  return norm->gain != NULL;
}

mt_matrix
mt_model_feed_forward_map(const mt_model *model, mt_stack stack, size_t layer,
                          mt_feed_forward_map map, const float **bias)
{
  assert(layer < model->config.n_layers[stack]);
  const mt_ffn_weights *ffn = &model->stacks[stack].layers[layer].ffn;
  const mt_linear *linear = map == MT_MAP_HIDDEN ? &ffn->fc1 : &ffn->fc2;
  *bias = linear->bias;
  return (mt_matrix){linear->weight, linear->n_out, linear->n_in, linear->n_in};
}

mt_matrix
mt_model_embedding(const mt_model *model, mt_stack stack)
{
  size_t d = model->config.d_model;
  return (mt_matrix){model->stacks[stack].embedding, model->config.vocab_size[stack], d, d};
}

mt_matrix
mt_model_output_map(const mt_model *model, const float **bias)
{
  const mt_linear *output = &model->output;
  *bias = output->bias;
  return (mt_matrix){output->weight, output->n_out, output->n_in, output->n_in};
}
