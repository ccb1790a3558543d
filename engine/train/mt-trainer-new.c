/* mt-trainer-new.c — everything before the first step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-trainer-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Checking -------------------------------------------------------------------------------- */

static bool
check_config(const mt_trainer_config *c, mt_error *error)
{
  const struct {
    const char *name;
    double value, min, max;
  } rows[] = {
      {"steps", (double) c->schedule.steps, 1, 1e12},   {"rate", c->schedule.rate, 1e-12, 1e3},
      {"warmup", (double) c->schedule.warmup, 0, 1e12}, {"cooldown", c->schedule.cooldown, 0, 1},
      {"accumulate", (double) c->accumulate, 1, 1e6},   {"average", (double) c->average, 1, 1e6},
      {"num_beams", (double) c->num_beams, 1, 1024},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!(rows[i].value >= rows[i].min && rows[i].value <= rows[i].max))
      return mt_fail(error, MT_ERROR_INPUT, "\"%s\" must be from %g to %g, found %g.", rows[i].name,
                     rows[i].min, rows[i].max, rows[i].value);
  if (c->dtype != MT_DTYPE_F32 && c->dtype != MT_DTYPE_F16)
    return mt_fail(error, MT_ERROR_INPUT, "Weights are written as F32 or F16.");
  if (c->keep > 0 && c->average > c->keep)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The mean of %zu checkpoints was asked for, and only %zu are kept.", c->average,
                   c->keep);
  return true;
}

static bool
check_data(const mt_trainer *t, mt_error *error)
{
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  if (info->separate_vocabs || info->vocab_size[0] != info->vocab_size[1])
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%.400s: expected one vocabulary for both languages, which is what is trained "
                   "here, found two.",
                   t->config.data);
  if (info->max_tokens > t->config.network.max_positions)
    return mt_fail(
        error, MT_ERROR_INPUT,
        "%.400s: expected sentences of at most %zu tokens, which is the network's number "
        "of positions, found up to %zu.",
        t->config.data, t->config.network.max_positions, info->max_tokens);
  return true;
}

/* ---- A model to start from ------------------------------------------------------------------- */

typedef struct {
  const mt_trainer *trainer;
  const mt_model *model;
  const char *label;
  size_t n;
  mt_error *error;
} piece_check;

static bool
check_piece(void *user, const char *piece, const mt_json_value *id)
{
  piece_check *c = user;
  c->n++;
  if (mt_json_kind_of(id) != MT_JSON_INTEGER || mt_json_integer(id) < 0 ||
      mt_json_integer(id) > INT32_MAX)
    return mt_fail(c->error, MT_ERROR_FORMAT, "%s: expected an id for \"%.100s\".", c->label,
                   piece);
  const char *theirs = mt_model_piece(c->model, MT_STACK_DECODER, (int32_t) mt_json_integer(id));
  return (theirs && strcmp(theirs, piece) == 0) ||
         mt_fail(
             c->error, MT_ERROR_INPUT,
             "%s: piece %lld is \"%.100s\", and in %.200s it is \"%.100s\"; a model goes on with "
             "the pieces it began with (prepare has an option for that).",
             c->label, (long long) mt_json_integer(id), piece, mt_model_name(c->model),
             theirs ? theirs : "none");
}

/* The ids of the data mean the same pieces as the model's. */
static bool
check_pieces(const mt_trainer *t, const mt_model *model, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_json json = {0};
  bool ok = mt_dir_open_as(&dir, t->config.data, "a folder of prepared text", NULL, error) &&
            mt_json_load(&json, &dir, "vocab.json", error);
  if (ok) {
    piece_check c = {.trainer = t, .model = model, .label = json.label, .error = error};
    ok = mt_json_each(mt_json_root(&json), check_piece, &c);
  }
  mt_json_clear(&json);
  mt_dir_close(&dir);
  return ok;
}

static bool
same_shape(const mt_network_config *a, const mt_network_config *b)
{
  return a->d_model == b->d_model && a->n_layers[0] == b->n_layers[0] &&
         a->n_layers[1] == b->n_layers[1] && a->n_heads == b->n_heads && a->d_ffn == b->d_ffn &&
         a->activation == b->activation && a->normalize_before == b->normalize_before &&
         a->untied_output == b->untied_output && a->learned_positions == b->learned_positions;
}

