/* mt-marian.c — from the tensor names of Hugging Face's Marian to places in a model.
 *
 * The tables below are the whole naming. First every place is bound to a tensor, which finds all
 * that is missing or misshapen before anything large is done; then the numbers are loaded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-marian.h"

#include "mt-alloc.h"
#include "mt-error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers per turn of the loading loop: a few milliseconds between two chances to cancel. */
#define CHUNK     (1 << 20)
#define ALIGNMENT 16 /* floats in a cache line */

/* ---- The naming ---------------------------------------------------------------------------- */

typedef enum { KIND_LINEAR, KIND_NORM } place_kind;
typedef enum { DIM_D, DIM_FFN } dim;

/* A pair NAME.weight and NAME.bias, and where it goes in an mt_layer_weights. */
typedef struct {
  const char *name;
  place_kind kind;
  size_t offset;
  dim n_out, n_in; /* of a linear map; a norm has [d] */
  bool decoder_only;
} layer_row;

#define AT(member) offsetof(mt_layer_weights, member)
static const layer_row layer_rows[] = {
    {"self_attn.q_proj", KIND_LINEAR, AT(self.q), DIM_D, DIM_D, false},
    {"self_attn.k_proj", KIND_LINEAR, AT(self.k), DIM_D, DIM_D, false},
    {"self_attn.v_proj", KIND_LINEAR, AT(self.v), DIM_D, DIM_D, false},
    {"self_attn.out_proj", KIND_LINEAR, AT(self.out), DIM_D, DIM_D, false},
    {"self_attn_layer_norm", KIND_NORM, AT(self_norm), DIM_D, DIM_D, false},
    {"encoder_attn.q_proj", KIND_LINEAR, AT(cross.q), DIM_D, DIM_D, true},
    {"encoder_attn.k_proj", KIND_LINEAR, AT(cross.k), DIM_D, DIM_D, true},
    {"encoder_attn.v_proj", KIND_LINEAR, AT(cross.v), DIM_D, DIM_D, true},
    {"encoder_attn.out_proj", KIND_LINEAR, AT(cross.out), DIM_D, DIM_D, true},
    {"encoder_attn_layer_norm", KIND_NORM, AT(cross_norm), DIM_D, DIM_D, true},
    {"fc1", KIND_LINEAR, AT(ffn.fc1), DIM_FFN, DIM_D, false},
    {"fc2", KIND_LINEAR, AT(ffn.fc2), DIM_D, DIM_FFN, false},
    {"final_layer_norm", KIND_NORM, AT(ffn_norm), DIM_D, DIM_D, false},
};
#define N_LAYER_ROWS (sizeof layer_rows / sizeof *layer_rows)

static const char *const stack_names[MT_N_STACKS] = {"model.encoder", "model.decoder"};

/* A matrix that is tied to others is stored once, under any one of their names. */
#define SHARED  "model.shared.weight"
#define ENCODER "model.encoder.embed_tokens.weight"
#define DECODER "model.decoder.embed_tokens.weight"
#define OUTPUT  "lm_head.weight"
#define BIAS    "final_logits_bias"

/* ---- Binding places to tensors ------------------------------------------------------------- */

typedef struct {
  size_t tensor;
  const float **place;
  const uint16_t **half; /* of the matrix of a linear map: also wanted as stored, if that is F16 */
} binding;

typedef struct {
  mt_container *container;
  const mt_dir *dir;
  binding *bindings;
  size_t n, capacity;
  mt_error *error;
} binder;

/* "[8001][256]", or "[]" for a single number. */
#define SHAPE_TEXT 128
static const char *
shape_text(const size_t *shape, size_t n_dims, char buffer[SHAPE_TEXT])
{
  size_t used = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < n_dims && used < SHAPE_TEXT; i++)
    used += (size_t) snprintf(buffer + used, SHAPE_TEXT - used, "[%zu]", shape[i]);
  if (n_dims == 0)
    snprintf(buffer, SHAPE_TEXT, "[]");
  return buffer;
}

