/* mt-train-workspace.c — laying out what a batch needs, in one block that grows between batches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-train-workspace.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-product.h"

#include <sched.h>
#include <string.h>

/* What a pool has at most. */
#define MAX_THREADS 64

/* ---- The block --------------------------------------------------------------------------------
 */

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

/* For any map of a layer, forward and backward; for the output layer, mt-train-output.c. */
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

bool
mt_workspace_reserve(mt_workspace *w, const mt_network_config *config,
                     const size_t rows[MT_N_STACKS], size_t longest)
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

/* ---- The workspace ----------------------------------------------------------------------------
 */

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

/* The cores that this process may use. */
static unsigned
count_cores(void)
{
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n < 1 ? 1 : (unsigned) n;
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
  mt_product_init();
  if (n_threads == 0)
    n_threads = count_cores();
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

/* ---- Rows in parts ----------------------------------------------------------------------------
 */

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

void
mt_train_divide(mt_pool *pool, size_t count,
                void (*part)(void *user, size_t i, size_t begin, size_t end), void *user)
{
  division d = {count, part, user};
  mt_pool_run(pool, MT_TRAIN_PARTS, divided_part, &d);
}