/* The shape of the model, and how to train of the configuration. */
static bool
take_shape(mt_trainer *t, const mt_model *model, mt_error *error)
{
  mt_network_config *asked = &t->config.network, shape;
  if (!mt_network_config_of_model(&shape, model, error))
    return false;
  if (t->config.shape_is_given && !same_shape(asked, &shape))
    return mt_fail(
        error, MT_ERROR_INPUT,
        "The configuration asks for another shape than %.200s has; leave it out to go on "
        "with that of the model.",
        mt_model_name(model));
  if (asked->attention_window)
    shape.attention_window = asked->attention_window;
  shape.dropout = asked->dropout;
  shape.activation_dropout = asked->activation_dropout;
  shape.label_smoothing = asked->label_smoothing;
  shape.r_drop = asked->r_drop;
  shape.zero_pad = asked->zero_pad;
  shape.products = asked->products;
  if (!shape.normalize_before)
    shape.init = asked->init;
  *asked = shape;
  return true;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* What the file says, where the configuration does not say otherwise. */
static bool
make_weights(mt_trainer *t, mt_error *error)
{
  size_t n = mt_dataset_count_sources(t->dataset);
  t->weights = mt_alloc(n, sizeof *t->weights);
  if (!t->weights)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    t->weights[i] = mt_dataset_get_source(t->dataset, i)->weight;
  for (size_t k = 0; k < t->config.n_weights; k++) {
    const mt_trainer_weight *w = &t->config.weights[k];
    bool found = false;
    for (size_t i = 0; i < n; i++)
      if (strcmp(mt_dataset_get_source(t->dataset, i)->name, w->source) == 0) {
        t->weights[i] = w->weight;
        found = true;
      }
    if (!found)
      return mt_fail(error, MT_ERROR_INPUT,
                     "%.400s: a weight is given for source \"%.200s\", found no such source.",
                     t->config.data, w->source);
  }
  return true;
}

/* FNV-1a. */
static uint64_t
hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *b = bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ b[i]) * UINT64_C(0x100000001b3);
  return h;
}

static uint64_t
hash_sampling(const mt_trainer *t)
{
  const uint64_t numbers[] = {t->config.seed, t->config.batch_tokens, t->config.sort_batches,
                              mt_dataset_get_checksum(t->dataset)};
  uint64_t h = hash(UINT64_C(0xcbf29ce484222325), numbers, sizeof numbers);
  if (t->config.network.r_drop > 0) /* which divides an epoch into more batches */
    h = hash(h, "twice", strlen("twice"));
  return hash(h, t->weights, mt_dataset_count_sources(t->dataset) * sizeof *t->weights);
}

static bool
make_sampler(mt_trainer *t, mt_error *error)
{
  if (!make_weights(t, error))
    return false;
  mt_sampler_options options = {
      .seed = t->config.seed,
      .batch_tokens = t->config.batch_tokens,
      .sort_batches = t->config.sort_batches,
      .weights = t->weights,
      .is_twice = t->config.network.r_drop > 0,
  };
  t->sampling = hash_sampling(t);
  t->sampler = mt_sampler_new(t->dataset, &options, error);
  return t->sampler != NULL;
}

/* A model, or a checkpoint of this program as it once was, may come with a <pad> that was trained.
 */
static void
hold_pad(mt_trainer *t)
{
  if (mt_network_hold_pad(t->network, t->network->parameters))
    mt_trainer_note(t, "The embedding of <pad> was not zero; it is now.");
  mt_network_hold_pad(t->network, t->adam.m);
  mt_network_hold_pad(t->network, t->adam.v);
}

static bool
make_network(mt_trainer *t, mt_error *error)
{
  const char *start_from = t->config.start_from;
  mt_model *model = start_from ? mt_model_open(start_from, NULL, error) : NULL;
  bool ok =
      (model || !start_from) && (!model || take_shape(t, model, error)) && check_data(t, error);
  if (ok) {
    const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
    t->config.network.vocab_size = info->vocab_size[0];
    t->config.network.pad_id = info->pad_id;
    ok = !model || check_pieces(t, model, error);
  }
  if (ok) {
    t->network = mt_network_new(&t->config.network, error);
    t->workspace = t->network ? mt_workspace_new(t->network, t->config.n_threads, error) : NULL;
    ok = t->workspace && mt_adam_init(&t->adam, &t->config.adam, t->network->n_flat, error);
  }
  if (ok && model)
    ok = mt_network_load(t->network, model, error);
  else if (ok)
    mt_network_init(t->network, t->config.seed);
  if (ok)
    hold_pad(t);
  mt_model_unref(model);
  return ok;
}

