/* mt-train-pass.c — one batch through the network, forward and backward: its room, sub-layers,
 * stacks, the output layer, and the order of things.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-train-pass.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-product.h"

#include <math.h>
#include <string.h>

/* ---- The workspace --------------------------------------------------------------------------- */

/* Laying out what a batch needs, in one block that grows between batches. */

/* What a pool has at most. */
#define MAX_THREADS 64

/* ---- The block ------------------------------------------------------------------------------- */

/* Hands out pieces of the block; without a block it only counts. */
typedef struct {
  unsigned char *block;
  size_t used;
  bool overflows;
} arena;

static void *
take(arena *a, size_t n, size_t m, size_t size)
{
  size_t bytes, end;
  void *piece = a->block ? a->block + a->used : NULL;
  if (__builtin_mul_overflow(n, m, &bytes) || __builtin_mul_overflow(bytes, size, &bytes) ||
      __builtin_add_overflow(bytes, 63, &bytes) ||
      __builtin_add_overflow(a->used, bytes / 64 * 64, &end))
    a->overflows = true;
  else
    a->used = end;
  return piece;
}

#define REALS(n, m) take(a, n, m, sizeof(mt_real))

static void
lay_out_stack(arena *a, mt_train_stack *stack, const mt_network_config *c,
              const size_t rows[MT_N_STACKS], mt_stack s)
{
  size_t n = rows[s], d = c->d_model;
  stack->positions = take(a, n, 1, sizeof *stack->positions);
  stack->stream = c->normalize_before ? REALS(n, d) : NULL;
  for (size_t t = 0; t <= stack->n_sub_layers; t++) {
    mt_add_norm_rows *add_norm = &stack->add_norms[t];
    add_norm->normed = add_norm->has_norm ? REALS(n, d) : NULL;
    add_norm->inverse = add_norm->has_norm ? REALS(n, 1) : NULL;
    add_norm->y = REALS(n, d);
  }
  for (size_t t = 0; t < stack->n_sub_layers; t++) {
    mt_sub_layer *sub = &stack->sub_layers[t];
    switch (sub->kind) {
    case MT_SUB_SELF:
      sub->inside = REALS(n, 3 * d);
      break;
    case MT_SUB_CROSS:
      sub->inside = REALS(n, d);
      sub->kv_rows = REALS(rows[MT_STACK_ENCODER], 2 * d);
      break;
    case MT_SUB_FFN:
      sub->inside = REALS(n, c->d_ffn);
      sub->middle = c->activation == MT_ACTIVATION_RELU ? sub->inside : REALS(n, c->d_ffn);
      continue;
    }
    sub->log_sum = REALS(n, c->n_heads);
    sub->middle = REALS(n, d);
  }
}

/* For any map of a layer, forward and backward; for the output layer. */
static size_t
panels_room(const mt_network_config *c, size_t wide)
{
  size_t d = c->d_model, v = c->vocab_size;
  size_t map = mt_product_room(MT_PRODUCT_DEPTH > d ? MT_PRODUCT_DEPTH : d, wide);
  size_t output =
      mt_product_room(d, v) + mt_product_room(v, d) + mt_product_room(MT_OUTPUT_ROWS, d);
  return map > output ? map : output;
}

static void
lay_out(arena *a, mt_workspace *w, const mt_network_config *c, const size_t rows[MT_N_STACKS],
        size_t longest)
{
  size_t d = c->d_model, wide = 3 * d > c->d_ffn ? 3 * d : c->d_ffn;
  size_t source = rows[MT_STACK_ENCODER], target = rows[MT_STACK_DECODER];
  size_t n = source > target ? source : target;
  for (int s = 0; s < MT_N_STACKS; s++)
    lay_out_stack(a, &w->stacks[s], c, rows, s);
  w->d_y = REALS(n, d);
  w->d_stream = c->normalize_before ? REALS(n, d) : w->d_y;
  w->d_f = REALS(n, d);
  w->d_middle = REALS(n, d);
  w->d_inside = REALS(n, wide);
  w->d_kv = REALS(source, 2 * d);
  w->d_memory = REALS(source, d);
  w->sums = REALS(MT_TRAIN_PARTS, wide);
  w->scratch_size = MT_ATTENTION_SCRATCH(mt_network_d_head(c), longest);
  w->scratch = REALS(MT_TRAIN_PARTS, w->scratch_size);
  w->logits = REALS(MT_OUTPUT_ROWS, c->vocab_size);
  w->panels = REALS(panels_room(c, wide), 1);
  w->row_loss = take(a, target, 1, sizeof *w->row_loss);
  w->row_nll = take(a, target, 1, sizeof *w->row_nll);
  w->largest = REALS(target, c->n_heads);
  w->unit_sum = take(a, d, 1, sizeof *w->unit_sum);
}

