/* mt-bind.c — from the tensor names of a Marian checkpoint to places in a model.
 *
 * Every place is bound to a tensor, which finds all that is missing or misshapen before anything
 * large is done; then mt-weights.c loads the numbers. The names are those of an mt_names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-bind.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config.h"
#include "model/mt-narrow.h"
#include "model/mt-ties.h"
#include "model/mt-weights.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { KIND_LINEAR, KIND_NORM } place_kind;
typedef enum { DIM_D, DIM_FFN } dim;

/* Where a pair of tensors goes in an mt_layer_weights. */
typedef struct {
  place_kind kind;
  size_t offset;
  dim n_out, n_in; /* of a linear map; a norm has [d] */
  bool decoder_only;
} layer_row;

#define AT(member) offsetof(mt_layer_weights, member)
static const layer_row layer_rows[MT_N_TENSORS] = {
    [MT_TENSOR_SELF_Q] = {KIND_LINEAR, AT(self.q), DIM_D, DIM_D, false},
    [MT_TENSOR_SELF_K] = {KIND_LINEAR, AT(self.k), DIM_D, DIM_D, false},
    [MT_TENSOR_SELF_V] = {KIND_LINEAR, AT(self.v), DIM_D, DIM_D, false},
    [MT_TENSOR_SELF_OUT] = {KIND_LINEAR, AT(self.out), DIM_D, DIM_D, false},
    [MT_TENSOR_SELF_NORM] = {KIND_NORM, AT(self_norm), DIM_D, DIM_D, false},
    [MT_TENSOR_CROSS_Q] = {KIND_LINEAR, AT(cross.q), DIM_D, DIM_D, true},
    [MT_TENSOR_CROSS_K] = {KIND_LINEAR, AT(cross.k), DIM_D, DIM_D, true},
    [MT_TENSOR_CROSS_V] = {KIND_LINEAR, AT(cross.v), DIM_D, DIM_D, true},
    [MT_TENSOR_CROSS_OUT] = {KIND_LINEAR, AT(cross.out), DIM_D, DIM_D, true},
    [MT_TENSOR_CROSS_NORM] = {KIND_NORM, AT(cross_norm), DIM_D, DIM_D, true},
    [MT_TENSOR_FC1] = {KIND_LINEAR, AT(ffn.fc1), DIM_FFN, DIM_D, false},
    [MT_TENSOR_FC2] = {KIND_LINEAR, AT(ffn.fc2), DIM_D, DIM_FFN, false},
    [MT_TENSOR_FFN_NORM] = {KIND_NORM, AT(ffn_norm), DIM_D, DIM_D, false},
};

