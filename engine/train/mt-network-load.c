/* mt-network-load.c — the numbers of a checkpoint, to train on from there, and back.
 *
 * Under DeepNorm the file has W / a where the network has W (see mt_parameter.save_factor).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "model/mt-model.h"
#include "train/mt-network-layout.h"

#include <string.h>

/* The tensor at an offset: the table is sorted by it. */
static const mt_parameter *
tensor_at(const mt_network *network, size_t offset)
{
  size_t low = 0, high = network->n_tensors;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (network->table[middle].offset <= offset)
      low = middle;
    else
      high = middle;
  }
  return &network->table[low];
}

/* from: NULL leaves zeros. */
static void
fill(mt_network *network, size_t offset, const float *from)
{
  const mt_parameter *t = tensor_at(network, offset);
  mt_real *to = network->parameters + offset;
  mt_real factor = (mt_real) (1 / t->save_factor);
  for (size_t i = 0; from && i < t->count; i++)
    to[i] = (mt_real) from[i] * factor;
}

/* Map i of several that stand together. */
static void
fill_linear(mt_network *network, mt_linear_at at, size_t i, const mt_linear *from)
{
  fill(network, at.weight + i * from->n_out * from->n_in, from->weight);
  fill(network, at.bias + i * from->n_out, from->bias);
}

static void
fill_norm(mt_network *network, mt_norm_at at, const mt_norm_weights *from)
{
  fill(network, at.gain, from->gain);
  fill(network, at.bias, from->bias);
}

static void
fill_layer(mt_network *network, mt_stack stack, const mt_layer_at *at, const mt_layer_weights *from)
{
  const mt_linear *self[] = {&from->self.q, &from->self.k, &from->self.v};
  const mt_linear *cross[] = {&from->cross.k, &from->cross.v};
  for (size_t i = 0; i < 3; i++)
    fill_linear(network, at->self_qkv, i, self[i]);
  fill_linear(network, at->self_out, 0, &from->self.out);
  fill_norm(network, at->self_norm, &from->self_norm);
  if (stack == MT_STACK_DECODER) {
    fill_linear(network, at->cross_q, 0, &from->cross.q);
    for (size_t i = 0; i < 2; i++)
      fill_linear(network, at->cross_kv, i, cross[i]);
    fill_linear(network, at->cross_out, 0, &from->cross.out);
    fill_norm(network, at->cross_norm, &from->cross_norm);
  }
  fill_linear(network, at->fc1, 0, &from->ffn.fc1);
  fill_linear(network, at->fc2, 0, &from->ffn.fc2);
  fill_norm(network, at->ffn_norm, &from->ffn_norm);
}

static bool
check_same(const mt_model *model, const char *what, size_t expected, size_t found, mt_error *error)
{
  if (expected == found)
    return true;
  return mt_fail(error, MT_ERROR_INPUT, "%s: expected %s %zu as the network has, found %zu.",
                 mt_model_name(model), what, expected, found);
}

static bool
check_shape(const mt_network_config *n, const mt_model *model, mt_error *error)
{
  mt_network_config m;
  return mt_network_config_of_model(&m, model, error) &&
         check_same(model, "d_model", n->d_model, m.d_model, error) &&
         check_same(model, "encoder layers", n->n_layers[0], m.n_layers[0], error) &&
         check_same(model, "decoder layers", n->n_layers[1], m.n_layers[1], error) &&
         check_same(model, "heads", n->n_heads, m.n_heads, error) &&
         check_same(model, "d_ffn", n->d_ffn, m.d_ffn, error) &&
         check_same(model, "vocabulary size", n->vocab_size, m.vocab_size, error) &&
         check_same(model, "positions", n->max_positions, m.max_positions, error) &&
         check_same(model, "activation number", n->activation, m.activation, error) &&
         check_same(model, "pre-norm", n->normalize_before, m.normalize_before, error) &&
         check_same(model, "untied output", n->untied_output, m.untied_output, error) &&
         check_same(model, "learned positions", n->learned_positions, m.learned_positions, error);
}

bool
mt_network_load(mt_network *network, const mt_model *model, mt_error *error)
{
  const mt_network_config *c = &network->config;
  const mt_network_layout *layout = network->layout;
  if (!check_shape(c, model, error))
    return false;
  memset(network->parameters, 0, network->n_flat * sizeof *network->parameters);
  memset(network->gradients, 0, network->n_flat * sizeof *network->gradients);
  fill(network, layout->embedding, model->stacks[MT_STACK_ENCODER].embedding);
  if (c->untied_output)
    fill(network, layout->output, model->output.weight);
  fill(network, layout->output_bias, model->output.bias);
  for (int s = 0; s < MT_N_STACKS; s++) {
    const mt_stack_weights *from = &model->stacks[s];
    if (c->learned_positions)
      fill(network, layout->positions[s], from->positions);
    for (size_t l = 0; l < c->n_layers[s]; l++)
      fill_layer(network, s, &layout->layers[s][l], &from->layers[l]);
    if (c->normalize_before)
      fill_norm(network, layout->final_norm[s], &from->final_norm);
  }
  return mt_model_check_files(model, error);
}

void
mt_network_export(const mt_network *network, const mt_parameter *parameter, const mt_real *from,
                  float *out)
{
  mt_real factor = (mt_real) parameter->save_factor;
  for (size_t i = 0; i < parameter->count; i++)
    out[i] = (float) (from[parameter->offset + i] * factor);
}