/* Lay the workspace out for a batch of so many rows, if it does not fit; false: no memory. */
static bool
workspace_reserve(mt_workspace *w, const mt_network_config *config, const size_t rows[MT_N_STACKS],
                  size_t longest)
{
  if (w->arena && rows[0] <= w->max_rows[0] && rows[1] <= w->max_rows[1] &&
      longest <= w->max_length)
    return true;
  size_t wanted[MT_N_STACKS];
  for (int s = 0; s < MT_N_STACKS; s++)
    wanted[s] = rows[s] > w->max_rows[s] ? rows[s] : w->max_rows[s];
  if (longest < w->max_length)
    longest = w->max_length;
  /* Nothing in it outlives a batch: the old block goes first, so that there are never two. */
  mt_free(w->arena);
  w->arena = NULL;
  arena count = {0};
  lay_out(&count, w, config, wanted, longest);
  arena fill = {.block = count.overflows ? NULL : mt_alloc_aligned(count.used, 1)};
  if (!fill.block) {
    w->arena_bytes = w->max_length = w->max_rows[0] = w->max_rows[1] = 0;
    return false;
  }
  lay_out(&fill, w, config, wanted, longest);
  w->products.panels = w->panels;
  w->arena = fill.block;
  w->arena_bytes = fill.used;
  memcpy(w->max_rows, wanted, sizeof wanted);
  w->max_length = longest;
  return true;
}

/* ---- The workspace --------------------------------------------------------------------------- */

static void
describe_layer(mt_sub_layer *sub, mt_stack s, size_t layer, const mt_layer_at *at)
{
  *sub++ = (mt_sub_layer){.kind = MT_SUB_SELF,
                          .is_first = true,
                          .layer = layer,
                          .in = at->self_qkv,
                          .out = at->self_out,
                          .norm = at->self_norm};
  if (s == MT_STACK_DECODER)
    *sub++ = (mt_sub_layer){.kind = MT_SUB_CROSS,
                            .layer = layer,
                            .in = at->cross_q,
                            .kv = at->cross_kv,
                            .out = at->cross_out,
                            .norm = at->cross_norm};
  *sub = (mt_sub_layer){
      .kind = MT_SUB_FFN, .layer = layer, .in = at->fc1, .out = at->fc2, .norm = at->ffn_norm};
}

static bool
describe_stack(mt_train_stack *stack, const mt_network *network, mt_stack s)
{
  const mt_network_config *c = &network->config;
  size_t n_layers = c->n_layers[s], n_each = s == MT_STACK_DECODER ? 3 : 2;
  size_t n = stack->n_sub_layers = n_layers * n_each;
  stack->sub_layers = mt_alloc(n, sizeof *stack->sub_layers);
  stack->add_norms = mt_alloc(n + 1, sizeof *stack->add_norms);
  if (!stack->sub_layers || !stack->add_norms)
    return false;
  stack->residual_factor = mt_network_residual_factor(c, s);
  for (size_t l = 0; l < n_layers; l++)
    describe_layer(stack->sub_layers + l * n_each, s, l, &network->layout->layers[s][l]);
  for (size_t t = 0; t <= n; t++) {
    mt_add_norm_rows *add_norm = &stack->add_norms[t];
    if (c->normalize_before) {
      add_norm->has_norm = true;
      add_norm->norm = t < n ? stack->sub_layers[t].norm : network->layout->final_norm[s];
    } else if (t > 0) {
      add_norm->has_norm = true;
      add_norm->norm = stack->sub_layers[t - 1].norm;
    }
  }
  return true;
}

static bool
compute_sinusoids(mt_workspace *w, const mt_network_config *c)
{
  size_t n = c->max_positions * c->d_model;
  float *table = mt_alloc_aligned(n, sizeof *table);
  w->sinusoids = mt_alloc_aligned(n, sizeof *w->sinusoids);
  if (table && w->sinusoids) {
    mt_positions_sinusoidal(table, c->max_positions, c->d_model, MT_POSITIONS_SINUSOIDAL_HALVES);
    for (size_t i = 0; i < n; i++)
      w->sinusoids[i] = table[i];
  }
  mt_free(table);
  return table && w->sinusoids;
}

