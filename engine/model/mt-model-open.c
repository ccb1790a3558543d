/* mt-model-open.c — a model: configuration, weights and tokenizer of one directory or archive,
 * opened and asked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "checkpoint/mt-ctranslate2.h"
#include "kernels/mt-kinds.h"
#include "model/mt-bind.h"
#include "model/mt-config.h"
#include "model/mt-int8-copy.h"
#include "model/mt-layout.h"
#include "model/mt-relative.h"
#include "text/mt-tokenizer.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void
model_free(mt_model *model)
{
  mt_int8_copy_clear(model);
  if (model->storage) {
    mt_container_free(model->storage->container);
    mt_free(model->storage->converted);
    mt_free(model->storage->halves);
    mt_unreserve(model->storage->reserved, model->storage->n_reserved);
    mt_free(model->storage->narrow);
    mt_unmap(&model->storage->cache);
    mt_free(model->storage->positions);
    mt_free(model->storage->relative);
    mt_free(model->storage);
  }
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(model->stacks[s].layers);
  mt_tokenizer_free(model->tokenizer);
  mt_config_clear(&model->config);
  mt_free(model->tensors);
  mt_free(model->name);
  mt_free(model->directory);
  mt_free(model->why_no_cache);
  mt_free(model);
}

/* The public list of tensors; their strings stay the container's. */
static bool
list_tensors(mt_model *model, mt_error *error)
{
  const mt_container *container = model->storage->container;
  model->tensors = mt_alloc(container->n_tensors, sizeof *model->tensors);
  if (!model->tensors)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < container->n_tensors; i++)
    model->tensors[i] = container->tensors[i].info;
  model->n_tensors = container->n_tensors;
  model->file_bytes = container->file_bytes;
  return true;
}

/* What the vocabulary of one side must fit. The id that a checkpoint without <pad> lacks is the
 * target's last, and the source's too if they share their embeddings. */
static mt_vocab_shape
vocab_shape(const mt_manifest *manifest, const mt_config *config, mt_stack side)
{
  bool adds_pad =
      manifest->names->without_pad && (side == MT_STACK_DECODER || config->share_embeddings);
  return (mt_vocab_shape){
      .size = config->vocab_size[side] - adds_pad,
      .from = manifest->names->shape_from,
      .adds_pad = adds_pad,
  };
}

/* How models of each kind spell the tokens of languages. */
static mt_language_spelling
language_spelling(const mt_manifest *manifest, const mt_config *config)
{
  if (config->language_mode != MT_LANGUAGES_SOURCE_TOKEN)
    return manifest->text_kind == MT_TEXT_MARIAN ? MT_LANGUAGE_UNDERSCORES : MT_LANGUAGE_PLAIN;
  return manifest->text_kind == MT_TEXT_MARIAN ? MT_LANGUAGE_ARROWS : MT_LANGUAGE_TWO;
}

/* Open what the manifest names. Errors: as mt_tokenizer_open. */
static mt_tokenizer *
open_tokenizer(const mt_dir *dir, const mt_manifest *manifest, const mt_config *config,
               mt_error *error)
{
  mt_tokenizer_spec spec = {.kind = manifest->text_kind,
                            .merges_file = manifest->merges_file,
                            .json_file = manifest->json_file,
                            .eos_id = config->eos_id,
                            .before = config->source_begin,
                            .after = config->source_end,
                            .only_source = manifest->only_source,
                            .language_mode = config->language_mode,
                            .language_last = config->language_last,
                            .max_tokens = config->max_positions,
                            .language_spelling = language_spelling(manifest, config),
                            .has_added_tokens = manifest->has_added_tokens};
  for (int s = 0; s < MT_N_STACKS; s++) {
    spec.vocab_files[s] = manifest->vocab_files[s];
    spec.spm_files[s] = manifest->spm_files[s];
    spec.shapes[s] = vocab_shape(manifest, config, (mt_stack) s);
  }
  spec.has_one_vocab = strcmp(spec.vocab_files[0], spec.vocab_files[1]) == 0 &&
                       config->vocab_size[MT_STACK_ENCODER] == config->vocab_size[MT_STACK_DECODER];
  return mt_tokenizer_open(dir, &spec, error);
}

/* Of loading a compressed archive the first half is inflating it. */
typedef struct {
  const mt_load_options *asked;
  size_t n_inflated, n_to_inflate; /* bytes */
} halves;

