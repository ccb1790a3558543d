/* mt-batch-state.c — the memory of a batch: one allocation for all that decoding works on, and a
 * search for each sentence that can be in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

/* Tokens of a pass if nothing is said. */
#define USUAL_TOKENS 128
/* Sentences that are encoded together at most, whatever their length. */
#define MAX_READY 64
/* Decoder positions that there is room for in the pool, for each row of a step; at least one
 * sentence of the greatest length fits in any case. */
#define USUAL_POSITIONS 64
/* Rows of logits at once. */
#define LOGIT_ROWS 128

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

static void
lay_out(mt_batch *batch, mt_arena *arena)
{
  const mt_model *model = batch->session->model;
  const mt_config *config = &model->config;
  size_t beams = batch->params.beam_size, longest = config->max_positions;
  size_t max_length = batch->params.max_length;
  mt_buffers *b = &batch->buffers;
  mt_buffers_lay_out(b, &batch->ops, model, batch->max_rows, arena);
  b->n_scores = 2 * (size_t) mt_pool_n_threads(batch->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(longest, beams), max(longest, max_length), &b->scores_stride))
    arena->overflow = true;
  b->scores = mt_arena_take(arena, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(beams, min(batch->max_running * beams, LOGIT_ROWS));
  b->logits = mt_arena_take(arena, b->logit_rows, model->output.n_out, 1);

  size_t most = longest + beams * max_length; /* rows of one sentence; both are checked */
  size_t usual = USUAL_POSITIONS * batch->max_rows;
  mt_kv_pool_lay_out(&batch->pool, config->n_layers[MT_STACK_DECODER],
                     mt_kv_pool_pages(max(most, usual)), config->d_model, arena);
  batch->groups.positions = mt_arena_take(arena, batch->max_rows, 1, 1);
  batch->ids = mt_arena_take(arena, batch->max_rows, 1, 1);
  batch->new_rows = mt_arena_take(arena, batch->max_rows, 1, 1);
  for (size_t i = 0; i < batch->n_sentences; i++) {
    mt_batch_sentence *s = &batch->sentences[i];
    s->rows.max_pages = mt_kv_pool_pages(most);
    s->rows.pages = mt_arena_take(arena, s->rows.max_pages, 1, 1);
    s->source = mt_arena_take(arena, longest, 1, 1);
    s->past = mt_arena_take(arena, beams, max_length, 1);
    s->former_past = mt_arena_take(arena, beams, max_length, 1);
  }
}

static bool
allocate_arena(mt_batch *batch, mt_error *error)
{
  mt_arena need = {0};
  lay_out(batch, &need);
  if (!need.overflow)
    batch->arena = mt_alloc(need.used + MT_ARENA_ALIGNMENT, 1);
  if (!batch->arena)
    return mt_fail_no_memory(error);
  mt_arena final = {.base = mt_arena_begin(batch->arena)};
  lay_out(batch, &final);
  return true;
}

bool
mt_batch_init(mt_batch *batch, mt_session *session, const mt_texts *texts,
              const mt_search_params *params, mt_error *error)
{
  size_t tokens = texts->max_tokens ? texts->max_tokens : USUAL_TOKENS;
  *batch = (mt_batch){.session = session, .params = *params, .ops = session->ops};
  batch->hooks = (mt_hooks){.should_stop = texts->should_stop, .user = texts->user};
  batch->max_tokens = tokens;
  batch->max_running = max(tokens / params->beam_size, 1);
  batch->max_rows = max(max(tokens, params->beam_size), session->model->config.max_positions);
  batch->n_sentences = batch->max_running + MAX_READY;
  if (!mt_batch_texts_init(&batch->texts, texts, session, params->language, batch->n_sentences,
                           error))
    return false;
  batch->sentences = mt_alloc(batch->n_sentences, sizeof *batch->sentences);
  batch->running = mt_alloc(batch->max_running, sizeof(void *));
  batch->ready = mt_alloc(MAX_READY, sizeof(void *));
  batch->free = mt_alloc(batch->n_sentences, sizeof(void *));
  batch->groups.groups = mt_alloc(batch->n_sentences, sizeof *batch->groups.groups);
  batch->groups.pool = &batch->pool;
  if (!batch->sentences || !batch->running || !batch->ready || !batch->free ||
      !batch->groups.groups)
    return mt_fail_no_memory(error);
  if (!allocate_arena(batch, error))
    return false;
  mt_kv_pool_clear(&batch->pool);
  mt_search_rules rules = mt_session_rules(session, params);
  for (size_t i = 0; i < batch->n_sentences; i++) {
    batch->sentences[i].search = mt_search_new(&rules, error);
    if (!batch->sentences[i].search)
      return false;
    batch->free[batch->n_free++] = &batch->sentences[i];
  }
  return true;
}

void
mt_batch_clear(mt_batch *batch)
{
  mt_batch_texts_clear(&batch->texts);
  for (size_t i = 0; batch->sentences && i < batch->n_sentences; i++)
    mt_search_free(batch->sentences[i].search);
  mt_free(batch->sentences);
  mt_free(batch->running);
  mt_free(batch->ready);
  mt_free(batch->free);
  mt_free(batch->groups.groups);
  mt_free(batch->arena);
}