mt_workspace *
mt_workspace_new(const mt_network *network, unsigned n_threads, mt_error *error)
{
  const mt_network_config *c = &network->config;
  mt_workspace *w = mt_alloc(1, sizeof *w);
  if (!w || !describe_stack(&w->stacks[0], network, MT_STACK_ENCODER) ||
      !describe_stack(&w->stacks[1], network, MT_STACK_DECODER) ||
      (!c->learned_positions && !compute_sinusoids(w, c))) {
    mt_workspace_free(w);
    mt_fail_no_memory(error);
    return NULL;
  }
  w->operators = mt_operators_best();
  const unsigned n_usual = mt_pool_usual_threads();
  if (n_threads == 0)
    n_threads = n_usual;
  if (n_threads > MAX_THREADS)
    n_threads = MAX_THREADS;
  w->pool = mt_pool_new(n_threads);
  w->products = (mt_products){
      .operators = w->operators,
      .pool = w->pool,
      .bf16 = c->products == MT_PRODUCTS_BF16 ? mt_bf16_best() : NULL,
  };
  if (mt_pool_n_threads(w->pool) == n_threads)
    return w;
  /* With fewer threads the sums would come out with other bits. */
  mt_workspace_free(w);
  mt_fail(error, MT_ERROR_NO_MEMORY, "Training: expected %u threads, the system gives fewer.",
          n_threads);
  return NULL;
}

void
mt_workspace_free(mt_workspace *w)
{
  if (!w)
    return;
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_free(w->stacks[s].sub_layers);
    mt_free(w->stacks[s].add_norms);
  }
  mt_free(w->sinusoids);
  mt_free(w->arena);
  mt_pool_free(w->pool);
  mt_free(w);
}

mt_pool *
mt_workspace_pool(mt_workspace *workspace)
{
  return workspace->pool;
}

size_t
mt_workspace_bytes(const mt_workspace *workspace)
{
  return workspace->arena_bytes;
}

/* ---- Rows in parts --------------------------------------------------------------------------- */

typedef struct {
  size_t count;
  void (*part)(void *user, size_t i, size_t begin, size_t end);
  void *user;
} division;

static void
divided_part(void *user, size_t i, size_t n)
{
  const division *d = user;
  d->part(d->user, i, d->count * i / n, d->count * (i + 1) / n);
}

/* part(user, part number, begin, end) for MT_TRAIN_PARTS parts of `count` things. */
static void
train_divide(mt_pool *pool, size_t count,
             void (*part)(void *user, size_t i, size_t begin, size_t end), void *user)
{
  division d = {count, part, user};
  mt_pool_run(pool, MT_TRAIN_PARTS, divided_part, &d);
}

/* ---- Health ---------------------------------------------------------------------------------- */

/* Whether the network looks anywhere.
 *
 * A post-norm encoder can lose its positions while the loss still falls: after each layer all
 * positions of a sentence look more alike, until cross-attention has nothing to choose from. Two
 * numbers show it long before a translation does: how alike positions are after each encoder layer,
 * and how sharp the best cross-attention head is. */

/* After a cross-attention, from workspace->largest. */
static bool
health_reserve(mt_health *health, const mt_network_config *config)
{
  if (!health->row_maximum)
    health->row_maximum =
        mt_alloc(config->n_layers[MT_STACK_DECODER] * config->n_heads, sizeof *health->row_maximum);
  return health->row_maximum;
}

void
mt_health_clear(mt_health *health)
{
  mt_free(health->row_maximum);
  *health = (mt_health){0};
}

/* The mean cosine between two of n vectors: |u|^2 is n and each pair twice, where u is the sum of
 * their unit vectors. sum [d] is for that. */
static double
mean_cosine(const mt_real *x, size_t n, size_t d, double *sum)
{
  memset(sum, 0, d * sizeof *sum);
  for (size_t r = 0; r < n; r++) {
    double squares = 0;
    for (size_t i = 0; i < d; i++)
      squares += (double) x[r * d + i] * (double) x[r * d + i];
    double share = squares > 0 ? 1 / sqrt(squares) : 0;
    for (size_t i = 0; i < d; i++)
      sum[i] += share * (double) x[r * d + i];
  }
  double squares = 0, count = (double) n;
  for (size_t i = 0; i < d; i++)
    squares += sum[i] * sum[i];
  return (squares - count) / (count * (count - 1));
}