/* ---- Where to begin -------------------------------------------------------------------------- */

static bool
go_on(mt_trainer *t, uint64_t step, mt_error *error)
{
  mt_checkpoint c = {.network = t->network, .adam = &t->adam};
  if (!mt_checkpoint_read(t->config.output, step, &c, error))
    return false;
  hold_pad(t);
  t->step = step;
  t->history = c.history;
  t->n_history = t->history_room = c.n_history;
  t->saved = true;
  mt_sampler_position position = c.state.position;
  if (c.state.sampling != t->sampling) {
    position = (mt_sampler_position){.epoch = position.epoch + 1};
    mt_trainer_note(t,
                    "Data, weights, seed or batches are not those of the checkpoint: a new epoch "
                    "begins.");
  }
  mt_trainer_note(t, "Going on from the checkpoint of step %llu.", (unsigned long long) step);
  if (!mt_sampler_set_position(t->sampler, position, error))
    return false;
  mt_trainer_let_go(t); /* the run may have ended between a checkpoint and that */
  return true;
}

/* On the first rank. */
static bool
open_output(mt_trainer *t, mt_error *error)
{
  const char *output = t->config.output;
  char text[128];
  if (mkdir(output, 0777) != 0 && errno != EEXIST)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be made (%s).", output,
                   strerror_r(errno, text, sizeof text));
  uint64_t *steps, last;
  size_t n;
  if (!mt_checkpoint_list(output, &steps, &n, error))
    return false;
  mt_free(steps);
  mt_checkpoint_tidy(output);
  if (n == 0)
    return true;
  if (!t->config.resume)
    return mt_fail(
        error, MT_ERROR_IO,
        "%.600s: the folder has checkpoints of an earlier training; --resume goes on with "
        "it, and --output names another folder.",
        output);
  if (!mt_checkpoint_find_last(output, &last))
    return mt_fail(error, MT_ERROR_IO,
                   "%.600s: the folder has checkpoints, and from none of them a training can go on "
                   "(their trainer_state is missing).",
                   output);
  return go_on(t, last, error);
}

/* All ranks go on with what the first one has. */
static bool
share(mt_trainer *t, mt_error *error)
{
  struct {
    uint64_t step;
    mt_sampler_position position;
  } state = {t->step, mt_sampler_get_position(t->sampler)};
  size_t n_bytes = t->network->n_flat * sizeof(mt_real);
  if (!mt_comm_broadcast(t->comm, &state, sizeof state, error) ||
      !mt_comm_broadcast(t->comm, t->network->parameters, n_bytes, error) ||
      !mt_comm_broadcast(t->comm, t->adam.m, n_bytes, error) ||
      !mt_comm_broadcast(t->comm, t->adam.v, n_bytes, error))
    return false;
  t->step = state.step;
  return mt_trainer_is_first(t) || mt_sampler_set_position(t->sampler, state.position, error);
}

mt_trainer *
mt_trainer_new(const mt_trainer_config *config, const mt_trainer_events *events, mt_comm *comm,
               mt_error *error)
{
  if (!check_config(config, error))
    return NULL;
  mt_trainer *t = mt_alloc(1, sizeof *t);
  if (!t) {
    mt_fail_no_memory(error);
    return NULL;
  }
  t->config = *config;
  if (events)
    t->events = *events;
  t->comm = comm;
  t->dataset = mt_dataset_open(config->data, error);
  if (t->dataset && make_network(t, error) && make_sampler(t, error) &&
      (!mt_trainer_is_first(t) || open_output(t, error)) && share(t, error))
    return t;
  mt_trainer_free(t);
  return NULL;
}

void
mt_trainer_free(mt_trainer *t)
{
  if (!t)
    return;
  mt_adam_clear(&t->adam);
  mt_workspace_free(t->workspace);
  mt_network_free(t->network);
  mt_sampler_free(t->sampler);
  mt_dataset_free(t->dataset);
  mt_free(t->weights);
  mt_free(t->history);
  mt_free(t);
}