static bool
on_inflated(void *user, size_t n_bytes)
{
  halves *h = user;
  h->n_inflated += n_bytes;
  double share = (double) h->n_inflated / (double) h->n_to_inflate;
  return h->asked->on_progress(h->asked->user, share < 1 ? share / 2 : 0.5);
}

static bool
on_loaded(void *user, double share)
{
  const halves *h = user;
  return h->asked->on_progress(h->asked->user, 0.5 + share / 2);
}

static bool
goes_on(void *user)
{
  const mt_load_options *options = user;
  return options->on_progress(options->user, 1);
}

/* A model is one only when the check sums of its archives are known to fit. They are also waited
 * for where something else seemed wrong: a damage is the better reason. */
static bool
finish_sums(mt_model *model, bool ok, const mt_load_options *options, mt_error *error)
{
  bool asks = options && options->on_progress;
  mt_container *container = model->storage->container;
  mt_error own = {0};
  if (!container)
    return ok;
  if (!ok && error && (error->code == MT_ERROR_CANCELLED || error->code == MT_ERROR_NO_MEMORY)) {
    mt_sums_stop(&container->sums); /* they borrow names of the folder, which is closed next */
    return false;
  }
  if (mt_container_finish(container, asks ? goes_on : NULL, (void *) options, &own))
    return ok;
  if (own.code == MT_ERROR_CANCELLED)
    return mt_fail(error, own.code, "Loading %s was cancelled.", model->name);
  return mt_fail(error, own.code, "%s", own.message);
}

/* Everything, in the order from cheap to dear, so that most mistakes show at once. */
static bool
model_load(mt_model *model, const mt_dir *dir, const mt_load_options *options, mt_error *error)
{
  if (options && options->on_progress && !options->on_progress(options->user, 0))
    return mt_fail(error, MT_ERROR_CANCELLED, "Loading %s was cancelled.", dir->name);
  halves both = {.asked = options};
  mt_load_options second;
  if (options && options->on_progress && dir->zip) {
    both.n_to_inflate = mt_zip_count_inflated(dir->zip);
    if (both.n_to_inflate > 0) {
      second = *options;
      second.on_progress = on_loaded;
      second.user = &both;
      options = &second;
      mt_zip_set_watch(dir->zip, on_inflated, &both);
    }
  }
  mt_manifest manifest = {0};
  mt_config *config = &model->config;
  bool ok = mt_layout_load(&manifest, config, dir, error);
  model->storage->container = manifest.container;
  manifest.container = NULL;
  if (ok) {
    mt_kinds_set_defaults(config);
    ok = mt_kinds_check(config, dir->name, error);
  }
  if (ok) {
    model->tokenizer = open_tokenizer(dir, &manifest, config, error);
    ok = model->tokenizer != NULL;
  }
  if (ok) {
    config->unk_id = mt_tokenizer_unk_id(model->tokenizer, MT_STACK_DECODER);
    if (config->language_mode == MT_LANGUAGES_SOURCE_TOKEN &&
        manifest.text_kind != MT_TEXT_MARIAN &&
        mt_tokenizer_languages(model->tokenizer, MT_STACK_DECODER)->n == 0)
      config->language_mode = MT_LANGUAGES_NONE; /* a T5 that is no MADLAD */
    if (config->eos_id < 0)
      config->eos_id = config->forced_eos_id = mt_tokenizer_eos_id(model->tokenizer);
    ok = mt_bind_weights(model, dir, manifest.names, options, error) &&
         list_tensors(model, error) && mt_relative_unroll(model, &model->storage->relative, error);
  }
  ok = finish_sums(model, ok, options, error);
  mt_manifest_clear(&manifest);
  if (dir->zip)
    mt_zip_set_watch(dir->zip, NULL, NULL);
  return ok;
}

/* The name of a folder, or of an archive without its ending. */
static char *
model_name(const mt_dir *dir)
{
  static const char *const endings[] = {".zip", ".argosmodel"};
  size_t n = strlen(dir->name);
  for (size_t i = 0; dir->zip && i < sizeof endings / sizeof *endings; i++) {
    size_t m = strlen(endings[i]);
    if (n > m && strcasecmp(dir->name + n - m, endings[i]) == 0)
      return mt_strndup(dir->name, n - m);
  }
  return mt_strdup(dir->name);
}

