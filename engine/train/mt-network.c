/* mt-network.c — the blocks of parameters and gradients, and the table of what lies where.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-network.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-layout.h"
#include "train/mt-network-layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers to which groups of tensors are aligned: a cache line of floats. */
#define GROUP_GRAIN 16

/* Fills in table and layout from the beginning of the block on; without a table it only counts. */
typedef struct {
  const mt_network_config *config;
  mt_parameter *table; /* NULL: count */
  size_t n_tensors, n_flat, n_parameters;
} placer;

static size_t
place(placer *p, const char *prefix, const char *name, mt_parameter_kind kind, size_t rows,
      size_t cols)
{
  size_t offset = p->n_flat, count = rows * cols;
  if (p->table) {
    mt_parameter *t = &p->table[p->n_tensors];
    *t = (mt_parameter){.kind = kind, .offset = offset, .count = count, .save_factor = 1};
    snprintf(t->name, sizeof t->name, "%s%s", prefix, name);
    bool is_vector = kind == MT_PARAMETER_BIAS || kind == MT_PARAMETER_GAIN;
    t->n_dims = is_vector && rows == 1 ? 1 : 2;
    t->shape[0] = t->n_dims == 1 ? cols : rows;
    t->shape[1] = t->n_dims == 1 ? 0 : cols;
  }
  p->n_tensors++;
  p->n_parameters += count;
  p->n_flat += count;
  return offset;
}

static void
begin_group(placer *p)
{
  p->n_flat = (p->n_flat + GROUP_GRAIN - 1) / GROUP_GRAIN * GROUP_GRAIN;
}

/* Several maps of one input, [n_out][n_in] each, as one matrix and one vector. gains[i]: of the
 * normal distribution, Glorot and Bengio 2010 with this factor. */
static mt_linear_at
place_linears(placer *p, const char *prefix, const mt_tensor_role *places, const double *gains,
              size_t n_maps, size_t n_out, size_t n_in, double save_factor)
{
  const mt_pair_name *names = mt_names_hugging_face.places;
  mt_linear_at at;
  begin_group(p);
  at.weight = p->n_flat;
  for (size_t i = 0; i < n_maps; i++) {
    place(p, prefix, names[places[i]].weight, MT_PARAMETER_MATRIX, n_out, n_in);
    if (p->table) {
      mt_parameter *t = &p->table[p->n_tensors - 1];
      t->init_deviation = gains[i] * sqrt(2 / ((double) n_out + (double) n_in));
      t->save_factor = save_factor;
    }
  }
  begin_group(p);
  at.bias = p->n_flat;
  for (size_t i = 0; i < n_maps; i++) {
    place(p, prefix, names[places[i]].bias, MT_PARAMETER_BIAS, 1, n_out);
    if (p->table)
      p->table[p->n_tensors - 1].save_factor = save_factor;
  }
  return at;
}

static mt_norm_at
place_norm(placer *p, const char *prefix, const mt_pair_name *name)
{
  mt_norm_at at;
  begin_group(p);
  at.gain = place(p, prefix, name->weight, MT_PARAMETER_GAIN, 1, p->config->d_model);
  begin_group(p);
  at.bias = place(p, prefix, name->bias, MT_PARAMETER_BIAS, 1, p->config->d_model);
  return at;
}

/* DeepNorm's b: the beginnings of values, outputs and feed-forward maps are that much smaller. */
static double
small_gain(const mt_network_config *c, mt_stack stack)
{
  if (c->init != MT_INIT_DEEPNORM)
    return 1;
  double n = (double) c->n_layers[MT_STACK_ENCODER], m = (double) c->n_layers[MT_STACK_DECODER];
  return stack == MT_STACK_ENCODER ? 0.87 * pow(n * n * n * n * m, -1.0 / 16) : pow(12 * m, -0.25);
}

static mt_layer_at
place_layer(placer *p, mt_stack stack, size_t l)
{
  const mt_network_config *c = p->config;
  const mt_names *names = &mt_names_hugging_face;
  size_t d = c->d_model;
  double b = small_gain(c, stack), factor = mt_network_residual_factor(c, stack);
  char prefix[64];
  snprintf(prefix, sizeof prefix, "%s%zu%s", names->layers[stack], l, names->after_number);
  mt_layer_at at = {0};
  begin_group(p);
  at.begin = p->n_flat;
  at.self_qkv =
      place_linears(p, prefix,
                    (mt_tensor_role[]){MT_TENSOR_SELF_Q, MT_TENSOR_SELF_K, MT_TENSOR_SELF_V},
                    (double[]){1, 1, b}, 3, d, d, 1);
  at.self_out = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_SELF_OUT}, (double[]){b}, 1,
                              d, d, factor);
  at.self_norm = place_norm(p, prefix, &names->places[MT_TENSOR_SELF_NORM]);
  if (stack == MT_STACK_DECODER) {
    at.cross_q =
        place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_Q}, (double[]){1}, 1, d, d, 1);
    at.cross_kv = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_K, MT_TENSOR_CROSS_V},
                                (double[]){1, b}, 2, d, d, 1);
    at.cross_out = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_OUT}, (double[]){b},
                                 1, d, d, factor);
    at.cross_norm = place_norm(p, prefix, &names->places[MT_TENSOR_CROSS_NORM]);
  }
  at.fc1 =
      place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_FC1}, (double[]){b}, 1, c->d_ffn, d, 1);
  at.fc2 = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_FC2}, (double[]){b}, 1, d,
                         c->d_ffn, factor);
  at.ffn_norm = place_norm(p, prefix, &names->places[MT_TENSOR_FFN_NORM]);
  begin_group(p);
  at.end = p->n_flat;
  return at;
}

