/* mt-train-sub-layer.c — a sub-layer forward and backward: self-attention, cross-attention or the
 * feed-forward network; the paper, sections 3.2.2, 3.2.3 and 3.3.
 *
 *     inside = x W_in^T + b_in        middle = attention(inside) or activation(inside)
 *     f      = middle W_out^T         (b_out is added by add & norm)
 *
 * Backward:
 *
 *     dW_out += df^T middle           dmiddle = df W_out
 *     dW_in  += dinside^T x           dx      = dinside W_in        db_in += sum of dinside's rows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-product.h"
#include "train/mt-train-workspace.h"

typedef struct {
  const mt_train_pass *pass;
  mt_workspace *w;
  mt_pool *pool;
  const mt_train_stack *stack;
  const mt_sub_layer *sub;
  size_t d, d_ffn;
  const mt_real *parameters;
  mt_real *gradients;
  const mt_real *x;      /* what the sub-layer reads [R][d] */
  const mt_real *memory; /* the encoder's output [S][d] */
  size_t n_memory;
  mt_attention_pair attention;
  mt_activation_pair activation;
} sub_layer_run;

/* Columns that the map in gives. */
static size_t
inside_width(const sub_layer_run *run)
{
  switch (run->sub->kind) {
  case MT_SUB_SELF:
    return 3 * run->d;
  case MT_SUB_CROSS:
    return run->d;
  case MT_SUB_FFN:
    return run->d_ffn;
  }
  return 0;
}

static size_t
middle_width(const sub_layer_run *run)
{
  return run->sub->kind == MT_SUB_FFN ? run->d_ffn : run->d;
}

static mt_attention_pair
describe_attention(const sub_layer_run *run, mt_stack stack)
{
  const mt_network_config *c = &run->pass->network->config;
  const mt_sub_layer *sub = run->sub;
  mt_workspace *w = run->w;
  size_t d = run->d;
  bool crosses = sub->kind == MT_SUB_CROSS;
  mt_attention_pair a = {
      .n_heads = c->n_heads,
      .d_head = mt_network_d_head(c),
      .query_begin = run->stack->begin,
      .key_begin = crosses ? w->stacks[MT_STACK_ENCODER].begin : run->stack->begin,
      .causal = !crosses && stack == MT_STACK_DECODER,
      .window = crosses ? 0 : c->attention_window,
      .q = sub->inside,
      .q_stride = crosses ? d : 3 * d,
      .k = crosses ? sub->kv_rows : sub->inside + d,
      .v = crosses ? sub->kv_rows + d : sub->inside + 2 * d,
      .kv_stride = crosses ? 2 * d : 3 * d,
      .context = sub->middle,
      .log_sum = sub->log_sum,
      .n_queries = run->stack->rows,
      .largest = crosses && run->pass->health ? w->largest : NULL,
      .d_context = w->d_middle,
      .d_q = w->d_inside,
      .d_k = crosses ? w->d_kv : w->d_inside + d,
      .d_v = crosses ? w->d_kv + d : w->d_inside + 2 * d,
  };
  return a;
}

static sub_layer_run
begin(const mt_train_pass *pass, mt_stack stack, size_t t)
{
  const mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *encoder = &w->stacks[MT_STACK_ENCODER];
  const mt_sub_layer *sub = &w->stacks[stack].sub_layers[t];
  sub_layer_run run = {
      .pass = pass,
      .w = w,
      .pool = w->pool,
      .stack = &w->stacks[stack],
      .sub = sub,
      .d = network->config.d_model,
      .d_ffn = network->config.d_ffn,
      .parameters = network->parameters,
      .gradients = network->gradients,
      .x = w->stacks[stack].add_norms[t].y,
      .memory = encoder->add_norms[encoder->n_sub_layers].y,
      .n_memory = encoder->rows,
  };
  if (sub->kind == MT_SUB_FFN)
    run.activation = (mt_activation_pair){
        .n = run.d_ffn,
        .activation = network->config.activation,
        .bias = network->parameters + sub->in.bias,
        .dropout = mt_train_dropout(pass, network->config.activation_dropout, stack, t, true),
        .z = sub->inside,
        .h = sub->middle,
        .d_h = w->d_inside,
    };
  else
    run.attention = describe_attention(&run, stack);
  return run;
}

/* ---- Forward ----------------------------------------------------------------------------------
 */

/* y [rows][n_out] = x W^T */
static void
map(const sub_layer_run *run, mt_real *y, const mt_real *x, size_t weight, size_t rows,
    size_t n_out, size_t n_in)
{
  mt_product(&run->w->products, y, n_out, (mt_factor){x, n_in, false},
             (mt_factor){run->parameters + weight, n_in, true}, rows, n_out, n_in, false);
}

typedef struct {
  const mt_operators *operators;
  mt_real *y;
  const mt_real *bias;
  size_t n;
} bias_work;

static void
bias_part(void *user, size_t i, size_t begin, size_t end)
{
  const bias_work *b = user;
  b->operators->add_bias(b->y, b->n, b->bias, b->n, begin, end);
}

static void
add_bias(const sub_layer_run *run, mt_real *y, size_t bias, size_t rows, size_t n)
{
  bias_work work = {run->w->operators, y, run->parameters + bias, n};
  mt_train_divide(run->pool, rows, bias_part, &work);
}

static void
activation_forward_part(void *user, size_t i, size_t begin, size_t end)
{
  const sub_layer_run *run = user;
  run->w->operators->activation_forward(&run->activation, begin, end);
}

