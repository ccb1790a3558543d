/* mt-network.c — the network that is trained: its shape, its blocks of parameters and gradients,
 * and the numbers it begins with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-network.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "model/mt-config.h"
#include "model/mt-layout.h"
#include "model/mt-model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The shape ------------------------------------------------------------------------------- */

/* The shape of a network that is trained: defaults, bounds, a given model's. */

#define MAX_R_DROP 1000

mt_network_config
mt_network_config_default(void)
{
  return (mt_network_config){
      .d_model = 256,
      .n_layers = {6, 6},
      .n_heads = 8,
      .d_ffn = 1024,
      .max_positions = 512,
      .activation = MT_ACTIVATION_RELU,
      .dropout = 0.1,
      .label_smoothing = 0.1,
      .init = MT_INIT_DEEPNORM,
  };
}

static bool
check_size(const char *name, size_t value, size_t min, size_t max, mt_error *error)
{
  if (value >= min && value <= max)
    return true;
  return mt_fail(error, MT_ERROR_INPUT, "Network: expected %s between %zu and %zu, found %zu.",
                 name, min, max, value);
}

static bool
check_share(const char *name, double value, mt_error *error)
{
  /* Written so that NaN is refused. */
  if (value >= 0 && value < 1)
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "Network: expected %s of at least 0 and less than 1, found %g.", name, value);
}

/* Two passes without dropout are the same pass. */
static bool
check_r_drop(const mt_network_config *c, mt_error *error)
{
  if (!(c->r_drop >= 0 && c->r_drop <= MAX_R_DROP))
    return mt_fail(error, MT_ERROR_INPUT, "Network: expected an R-Drop of 0 to %d, found %g.",
                   MAX_R_DROP, c->r_drop);
  if (c->r_drop > 0 && c->dropout <= 0 && c->activation_dropout <= 0)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected dropout where there is R-Drop, found 0.");
  return true;
}

/* MT_ERROR_INPUT with a sentence that names the field, its bounds and what was found. */
static bool
check_config(const mt_network_config *c, mt_error *error)
{
  if (!check_size("d_model", c->d_model, 1, MT_CONFIG_MAX_D, error) ||
      !check_size("encoder layers", c->n_layers[MT_STACK_ENCODER], 1, MT_NETWORK_MAX_LAYERS,
                  error) ||
      !check_size("decoder layers", c->n_layers[MT_STACK_DECODER], 1, MT_NETWORK_MAX_LAYERS,
                  error) ||
      !check_size("heads", c->n_heads, 1, c->d_model, error) ||
      !check_size("width of the feed-forward network", c->d_ffn, 1, MT_CONFIG_MAX_FFN, error) ||
      !check_size("vocabulary size", c->vocab_size, 2, MT_CONFIG_MAX_VOCAB, error) ||
      !check_size("positions", c->max_positions, 1, MT_CONFIG_MAX_POSITIONS, error) ||
      !check_size("attention window", c->attention_window, 0, MT_CONFIG_MAX_POSITIONS, error) ||
      !check_share("dropout", c->dropout, error) ||
      !check_share("activation dropout", c->activation_dropout, error) ||
      !check_share("label smoothing", c->label_smoothing, error) || !check_r_drop(c, error))
    return false;
  if (c->d_model % c->n_heads)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected heads that divide d_model %zu, found %zu heads.", c->d_model,
                   c->n_heads);
  if (!c->learned_positions && c->d_model % 2)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected an even d_model for sinusoidal positions, found %zu.",
                   c->d_model);
  if (c->max_positions > MT_CONFIG_MAX_TABLE / c->d_model)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected positions times d_model of at most %d, found %zu times %zu.",
                   MT_CONFIG_MAX_TABLE, c->max_positions, c->d_model);
  if (c->activation != MT_ACTIVATION_RELU && c->activation != MT_ACTIVATION_SILU &&
      c->activation != MT_ACTIVATION_GELU)
    return mt_fail(error, MT_ERROR_INPUT, "Network: expected a known activation, found number %d.",
                   (int) c->activation);
  if (c->zero_pad && (c->pad_id < 0 || (size_t) c->pad_id >= c->vocab_size))
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected an id of <pad> from 0 to %zu, found %d.", c->vocab_size - 1,
                   (int) c->pad_id);
  if (c->init != MT_INIT_XAVIER && c->init != MT_INIT_DEEPNORM)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected a known initialisation, found number %d.", (int) c->init);
  if (c->init == MT_INIT_DEEPNORM && c->normalize_before)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected DeepNorm with post-norm layers, found pre-norm ones.");
  return true;
}