/* Bind a place to tensor i, which must be [cols] if rows is 0, else [rows][cols]. */
static bool
bind_tensor(binder *b, size_t i, size_t rows, size_t cols, const float **place)
{
  const mt_container_tensor *tensor = &b->container->tensors[i];
  const mt_tensor_info *info = &tensor->info;
  if (tensor->dtype == MT_DTYPE_OTHER)
    return mt_fail(b->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected tensor \"%.200s\" in F32, F16, BF16 or F64, found %.40s.",
                   b->dir->name, info->file, info->name, info->dtype);
  size_t expected[2] = {rows, cols};
  const size_t *shape = rows ? expected : expected + 1;
  size_t n_dims = rows ? 2 : 1;
  if (info->n_dims != n_dims || memcmp(info->shape, shape, n_dims * sizeof *shape) != 0) {
    char want[SHAPE_TEXT], found[SHAPE_TEXT];
    return mt_fail(b->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" of shape %s, found %s.", b->dir->name,
                   info->file, info->name, shape_text(shape, n_dims, want),
                   shape_text(info->shape, info->n_dims, found));
  }
  if (b->n == b->capacity) {
    size_t capacity = b->capacity ? b->capacity * 2 : 128;
    binding *grown = mt_realloc(b->bindings, capacity, sizeof *grown);
    if (!grown)
      return mt_fail_no_memory(b->error);
    b->bindings = grown;
    b->capacity = capacity;
  }
  b->bindings[b->n++] = (binding){.tensor = i, .place = place};
  return true;
}

/* Bind the first of the names that exists; NULL entries are skipped. */
static bool
bind_first(binder *b, const char *const *names, size_t n_names, size_t rows, size_t cols,
           const float **place)
{
  size_t i;
  for (size_t k = 0; k < n_names; k++)
    if (names[k] && mt_container_find(b->container, names[k], &i))
      return bind_tensor(b, i, rows, cols, place);
  return mt_fail(b->error, MT_ERROR_FORMAT,
                 "%s/%s: expected tensor \"%.200s\", found no such tensor.", b->dir->name,
                 b->container->file, names[0]);
}

static bool
bind_name(binder *b, const char *name, size_t rows, size_t cols, const float **place)
{
  return bind_first(b, &name, 1, rows, cols, place);
}

/* PREFIX.NAME.weight and .bias of a layer norm. */
static bool
bind_norm(binder *b, const char *prefix, const char *name, size_t d, mt_norm_weights *norm)
{
  char full[160];
  snprintf(full, sizeof full, "%s.%s.weight", prefix, name);
  if (!bind_name(b, full, 0, d, &norm->gain))
    return false;
  snprintf(full, sizeof full, "%s.%s.bias", prefix, name);
  return bind_name(b, full, 0, d, &norm->bias);
}

static bool
bind_linear(binder *b, const char *prefix, const char *name, size_t n_out, size_t n_in,
            mt_linear *linear)
{
  char full[160];
  linear->n_out = n_out;
  linear->n_in = n_in;
  snprintf(full, sizeof full, "%s.%s.weight", prefix, name);
  if (!bind_name(b, full, n_out, n_in, &linear->weight))
    return false;
  b->bindings[b->n - 1].half = &linear->half;
  snprintf(full, sizeof full, "%s.%s.bias", prefix, name);
  return bind_name(b, full, 0, n_out, &linear->bias);
}

