/* mt-train-pass.c — one batch through the network: the checks, the order of things.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-train-pass.h"

#include "base/mt-error.h"
#include "train/mt-train-workspace.h"

#include <string.h>

static const char *const stack_names[MT_N_STACKS] = {"source", "target"};

/* Lengths of one side, and the longest one. */
static bool
check_lengths(const mt_train_batch *batch, mt_stack s, size_t max_positions, size_t *longest,
              mt_error *error)
{
  const uint32_t *begin = s == MT_STACK_ENCODER ? batch->source_begin : batch->target_begin;
  if (begin[0] != 0)
    return mt_fail(error, MT_ERROR_INPUT, "Batch: expected the %s to begin at row 0, found row %u.",
                   stack_names[s], begin[0]);
  for (size_t i = 0; i < batch->n_sentences; i++) {
    if (begin[i + 1] <= begin[i] || begin[i + 1] - begin[i] > max_positions)
      return mt_fail(error, MT_ERROR_INPUT,
                     "Batch: expected 1 to %zu tokens in the %s of sentence %zu, found rows %u to "
                     "%u.",
                     max_positions, stack_names[s], i, begin[i], begin[i + 1]);
    if (begin[i + 1] - begin[i] > *longest)
      *longest = begin[i + 1] - begin[i];
  }
  return true;
}

static bool
check_ids(const int32_t *ids, size_t n, const char *what, size_t vocab_size, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if (ids[i] < 0 || (size_t) ids[i] >= vocab_size)
      return mt_fail(error, MT_ERROR_INPUT,
                     "Batch: expected ids from 0 to %zu in the %s, found %d in row %zu.",
                     vocab_size - 1, what, ids[i], i);
  return true;
}

static bool
check_batch(const mt_network_config *c, const mt_train_batch *batch, size_t rows[MT_N_STACKS],
            size_t *longest, mt_error *error)
{
  if (batch->n_sentences == 0)
    return mt_fail(error, MT_ERROR_INPUT, "Batch: expected a sentence, found none.");
  size_t wide = 3 * c->d_model > c->d_ffn ? 3 * c->d_model : c->d_ffn;
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (!check_lengths(batch, s, c->max_positions, longest, error))
      return false;
    rows[s] =
        (s == MT_STACK_ENCODER ? batch->source_begin : batch->target_begin)[batch->n_sentences];
    /* Elements are counted with 32 bits in dropout, and with an int in OpenBLAS. */
    if (rows[s] > INT32_MAX / wide)
      return mt_fail(error, MT_ERROR_INPUT,
                     "Batch: expected at most %zu rows in the %s, found %zu.", INT32_MAX / wide,
                     stack_names[s], rows[s]);
  }
  return check_ids(batch->source, rows[0], "source", c->vocab_size, error) &&
         check_ids(batch->target_in, rows[1], "decoder's input", c->vocab_size, error) &&
         check_ids(batch->target_out, rows[1], "target", c->vocab_size, error);
}

/* Whether its second half is its first half again. */
static bool
is_twice(const mt_train_batch *b)
{
  size_t half = b->n_sentences / 2;
  if (b->n_sentences % 2)
    return false;
  const uint32_t *begins[MT_N_STACKS] = {b->source_begin, b->target_begin};
  for (int s = 0; s < MT_N_STACKS; s++)
    for (size_t i = 0; i <= half; i++)
      if (begins[s][half + i] != begins[s][half] + begins[s][i])
        return false;
  size_t n[MT_N_STACKS] = {begins[0][half], begins[1][half]};
  return memcmp(b->source, b->source + n[0], n[0] * sizeof *b->source) == 0 &&
         memcmp(b->target_in, b->target_in + n[1], n[1] * sizeof *b->target_in) == 0 &&
         memcmp(b->target_out, b->target_out + n[1], n[1] * sizeof *b->target_out) == 0;
}

static void
begin_stack(mt_train_stack *stack, const mt_train_batch *batch, size_t rows, const uint32_t *begin,
            const int32_t *ids)
{
  stack->rows = rows;
  stack->begin = begin;
  stack->ids = ids;
  for (size_t i = 0; i < batch->n_sentences; i++)
    for (uint32_t r = begin[i]; r < begin[i + 1]; r++)
      stack->positions[r] = r - begin[i];
}

/* Everything up to the loss, and the gradient that begins the way back. */
static bool
forward(const mt_train_pass *pass, mt_loss *loss, mt_error *error)
{
  const mt_network_config *c = &pass->network->config;
  const mt_train_batch *batch = pass->batch;
  mt_workspace *w = pass->workspace;
  size_t rows[MT_N_STACKS], longest = 0;
  if (!check_batch(c, batch, rows, &longest, error))
    return false;
  if (pass->is_training && c->r_drop > 0 && !is_twice(batch))
    return mt_fail(
        error, MT_ERROR_INPUT,
        "Batch: R-Drop expects every sentence twice, the second time after all of them.");
  if (!mt_workspace_reserve(w, c, rows, longest))
    return mt_fail_no_memory(error);
  begin_stack(&w->stacks[MT_STACK_ENCODER], batch, rows[0], batch->source_begin, batch->source);
  begin_stack(&w->stacks[MT_STACK_DECODER], batch, rows[1], batch->target_begin, batch->target_in);
  mt_stack_forward(pass, MT_STACK_ENCODER);
  mt_stack_forward(pass, MT_STACK_DECODER);
  mt_output_pass(pass, loss);
  return true;
}

bool
mt_network_gradient(mt_network *network, mt_workspace *workspace, const mt_train_batch *batch,
                    const mt_pass_options *options, mt_loss *loss, mt_error *error)
{
  mt_train_pass pass = {
      .network = network,
      .workspace = workspace,
      .batch = batch,
      .seed = options->seed,
      .step = options->step,
      .is_training = true,
  };
  if (!forward(&pass, loss, error))
    return false;
  mt_workspace *w = workspace;
  size_t n_memory = w->stacks[MT_STACK_ENCODER].rows * network->config.d_model;
  memset(w->d_memory, 0, n_memory * sizeof *w->d_memory);
  mt_stack_backward(&pass, MT_STACK_DECODER, options);
  memcpy(w->d_y, w->d_memory, n_memory * sizeof *w->d_y);
  mt_stack_backward(&pass, MT_STACK_ENCODER, options);
  mt_network_hold_pad(network, network->gradients);
  if (options->on_gradient)
    options->on_gradient(options->user, 0, network->layout->first_end);
  return true;
}

bool
mt_network_evaluate(const mt_network *network, mt_workspace *workspace, const mt_train_batch *batch,
                    mt_loss *loss, mt_health *health, mt_error *error)
{
  if (health && !mt_health_reserve(health, &network->config))
    return mt_fail_no_memory(error);
  mt_train_pass pass = {
      .network = (mt_network *) network,
      .workspace = workspace,
      .batch = batch,
      .health = health,
  };
  return forward(&pass, loss, error);
}