/* After the encoder: cosines of add & norm t of its results, `index` as in mt_health.cosine. */
static void
health_add_cosines(const mt_train_pass *pass, const mt_real *x, size_t index)
{
  const mt_train_batch *batch = pass->batch;
  mt_health *health = pass->health;
  size_t d = pass->network->config.d_model;
  for (size_t i = 0; i < batch->n_sentences; i++) {
    size_t begin = batch->source_begin[i], n = batch->source_begin[i + 1] - begin;
    if (n < 2)
      continue;
    health->cosine[index] += mean_cosine(x + begin * d, n, d, pass->workspace->unit_sum);
    health->n_sentences += index == 0;
  }
}

/* After a cross-attention, from workspace->largest. */
static void
health_add_weights(const mt_train_pass *pass, size_t layer)
{
  const mt_train_batch *batch = pass->batch;
  const mt_workspace *w = pass->workspace;
  mt_health *health = pass->health;
  size_t n_heads = pass->network->config.n_heads, n_rows = w->stacks[MT_STACK_DECODER].rows;
  for (size_t h = 0; h < n_heads; h++) {
    double sum = 0;
    for (size_t r = 0; r < n_rows; r++)
      sum += (double) w->largest[h * n_rows + r];
    health->row_maximum[layer * n_heads + h] += sum;
  }
  if (layer > 0)
    return;
  health->n_rows += n_rows;
  for (size_t i = 0; i < batch->n_sentences; i++)
    health->uniform += (double) (batch->target_begin[i + 1] - batch->target_begin[i]) /
                       (double) (batch->source_begin[i + 1] - batch->source_begin[i]);
}

mt_health_summary
mt_health_summarize(const mt_health *health, const mt_network_config *config)
{
  mt_health_summary summary = {0};
  size_t n_heads = config->n_heads, n = config->n_layers[MT_STACK_DECODER] * n_heads;
  double n_sentences = health->n_sentences ? (double) health->n_sentences : 1;
  double n_rows = health->n_rows ? (double) health->n_rows : 1;
  for (size_t l = 0; l <= config->n_layers[MT_STACK_ENCODER]; l++)
    summary.cosine[l] = health->cosine[l] / n_sentences;
  summary.uniform = health->uniform / n_rows;
  for (size_t i = 0; health->row_maximum && i < n; i++)
    if (health->row_maximum[i] / n_rows > summary.sharpness) {
      summary.sharpness = health->row_maximum[i] / n_rows;
      summary.layer = i / n_heads;
      summary.head = i % n_heads;
    }
  return summary;
}

/* Where dropout is: site numbers of one pass. */
static mt_dropout
train_dropout(const mt_train_pass *pass, double p, mt_stack stack, size_t add_norm, bool inside)
{
  uint32_t hook_point = ((uint32_t) add_norm * MT_N_STACKS + (uint32_t) stack) * 2 + inside;
  return mt_dropout_new(pass->is_training ? p : 0, pass->seed, pass->step, hook_point);
}

/* ---- Sub-layers ------------------------------------------------------------------------------ */

/* A sub-layer forward and backward: self-attention, cross-attention or the
 * feed-forward network; the paper, sections 3.2.2, 3.2.3 and 3.3.
 *
 *     inside = x W_in^T + b_in        middle = attention(inside) or activation(inside)
 *     f      = middle W_out^T         (b_out is added by add & norm)
 *
 * Backward:
 *
 *     dW_out += df^T middle           dmiddle = df W_out
 *     dW_in  += dinside^T x           dx      = dinside W_in        db_in += sum of dinside's rows
 */

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
        .dropout = train_dropout(pass, network->config.activation_dropout, stack, t, true),
        .z = sub->inside,
        .h = sub->middle,
        .d_h = w->d_inside,
    };
  else
    run.attention = describe_attention(&run, stack);
  return run;
}

/* ---- Forward --------------------------------------------------------------------------------- */

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
  train_divide(run->pool, rows, bias_part, &work);
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