static bool
bind_stack(binder *b, mt_model *model, mt_stack s)
{
  const mt_config *c = &model->config;
  mt_stack_weights *stack = &model->stacks[s];
  stack->layers = mt_alloc(c->n_layers[s], sizeof *stack->layers);
  if (!stack->layers)
    return mt_fail_no_memory(b->error);
  for (size_t l = 0; l < c->n_layers[s]; l++) {
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s.layers.%zu", stack_names[s], l);
    char *layer = (char *) &stack->layers[l];
    for (size_t r = 0; r < N_LAYER_ROWS; r++) {
      const layer_row *row = &layer_rows[r];
      void *place = layer + row->offset;
      if (row->decoder_only && s != MT_STACK_DECODER)
        continue;
      size_t n_out = row->n_out == DIM_FFN ? c->d_ffn[s] : c->d_model;
      size_t n_in = row->n_in == DIM_FFN ? c->d_ffn[s] : c->d_model;
      bool ok = row->kind == KIND_NORM ? bind_norm(b, prefix, row->name, c->d_model, place)
                                       : bind_linear(b, prefix, row->name, n_out, n_in, place);
      if (!ok)
        return false;
    }
  }
  if (c->normalize_embedding &&
      !bind_norm(b, stack_names[s], "layernorm_embedding", c->d_model, &stack->embedding_norm))
    return false;
  if (c->add_final_layer_norm &&
      !bind_norm(b, stack_names[s], "layer_norm", c->d_model, &stack->final_norm))
    return false;
  if (c->position_kind == MT_POSITIONS_LEARNED) {
    char full[64];
    snprintf(full, sizeof full, "%s.embed_positions.weight", stack_names[s]);
    return bind_name(b, full, c->max_positions, c->d_model, &stack->positions);
  }
  return true; /* a sinusoidal table in the file is not read: it is computed */
}

/* The embeddings and the output matrix; ties are settled by settle_ties, after loading. */
static bool
bind_embeddings(binder *b, mt_model *model)
{
  const mt_config *c = &model->config;
  mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  size_t d = c->d_model;
  size_t n_source = c->vocab_size[MT_STACK_ENCODER], n_target = c->vocab_size[MT_STACK_DECODER];
  const char *tied_output = c->tie_word_embeddings ? OUTPUT : NULL;
  bool ok;
  if (c->share_embeddings) {
    const char *names[] = {SHARED, ENCODER, DECODER, tied_output};
    ok = bind_first(b, names, 4, n_source, d, &encoder->embedding);
  } else {
    const char *names[] = {DECODER, tied_output};
    ok = bind_name(b, ENCODER, n_source, d, &encoder->embedding) &&
         bind_first(b, names, 2, n_target, d, &decoder->embedding);
  }
  model->output.n_out = n_target;
  model->output.n_in = d;
  if (ok && !c->tie_word_embeddings)
    ok = bind_name(b, OUTPUT, n_target, d, &model->output.weight);
  if (ok)
    b->bindings[b->n - 1].half = &model->output.half; /* the output matrix came last, tied or not */

  /* [1][V] as Hugging Face writes it, or [V]; optional, as there. */
  size_t i;
  if (ok && mt_container_find(b->container, BIAS, &i)) {
    size_t rows = b->container->tensors[i].info.n_dims == 1 ? 0 : 1;
    ok = bind_tensor(b, i, rows, n_target, &model->output.bias);
  }
  return ok;
}

static void
settle_ties(mt_model *model)
{
  const mt_config *c = &model->config;
  if (c->share_embeddings)
    model->stacks[MT_STACK_DECODER].embedding = model->stacks[MT_STACK_ENCODER].embedding;
  if (c->tie_word_embeddings)
    model->output.weight = model->stacks[MT_STACK_DECODER].embedding;
}