static void
attention_forward_part(void *user, size_t i, size_t begin, size_t end)
{
  const sub_layer_run *run = user;
  run->w->operators->attention_forward(&run->attention, begin, end,
                                       run->w->scratch + i * run->w->scratch_size);
}

static size_t
attention_items(const sub_layer_run *run)
{
  return run->pass->batch->n_sentences * run->attention.n_heads;
}

void
mt_sub_layer_forward(const mt_train_pass *pass, mt_stack stack, size_t t)
{
  sub_layer_run run = begin(pass, stack, t);
  const mt_sub_layer *sub = run.sub;
  size_t rows = run.stack->rows, d = run.d;
  map(&run, sub->inside, run.x, sub->in.weight, rows, inside_width(&run), d);
  if (sub->kind == MT_SUB_FFN) {
    mt_train_divide(run.pool, rows, activation_forward_part, &run);
  } else {
    add_bias(&run, sub->inside, sub->in.bias, rows, inside_width(&run));
    if (sub->kind == MT_SUB_CROSS) {
      map(&run, sub->kv_rows, run.memory, sub->kv.weight, run.n_memory, 2 * d, d);
      add_bias(&run, sub->kv_rows, sub->kv.bias, run.n_memory, 2 * d);
    }
    mt_train_divide(run.pool, attention_items(&run), attention_forward_part, &run);
    if (sub->kind == MT_SUB_CROSS && pass->health)
      mt_health_add_weights(pass, sub->layer);
  }
  map(&run, run.stack->add_norms[t + 1].normed, sub->middle, sub->out.weight, rows, d,
      middle_width(&run));
}

/* ---- Backward ---------------------------------------------------------------------------------
 */

/* dW += dy^T x */
static void
weight_gradient(const sub_layer_run *run, size_t weight, const mt_real *d_y, const mt_real *x,
                size_t rows, size_t n_out, size_t n_in)
{
  mt_product(&run->w->products, run->gradients + weight, n_in, (mt_factor){d_y, n_out, true},
             (mt_factor){x, n_in, false}, n_out, n_in, rows, true);
}

/* dx = dy W, or added to dx */
static void
input_gradient(const sub_layer_run *run, mt_real *d_x, size_t weight, const mt_real *d_y,
               size_t rows, size_t n_out, size_t n_in, bool adds)
{
  mt_product(&run->w->products, d_x, n_in, (mt_factor){d_y, n_out, false},
             (mt_factor){run->parameters + weight, n_in, false}, rows, n_in, n_out, adds);
}

typedef struct {
  const mt_operators *operators;
  mt_real *sum;
  const mt_real *x;
  size_t rows, n;
} column_work;

static void
column_part(void *user, size_t i, size_t begin, size_t end)
{
  const column_work *c = user;
  c->operators->add_columns(c->sum, c->x, c->n, c->rows, begin, end);
}

/* db += sum over rows of dy [rows][n] */
static void
bias_gradient(const sub_layer_run *run, size_t bias, const mt_real *d_y, size_t rows, size_t n)
{
  column_work work = {run->w->operators, run->gradients + bias, d_y, rows, n};
  mt_train_divide(run->pool, n, column_part, &work);
}

static void
activation_backward_part(void *user, size_t i, size_t begin, size_t end)
{
  const sub_layer_run *run = user;
  run->w->operators->activation_backward(&run->activation, begin, end,
                                         run->w->sums + i * run->d_ffn);
}

static void
attention_backward_part(void *user, size_t i, size_t begin, size_t end)
{
  const sub_layer_run *run = user;
  run->w->operators->attention_backward(&run->attention, begin, end,
                                        run->w->scratch + i * run->w->scratch_size);
}

static void
attention_backward(const sub_layer_run *run)
{
  const mt_sub_layer *sub = run->sub;
  mt_workspace *w = run->w;
  size_t d = run->d, rows = run->stack->rows;
  mt_train_divide(run->pool, attention_items(run), attention_backward_part, (void *) run);
  bias_gradient(run, sub->in.bias, w->d_inside, rows, inside_width(run));
  if (sub->kind != MT_SUB_CROSS)
    return;
  bias_gradient(run, sub->kv.bias, w->d_kv, run->n_memory, 2 * d);
  weight_gradient(run, sub->kv.weight, w->d_kv, run->memory, run->n_memory, 2 * d, d);
  input_gradient(run, w->d_memory, sub->kv.weight, w->d_kv, run->n_memory, 2 * d, d, true);
}

void
mt_sub_layer_backward(const mt_train_pass *pass, mt_stack stack, size_t t)
{
  sub_layer_run run = begin(pass, stack, t);
  const mt_sub_layer *sub = run.sub;
  mt_workspace *w = run.w;
  size_t rows = run.stack->rows, d = run.d, width = middle_width(&run);
  bool is_ffn = sub->kind == MT_SUB_FFN;
  weight_gradient(&run, sub->out.weight, w->d_f, sub->middle, rows, d, width);
  input_gradient(&run, is_ffn ? w->d_inside : w->d_middle, sub->out.weight, w->d_f, rows, d, width,
                 false);
  if (is_ffn) {
    mt_train_divide(run.pool, rows, activation_backward_part, &run);
    w->operators->add_columns(run.gradients + sub->in.bias, w->sums, width, MT_TRAIN_PARTS, 0,
                              width);
  } else {
    attention_backward(&run);
  }
  size_t inside = inside_width(&run);
  weight_gradient(&run, sub->in.weight, w->d_inside, run.x, rows, inside, d);
  input_gradient(&run, w->d_y, sub->in.weight, w->d_inside, rows, inside, d,
                 !pass->network->config.normalize_before);
}
