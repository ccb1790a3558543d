/* toy-model.c — small models with random weights, made in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy-model.h"

#include "model/mt-int8-copy.h"

#include "kernels/mt-kinds.h"
#include "model/mt-relative.h"

#include <glib.h>
#include <math.h>

/* The model first, so that a pointer to it is a pointer to this. */
typedef struct {
  mt_model own;
  mt_model *model;    /* that is filled: its own, or one that was opened */
  GPtrArray *tensors; /* NULL: all go … */
  float *block;       /* … in here */
  size_t n_used;
  uint32_t random;
} toy_model;

#define BLOCK ((size_t) 1 << 20) /* numbers */

float
toy_random(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (float) (*state >> 8) / 8388608.0f - 1;
}

static float *
random_tensor(toy_model *toy, size_t n, float scale, float offset)
{
  float *tensor = toy->block ? toy->block + toy->n_used : g_new(float, n);
  for (size_t i = 0; i < n; i++)
    tensor[i] = offset + scale * toy_random(&toy->random);
  if (toy->tensors)
    g_ptr_array_add(toy->tensors, tensor);
  toy->n_used += n;
  g_assert_true(!toy->block || toy->n_used <= BLOCK);
  return tensor;
}

static mt_linear
random_linear(toy_model *toy, const toy_spec *spec, size_t n_out, size_t n_in)
{
  return (mt_linear){
      .weight = random_tensor(toy, n_out * n_in, 2 / sqrtf((float) n_in), 0),
      .bias = spec->has_no_bias ? NULL : random_tensor(toy, n_out, 0.1f, 0),
      .n_out = n_out,
      .n_in = n_in,
  };
}

static mt_norm_weights
random_norm(toy_model *toy, const toy_spec *spec)
{
  const size_t d = spec->d_model;
  return (mt_norm_weights){random_tensor(toy, d, 0.3f, 1),
                           spec->norm_kind == MT_NORM_RMS ? NULL : random_tensor(toy, d, 0.1f, 0)};
}

/* Of a stack's heads. */
static mt_attention_weights
random_attention(toy_model *toy, const toy_spec *spec, int stack)
{
  const size_t d = spec->d_model;
  const size_t inner = spec->d_head[stack] ? spec->d_head[stack] * spec->n_heads : d;
  return (
      mt_attention_weights){random_linear(toy, spec, inner, d), random_linear(toy, spec, inner, d),
                            random_linear(toy, spec, inner, d), random_linear(toy, spec, d, inner)};
}

static mt_layer_weights
random_layer(toy_model *toy, const toy_spec *spec, int stack)
{
  size_t d = spec->d_model;
  mt_layer_weights layer = {
      .self = random_attention(toy, spec, stack),
      .self_norm = random_norm(toy, spec),
      .ffn = {.fc1 = random_linear(toy, spec, spec->d_ffn, d),
              .fc2 = random_linear(toy, spec, d, spec->d_ffn)},
      .ffn_norm = random_norm(toy, spec),
  };
  if (spec->feed_forward_kind == MT_FEED_FORWARD_GATED)
    layer.ffn.gate = random_linear(toy, spec, spec->d_ffn, d);
  if (stack == MT_STACK_DECODER) {
    layer.cross = random_attention(toy, spec, stack);
    layer.cross_norm = random_norm(toy, spec);
  }
  return layer;
}

toy_spec
toy_spec_default(void)
{
  return (toy_spec){
      .d_model = 32,
      .d_ffn = 48,
      .n_heads = 4,
      .n_layers = 2,
      .vocab_size = 41,
      .max_positions = 64,
      .seed = 1,
  };
}

toy_spec
toy_spec_like_t5(void)
{
  toy_spec spec = toy_spec_default();
  spec.d_head[MT_STACK_ENCODER] = 10;
  spec.d_head[MT_STACK_DECODER] = 5;
  spec.d_ffn = 37;
  spec.activation = MT_ACTIVATION_GELU_TANH;
  spec.position_kind = MT_POSITIONS_RELATIVE;
  spec.norm_kind = MT_NORM_RMS;
  spec.feed_forward_kind = MT_FEED_FORWARD_GATED;
  spec.score_divisor = 1;
  spec.output_scale = 0.2f;
  spec.has_no_bias = spec.normalize_before = spec.add_final_layer_norm = true;
  return spec;
}

/* Tables of biases, large enough to matter beside scores. Returns what they point into. */
static float *
add_relative(toy_model *toy, const toy_spec *spec)
{
  mt_model *model = toy->model;
  mt_error error = {0};
  float *block;
  model->config.n_buckets = 8;
  model->config.max_distance = 20;
  for (int s = 0; s < MT_N_STACKS; s++)
    for (size_t l = 0; l < spec->n_layers; l++)
      if (l == 0 || spec->bias_each_layer)
        model->stacks[s].layers[l].relative = random_tensor(toy, 8 * spec->n_heads, 2, 0);
  g_assert_true(mt_kinds_check(&model->config, "toy", &error));
  g_assert_true(mt_relative_unroll(model, &block, &error));
  return block;
}

