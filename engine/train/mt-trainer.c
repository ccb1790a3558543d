/* mt-trainer.c — the loop: batches, gradients, updates; the paper, section 5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-trainer-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(mt_real) == sizeof(float), "gradients are summed over machines as floats");

/* Of the loss in the picture: a mean over about so many steps. */
#define SMOOTHED_STEPS 50

mt_trainer_config
mt_trainer_config_default(void)
{
  mt_network_config network = mt_network_config_default();
  network.zero_pad = true;
  return (mt_trainer_config){
      .network = network,
      .batch_tokens = 4096,
      .sort_batches = 100,
      .accumulate = 1,
      .schedule = {.kind = MT_SCHEDULE_INVERSE_SQRT, .rate = 1e-3, .warmup = 2000, .cooldown = 0.3},
      .adam = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = 1},
      .seed = 1,
      .save_every = 1000,
      .keep = 5,
      .average = 1,
      .validate_every = 1000,
      .translate_pairs = 200,
      .num_beams = 4,
      .dtype = MT_DTYPE_F16,
  };
}

void
mt_trainer_note(const mt_trainer *t, const char *format, ...)
{
  if (!t->events.on_note || !mt_trainer_is_first(t))
    return;
  char sentence[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  t->events.on_note(t->events.user, sentence);
}

bool
mt_trainer_is_first(const mt_trainer *t)
{
  return mt_comm_rank(t->comm) == 0;
}

bool
mt_trainer_should_stop(const mt_trainer *t)
{
  return t->events.should_stop && t->events.should_stop(t->events.user);
}

/* ---- One step -------------------------------------------------------------------------------- */

/* What the ranks add up after a step. */
typedef struct {
  double smoothed_loss, loss, n_source, n_target, n_stop;
} step_sums;
#define N_STEP_SUMS (sizeof(step_sums) / sizeof(double))

/* While the last backward pass of a step runs. */
typedef struct {
  mt_trainer *trainer;
  mt_error *error;
  bool failed;
} exchange;

static void
on_gradient(void *user, size_t offset, size_t count)
{
  exchange *e = user;
  if (!e->failed)
    e->failed = !mt_comm_begin_sum(e->trainer->comm, e->trainer->network->gradients + offset, count,
                                   e->error);
}

/* Add the gradients of this rank's batches of the step, and begin to add the other ranks'. The
 * batches of a step and their dropout are the same however many ranks divide them. */
static bool
accumulate(mt_trainer *t, step_sums *sums, mt_error *error)
{
  const size_t n_ranks = mt_comm_size(t->comm), rank = mt_comm_rank(t->comm);
  const size_t n_batches = t->config.accumulate * n_ranks;
  exchange e = {.trainer = t, .error = error};
  for (size_t i = 0; i < n_batches; i++) {
    mt_train_batch batch;
    mt_loss loss;
    if (i % n_ranks != rank) {
      if (!mt_sampler_skip(t->sampler, error))
        return false;
      continue;
    }
    mt_pass_options options = {
        .seed = t->config.seed,
        .step = t->step * n_batches + i,
        .on_gradient = n_ranks > 1 && i + n_ranks >= n_batches ? on_gradient : NULL,
        .user = &e,
    };
    if (!mt_sampler_next(t->sampler, &batch, error) ||
        !mt_network_gradient(t->network, t->workspace, &batch, &options, &loss, error) || e.failed)
      return false;
    sums->smoothed_loss += loss.smoothed_loss;
    sums->loss += loss.negative_log_likelihood;
    sums->n_source += batch.source_begin[batch.n_sentences];
    sums->n_target += (double) loss.n_tokens;
  }
  return mt_comm_wait(t->comm, error);
}

static bool
fail_not_finite(const mt_trainer *t, mt_error *error)
{
  uint64_t last;
  char where[64] = "there is no checkpoint yet";
  if (mt_checkpoint_find_last(t->config.output, &last))
    snprintf(where, sizeof where, "the last checkpoint is of step %llu", (unsigned long long) last);
  const char *what = "gradient";
  const mt_parameter *bad = mt_network_find_not_finite(t->network, t->network->parameters);
  if (bad)
    what = "parameter";
  else
    bad = mt_network_find_not_finite(t->network, t->network->gradients);
  if (!bad)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "Step %llu: the loss is not a finite number, though all gradients are; %s.",
                   (unsigned long long) t->step + 1, where);
  return mt_fail(
      error, MT_ERROR_FORMAT,
      "Step %llu: the loss or a gradient is not a finite number; the first such %s is in "
      "tensor \"%s\"; %s. A lower learning rate, a longer warm-up or clipping may help.",
      (unsigned long long) t->step + 1, what, bad->name, where);
}

static bool
remember(mt_trainer *t, const mt_trainer_step *step, mt_error *error)
{
  if (t->n_history == t->history_room) {
    size_t room = t->history_room ? 2 * t->history_room : 1024;
    mt_trainer_record *grown = mt_realloc(t->history, room, sizeof *grown);
    if (!grown)
      return mt_fail_no_memory(error);
    t->history = grown;
    t->history_room = room;
  }
  double loss = step->loss;
  if (t->n_history > 0) {
    double n = t->n_history < SMOOTHED_STEPS ? (double) t->n_history : SMOOTHED_STEPS;
    loss = (n * t->history[t->n_history - 1].loss + loss) / (n + 1);
  }
  t->history[t->n_history++] = (mt_trainer_record){
      .step = step->step,
      .loss = loss,
      .learning_rate = step->learning_rate,
      .valid_loss = NAN,
      .valid_bleu = NAN,
  };
  return true;
}

