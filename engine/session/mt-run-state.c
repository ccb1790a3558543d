/* mt-run-state.c — the memory of a run: one allocation, laid out anew for each shape.
 *
 * Buffers, logits, the pool of keys and values, sentences; enlarged only when a shape does not fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-run.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-narrow.h"

/* Rows of logits at once in a parallel pass; more would only cost memory. */
#define LOGIT_ROWS 64

static size_t
max(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t
min(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* So many structs. */
static void *
take_structs(mt_arena *arena, size_t n, size_t size)
{
  return mt_arena_take(arena, n, (size + 3) / 4, 1);
}

/* Room for so many rows in all buffers but scores and logits; and in ops, if the model wants it,
 * for the rounded input of a map. */
static void
lay_out_rows(mt_run *run, size_t rows, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  mt_buffers *b = &run->buffers;
  size_t d = config->d_model;
  b->x = mt_arena_take(arena, rows, d, 1);
  b->sub_layer = mt_arena_take(arena, rows, d, 1);
  b->normed = mt_arena_take(arena, rows, d, 1);
  b->positions = mt_arena_take(arena, rows, d, 1);
  b->q = mt_arena_take(arena, rows, d, 1);
  b->k = mt_arena_take(arena, rows, d, 1);
  b->v = mt_arena_take(arena, rows, d, 1);
  b->context = mt_arena_take(arena, rows, d, 1);
  size_t d_ffn = max(config->d_ffn[0], config->d_ffn[1]);
  b->hidden = mt_arena_take(arena, rows, d_ffn, 1);
  const mt_precision form = mt_precision_form(run->model->precision);
  if (form == MT_PRECISION_BF16)
    run->ops.halved = mt_arena_take(arena, rows, MT_BF16_ROOM(max(d, d_ffn)), 1);
  if (form == MT_PRECISION_INT8) {
    run->ops.quantized = mt_arena_take(arena, rows, MT_INT8_STRIDE(max(d, d_ffn)) / 4, 1);
    run->ops.scales = mt_arena_take(arena, rows, 1, 1);
  }
  run->ops.packed = mt_arena_take(arena, MT_PANEL_ROWS(rows), max(d, d_ffn), 1);
  run->ids = mt_arena_take(arena, rows, 1, 1);
}

static mt_recording
lay_out_recording(const mt_run *run, const mt_run_shape *shape, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  mt_recording r = {.extent = shape->recorded,
                    .n_source = shape->n_source,
                    .n_beams = shape->n_beams};
  if (r.extent == MT_RECORD_NOTHING)
    return r;
  for (int s = 0; s < MT_N_STACKS; s++) {
    r.n_layers[s] = config->n_layers[s];
    r.n_heads[s] = config->n_heads[s];
  }
  size_t encoder_rows = r.n_layers[MT_STACK_ENCODER] * r.n_heads[MT_STACK_ENCODER] * r.n_source;
  r.weights[MT_ENCODER_SELF] = mt_arena_take(arena, encoder_rows, r.n_source, 1);
  r.row_lse[MT_ENCODER_SELF] = mt_arena_take(arena, encoder_rows, 1, 1);
  if (r.extent == MT_RECORD_ENCODER)
    return r;
  size_t decoder_rows =
      r.n_layers[MT_STACK_DECODER] * r.n_heads[MT_STACK_DECODER] * MT_RECORDING_MAX * r.n_beams;
  r.weights[MT_DECODER_SELF] = mt_arena_take(arena, decoder_rows, MT_RECORDING_MAX, 1);
  r.weights[MT_CROSS] = mt_arena_take(arena, decoder_rows, r.n_source, 1);
  r.row_lse[MT_DECODER_SELF] = mt_arena_take(arena, decoder_rows, 1, 1);
  r.row_lse[MT_CROSS] = mt_arena_take(arena, decoder_rows, 1, 1);
  r.rows = mt_arena_take(arena, r.n_beams, MT_RECORDING_MAX, 1);
  return r;
}

/* Bytes. Less is kept for the next search, since fetching memory takes longer than translating. */
#define VAST ((size_t) 128 << 20)

static void
lay_out(mt_run *run, const mt_run_shape *shape, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  size_t n = shape->n_sentences;
  /* Rows of a sentence's step: where there is one sentence, it may have a draft. */
  size_t steps = shape->n_beams && n == 1 ? max(shape->n_beams, MT_DRAFT_MAX_PASS) : shape->n_beams;
  size_t parallel = max(shape->n_source, shape->n_target);
  size_t longest = max(parallel, shape->max_length);
  lay_out_rows(run, max(max(parallel, steps), shape->n_rows), arena);

  /* One head for each thread, and where there are many sentences for each part of the work: the
   * encoder's matrix, the parallel decoder's, or a row for each hypothesis. What one thread writes,
   * the others should not have in their caches. */
  mt_buffers *b = &run->buffers;
  b->n_scores = (n > 1 ? 2 : 1) * (size_t) mt_pool_n_threads(run->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(parallel, steps), longest + 1, &b->scores_stride))
    arena->overflow = true;
  b->scores_stride = (b->scores_stride + 15) / 16 * 16;
  b->scores = mt_arena_take(arena, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(max(steps, min(shape->n_target, LOGIT_ROWS)), shape->n_logits);
  b->logits = mt_arena_take(arena, b->logit_rows, run->model->output.n_out, 1);

  /* Rows of one sentence; beams and lengths are checked parameters. */
  size_t most = shape->n_source + shape->n_beams * shape->max_length;
  mt_kv_pool_lay_out(&run->pool, config->n_layers[MT_STACK_DECODER],
                     mt_kv_pool_pages(max(most, shape->n_kv)), config->d_model, arena);
  run->groups.groups = take_structs(arena, n, sizeof *run->groups.groups);
  run->groups.pool = &run->pool;
  run->in_pass = take_structs(arena, n, sizeof(void *));
  run->sentences = take_structs(arena, n, sizeof *run->sentences);
  run->n_sentences = n;
  for (size_t i = 0; i < n; i++) {
    mt_sentence sentence = {0};
    mt_kv_sentence_lay_out(&sentence.kv, shape->n_source, steps, shape->max_length, arena);
    sentence.recording = lay_out_recording(run, shape, arena);
    if (arena->base)
      run->sentences[i] = sentence;
  }
}

bool
mt_run_reserve(mt_run *run, const mt_model *model, const mt_ops *ops, const mt_run_shape *shape,
               mt_error *error)
{
  run->model = model;
  run->ops = *ops;
  mt_arena need = {0};
  lay_out(run, shape, &need);
  run->n_sentences = 0;
  if (need.overflow)
    return mt_fail_no_memory(error);
  /* What one very wide or very long search needed is given back by the next ordinary one. */
  const bool is_vast = run->arena_size > VAST && need.used < run->arena_size / 4;
  if (need.used + MT_ARENA_ALIGNMENT > run->arena_size || is_vast) {
    mt_free(run->arena);
    run->arena_size = 0;
    run->arena = mt_alloc(need.used + MT_ARENA_ALIGNMENT, 1);
    if (!run->arena)
      return mt_fail_no_memory(error);
    run->arena_size = need.used + MT_ARENA_ALIGNMENT;
  }
  mt_arena final = {.base = mt_arena_begin(run->arena)};
  lay_out(run, shape, &final);
  mt_kv_pool_clear(&run->pool);
  mt_run_begin_rows(run);
  return true;
}

void
mt_run_clear(mt_run *run)
{
  mt_free(run->arena);
  *run = (mt_run){0};
}
