/* mt-trainer-save.c — what a training leaves on the disk.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-trainer-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdio.h>
#include <string.h>

#define FINAL_FOLDER "model"

/* OUTPUT/name; free with mt_free. */
static char *
output_path(const mt_trainer *t, const char *name, mt_error *error)
{
  size_t size = strlen(t->config.output) + strlen(name) + 2;
  char *path = mt_alloc(size, 1);
  if (path)
    snprintf(path, size, "%s/%s", t->config.output, name);
  else
    mt_fail_no_memory(error);
  return path;
}

static bool
is_save_at(const mt_trainer *t, uint64_t step)
{
  for (size_t i = 0; i < t->config.n_save_at; i++)
    if (t->config.save_at[i] == step)
      return true;
  return false;
}

bool
mt_trainer_saves_at(const mt_trainer *t, uint64_t step)
{
  const mt_trainer_config *c = &t->config;
  return is_save_at(t, step) || step == c->schedule.steps ||
         (step > 0 && c->save_every > 0 && step % c->save_every == 0);
}

bool
mt_trainer_write_model(const mt_trainer *t, const mt_real *parameters, mt_new_dir *dir,
                       mt_error *error)
{
  char *card = mt_trainer_make_card(t);
  if (!card)
    return mt_fail_no_memory(error);
  mt_model_write what = {
      .network = t->network,
      .parameters = parameters,
      .dataset = t->dataset,
      .dtype = t->config.dtype,
      .num_beams = t->config.num_beams,
      .card = card,
  };
  bool ok = mt_model_write_files(&what, dir, error);
  mt_free(card);
  return ok;
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

void
mt_trainer_let_go(const mt_trainer *t)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(t->config.output, &steps, &n, NULL))
    return;
  size_t n_kept = 0;
  for (size_t i = n; i > 0; i--) {
    uint64_t step = steps[i - 1];
    if (step != t->step)
      mt_checkpoint_strip(t->config.output, step);
    if (is_save_at(t, step))
      continue;
    /* One that an interruption wrote is there to be gone on from, and pushes none out that was
     * asked for. */
    bool was_asked_for = mt_trainer_saves_at(t, step);
    if (t->config.keep > 0 && (was_asked_for ? n_kept == t->config.keep : step != t->step))
      mt_checkpoint_remove(t->config.output, step);
    else if (was_asked_for)
      n_kept++;
  }
  mt_free(steps);
}

bool
mt_trainer_save(mt_trainer *t, mt_error *error)
{
  if (!mt_dataset_check(t->dataset, error))
    return false;
  char *card = mt_trainer_make_card(t);
  char *path = mt_checkpoint_path(t->config.output, t->step);
  bool ok = (card && path) || mt_fail_no_memory(error);
  mt_model_write model = {
      .network = t->network,
      .parameters = t->network->parameters,
      .dataset = t->dataset,
      .dtype = t->config.dtype,
      .num_beams = t->config.num_beams,
      .card = card,
  };
  mt_checkpoint checkpoint = {
      .network = t->network,
      .adam = &t->adam,
      .state = {.step = t->step,
                .position = mt_sampler_get_position(t->sampler),
                .sampling = t->sampling},
      .history = t->history,
      .n_history = t->n_history,
  };
  ok = ok && mt_checkpoint_write(t->config.output, &checkpoint, &model, error);
  if (ok) {
    t->saved = true;
    mt_trainer_let_go(t);
    if (t->events.on_checkpoint)
      t->events.on_checkpoint(t->events.user, t->step, path);
  }
  mt_free(card);
  mt_free(path);
  return ok;
}

/* ---- The final model ------------------------------------------------------------------------- */

/* Add the parameters of a checkpoint's model to sum [n_flat]. */
static bool
add_checkpoint(const mt_trainer *t, mt_network *one, uint64_t step, mt_real *sum, mt_error *error)
{
  char *path = mt_checkpoint_path(t->config.output, step);
  mt_model *model = path ? mt_model_open(path, NULL, error) : NULL;
  if (!path)
    mt_fail_no_memory(error);
  bool ok = model && mt_network_load(one, model, error);
  for (size_t i = 0; ok && i < one->n_flat; i++)
    sum[i] += one->parameters[i];
  mt_model_unref(model);
  mt_free(path);
  return ok;
}

/* The mean of the last n checkpoints, as they are in their files: [n_flat], free with mt_free. */
static mt_real *
average(const mt_trainer *t, const uint64_t *steps, size_t n, mt_error *error)
{
  mt_network *one = mt_network_new(&t->network->config, error);
  mt_real *sum = one ? mt_alloc_aligned(one->n_flat, sizeof *sum) : NULL;
  bool ok = sum || (one && mt_fail_no_memory(error));
  for (size_t i = 0; ok && i < n; i++)
    ok = add_checkpoint(t, one, steps[i], sum, error);
  for (size_t i = 0; ok && i < one->n_flat; i++)
    sum[i] /= (mt_real) n;
  mt_network_free(one);
  if (ok)
    return sum;
  mt_free(sum);
  return NULL;
}

static bool
commit_final(const mt_trainer *t, const mt_real *parameters, mt_error *error)
{
  char *path = output_path(t, FINAL_FOLDER, error);
  mt_new_dir *dir = path ? mt_new_dir_begin(path, error) : NULL;
  bool ok = dir && mt_trainer_write_model(t, parameters, dir, error) &&
            mt_new_dir_commit(dir, true, error);
  mt_new_dir_free(dir);
  mt_free(path);
  return ok;
}

bool
mt_trainer_write_final(mt_trainer *t, mt_error *error)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(t->config.output, &steps, &n, error))
    return false;
  /* Later ones are of an earlier, longer training. */
  while (n > 0 && steps[n - 1] > t->step)
    n--;
  size_t n_used = t->config.average < n ? t->config.average : n;
  bool ok;
  if (n_used < 2) {
    ok = commit_final(t, t->network->parameters, error);
  } else {
    mt_real *mean = average(t, steps + n - n_used, n_used, error);
    ok = mean && commit_final(t, mean, error);
    if (ok) {
      /* Validated in the place of the network, which then has its own parameters back. */
      mt_real *own = t->network->parameters;
      char *path = output_path(t, FINAL_FOLDER, error);
      t->network->parameters = mean;
      mt_trainer_note(t, "The final model is the mean of %zu checkpoints, from step %llu on.",
                      n_used, (unsigned long long) steps[n - n_used]);
      ok = path && mt_trainer_validate(t, path, true, error);
      t->network->parameters = own;
      mt_free(path);
    }
    mt_free(mean);
  }
  mt_free(steps);
  return ok;
}
