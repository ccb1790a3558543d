/* mt-run-state.c — the memory of a session: one allocation, laid out anew for each sentence.
 *
 * Buffers, logits and the key/value cache; enlarged only when a sentence does not fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-session.h"

#include "base/mt-alloc.h"
#include "base/mt-arena.h"
#include "base/mt-error.h"

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

void
mt_buffers_lay_out(mt_buffers *b, mt_ops *ops, const mt_model *model, size_t rows, mt_arena *l)
{
  const mt_config *config = &model->config;
  size_t d = config->d_model;
  b->x = mt_arena_take(l, rows, d, 1);
  b->sub_layer = mt_arena_take(l, rows, d, 1);
  b->normed = mt_arena_take(l, rows, d, 1);
  b->positions = mt_arena_take(l, rows, d, 1);
  b->q = mt_arena_take(l, rows, d, 1);
  b->k = mt_arena_take(l, rows, d, 1);
  b->v = mt_arena_take(l, rows, d, 1);
  b->context = mt_arena_take(l, rows, d, 1);
  size_t d_ffn = max(config->d_ffn[0], config->d_ffn[1]);
  b->hidden = mt_arena_take(l, rows, d_ffn, 1);
  if (model->precision == MT_PRECISION_INT8) {
    ops->quantized = mt_arena_take(l, rows, MT_INT8_STRIDE(max(d, d_ffn)) / 4, 1);
    ops->scales = mt_arena_take(l, rows, 1, 1);
  }
  ops->packed = mt_arena_take(l, MT_PANEL_ROWS(rows), max(d, d_ffn), 1);
}

static void
lay_out_recording(mt_session *session, const mt_run_shape *shape, mt_arena *l)
{
  const mt_config *config = mt_model_config(session->model);
  mt_recording *r = &session->recording;
  *r = (mt_recording){.extent = shape->recorded,
                      .n_source = shape->n_source,
                      .n_beams = shape->n_beams};
  if (r->extent == MT_RECORD_NOTHING)
    return;
  for (int s = 0; s < MT_N_STACKS; s++) {
    r->n_layers[s] = config->n_layers[s];
    r->n_heads[s] = config->n_heads[s];
  }
  size_t encoder_rows = r->n_layers[MT_STACK_ENCODER] * r->n_heads[MT_STACK_ENCODER] * r->n_source;
  r->weights[MT_ENCODER_SELF] = mt_arena_take(l, encoder_rows, r->n_source, 1);
  r->row_lse[MT_ENCODER_SELF] = mt_arena_take(l, encoder_rows, 1, 1);
  if (r->extent == MT_RECORD_ENCODER)
    return;
  size_t decoder_rows =
      r->n_layers[MT_STACK_DECODER] * r->n_heads[MT_STACK_DECODER] * MT_RECORDING_MAX * r->n_beams;
  r->weights[MT_DECODER_SELF] = mt_arena_take(l, decoder_rows, MT_RECORDING_MAX, 1);
  r->weights[MT_CROSS] = mt_arena_take(l, decoder_rows, r->n_source, 1);
  r->row_lse[MT_DECODER_SELF] = mt_arena_take(l, decoder_rows, 1, 1);
  r->row_lse[MT_CROSS] = mt_arena_take(l, decoder_rows, 1, 1);
  r->rows = mt_arena_take(l, r->n_beams, MT_RECORDING_MAX, 1);
}

static void
lay_out(mt_session *session, const mt_run_shape *shape, mt_arena *l)
{
  const mt_config *config = mt_model_config(session->model);
  size_t d = config->d_model, n_layers = config->n_layers[MT_STACK_DECODER];
  size_t steps = shape->n_beams ? max(shape->n_beams, MT_DRAFT_MAX_PASS) : 0; /* rows of a step */
  size_t rows = max(max(shape->n_source, shape->n_target), steps);
  size_t longest = max(shape->n_source, max(shape->n_target, shape->max_length));
  /* One head for each thread: the encoder's matrix, the parallel decoder's, or a row for each
   * beam. */
  size_t parallel = max(shape->n_source, shape->n_target);

  mt_buffers *b = &session->buffers;
  mt_buffers_lay_out(b, &session->ops, session->model, rows, l);
  /* What one thread writes, the others should not have in their caches. */
  b->n_scores = mt_pool_n_threads(session->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(parallel, steps), longest, &b->scores_stride))
    l->overflow = true;
  b->scores_stride = (b->scores_stride + 15) / 16 * 16;
  b->scores = mt_arena_take(l, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(steps, min(shape->n_target, LOGIT_ROWS));
  b->logits = mt_arena_take(l, b->logit_rows, session->model->output.n_out, 1);

  mt_kv_cache *c = &session->cache;
  c->d = d;
  c->n_source = shape->n_source;
  c->cross_k = mt_arena_take(l, n_layers, shape->n_source, d);
  c->cross_v = mt_arena_take(l, n_layers, shape->n_source, d);
  c->n_beams = shape->n_beams;
  c->max_length = shape->max_length;
  c->length = 0;
  size_t n_cached = shape->n_beams * shape->max_length; /* both are checked parameters */
  c->self_k = mt_arena_take(l, n_layers, n_cached, d);
  c->self_v = mt_arena_take(l, n_layers, n_cached, d);
  c->n_rows = steps;
  c->index = mt_arena_take(l, steps, shape->max_length, 1);
  c->former_index = mt_arena_take(l, steps, shape->max_length, 1);
  lay_out_recording(session, shape, l);
}

bool
mt_session_reserve(mt_session *session, const mt_run_shape *shape, mt_error *error)
{
  mt_arena need = {0};
  lay_out(session, shape, &need);
  if (need.overflow)
    return mt_fail_no_memory(error);
  if (need.used + MT_ARENA_ALIGNMENT > session->arena_size) {
    mt_free(session->arena);
    session->arena_size = 0;
    session->arena = mt_alloc(need.used + MT_ARENA_ALIGNMENT, 1);
    if (!session->arena)
      return mt_fail_no_memory(error);
    session->arena_size = need.used + MT_ARENA_ALIGNMENT;
  }
  mt_arena final = {.base = mt_arena_begin(session->arena)};
  lay_out(session, shape, &final);
  return true;
}
