/* toy-model.c — small models with random weights, made in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy-model.h"

#include "kernels/mt-kinds.h"

#include <glib.h>
#include <math.h>

/* The model first, so that a pointer to it is a pointer to this. */
typedef struct {
  mt_model model;
  GPtrArray *tensors;
  uint32_t random;
} toy_model;

float
toy_random(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (float) (*state >> 8) / 8388608.0f - 1;
}

static float *
random_tensor(toy_model *toy, size_t n, float scale, float offset)
{
  float *tensor = g_new(float, n);
  for (size_t i = 0; i < n; i++)
    tensor[i] = offset + scale * toy_random(&toy->random);
  g_ptr_array_add(toy->tensors, tensor);
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

mt_model *
toy_model_new(const toy_spec *spec)
{
  toy_model *toy = g_new0(toy_model, 1);
  toy->tensors = g_ptr_array_new_with_free_func(g_free);
  toy->random = spec->seed;
  mt_model *model = &toy->model;
  size_t d = spec->d_model;
  model->ref_count = 1;
  model->directory = g_strdup("toy");
  model->name = g_strdup("toy");
  model->config = (mt_config){
      .d_model = d,
      .max_positions = spec->max_positions,
      .activation = spec->activation,
      .position_kind = spec->position_kind,
      .norm_kind = spec->norm_kind,
      .feed_forward_kind = spec->feed_forward_kind,
      .output_scale = spec->output_scale,
      .scale_embedding = true,
      .normalize_before = spec->normalize_before,
      .normalize_embedding = spec->normalize_embedding,
      .add_final_layer_norm = spec->add_final_layer_norm,
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
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_stack_weights *stack = &model->stacks[s];
    model->config.n_layers[s] = spec->n_layers;
    model->config.n_heads[s] = spec->n_heads;
    model->config.d_ffn[s] = spec->d_ffn;
    model->config.d_head[s] = spec->d_head[s];
    model->config.score_divisor[s] = spec->score_divisor;
    model->config.vocab_size[s] = spec->vocab_size;
    stack->embedding = random_tensor(toy, spec->vocab_size * d, 1 / sqrtf((float) d), 0);
    float *positions = random_tensor(toy, spec->max_positions * d, 1, 0);
    if (spec->position_kind != MT_POSITIONS_LEARNED)
      mt_positions_sinusoidal(positions, spec->max_positions, d, spec->position_kind);
    stack->positions = positions;
    if (spec->normalize_embedding)
      stack->embedding_norm = random_norm(toy, spec);
    if (spec->add_final_layer_norm)
      stack->final_norm = random_norm(toy, spec);
    stack->layers = g_new0(mt_layer_weights, spec->n_layers);
    for (size_t i = 0; i < spec->n_layers; i++)
      stack->layers[i] = random_layer(toy, spec, s);
  }
  mt_kinds_set_defaults(&model->config);
  model->output = random_linear(toy, spec, spec->vocab_size, d);
  return model;
}

void
toy_model_free(mt_model *model)
{
  g_autofree toy_model *toy = (toy_model *) model;
  g_assert_cmpint(model->ref_count, ==, 1);
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
