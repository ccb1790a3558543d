/* mt-run-state.c — the memory of a session: one allocation, laid out anew for each sentence.
 *
 * Buffers, logits and the key/value cache; enlarged only when a sentence does not fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-session.h"

#include "mt-alloc.h"
#include "mt-error.h"

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

/* Takes pieces from a block; without a block it only adds up what is needed. */
typedef struct {
  char *base;
  size_t used;
  bool overflow;
} layout;

/* a * b * c elements of 4 bytes, on a cache line of their own. */
static void *
take(layout *l, size_t a, size_t b, size_t c)
{
  size_t bytes;
  if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, c, &bytes) ||
      __builtin_mul_overflow(bytes, 4, &bytes) || bytes > SIZE_MAX / 4 || l->used > SIZE_MAX / 4) {
    l->overflow = true;
    return NULL;
  }
  void *piece = l->base ? l->base + l->used : NULL;
  l->used += (bytes + 63) / 64 * 64;
  return piece;
}

static void
lay_out_recording(mt_session *session, const mt_run_shape *shape, layout *l)
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
  r->weights[MT_ENCODER_SELF] = take(l, encoder_rows, r->n_source, 1);
  r->row_lse[MT_ENCODER_SELF] = take(l, encoder_rows, 1, 1);
  if (r->extent == MT_RECORD_ENCODER)
    return;
  size_t decoder_rows =
      r->n_layers[MT_STACK_DECODER] * r->n_heads[MT_STACK_DECODER] * MT_RECORDING_MAX * r->n_beams;
  r->weights[MT_DECODER_SELF] = take(l, decoder_rows, MT_RECORDING_MAX, 1);
  r->weights[MT_CROSS] = take(l, decoder_rows, r->n_source, 1);
  r->row_lse[MT_DECODER_SELF] = take(l, decoder_rows, 1, 1);
  r->row_lse[MT_CROSS] = take(l, decoder_rows, 1, 1);
  r->rows = take(l, r->n_beams, MT_RECORDING_MAX, 1);
}

static void
lay_out(mt_session *session, const mt_run_shape *shape, layout *l)
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
  b->x = take(l, rows, d, 1);
  b->sub_layer = take(l, rows, d, 1);
  b->normed = take(l, rows, d, 1);
  b->positions = take(l, rows, d, 1);
  b->q = take(l, rows, d, 1);
  b->k = take(l, rows, d, 1);
  b->v = take(l, rows, d, 1);
  b->context = take(l, rows, d, 1);
  size_t d_ffn = max(config->d_ffn[0], config->d_ffn[1]);
  b->hidden = take(l, rows, d_ffn, 1);
  if (session->model->precision == MT_PRECISION_INT8) {
    session->ops.quantized = take(l, rows, MT_INT8_STRIDE(max(d, d_ffn)) / 4, 1);
    session->ops.scales = take(l, rows, 1, 1);
  }
  session->ops.packed = take(l, MT_PANEL_ROWS(rows), max(d, d_ffn), 1);
  /* What one thread writes, the others should not have in their caches. */
  b->n_scores = mt_pool_n_threads(session->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(parallel, steps), longest, &b->scores_stride))
    l->overflow = true;
  b->scores_stride = (b->scores_stride + 15) / 16 * 16;
  b->scores = take(l, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(steps, min(shape->n_target, LOGIT_ROWS));
  b->logits = take(l, b->logit_rows, session->model->output.n_out, 1);

  mt_kv_cache *c = &session->cache;
  c->d = d;
  c->n_source = shape->n_source;
  c->cross_k = take(l, n_layers, shape->n_source, d);
  c->cross_v = take(l, n_layers, shape->n_source, d);
  c->n_beams = shape->n_beams;
  c->max_length = shape->max_length;
  c->length = 0;
  size_t n_cached = shape->n_beams * shape->max_length; /* both are checked parameters */
  c->self_k = take(l, n_layers, n_cached, d);
  c->self_v = take(l, n_layers, n_cached, d);
  c->n_rows = steps;
  c->index = take(l, steps, shape->max_length, 1);
  c->former_index = take(l, steps, shape->max_length, 1);
  lay_out_recording(session, shape, l);
}

bool
mt_session_reserve(mt_session *session, const mt_run_shape *shape, mt_error *error)
{
  layout need = {0};
  lay_out(session, shape, &need);
  if (need.overflow)
    return mt_fail_no_memory(error);
  if (need.used + 64 > session->arena_size) {
    mt_free(session->arena);
    session->arena_size = 0;
    session->arena = mt_alloc(need.used + 64, 1);
    if (!session->arena)
      return mt_fail_no_memory(error);
    session->arena_size = need.used + 64;
  }
  size_t misaligned = (uintptr_t) session->arena % 64;
  layout final = {.base = session->arena + (misaligned ? 64 - misaligned : 0)};
  lay_out(session, shape, &final);
  return true;
}