static void
sub_layer_forward(const mt_train_pass *pass, mt_stack stack, size_t t)
{
  sub_layer_run run = begin(pass, stack, t);
  const mt_sub_layer *sub = run.sub;
  size_t rows = run.stack->rows, d = run.d;
  map(&run, sub->inside, run.x, sub->in.weight, rows, inside_width(&run), d);
  if (sub->kind == MT_SUB_FFN) {
    train_divide(run.pool, rows, activation_forward_part, &run);
  } else {
    add_bias(&run, sub->inside, sub->in.bias, rows, inside_width(&run));
    if (sub->kind == MT_SUB_CROSS) {
      map(&run, sub->kv_rows, run.memory, sub->kv.weight, run.n_memory, 2 * d, d);
      add_bias(&run, sub->kv_rows, sub->kv.bias, run.n_memory, 2 * d);
    }
    train_divide(run.pool, attention_items(&run), attention_forward_part, &run);
    if (sub->kind == MT_SUB_CROSS && pass->health)
      health_add_weights(pass, sub->layer);
  }
  map(&run, run.stack->add_norms[t + 1].normed, sub->middle, sub->out.weight, rows, d,
      middle_width(&run));
}

/* ---- Backward -------------------------------------------------------------------------------- */

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
  train_divide(run->pool, n, column_part, &work);
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
  train_divide(run->pool, attention_items(run), attention_backward_part, (void *) run);
  bias_gradient(run, sub->in.bias, w->d_inside, rows, inside_width(run));
  if (sub->kind != MT_SUB_CROSS)
    return;
  bias_gradient(run, sub->kv.bias, w->d_kv, run->n_memory, 2 * d);
  weight_gradient(run, sub->kv.weight, w->d_kv, run->memory, run->n_memory, 2 * d, d);
  input_gradient(run, w->d_memory, sub->kv.weight, w->d_kv, run->n_memory, 2 * d, d, true);
}

/* workspace->d_f has the gradient of what sub-layer t gave, without its bias's share. Adds to d_y
 * (post-norm) or writes it (pre-norm), adds to d_memory. */
static void
sub_layer_backward(const mt_train_pass *pass, mt_stack stack, size_t t)
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
    train_divide(run.pool, rows, activation_backward_part, &run);
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

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* A stack forward and backward: embedding, sub-layers, add & norm; the paper,
 * section 3.1. */

/* ---- Embedding ------------------------------------------------------------------------------- */

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
              .dropout = train_dropout(pass, c->dropout, s, 0, false),
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

