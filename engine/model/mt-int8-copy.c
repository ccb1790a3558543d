/* mt-int8-copy.c — a model that is not rounded, once more with int8 where steps of a search read
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-int8-copy.h"

#include "base/mt-alloc.h"
#include "kernels/mt-ops.h"
#include "model/mt-narrow.h"

#include <string.h>

/* What the matrices of a step must take: from there on they come from memory in every step, not
 * from a cache. Measured: docs/performance.md. */
#define LEAST_BYTES ((size_t) 100 << 20)

struct mt_int8_copy {
  mt_model model; /* whose stacks and output are its own, and the rest is borrowed */
  mt_storage storage;
  mt_narrowing narrowing;
  size_t n_done; /* matrices that are rounded, in the order of mt_narrow_visit_step */
};

enum { NONE, BUSY, READY, IMPOSSIBLE };

/* ---- Whether it pays ------------------------------------------------------------------------- */

typedef struct {
  size_t now, rounded; /* bytes */
} step_bytes;

static bool
add_bytes(void *user, mt_linear *map)
{
  step_bytes *bytes = user;
  const bool is_half = map->halves || map->as_stored.format != MT_PRECISION_STORED;
  bytes->now += map->n_out * map->n_in * (is_half ? sizeof(uint16_t) : sizeof(float));
  bytes->rounded += map->n_out * map->n_in;
  return true;
}

bool
mt_int8_copy_pays(const mt_model *model)
{
  step_bytes bytes = {0};
  /* Which are only looked at. */
  mt_narrow_visit_step((mt_model *) model, add_bytes, &bytes);
  return bytes.now >= LEAST_BYTES && bytes.rounded <= model->spare_memory;
}

size_t
mt_int8_copy_count_step(mt_model *model)
{
  return atomic_fetch_add_explicit(&model->int8_later.n_steps, 1, memory_order_relaxed) + 1;
}

/* ---- Making it ------------------------------------------------------------------------------- */

static void
copy_free(struct mt_int8_copy *copy)
{
  if (!copy)
    return;
  mt_narrow_clear(&copy->narrowing);
  mt_free(copy->storage.narrow);
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(copy->model.stacks[s].layers);
  mt_free(copy);
}

/* With room for the matrices, all of which are still to be rounded. */
static struct mt_int8_copy *
copy_new(const mt_model *model)
{
  static const mt_load_options options = {.precision = MT_PRECISION_INT8};
  static const mt_dir no_dir = MT_DIR_NONE;
  struct mt_int8_copy *copy = mt_alloc(1, sizeof *copy);
  if (!copy)
    return NULL;
  /* What a pass reads; no counters, which others may be changing. */
  copy->model.number = model->number;
  copy->model.name = model->name;
  copy->model.config = model->config;
  copy->model.output = model->output;
  copy->model.tokenizer = model->tokenizer;
  copy->model.storage = &copy->storage;
  bool ok = true;
  for (int s = 0; s < MT_N_STACKS; s++) {
    const mt_stack_weights *stack = &model->stacks[s];
    mt_layer_weights *layers = mt_alloc(model->config.n_layers[s], sizeof *layers);
    copy->model.stacks[s] = *stack;
    if (layers)
      memcpy(layers, stack->layers, model->config.n_layers[s] * sizeof *layers);
    copy->model.stacks[s].layers = layers;
    ok = ok && layers;
  }
  if (ok && mt_narrow_begin(&copy->narrowing, &copy->model, &no_dir, &options, NULL, NULL))
    return copy;
  copy_free(copy);
  return NULL;
}

typedef struct {
  struct mt_int8_copy *copy;
  mt_pool *pool;
  bool (*should_stop)(void *user);
  void *user;
  size_t i; /* of the matrix that comes next */
  bool is_stopped;
  /* Of one matrix: */
  mt_linear *map;
  _Atomic(bool) has_failed;
} making;

/* Some of the rows, in whole panels. */
static void
round_part(void *user, size_t i, size_t n_parts)
{
  making *m = user;
  mt_narrowing own = m->copy->narrowing;
  own.row = NULL; /* each thread has one */
  own.row_capacity = 0;
  const size_t first = mt_ops_part_begin(i, n_parts, m->map->n_out, MT_INT8_PANEL);
  const size_t end = mt_ops_part_begin(i + 1, n_parts, m->map->n_out, MT_INT8_PANEL);
  if (!mt_narrow_rows(&own, m->map, first, end))
    m->has_failed = true;
  mt_free(own.row);
}

static bool
round_map(void *user, mt_linear *map)
{
  making *m = user;
  if (m->i++ < m->copy->n_done)
    return true;
  m->is_stopped = m->should_stop && m->should_stop(m->user);
  if (m->is_stopped)
    return false;
  m->map = map;
  mt_pool_run(m->pool, 4 * (size_t) mt_pool_n_threads(m->pool), round_part, m);
  m->copy->n_done++;
  return !m->has_failed;
}

bool
mt_int8_copy_make(mt_model *model, mt_pool *pool, bool (*should_stop)(void *user), void *user)
{
  mt_int8_later *later = &model->int8_later;
  int state = NONE;
  if (!atomic_compare_exchange_strong(&later->state, &state, BUSY))
    return true;
  if (!later->copy)
    later->copy = copy_new(model);
  making m = {.copy = later->copy, .pool = pool, .should_stop = should_stop, .user = user};
  const bool is_whole = m.copy && mt_narrow_visit_step(&m.copy->model, round_map, &m);
  if (!is_whole && !m.is_stopped) {
    copy_free(later->copy);
    later->copy = NULL;
  }
  atomic_store(&later->state, is_whole ? READY : m.is_stopped ? NONE : IMPOSSIBLE);
  return !m.is_stopped;
}

const mt_model *
mt_int8_copy_get(const mt_model *model)
{
  return atomic_load(&model->int8_later.state) == READY ? &model->int8_later.copy->model : NULL;
}

void
mt_int8_copy_clear(mt_model *model)
{
  copy_free(model->int8_later.copy);
  model->int8_later.copy = NULL;
}