/* [rows][d], of embeddings or positions. */
static size_t
place_table(placer *p, const char *name, size_t rows)
{
  size_t d = p->config->d_model;
  size_t offset = place(p, "", name, MT_PARAMETER_TABLE, rows, d);
  if (p->table)
    p->table[p->n_tensors - 1].init_deviation = 1 / sqrt((double) d);
  return offset;
}

/* layout->layers may be NULL while counting. */
static void
place_all(placer *p, mt_network_layout *layout)
{
  const mt_network_config *c = p->config;
  const mt_names *names = &mt_names_hugging_face;
  layout->embedding = place_table(p, names->shared, c->vocab_size);
  for (int s = 0; s < MT_N_STACKS && c->learned_positions; s++) {
    begin_group(p);
    layout->positions[s] = place_table(p, names->positions[s], c->max_positions);
  }
  begin_group(p);
  layout->first_end = p->n_flat;
  for (int s = 0; s < MT_N_STACKS; s++) {
    for (size_t l = 0; l < c->n_layers[s]; l++) {
      mt_layer_at at = place_layer(p, s, l);
      if (p->table)
        layout->layers[s][l] = at;
    }
    layout->final_begin[s] = p->n_flat;
    if (c->normalize_before)
      layout->final_norm[s] = place_norm(p, names->stacks[s], &names->final_norm);
    begin_group(p);
    if (s == MT_STACK_DECODER) {
      layout->output = layout->embedding;
      if (c->untied_output) {
        layout->output = place_table(p, names->output, c->vocab_size);
        begin_group(p);
      }
      layout->output_bias = place(p, "", names->output_bias, MT_PARAMETER_BIAS, 1, c->vocab_size);
      if (p->table) {
        mt_parameter *t = &p->table[p->n_tensors - 1];
        t->n_dims = 2;
        t->shape[0] = 1;
        t->shape[1] = c->vocab_size;
      }
      begin_group(p);
    }
    layout->final_end[s] = p->n_flat;
  }
}

/* The bounds of mt_network_config_check keep a layer below 2^39 numbers, and with 128 layers the
 * whole below 2^47: sums and products above cannot overflow. */
static bool
allocate(mt_network *network, mt_network_layout *layout)
{
  const mt_network_config *c = &network->config;
  placer count = {.config = c};
  place_all(&count, layout);
  network->n_flat = count.n_flat;
  network->n_parameters = count.n_parameters;
  network->n_tensors = count.n_tensors;
  network->table = mt_alloc(count.n_tensors, sizeof *network->table);
  network->parameters = mt_alloc_aligned(count.n_flat, sizeof *network->parameters);
  network->gradients = mt_alloc_aligned(count.n_flat, sizeof *network->gradients);
  for (int s = 0; s < MT_N_STACKS; s++)
    layout->layers[s] = mt_alloc(c->n_layers[s], sizeof *layout->layers[s]);
  if (!network->table || !network->parameters || !network->gradients || !layout->layers[0] ||
      !layout->layers[1])
    return false;
  placer fill = {.config = c, .table = network->table};
  place_all(&fill, layout);
  return true;
}

mt_network *
mt_network_new(const mt_network_config *config, mt_error *error)
{
  if (!mt_network_config_check(config, error))
    return NULL;
  mt_network *network = mt_alloc(1, sizeof *network);
  mt_network_layout *layout = mt_alloc(1, sizeof *layout);
  if (network) {
    network->config = *config;
    network->layout = layout;
  } else {
    mt_free(layout);
  }
  if (!network || !layout || !allocate(network, layout)) {
    mt_network_free(network);
    mt_fail_no_memory(error);
    return NULL;
  }
  return network;
}

void
mt_network_free(mt_network *network)
{
  if (!network)
    return;
  if (network->layout)
    for (int s = 0; s < MT_N_STACKS; s++)
      mt_free(network->layout->layers[s]);
  mt_free(network->layout);
  mt_free(network->table);
  mt_free(network->parameters);
  mt_free(network->gradients);
  mt_free(network);
}

bool
mt_network_hold_pad(const mt_network *network, mt_real *block)
{
  const mt_network_config *c = &network->config;
  if (!c->zero_pad)
    return false;
  mt_real *row = block + network->layout->embedding + (size_t) c->pad_id * c->d_model;
  bool held = false;
  for (size_t i = 0; i < c->d_model; i++) {
    held = held || row[i] != 0;
    row[i] = 0;
  }
  return held;
}

const mt_parameter *
mt_network_find_not_finite(const mt_network *network, const mt_real *block)
{
  for (size_t i = 0; i < network->n_tensors; i++) {
    const mt_parameter *t = &network->table[i];
    /* 0 * x is NaN for what is not finite, and a sum keeps NaN: no branch inside. */
    mt_real sum = 0;
    for (size_t k = 0; k < t->count; k++)
      sum += 0 * block[t->offset + k];
    if (!(sum == 0))
      return t;
  }
  return NULL;
}