static bool
refuse(const mt_model *model, const char *expected, const char *found, mt_error *error)
{
  return mt_fail(error, MT_ERROR_UNSUPPORTED, "%s: expected %s to train it further, found %s.",
                 mt_model_name(model), expected, found);
}

bool
mt_network_config_of_model(mt_network_config *config, const mt_model *model, mt_error *error)
{
  const mt_config *c = mt_model_config(model);
  if (!c->share_embeddings || c->vocab_size[0] != c->vocab_size[1])
    return refuse(model, "one embedding for source and target", "two", error);
  if (c->norm_kind != MT_NORM_LAYER || c->feed_forward_kind != MT_FEED_FORWARD_PLAIN)
    return refuse(model, "layer norms and plain feed-forward networks", "another kind", error);
  if (c->normalize_embedding)
    return refuse(model, "no norm after the embedding", "one", error);
  if (c->add_final_layer_norm != c->normalize_before)
    return refuse(model, "a norm at the end of each stack in pre-norm models and in no others",
                  c->normalize_before ? "pre-norm layers without it" : "post-norm layers with it",
                  error);
  if (c->n_heads[0] != c->n_heads[1])
    return refuse(model, "as many heads in the encoder as in the decoder", "different numbers",
                  error);
  for (int s = 0; s < MT_N_STACKS; s++)
    if (c->n_heads[s] * c->d_head[s] != c->d_model ||
        c->score_divisor[s] != sqrt((double) c->d_head[s]))
      return refuse(model, "heads of d_model / heads columns, and scores over the root of that",
                    "others", error);
  if (c->d_ffn[0] != c->d_ffn[1])
    return refuse(model, "feed-forward networks of one width", "two widths", error);
  if (c->position_kind != MT_POSITIONS_SINUSOIDAL_HALVES &&
      c->position_kind != MT_POSITIONS_LEARNED)
    return refuse(model, "positions with all sines first, or learned ones",
                  c->position_kind == MT_POSITIONS_SINUSOIDAL_INTERLEAVED
                      ? "sines and cosines that alternate"
                      : "others",
                  error);
  if (c->output_scale != 1)
    return refuse(model, "an output that is not scaled", "one that is", error);
  if (!c->scale_embedding)
    return refuse(model, "embeddings scaled by the root of d_model", "unscaled ones", error);
  mt_network_config n = mt_network_config_default();
  n.d_model = c->d_model;
  for (int s = 0; s < MT_N_STACKS; s++)
    n.n_layers[s] = c->n_layers[s];
  n.n_heads = c->n_heads[0];
  n.d_ffn = c->d_ffn[0];
  n.vocab_size = c->vocab_size[0];
  n.max_positions = c->max_positions;
  n.activation = c->activation;
  n.normalize_before = c->normalize_before;
  n.attention_window = c->attention_window;
  n.untied_output = !c->tie_word_embeddings;
  n.learned_positions = c->position_kind == MT_POSITIONS_LEARNED;
  n.init = c->normalize_before ? MT_INIT_XAVIER : MT_INIT_DEEPNORM;
  if (!check_config(&n, error))
    return false;
  *config = n;
  return true;
}

double
mt_network_residual_factor(const mt_network_config *config, mt_stack stack)
{
  if (config->init != MT_INIT_DEEPNORM)
    return 1;
  double n = (double) config->n_layers[MT_STACK_ENCODER];
  double m = (double) config->n_layers[MT_STACK_DECODER];
  double a = stack == MT_STACK_ENCODER ? 0.81 * pow(n * n * n * n * m, 1.0 / 16) : pow(3 * m, 0.25);
  return 1 / a;
}

