/* mt-train-stack.c — a stack forward and backward: embedding, sub-layers, add & norm; the paper,
 * section 3.1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-train-workspace.h"

#include <math.h>
#include <string.h>

mt_dropout
mt_train_dropout(const mt_train_pass *pass, double p, mt_stack stack, size_t add_norm, bool inside)
{
  uint32_t site = ((uint32_t) add_norm * MT_N_STACKS + (uint32_t) stack) * 2 + inside;
  return mt_dropout_new(pass->is_training ? p : 0, pass->seed, pass->step, site);
}

/* ---- Embedding --------------------------------------------------------------------------------
 */

typedef struct {
  const mt_operators *operators;
  mt_embedding_pair pair;
  size_t rows;
} embedding_work;

/* Where the stack begins: its residual stream, or what its first sub-layer reads. */
static mt_real *
first_rows(const mt_train_stack *stack)
{
  return stack->add_norms[0].has_norm ? stack->stream : stack->add_norms[0].y;
}

static embedding_work
describe_embedding(const mt_train_pass *pass, mt_stack s)
{
  mt_network *network = pass->network;
  const mt_network_config *c = &network->config;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *stack = &w->stacks[s];
  size_t embedding = network->layout->embedding, positions = network->layout->positions[s];
  return (embedding_work){
      .operators = w->operators,
      .rows = stack->rows,
      .pair =
          {
              .d = c->d_model,
              .scale = (mt_real) sqrt((double) c->d_model),
              .ids = stack->ids,
              .positions = stack->positions,
              .embedding = network->parameters + embedding,
              .table = c->learned_positions ? network->parameters + positions : w->sinusoids,
              .dropout = mt_train_dropout(pass, c->dropout, s, 0, false),
              .x = first_rows(stack),
              .d_x = w->d_stream,
              .d_embedding = network->gradients + embedding,
              .d_table = c->learned_positions ? network->gradients + positions : NULL,
          },
  };
}

static void
embedding_forward_part(void *user, size_t i, size_t begin, size_t end)
{
  const embedding_work *work = user;
  work->operators->embedding_forward(&work->pair, begin, end);
}

static void
embedding_backward_part(void *user, size_t i, size_t begin, size_t end)
{
  const embedding_work *work = user;
  work->operators->embedding_backward(&work->pair, work->rows, begin, end);
}

/* ---- Add & norm -------------------------------------------------------------------------------
 */

typedef struct {
  const mt_operators *operators;
  mt_add_norm_pair pair;
  mt_real *sums;
} add_norm_work;

static add_norm_work
describe_add_norm(const mt_train_pass *pass, mt_stack s, size_t t)
{
  const mt_network_config *c = &pass->network->config;
  const mt_real *parameters = pass->network->parameters;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *stack = &w->stacks[s];
  const mt_add_norm_rows *rows = &stack->add_norms[t];
  bool is_pre = c->normalize_before;
  return (add_norm_work){
      .operators = w->operators,
      .sums = w->sums,
      .pair =
          {
              .d = c->d_model,
              .x = is_pre ? stack->stream : stack->add_norms[t - 1].y,
              .f = t > 0 ? rows->normed : NULL,
              .bias = t > 0 ? parameters + stack->sub_layers[t - 1].out.bias : NULL,
              .factor = (mt_real) stack->residual_factor,
              .dropout = mt_train_dropout(pass, c->dropout, s, t, false),
              .s = is_pre && t > 0 ? stack->stream : NULL,
              .gain = parameters + rows->norm.gain,
              .shift = parameters + rows->norm.bias,
              .normed = rows->normed,
              .inverse = rows->inverse,
              .y = rows->y,
              .d_y = w->d_y,
              .d_s = w->d_stream,
              .adds = is_pre && t<stack->n_sub_layers, .d_f = t> 0 ? w->d_f : NULL,
          },
  };
}

static void
add_norm_forward_part(void *user, size_t i, size_t begin, size_t end)
{
  const add_norm_work *work = user;
  work->operators->add_norm_forward(&work->pair, begin, end);
}