typedef struct {
  mt_container *container;
  const mt_names *naming;
  const mt_dir *dir;
  mt_binding *bindings;
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

/* Whether a stack adds the position table of the encoder. */
static bool
shares_positions(const mt_names *naming, mt_stack s)
{
  return s != MT_STACK_ENCODER && strcmp(naming->positions[0], naming->positions[s]) == 0;
}

/* How a tensor is stored, compared with what the place wants. */
typedef enum { AS_IS, TRANSPOSED } stored;

/* Whether the shape in the file is the expected one; a vector may be a matrix of one row. */
static bool
has_shape(const binder *b, const mt_tensor_info *info, const size_t *shape, size_t n_dims)
{
  if (b->naming->row_vectors && n_dims == 1 && info->n_dims == 2 && info->shape[0] == 1)
    return info->shape[1] == shape[0];
  return info->n_dims == n_dims && memcmp(info->shape, shape, n_dims * sizeof *shape) == 0;
}

/* Bind a place to tensor i, which must be [cols] if rows is 0, else [rows][cols]. n_added: numbers
 * of the last row, or of the vector's end, that are 0 and not in the file. */
static bool
bind_tensor(binder *b, size_t i, size_t rows, size_t cols, stored how, size_t n_added,
            const float **place)
{
  const mt_container_tensor *tensor = &b->container->tensors[i];
  const mt_tensor_info *info = &tensor->info;
  if (tensor->dtype == MT_DTYPE_OTHER)
    return mt_fail(b->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected tensor \"%.200s\" in F32, F16, BF16 or F64, found %.40s.",
                   b->dir->name, info->file, info->name, info->dtype);
  size_t expected[2] = {rows ? rows : cols, cols};
  size_t n_dims = rows ? 2 : 1;
  if (n_added)
    expected[0]--;
  if (how == TRANSPOSED) {
    expected[0] = cols;
    expected[1] = rows;
  }
  if (!has_shape(b, info, expected, n_dims)) {
    char want[SHAPE_TEXT], found[SHAPE_TEXT];
    return mt_fail(b->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" of shape %s, found %s.", b->dir->name,
                   info->file, info->name, shape_text(expected, n_dims, want),
                   shape_text(info->shape, info->n_dims, found));
  }
  if (b->n == b->capacity) {
    size_t capacity = b->capacity ? b->capacity * 2 : 128;
    mt_binding *grown = mt_realloc(b->bindings, capacity, sizeof *grown);
    if (!grown)
      return mt_fail_no_memory(b->error);
    b->bindings = grown;
    b->capacity = capacity;
  }
  b->bindings[b->n++] = (mt_binding){
      .tensor = i,
      .place = place,
      .rows = how == TRANSPOSED ? rows : 0,
      .cols = how == TRANSPOSED ? cols : 0,
      .n_added = n_added,
  };
  return true;
}

static bool
bind_name(binder *b, const char *name, size_t rows, size_t cols, stored how, const float **place)
{
  size_t i;
  if (!mt_container_find(b->container, name, &i))
    return mt_fail(b->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\", found no such tensor.", b->dir->name,
                   b->container->file, name);
  return bind_tensor(b, i, rows, cols, how, 0, place);
}

#define NAME_SIZE 160

/* Both tensors of a layer norm; prefix and its name make the whole name. */
static bool
bind_norm(binder *b, const char *prefix, const mt_pair_name *pair, size_t d, mt_norm_weights *norm)
{
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%s%s", prefix, pair->weight);
  if (!bind_name(b, full, 0, d, AS_IS, &norm->gain))
    return false;
  snprintf(full, sizeof full, "%s%s", prefix, pair->bias);
  return bind_name(b, full, 0, d, AS_IS, &norm->bias);
}

static bool
bind_linear(binder *b, const char *prefix, const mt_pair_name *pair, size_t n_out, size_t n_in,
            mt_linear *linear)
{
  char full[NAME_SIZE];
  linear->n_out = n_out;
  linear->n_in = n_in;
  snprintf(full, sizeof full, "%s%s", prefix, pair->weight);
  if (!bind_name(b, full, n_out, n_in, b->naming->in_out ? TRANSPOSED : AS_IS, &linear->weight))
    return false;
  b->bindings[b->n - 1].narrow = &linear->as_stored;
  snprintf(full, sizeof full, "%s%s", prefix, pair->bias);
  return bind_name(b, full, 0, n_out, AS_IS, &linear->bias);
}

static bool
bind_layer(binder *b, const mt_config *c, mt_stack s, size_t l, mt_layer_weights *layer)
{
  const mt_names *naming = b->naming;
  char prefix[64];
  snprintf(prefix, sizeof prefix, "%s%zu%s", naming->layers[s], l + naming->first_layer,
           naming->after_number);
  for (size_t r = 0; r < MT_N_TENSORS; r++) {
    const layer_row *row = &layer_rows[r];
    const mt_pair_name *pair = &naming->places[r];
    void *place = (char *) layer + row->offset;
    if (row->decoder_only && s != MT_STACK_DECODER)
      continue;
    size_t n_out = row->n_out == DIM_FFN ? c->d_ffn[s] : c->d_model;
    size_t n_in = row->n_in == DIM_FFN ? c->d_ffn[s] : c->d_model;
    bool ok = row->kind == KIND_NORM ? bind_norm(b, prefix, pair, c->d_model, place)
                                     : bind_linear(b, prefix, pair, n_out, n_in, place);
    if (!ok)
      return false;
  }
  return true;
}

static bool
bind_stack(binder *b, mt_model *model, mt_stack s)
{
  const mt_config *c = &model->config;
  const mt_names *naming = b->naming;
  mt_stack_weights *stack = &model->stacks[s];
  stack->layers = mt_alloc(c->n_layers[s], sizeof *stack->layers);
  if (!stack->layers)
    return mt_fail_no_memory(b->error);
  for (size_t l = 0; l < c->n_layers[s]; l++)
    if (!bind_layer(b, c, s, l, &stack->layers[l]))
      return false;
  if (c->normalize_embedding &&
      !bind_norm(b, naming->stacks[s], &naming->embedding_norm, c->d_model, &stack->embedding_norm))
    return false;
  if (c->add_final_layer_norm &&
      !bind_norm(b, naming->stacks[s], &naming->final_norm, c->d_model, &stack->final_norm))
    return false;
  /* A sinusoidal table in the file is not read: it is computed. */
  if (c->position_kind != MT_POSITIONS_LEARNED || shares_positions(naming, s))
    return true;
  return bind_name(b, naming->positions[s], c->max_positions, c->d_model, AS_IS, &stack->positions);
}

/* The output matrix where it is not tied: [vocab][d], or [d][vocab]. */
static bool
bind_output(binder *b, const mt_ties *ties, size_t n_target, size_t d, mt_linear *output)
{
  size_t n_added = b->naming->without_pad ? d : 0;
  if (!ties->is_in_out)
    return bind_tensor(b, ties->output, n_target, d, AS_IS, n_added, &output->weight);
  /* The row that is added comes last, behind all that is transposed. */
  if (!bind_tensor(b, ties->output, n_target - (n_added > 0), d, TRANSPOSED, 0, &output->weight))
    return false;
  b->bindings[b->n - 1].n_added = n_added;
  return true;
}

/* The embeddings and the output matrix; settle_ties says, after loading, who else reads them. */
static bool
bind_embeddings(binder *b, mt_model *model)
{
  mt_config *c = &model->config;
  const mt_names *naming = b->naming;
  mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  size_t d = c->d_model;
  size_t n_source = c->vocab_size[MT_STACK_ENCODER], n_target = c->vocab_size[MT_STACK_DECODER];
  size_t pad = naming->without_pad ? 1 : 0, source_pad = c->share_embeddings ? pad : 0;
  mt_ties ties;
  bool ok =
      mt_ties_find(&ties, c, b->container, naming, b->dir, b->error) &&
      bind_tensor(b, ties.embeddings[0], n_source, d, AS_IS, source_pad * d, &encoder->embedding);
  if (ok && !c->share_embeddings)
    ok = bind_tensor(b, ties.embeddings[1], n_target, d, AS_IS, pad * d, &decoder->embedding);
  model->output.n_out = n_target;
  model->output.n_in = d;
  if (ok && !c->tie_word_embeddings)
    ok = bind_output(b, &ties, n_target, d, &model->output);
  if (ok)
    /* The output matrix came last, tied or not. */
    b->bindings[b->n - 1].narrow = &model->output.as_stored;

  size_t i;
  /* [1][V] as Hugging Face and Marian write it, or [V]; optional. */
  if (ok && mt_container_find(b->container, naming->output_bias, &i)) {
    const mt_tensor_info *info = &b->container->tensors[i].info;
    size_t rows = info->n_dims == 1 || pad ? 0 : 1;
    ok = bind_tensor(b, i, rows, n_target, AS_IS, pad, &model->output.bias);
  }
  return ok;
}

static void
settle_ties(mt_model *model, const mt_names *naming)
{
  const mt_config *c = &model->config;
  mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  if (c->share_embeddings)
    decoder->embedding = encoder->embedding;
  if (c->tie_word_embeddings)
    model->output.weight = decoder->embedding;
  if (shares_positions(naming, MT_STACK_DECODER))
    decoder->positions = encoder->positions;
}

/* Layers in the file beyond those of the configuration: the two belong to different models. */
static bool
check_no_more_layers(binder *b, const mt_config *config)
{
  for (size_t i = 0; i < b->container->n_tensors; i++) {
    const mt_tensor_info *info = &b->container->tensors[i].info;
    for (int s = 0; s < MT_N_STACKS; s++) {
      const char *prefix = b->naming->layers[s];
      size_t n = strlen(prefix);
      if (strncmp(info->name, prefix, n) != 0 || info->name[n] < '0' || info->name[n] > '9')
        continue;
      if (strtoull(info->name + n, NULL, 10) >= config->n_layers[s] + b->naming->first_layer)
        return mt_fail(b->error, MT_ERROR_FORMAT,
                       "%s/%s: expected %zu layers in the %s as %s says, found tensor \"%.200s\".",
                       b->dir->name, info->file, config->n_layers[s],
                       s == MT_STACK_ENCODER ? "encoder" : "decoder", b->naming->shape_from,
                       info->name);
    }
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

/* transformers has passed over "static_position_embeddings": false since its release 4, and leaves
 * tables out of what it saves: without them there are sinusoids. */
static bool
choose_positions(const binder *b, mt_config *c)
{
  size_t i;
  bool has_table = false;
  for (int s = 0; s < MT_N_STACKS; s++)
    has_table |= mt_container_find(b->container, b->naming->positions[s], &i);
  if (c->position_kind != MT_POSITIONS_LEARNED || has_table)
    return true;
  c->position_kind = MT_POSITIONS_SINUSOIDAL_HALVES;
  char label[600];
  snprintf(label, sizeof label, "%.500s/%s", b->dir->name, b->naming->shape_from);
  return mt_config_check_positions(c, label, b->error);
}

bool
mt_bind_weights(mt_model *model, const mt_dir *dir, const mt_names *naming,
                const mt_load_options *options, mt_error *error)
{
  binder b = {.container = model->storage->container, .naming = naming, .dir = dir, .error = error};
  bool ok = choose_positions(&b, &model->config) && bind_embeddings(&b, model) &&
            bind_stack(&b, model, MT_STACK_ENCODER) && bind_stack(&b, model, MT_STACK_DECODER) &&
            check_no_more_layers(&b, &model->config) &&
            mt_weights_load(model, dir, b.bindings, b.n, options, error) &&
            compute_positions(model, error);
  mt_free(b.bindings);
  if (!ok)
    return false;
  settle_ties(model, naming);
  return mt_narrow_model(model, dir, options, error);
}