/* What is computed, and nothing of words. */
static void
set_numbers(mt_config *config, const toy_spec *spec)
{
  config->d_model = spec->d_model;
  config->max_positions = spec->max_positions;
  config->activation = spec->activation;
  config->position_kind = spec->position_kind;
  config->norm_kind = spec->norm_kind;
  config->norm_epsilon = 0;
  config->feed_forward_kind = spec->feed_forward_kind;
  config->output_scale = spec->output_scale;
  config->bias_each_layer = spec->bias_each_layer;
  config->scale_embedding = true;
  config->normalize_before = spec->normalize_before;
  config->normalize_embedding = spec->normalize_embedding;
  config->add_final_layer_norm = spec->add_final_layer_norm;
  for (int s = 0; s < MT_N_STACKS; s++) {
    config->n_layers[s] = spec->n_layers;
    config->n_heads[s] = spec->n_heads;
    config->d_ffn[s] = spec->d_ffn;
    config->d_head[s] = spec->d_head[s];
    config->score_divisor[s] = spec->score_divisor;
    config->vocab_size[s] = spec->vocab_size;
  }
  mt_kinds_set_defaults(config);
}

static void
fill(toy_model *toy, const toy_spec *spec)
{
  mt_model *model = toy->model;
  const size_t d = spec->d_model;
  toy->random = spec->seed;
  set_numbers(&model->config, spec);
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_stack_weights *stack = &model->stacks[s];
    *stack = (mt_stack_weights){
        .embedding = random_tensor(toy, spec->vocab_size * d, 1 / sqrtf((float) d), 0)};
    if (mt_positions_are_added(spec->position_kind)) {
      float *positions = random_tensor(toy, spec->max_positions * d, 1, 0);
      if (spec->position_kind != MT_POSITIONS_LEARNED)
        mt_positions_sinusoidal(positions, spec->max_positions, d, spec->position_kind);
      stack->positions = positions;
    }
    if (spec->normalize_embedding)
      stack->embedding_norm = random_norm(toy, spec);
    if (spec->add_final_layer_norm)
      stack->final_norm = random_norm(toy, spec);
    stack->layers = g_new0(mt_layer_weights, spec->n_layers);
    for (size_t i = 0; i < spec->n_layers; i++)
      stack->layers[i] = random_layer(toy, spec, s);
  }
  model->output = random_linear(toy, spec, spec->vocab_size, d);
}

mt_model *
toy_model_new(const toy_spec *spec)
{
  toy_model *toy = g_new0(toy_model, 1);
  toy->tensors = g_ptr_array_new_with_free_func(g_free);
  mt_model *model = toy->model = &toy->own;
  model->ref_count = 1;
  model->directory = g_strdup("toy");
  model->name = g_strdup("toy");
  model->config = (mt_config){
      .pad_id = (int32_t) spec->vocab_size - 1,
      .eos_id = 0,
      .bos_id = 0,
      .unk_id = 1,
      .decoder_start_id = (int32_t) spec->vocab_size - 1,
      .forced_eos_id = 0,
      .forced_bos_id = -1,
      .num_beams = 1,
      .max_length = 24,
      .length_penalty = 1,
      .source_lang = "",
      .target_lang = "",
  };
  fill(toy, spec);
  if (spec->position_kind == MT_POSITIONS_RELATIVE)
    g_ptr_array_add(toy->tensors, add_relative(toy, spec));
  return model;
}

void
toy_model_replace(mt_model *model, toy_spec spec)
{
  toy_model toy = {.model = model, .block = g_new(float, BLOCK)};
  mt_storage *storage = model->storage;
  spec.vocab_size = model->config.vocab_size[MT_STACK_DECODER];
  g_assert_cmpuint(spec.vocab_size, ==, model->config.vocab_size[MT_STACK_ENCODER]);
  for (int s = 0; s < MT_N_STACKS; s++)
    g_free(model->stacks[s].layers);
  g_free(storage->converted);
  g_free(storage->positions);
  storage->positions = NULL;
  storage->converted = toy.block;
  fill(&toy, &spec);
  if (spec.position_kind == MT_POSITIONS_RELATIVE)
    storage->relative = add_relative(&toy, &spec);
}

void
toy_model_free(mt_model *model)
{
  g_autofree toy_model *toy = (toy_model *) model;
  g_assert_true(model == &toy->own);
  g_assert_cmpint(model->ref_count, ==, 1);
  mt_int8_copy_clear(model);
  for (int s = 0; s < MT_N_STACKS; s++)
    g_free(model->stacks[s].layers);
  g_free(model->directory);
  g_free(model->name);
  g_ptr_array_unref(toy->tensors);
}

mt_tokens *
toy_tokens(const int32_t *ids, size_t n)
{
  g_autofree mt_token *items = g_new0(mt_token, n);
  for (size_t i = 0; i < n; i++) {
    items[i].id = ids[i];
    items[i].piece = ids[i] ? "x" : "</s>";
    items[i].word = (int32_t) i;
    items[i].is_special = ids[i] == 0;
  }
  mt_error error = {0};
  mt_tokens *tokens = mt_tokens_new("", items, n, &error);
  g_assert_cmpstr(error.message, ==, "");
  return tokens;
}

void
toy_ids(int32_t *ids, size_t n, size_t vocab_size, unsigned seed)
{
  uint32_t state = seed * 7919u + 17;
  for (size_t i = 0; i < n; i++) {
    float share = (toy_random(&state) + 1) / 2;
    ids[i] = 1 + (int32_t) (share * (float) (vocab_size - 2));
  }
  ids[n - 1] = 0;
}