/* ---- Blocks of parameters and gradients ------------------------------------------------------ */

/* The blocks of parameters and gradients, and the table of what lies where. */

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
  const mt_pair_name *names = mt_names_hugging_face.places[0]; /* as in the other stack */
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
  at.self_norm = place_norm(p, prefix, &names->places[stack][MT_TENSOR_SELF_NORM]);
  if (stack == MT_STACK_DECODER) {
    at.cross_q =
        place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_Q}, (double[]){1}, 1, d, d, 1);
    at.cross_kv = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_K, MT_TENSOR_CROSS_V},
                                (double[]){1, b}, 2, d, d, 1);
    at.cross_out = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_CROSS_OUT}, (double[]){b},
                                 1, d, d, factor);
    at.cross_norm = place_norm(p, prefix, &names->places[stack][MT_TENSOR_CROSS_NORM]);
  }
  at.fc1 =
      place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_FC1}, (double[]){b}, 1, c->d_ffn, d, 1);
  at.fc2 = place_linears(p, prefix, (mt_tensor_role[]){MT_TENSOR_FC2}, (double[]){b}, 1, d,
                         c->d_ffn, factor);
  at.ffn_norm = place_norm(p, prefix, &names->places[stack][MT_TENSOR_FFN_NORM]);
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

/* The bounds of check_config keep a layer below 2^39 numbers, and with 128 layers the
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
  if (!check_config(config, error))
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

/* ---- Initial numbers ------------------------------------------------------------------------- */

/* The numbers that training begins with.
 *
 * Glorot and Bengio 2010: a normal distribution of variance 2 / (n_in + n_out) keeps the size of
 * what goes forward and of gradients; DeepNorm (Wang et al. 2022) makes some of them smaller, which
 * stands in init_deviation. Biases begin at 0, gains of norms at 1. */

/* In (0, 1). */
static double
uniform(uint64_t *state)
{
  return ((double) (mt_mix_next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Two independent normal numbers, Box and Muller 1958. */
static void
normal_pair(uint64_t *state, double pair[2])
{
  double radius = sqrt(-2 * log(uniform(state))), angle = 2 * acos(-1) * uniform(state);
  pair[0] = radius * cos(angle);
  pair[1] = radius * sin(angle);
}

void
mt_network_init(mt_network *network, uint64_t seed)
{
  uint64_t state = seed;
  memset(network->parameters, 0, network->n_flat * sizeof *network->parameters);
  memset(network->gradients, 0, network->n_flat * sizeof *network->gradients);
  for (size_t i = 0; i < network->n_tensors; i++) {
    const mt_parameter *t = &network->table[i];
    mt_real *p = network->parameters + t->offset;
    if (t->init_deviation == 0) {
      for (size_t k = 0; k < t->count; k++)
        p[k] = t->kind == MT_PARAMETER_GAIN ? 1 : 0;
      continue;
    }
    for (size_t k = 0; k < t->count; k += 2) {
      double pair[2];
      normal_pair(&state, pair);
      p[k] = (mt_real) (pair[0] * t->init_deviation);
      if (k + 1 < t->count)
        p[k + 1] = (mt_real) (pair[1] * t->init_deviation);
    }
  }
  mt_network_hold_pad(network, network->parameters);
}

/* ---- Numbers of a checkpoint ----------------------------------------------------------------- */

/* The numbers of a checkpoint, to train on from there, and back.
 *
 * Under DeepNorm the file has W / a where the network has W (see mt_parameter.save_factor). */

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
  fill(network, at.weight + i * from->n_out * from->n_in, mt_linear_floats(from));
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
  fill(network, layout->embedding, mt_embedding_floats(&model->stacks[MT_STACK_ENCODER]));
  if (c->untied_output)
    fill(network, layout->output, mt_linear_floats(&model->output));
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