/* ---- Add & norm ------------------------------------------------------------------------------ */

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
              .dropout = train_dropout(pass, c->dropout, s, t, false),
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
  train_divide(pass->workspace->pool, pass->workspace->stacks[s].rows, add_norm_forward_part,
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
  train_divide(pass->workspace->pool, stack->rows, add_norm_backward_part, &work);
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

/* ---- The stack ------------------------------------------------------------------------------- */

/* Embedding to the last norm; add_norms[n_sub_layers].y is the result. */
static void
stack_forward(const mt_train_pass *pass, mt_stack s)
{
  mt_workspace *w = pass->workspace;
  const mt_train_stack *stack = &w->stacks[s];
  bool is_observed = pass->health && s == MT_STACK_ENCODER;
  embedding_work embedding = describe_embedding(pass, s);
  train_divide(w->pool, stack->rows, embedding_forward_part, &embedding);
  if (is_observed)
    health_add_cosines(pass, embedding.pair.x, 0);
  add_norm_forward(pass, s, 0);
  for (size_t t = 0; t < stack->n_sub_layers; t++) {
    sub_layer_forward(pass, s, t);
    add_norm_forward(pass, s, t + 1);
    if (is_observed && stack->sub_layers[t].kind == MT_SUB_FFN)
      health_add_cosines(pass, stack->stream ? stack->stream : stack->add_norms[t + 1].y,
                         stack->sub_layers[t].layer + 1);
  }
}

static void
report(const mt_pass_options *options, size_t begin, size_t end)
{
  if (options && options->on_gradient && end > begin)
    options->on_gradient(options->user, begin, end - begin);
}

/* d_y has the gradient of the result. on_gradient as in mt_pass_options. */
static void
stack_backward(const mt_train_pass *pass, mt_stack s, const mt_pass_options *options)
{
  mt_workspace *w = pass->workspace;
  const mt_network_layout *layout = pass->network->layout;
  const mt_train_stack *stack = &w->stacks[s];
  size_t n = stack->n_sub_layers;
  add_norm_backward(pass, s, n);
  report(options, layout->final_begin[s], layout->final_end[s]);
  for (size_t t = n; t-- > 0;) {
    sub_layer_backward(pass, s, t);
    /* In pre-norm layers this is the norm of sub-layer t. */
    add_norm_backward(pass, s, t);
    if (stack->sub_layers[t].is_first) {
      const mt_layer_at *at = &layout->layers[s][stack->sub_layers[t].layer];
      report(options, at->begin, at->end);
    }
  }
  embedding_work embedding = describe_embedding(pass, s);
  train_divide(w->pool, embedding.pair.d, embedding_backward_part, &embedding);
}

/* ---- The output layer ------------------------------------------------------------------------ */

/* Output layer, softmax and loss, forward and backward at once; the paper,
 * sections 3.4 and 5.4.
 *
 *     logits = h E^T              dh = dlogits E        dE += dlogits^T h
 *
 * E is the embedding, or a matrix of the output layer's own.
 *
 * Logits of all rows would be the largest tensor of all: T times V. They are made, turned into
 * their own gradient and used up a block of rows at a time. With R-Drop the rows of the second pass
 * are half a batch behind those of the first, and a block has as many of each. */

/* Rows whose logits are made, turned into gradients and used by one thread: less would read the
 * matrix too often, more would leave the caches. */
#define ROWS_PER_PART 24

typedef struct {
  const mt_operators *operators;
  const mt_products *products;
  size_t d, n_vocab;
  size_t n_passes;                /* 2 with R-Drop */
  size_t rows;                    /* of this block, of each pass */
  const mt_real *h[2];            /* [rows][d] */
  mt_real *d_h[2];                /* [rows][d] */
  const mt_real *matrix;          /* [V][d] */
  mt_real *to_vocab, *from_vocab; /* panels of the matrix: h times, dlogits times */
  mt_real *h_panels;
  mt_real *d_matrix, *d_bias;
  mt_r_drop_pair loss;
  size_t pass; /* whose rows words_part takes */
} output_block;

/* Rows of the block: logits, loss, and what the decoder gets back. */
static void
rows_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = mt_product_part(o->products, i, n_parts, o->rows);
  size_t end = mt_product_part(o->products, i + 1, n_parts, o->rows);
  const mt_softmax_pair *passes = o->loss.passes;
  for (size_t k = 0; k < o->n_passes; k++)
    mt_product_rows(o->products, passes[k].logits, v, (mt_factor){o->h[k], d, false},
                    (mt_factor){o->matrix, d, true}, o->to_vocab, v, d, false, begin, end);
  if (o->n_passes == 2)
    o->operators->r_drop(&o->loss, begin, end);
  else
    o->operators->softmax(&passes[0], begin, end);
  for (size_t k = 0; k < o->n_passes && passes[k].wants_gradient; k++)
    mt_product_rows(o->products, o->d_h[k], d, (mt_factor){passes[k].logits, v, false},
                    (mt_factor){o->matrix, d, false}, o->from_vocab, d, v, false, begin, end);
}

/* Words of the vocabulary: what the matrix gets back. */
static void
words_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = v * i / n_parts, end = v * (i + 1) / n_parts;
  const mt_real *d_logits = o->loss.passes[o->pass].logits;
  mt_product_rows(o->products, o->d_matrix, d, (mt_factor){d_logits, v, true},
                  (mt_factor){o->h[o->pass], d, false}, o->h_panels, d, o->rows, true, begin, end);
  o->operators->add_columns(o->d_bias, d_logits, v, o->rows, begin, end);
}

/* Rows first … first + rows - 1 of each pass. */
static void
describe_block(output_block *o, const mt_train_pass *pass, size_t first)
{
  const mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *decoder = &w->stacks[MT_STACK_DECODER];
  o->loss.alpha = (mt_real) network->config.r_drop;
  for (size_t k = 0; k < o->n_passes; k++) {
    size_t at = k * (decoder->rows / 2) + first;
    o->h[k] = decoder->add_norms[decoder->n_sub_layers].y + at * o->d;
    o->d_h[k] = w->d_y + at * o->d;
    o->loss.passes[k] = (mt_softmax_pair){
        .n = o->n_vocab,
        .smoothing = (mt_real) network->config.label_smoothing,
        .bias = network->parameters + network->layout->output_bias,
        .answer = pass->batch->target_out + at,
        .logits = w->logits + k * o->rows * o->n_vocab,
        .wants_gradient = pass->is_training,
        .loss = w->row_loss + at,
        .nll = w->row_nll + at,
    };
  }
}

