/* mt-model.c — a model: configuration, weights and tokenizer of one directory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-bind.h"
#include "model/mt-config.h"
#include "model/mt-layout.h"
#include "model/mt-model-text.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

static void
model_free(mt_model *model)
{
  if (model->storage) {
    mt_container_free(model->storage->container);
    mt_free(model->storage->converted);
    mt_free(model->storage->narrow);
    mt_free(model->storage->positions);
    mt_free(model->storage);
  }
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(model->stacks[s].layers);
  mt_tokenizer_free(model->tokenizer);
  mt_config_clear(&model->config);
  mt_free(model->tensors);
  mt_free(model->name);
  mt_free(model->directory);
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
    model->tokenizer = mt_model_open_tokenizer(dir, &manifest, config, error);
    ok = model->tokenizer != NULL;
  }
  if (ok) {
    config->unk_id = mt_tokenizer_unk_id(model->tokenizer, MT_STACK_DECODER);
    if (config->eos_id < 0)
      config->eos_id = config->forced_eos_id = mt_tokenizer_eos_id(model->tokenizer);
    ok = mt_bind_weights(model, dir, manifest.names, options, error) && list_tensors(model, error);
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
  size_t n = strlen(dir->name);
  bool is_archive = dir->zip && n > 4 && strcasecmp(dir->name + n - 4, ".zip") == 0;
  return mt_strndup(dir->name, is_archive ? n - 4 : n);
}

mt_model *
mt_model_open(const char *path, const mt_load_options *options, mt_error *error)
{
  if (options && options->precision >= MT_N_PRECISIONS)
    return mt_fail(error, MT_ERROR_INPUT, "There is no precision %d; there are %d, from 0.",
                   (int) options->precision, MT_N_PRECISIONS),
           NULL;
  mt_model *model = mt_alloc(1, sizeof *model);
  if (!model) {
    mt_fail_no_memory(error);
    return NULL;
  }
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

mt_precision
mt_model_precision(const mt_model *model)
{
  return model->precision;
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
  return (mt_matrix){
      .data = model->stacks[stack].positions,
      .rows = model->config.max_positions,
      .cols = model->config.d_model,
      .stride = model->config.d_model,
  };
}