mt_model *
mt_model_open(const char *path, const mt_load_options *options, mt_error *error)
{
  if (options && options->precision >= MT_N_PRECISIONS) {
    mt_fail(error, MT_ERROR_INPUT, "There is no precision %d; there are %d, from 0.",
            (int) options->precision, MT_N_PRECISIONS);
    return NULL;
  }
  mt_model *model = mt_alloc(1, sizeof *model);
  if (!model)
    return mt_fail_no_memory(error), NULL;

  mt_dir dir = MT_DIR_NONE;
  if (!mt_dir_open(&dir, path, &model->faults, error)) {
    mt_free(model);
    return NULL;
  }
  model->ref_count = 1;
  static _Atomic(uint64_t) last;
  model->number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
  model->directory = mt_strdup(path);
  model->name = model_name(&dir);
  model->storage = mt_alloc(1, sizeof *model->storage);
  bool ok;
  if (model->directory && model->name && model->storage)
    ok = model_load(model, &dir, options, error);
  else
    ok = mt_fail_no_memory(error);
  mt_dir_close(&dir);
  /* Whatever else seemed wrong with a file that was cut off meanwhile. */
  ok = mt_model_check_files(model, error) && ok;
  if (!ok) {
    model_free(model);
    return NULL;
  }
  return model;
}

bool
mt_model_check_files(const mt_model *model, mt_error *error)
{
  return mt_fault_check(&model->faults, error);
}

MT_DEFINE_COUNTED(mt_model, model_free)

void
mt_model_leave_out(const mt_model *model, float *logits)
{
  const mt_id_list *left_out = &model->config.generation.left_out;
  for (size_t i = 0; i < left_out->n; i++)
    logits[left_out->ids[i]] = -INFINITY;
}

const mt_config *
mt_model_config(const mt_model *model)
{
  return &model->config;
}

const char *
mt_model_directory(const mt_model *model)
{
  return model->directory;
}

const char *
mt_model_name(const mt_model *model)
{
  return model->name;
}

const char *
mt_model_format(const mt_model *model)
{
  return model->storage->container->format->name;
}

const char *
mt_model_multiplied_out(const mt_model *model)
{
  const mt_container *container = model->storage ? model->storage->container : NULL;
  const char *type = NULL;
  if (container && container->format == &mt_format_ctranslate2)
    mt_ctranslate2_is_quantized(container, &type);
  return type;
}

mt_precision
mt_model_precision(const mt_model *model)
{
  return model->precision;
}

mt_cache_state
mt_model_cache(const mt_model *model, const char **why)
{
  if (why)
    *why = model->why_no_cache;
  return model->cache_state;
}

size_t
mt_model_n_parameters(const mt_model *model)
{
  return model->n_parameters;
}

size_t
mt_model_file_bytes(const mt_model *model)
{
  return model->file_bytes;
}

size_t
mt_model_n_tensors(const mt_model *model)
{
  return model->n_tensors;
}

const mt_tensor_info *
mt_model_tensor(const mt_model *model, size_t i)
{
  assert(i < model->n_tensors);
  return &model->tensors[i];
}