/* Softmax and loss of all target rows; the gradient of the decoder's result to d_y, those of the
 * embedding and the bias are added to. */
static void
output_pass(const mt_train_pass *pass, mt_loss *loss)
{
  mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *decoder = &w->stacks[MT_STACK_DECODER];
  const mt_network_layout *layout = network->layout;
  size_t d = network->config.d_model, n_rows = decoder->rows;
  size_t n_passes = pass->is_training && network->config.r_drop > 0 ? 2 : 1;
  size_t pass_rows = n_rows / n_passes, block_rows = MT_OUTPUT_ROWS / n_passes;
  output_block o = {
      .operators = w->operators,
      .products = &w->products,
      .d = d,
      .n_vocab = network->config.vocab_size,
      .n_passes = n_passes,
      .matrix = network->parameters + layout->output,
      .d_matrix = network->gradients + layout->output,
      .d_bias = network->gradients + layout->output_bias,
  };
  o.to_vocab = w->panels;
  o.from_vocab = o.to_vocab + mt_product_room(d, o.n_vocab);
  o.h_panels = o.from_vocab + mt_product_room(o.n_vocab, d);
  bool has_panels = mt_product_has_panels(&w->products, false);
  bool has_h_panels = pass->is_training && mt_product_has_panels(&w->products, true);
  if (has_panels) {
    mt_product_pack(&w->products, o.to_vocab, (mt_factor){o.matrix, d, true}, o.n_vocab, d);
    if (pass->is_training)
      mt_product_pack(&w->products, o.from_vocab, (mt_factor){o.matrix, d, false}, d, o.n_vocab);
  }
  size_t n_threads = mt_pool_n_threads(w->pool);
  for (size_t first = 0; first < pass_rows; first += block_rows) {
    o.rows = pass_rows - first < block_rows ? pass_rows - first : block_rows;
    describe_block(&o, pass, first);
    /* Own products come out the same however they are divided; OpenBLAS' may not. */
    size_t n_parts = has_panels ? (o.rows + ROWS_PER_PART - 1) / ROWS_PER_PART : n_threads;
    mt_pool_run(w->pool, n_parts, rows_part, &o);
    for (o.pass = 0; o.pass < n_passes && pass->is_training; o.pass++) {
      if (has_h_panels)
        mt_product_pack(&w->products, o.h_panels, (mt_factor){o.h[o.pass], d, false}, d, o.rows);
      mt_pool_run(w->pool, n_threads, words_part, &o);
    }
  }
  *loss = (mt_loss){.n_tokens = n_rows};
  for (size_t r = 0; r < n_rows; r++) {
    loss->smoothed_loss += w->row_loss[r];
    loss->negative_log_likelihood += w->row_nll[r];
  }
}

/* ---- The pass -------------------------------------------------------------------------------- */

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
  if (!workspace_reserve(w, c, rows, longest))
    return mt_fail_no_memory(error);
  begin_stack(&w->stacks[MT_STACK_ENCODER], batch, rows[0], batch->source_begin, batch->source);
  begin_stack(&w->stacks[MT_STACK_DECODER], batch, rows[1], batch->target_begin, batch->target_in);
  stack_forward(pass, MT_STACK_ENCODER);
  stack_forward(pass, MT_STACK_DECODER);
  output_pass(pass, loss);
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
  stack_backward(&pass, MT_STACK_DECODER, options);
  memcpy(w->d_y, w->d_memory, n_memory * sizeof *w->d_y);
  stack_backward(&pass, MT_STACK_ENCODER, options);
  mt_network_hold_pad(network, network->gradients);
  if (options->on_gradient)
    options->on_gradient(options->user, 0, network->layout->first_end);
  return true;
}

bool
mt_network_evaluate(const mt_network *network, mt_workspace *workspace, const mt_train_batch *batch,
                    mt_loss *loss, mt_health *health, mt_error *error)
{
  if (health && !health_reserve(health, &network->config))
    return mt_fail_no_memory(error);
  mt_train_pass pass = {
      .network = (mt_network *) network,
      .workspace = workspace,
      .batch = batch,
      .health = health,
  };
  return forward(&pass, loss, error);
}
