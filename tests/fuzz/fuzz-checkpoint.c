/* fuzz-checkpoint.c — what a training goes on from, of which one file is the input: the first byte
 * says which one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read has to be fit for training: finite numbers, a history of the length that is said.
 */
#include "../train/small-training.h"
#include "base/mt-alloc.h"
#include "fuzz-files.h"
#include "fuzz.h"
#include "train/mt-checkpoint.h"

#include <math.h>

static const char *const files[] = {"trainer_state.json", "trainer_state.safetensors", NULL};
enum { STEP = 2 };

static char *folder, *output, *step;
static mt_network_config shape;

static void
clean_up(void)
{
  small_remove(folder);
  g_free(output);
  g_free(step);
  fuzz_files_clear();
}

/* A training of two steps of a network of which nothing could be smaller. */
static void
set_up(void)
{
  folder = small_temporary();
  output = g_build_filename(folder, "run", NULL);
  step = g_build_filename(output, "step-00000002", NULL);
  g_autofree char *data = g_build_filename(folder, "prepared", NULL);
  small_write(data, 2, 2);
  mt_trainer_config c = small_training(data, output, STEP);
  c.network.d_model = 2;
  c.network.n_heads = 1;
  c.network.d_ffn = 1;
  c.network.n_layers[MT_STACK_DECODER] = 1;
  c.validate_every = 0;
  c.n_threads = 1;
  small_train(&c, NULL);
  mt_network *network = small_load(step);
  shape = network->config;
  mt_network_free(network);
  fuzz_files_keep(step, files);
  atexit(clean_up);
}

static void
use(const mt_checkpoint *c)
{
  g_assert_cmpuint(c->state.step, ==, STEP);
  for (gsize i = 0; i < c->network->n_flat; i++)
    g_assert_true(isfinite(c->network->parameters[i]) && isfinite(c->adam->m[i]) &&
                  isfinite(c->adam->v[i]) && c->adam->v[i] >= 0);
  for (gsize i = 0; i < c->n_history; i++)
    fuzz_sink += (double) c->history[i].step + c->history[i].loss;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return -1;
  if (!folder)
    set_up();
  guint i = fuzz_files_choose(data[0]);
  fuzz_files_put(i, data + 1, size - 1);
  mt_error error = {0};
  mt_adam adam = {0};
  mt_adam_options options = mt_trainer_config_default().adam;
  mt_network *network = mt_network_new(&shape, &error);
  g_assert_true(network && mt_adam_init(&adam, &options, network->n_flat, &error));
  mt_checkpoint c = {.network = network, .adam = &adam};
  uint64_t last;
  if (mt_checkpoint_find_last(output, &last) && mt_checkpoint_read(output, STEP, &c, &error))
    use(&c);
  else
    g_assert_null(c.history);
  mt_free(c.history);
  mt_adam_clear(&adam);
  mt_network_free(network);
  fuzz_files_restore(i);
  return 0;
}