/* Layers in the file beyond those of the configuration: the two belong to different models. */
static bool
check_no_more_layers(binder *b, const mt_config *config)
{
  for (size_t i = 0; i < b->container->n_tensors; i++) {
    const mt_tensor_info *info = &b->container->tensors[i].info;
    for (int s = 0; s < MT_N_STACKS; s++) {
      char prefix[32];
      int n = snprintf(prefix, sizeof prefix, "%s.layers.", stack_names[s]);
      if (strncmp(info->name, prefix, (size_t) n) != 0)
        continue;
      if (strtoull(info->name + n, NULL, 10) >= config->n_layers[s])
        return mt_fail(b->error, MT_ERROR_FORMAT,
                       "%s/%s: expected %zu layers in the %s as config.json says, found tensor "
                       "\"%.200s\".",
                       b->dir->name, info->file, config->n_layers[s],
                       s == MT_STACK_ENCODER ? "encoder" : "decoder", info->name);
    }
  }
  return true;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static bool
is_usable_in_place(mt_dtype dtype, const void *data)
{
  return dtype == MT_DTYPE_F32 && (uintptr_t) data % _Alignof(float) == 0;
}

/* One tensor: borrowed from the mapping if `to` is NULL, else converted. Chunk by chunk, telling
 * on_progress the share of `total` that is done. */
static bool
load_tensor(const binder *b, const mt_container_tensor *tensor, const void *data, float *to,
            size_t *done, size_t total, const mt_load_options *options)
{
  size_t size = mt_dtype_size(tensor->dtype);
  for (size_t i = 0; i < tensor->n_elements; i += CHUNK) {
    size_t n = tensor->n_elements - i < CHUNK ? tensor->n_elements - i : CHUNK;
    bool finite = to ? mt_dtype_to_float(tensor->dtype, (const char *) data + i * size, to + i, n)
                     : mt_dtype_all_finite((const float *) data + i, n);
    if (!finite)
      return mt_fail(b->error, MT_ERROR_FORMAT,
                     "%s/%s: expected finite numbers in tensor \"%.200s\", found an infinity or "
                     "NaN.",
                     b->dir->name, tensor->info.file, tensor->info.name);
    *done += n;
    if (options && options->on_progress &&
        !options->on_progress(options->user, (double) *done / (double) total))
      return mt_fail(b->error, MT_ERROR_CANCELLED, "Loading %s was cancelled.", b->dir->name);
  }
  return true;
}

static bool
load_all(binder *b, mt_model *model, const mt_load_options *options)
{
  /* Room for what must be converted. No sum can overflow: each tensor lies in a file. */
  size_t total = 0, n_converted = 0;
  for (size_t i = 0; i < b->n; i++) {
    const mt_container_tensor *tensor = &b->container->tensors[b->bindings[i].tensor];
    const void *data = b->container->format->data(b->container, b->bindings[i].tensor, b->error);
    if (!data)
      return false;
    total += tensor->n_elements;
    if (!is_usable_in_place(tensor->dtype, data))
      n_converted += (tensor->n_elements + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  model->n_parameters = total;
  if (n_converted) {
    model->storage->converted = mt_alloc_aligned(n_converted, sizeof(float));
    if (!model->storage->converted)
      return mt_fail_no_memory(b->error);
  }

  size_t done = 0;
  float *next = model->storage->converted;
  for (size_t i = 0; i < b->n; i++) {
    const mt_container_tensor *tensor = &b->container->tensors[b->bindings[i].tensor];
    const void *data = b->container->format->data(b->container, b->bindings[i].tensor, b->error);
    if (!data)
      return false;
    bool in_place = is_usable_in_place(tensor->dtype, data);
    if (!load_tensor(b, tensor, data, in_place ? NULL : next, &done, total, options))
      return false;
    *b->bindings[i].place = in_place ? data : next;
    if (b->bindings[i].half && tensor->dtype == MT_DTYPE_F16 &&
        (uintptr_t) data % _Alignof(uint16_t) == 0)
      *b->bindings[i].half = data;
    if (!in_place)
      next += (tensor->n_elements + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  return true;
}

/* The paper, section 3.5; both stacks add the same table. */
static bool
compute_positions(mt_model *model, mt_error *error)
{
  const mt_config *c = &model->config;
  if (c->position_kind == MT_POSITIONS_LEARNED)
    return true;
  size_t n;
  float *table = NULL;
  if (!__builtin_mul_overflow(c->max_positions, c->d_model, &n))
    table = mt_alloc_aligned(n, sizeof *table);
  if (!table)
    return mt_fail_no_memory(error);
  mt_positions_sinusoidal(table, c->max_positions, c->d_model, c->position_kind);
  model->storage->positions = table;
  for (int s = 0; s < MT_N_STACKS; s++)
    model->stacks[s].positions = table;
  return true;
}

bool
mt_marian_load(mt_model *model, const mt_dir *dir, const mt_load_options *options, mt_error *error)
{
  binder b = {.container = model->storage->container, .dir = dir, .error = error};
  bool ok = bind_embeddings(&b, model) && bind_stack(&b, model, MT_STACK_ENCODER) &&
            bind_stack(&b, model, MT_STACK_DECODER) && check_no_more_layers(&b, &model->config) &&
            load_all(&b, model, options) && compute_positions(model, error);
  mt_free(b.bindings);
  if (ok)
    settle_ties(model);
  return ok;
}