static void
add_norm_forward(const mt_train_pass *pass, mt_stack s, size_t t)
{
  if (!pass->workspace->stacks[s].add_norms[t].has_norm)
    return;
  add_norm_work work = describe_add_norm(pass, s, t);
  mt_train_divide(pass->workspace->pool, pass->workspace->stacks[s].rows, add_norm_forward_part,
                  &work);
}

static void
add_norm_backward_part(void *user, size_t i, size_t begin, size_t end)
{
  const add_norm_work *work = user;
  work->operators->add_norm_backward(&work->pair, begin, end,
                                     work->sums + i * MT_N_ADD_NORM_SUMS * work->pair.d);
}

static void
add_norm_backward(const mt_train_pass *pass, mt_stack s, size_t t)
{
  const mt_train_stack *stack = &pass->workspace->stacks[s];
  const mt_add_norm_rows *rows = &stack->add_norms[t];
  if (!rows->has_norm)
    return;
  add_norm_work work = describe_add_norm(pass, s, t);
  mt_train_divide(pass->workspace->pool, stack->rows, add_norm_backward_part, &work);
  mt_real *gradients = pass->network->gradients;
  size_t d = work.pair.d, stride = MT_N_ADD_NORM_SUMS * d;
  work.operators->add_columns(gradients + rows->norm.gain, work.sums + MT_SUM_GAIN * d, stride,
                              MT_TRAIN_PARTS, 0, d);
  work.operators->add_columns(gradients + rows->norm.bias, work.sums + MT_SUM_SHIFT * d, stride,
                              MT_TRAIN_PARTS, 0, d);
  if (t > 0)
    work.operators->add_columns(gradients + stack->sub_layers[t - 1].out.bias,
                                work.sums + MT_SUM_BIAS * d, stride, MT_TRAIN_PARTS, 0, d);
}

/* ---- The stack --------------------------------------------------------------------------------
 */

void
mt_stack_forward(const mt_train_pass *pass, mt_stack s)
{
  mt_workspace *w = pass->workspace;
  const mt_train_stack *stack = &w->stacks[s];
  bool is_observed = pass->health && s == MT_STACK_ENCODER;
  embedding_work embedding = describe_embedding(pass, s);
  mt_train_divide(w->pool, stack->rows, embedding_forward_part, &embedding);
  if (is_observed)
    mt_health_add_cosines(pass, embedding.pair.x, 0);
  add_norm_forward(pass, s, 0);
  for (size_t t = 0; t < stack->n_sub_layers; t++) {
    mt_sub_layer_forward(pass, s, t);
    add_norm_forward(pass, s, t + 1);
    if (is_observed && stack->sub_layers[t].kind == MT_SUB_FFN)
      mt_health_add_cosines(pass, stack->stream ? stack->stream : stack->add_norms[t + 1].y,
                            stack->sub_layers[t].layer + 1);
  }
}

static void
report(const mt_pass_options *options, size_t begin, size_t end)
{
  if (options && options->on_gradient && end > begin)
    options->on_gradient(options->user, begin, end - begin);
}

void
mt_stack_backward(const mt_train_pass *pass, mt_stack s, const mt_pass_options *options)
{
  mt_workspace *w = pass->workspace;
  const mt_network_layout *layout = pass->network->layout;
  const mt_train_stack *stack = &w->stacks[s];
  size_t n = stack->n_sub_layers;
  add_norm_backward(pass, s, n);
  report(options, layout->final_begin[s], layout->final_end[s]);
  for (size_t t = n; t-- > 0;) {
    mt_sub_layer_backward(pass, s, t);
    /* In pre-norm layers this is the norm of sub-layer t. */
    add_norm_backward(pass, s, t);
    if (stack->sub_layers[t].is_first) {
      const mt_layer_at *at = &layout->layers[s][stack->sub_layers[t].layer];
      report(options, at->begin, at->end);
    }
  }
  embedding_work embedding = describe_embedding(pass, s);
  mt_train_divide(w->pool, embedding.pair.d, embedding_backward_part, &embedding);
}