/* *stop: some rank was asked to. */
static bool
do_step(mt_trainer *t, bool *stop, mt_error *error)
{
  uint64_t epoch = mt_sampler_get_position(t->sampler).epoch;
  step_sums sums = {.n_stop = mt_trainer_should_stop(t)};
  double flat[N_STEP_SUMS];
  if (!accumulate(t, &sums, error))
    return false;
  memcpy(flat, &sums, sizeof flat);
  if (!mt_comm_sum(t->comm, flat, N_STEP_SUMS, error))
    return false;
  memcpy(&sums, flat, sizeof flat);

  mt_trainer_step step = {
      .step = t->step + 1,
      .smoothed_loss = sums.smoothed_loss / sums.n_target,
      .loss = sums.loss / sums.n_target,
      .learning_rate =
          mt_schedule_rate(&t->config.schedule, t->network->config.d_model, t->step + 1),
      .n_source = (size_t) sums.n_source,
      .n_target = (size_t) sums.n_target,
      .epoch = epoch,
  };
  if (!isfinite(sums.smoothed_loss) ||
      !mt_adam_step(&t->adam, mt_workspace_pool(t->workspace), t->network->parameters,
                    t->network->gradients, 1 / sums.n_target, step.learning_rate, step.step,
                    &step.gradient_norm))
    return fail_not_finite(t, error);
  t->step++;
  t->saved = false;
  *stop = sums.n_stop > 0;
  if (!remember(t, &step, error))
    return false;
  if (t->events.on_step && mt_trainer_is_first(t))
    t->events.on_step(t->events.user, &step);
  return true;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static bool
validates_at(const mt_trainer *t, uint64_t step)
{
  const mt_trainer_config *c = &t->config;
  return step == c->schedule.steps || (c->validate_every > 0 && step % c->validate_every == 0);
}

static bool
show_history(mt_trainer *t, mt_error *error)
{
  return !t->events.on_history ||
         t->events.on_history(t->events.user, t->history, t->n_history, error);
}

/* Who wants to end does not wait for a validation; it is made up for when the training goes on. So
 * is the history, for who was killed after a checkpoint has not shown it. */
static bool
make_up(mt_trainer *t, mt_error *error)
{
  if (t->n_history == 0 || !mt_trainer_is_first(t))
    return true;
  bool missing = t->history[t->n_history - 1].step == t->step &&
                 isnan(t->history[t->n_history - 1].valid_loss) && validates_at(t, t->step);
  return (!missing || mt_trainer_validate(t, NULL, false, error)) && show_history(t, error);
}

/* What is due after a step, on the first rank. */
static bool
after_step(mt_trainer *t, bool stop, mt_error *error)
{
  bool last = t->step == t->config.schedule.steps;
  bool validates = validates_at(t, t->step) && (last || !stop);
  bool saves = mt_trainer_saves_at(t, t->step) || stop;
  if (!mt_trainer_is_first(t))
    return true;
  if (validates && !mt_trainer_validate(t, NULL, false, error))
    return false;
  if (saves && !mt_trainer_save(t, error))
    return false;
  return !(validates || saves) || show_history(t, error);
}

bool
mt_trainer_run(mt_trainer *t, mt_error *error)
{
  const mt_trainer_config *c = &t->config;
  bool first = mt_trainer_is_first(t);
  if (t->step == 0 && first) {
    if (c->start_from && c->validate_every > 0 && !mt_trainer_validate(t, NULL, false, error))
      return false;
    if (mt_trainer_saves_at(t, 0) && !t->saved && !mt_trainer_save(t, error))
      return false;
  }
  if (t->step > 0 && !make_up(t, error))
    return false;
  while (t->step < c->schedule.steps) {
    bool stop = false;
    if (!do_step(t, &stop, error) || !after_step(t, stop, error))
      return false;
    if (stop && t->step < c->schedule.steps)
      return mt_fail(error, MT_ERROR_CANCELLED, "Stopped after step %llu of %llu, as asked.",
                     (unsigned long long) t->step, (unsigned long long) c->schedule.steps);
  }
  return !first || mt_trainer_write_final(t, error);
}

const mt_network *
mt_trainer_get_network(const mt_trainer *t)
{
  return t->network;
}

const mt_network_config *
mt_trainer_get_shape(const mt_trainer *t)
{
  return &t->network->config;
}

size_t
mt_trainer_count_parameters(const mt_trainer *t)
{
  return t->network->n_parameters;
}

const mt_dataset *
mt_trainer_get_dataset(const mt_trainer *t)
{
  return t->dataset;
}

uint64_t
mt_trainer_get_step(const mt_trainer *t)
{
  return t->step;
}

size_t
mt_trainer_count_batches(const mt_trainer *t)
{
  return mt_sampler_count_batches(t->sampler);
}