mt_matrix
mt_model_positions(const mt_model *model, mt_stack stack)
{
  if (!model->stacks[stack].positions)
    return (mt_matrix){0};
  return (mt_matrix){
      .data = model->stacks[stack].positions,
      .rows = model->config.max_positions,
      .cols = model->config.d_model,
      .stride = model->config.d_model,
  };
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

const char *
mt_model_piece(const mt_model *model, mt_stack side, int32_t id)
{
  return mt_tokenizer_piece(model->tokenizer, side, id);
}

mt_tokens *
mt_model_tokenize(const mt_model *model, mt_stack side, const char *text, mt_error *error)
{
  return mt_tokenizer_encode(model->tokenizer, side, text, NULL, error);
}

mt_tokens *
mt_model_detokenize(const mt_model *model, mt_stack side, const int32_t *ids, size_t n,
                    mt_error *error)
{
  return mt_tokenizer_decode(model->tokenizer, side, ids, n, error);
}

/* ---- Weights, for those who look ------------------------------------------------------------- */

static const mt_layer_weights *
layer_of(const mt_model *model, mt_attention_kind kind, size_t layer)
{
  assert(layer < model->config.n_layers[mt_kind_stack(kind)]);
  return &model->stacks[mt_kind_stack(kind)].layers[layer];
}

static const mt_linear *
linear_of(const mt_model *model, mt_attention_kind kind, size_t layer, mt_map map)
{
  const mt_attention_weights *attention = mt_layer_attention(layer_of(model, kind, layer), kind);
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
  const mt_stack stack = mt_kind_stack(kind);
  const size_t d = model->config.d_model, d_head = model->config.d_head[stack];
  assert(head < model->config.n_heads[stack]);
  /* Heads are rows of what makes q, k and v, and columns of what puts them together again. */
  if (map == MT_MAP_OUTPUT)
    return (mt_matrix){mt_linear_floats(linear) + head * d_head, d, d_head,
                       mt_inner(&model->config, stack)};
  return (mt_matrix){mt_linear_floats(linear) + head * d_head * d, d_head, d, d};
}

const float *
mt_model_head_bias(const mt_model *model, mt_attention_kind kind, size_t layer, size_t head,
                   mt_map map)
{
  const mt_linear *linear = linear_of(model, kind, layer, map);
  size_t d_head = model->config.d_head[mt_kind_stack(kind)];
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
    norm = mt_layer_attention_norm(layer_of(model, kind, layer), kind);
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
  const mt_linear *linear = map == MT_MAP_HIDDEN ? &ffn->fc1
                            : map == MT_MAP_GATE ? &ffn->gate
                                                 : &ffn->fc2;
  *bias = linear->bias;
  return (mt_matrix){mt_linear_floats(linear), linear->n_out, linear->n_in, linear->n_in};
}

mt_matrix
mt_model_embedding(const mt_model *model, mt_stack stack)
{
  size_t d = model->config.d_model;
  return (mt_matrix){mt_embedding_floats(&model->stacks[stack]), model->config.vocab_size[stack], d,
                     d};
}

mt_matrix
mt_model_output_map(const mt_model *model, const float **bias)
{
  const mt_linear *output = &model->output;
  *bias = output->bias;
  return (mt_matrix){mt_linear_floats(output), output->n_out, output->n_in, output->n_in};
}

/* ---- By what a model is known, whatever it is called ----------------------------------------- */

static uint64_t
hash_floats(uint64_t hash, const float *x, size_t n)
{
  return x ? mt_hash_bytes(hash, x, n * sizeof *x) : hash;
}

/* The first n numbers of a matrix. */
static uint64_t
hash_map(uint64_t hash, const mt_linear *map, size_t n)
{
  float part[256];
  if (!map->halves)
    return hash_floats(hash, map->weight, n);
  for (size_t i = 0; i < n; i += 256) {
    const size_t width = n - i < 256 ? n - i : 256;
    mt_halves_read(map->halves, i, width, part);
    hash = hash_floats(hash, part, width);
  }
  return hash;
}

uint64_t
mt_model_fingerprint(const mt_model *model)
{
  const mt_config *config = &model->config;
  const size_t sizes[] = {config->d_model, config->n_layers[0], config->n_layers[1],
                          config->n_heads[0], config->n_heads[1]};
  size_t d = config->d_model;
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, sizes, sizeof sizes);
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    for (size_t l = 0; l < config->n_layers[stack]; l++) {
      const mt_layer_weights *layer = &model->stacks[stack].layers[l];
      hash = hash_floats(hash, layer->self_norm.gain, d);
      hash = hash_floats(hash, layer->self_norm.bias, d);
      hash = hash_floats(hash, layer->cross_norm.gain, d);
      hash = hash_floats(hash, layer->ffn_norm.gain, d);
      hash = hash_map(hash, &layer->self.out, d);
      hash = hash_floats(hash, layer->self.out.bias, d);
      hash = hash_map(hash, &layer->cross.out, d);
      hash = hash_floats(hash, layer->cross.out.bias, d);
      hash = hash_floats(hash, layer->ffn.fc2.bias, d);
      hash = hash_floats(hash, layer->relative, config->n_buckets * config->n_heads[stack]);
    }
  return hash;
}

bool
mt_fingerprint_parse(const char *digits, uint64_t *fingerprint)
{
  if (strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16)
    return false;
  *fingerprint = 0;
  for (size_t i = 0; i < 16; i++)
    *fingerprint =
        *fingerprint * 16 + (uint64_t) (digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
  return true;
}
