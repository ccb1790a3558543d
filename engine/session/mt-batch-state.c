/* mt-batch-state.c — the memory of a lane: a run, and a search for each sentence that can be
 * running.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

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

bool
mt_lane_init(mt_lane *lane, mt_batch *batch, mt_error *error)
{
  const mt_session *session = batch->session;
  size_t beams = batch->params.beam_size, longest = session->model->config.max_positions;
  lane->batch = batch;
  mt_run_shape shape = {.n_sentences = batch->max_running + MT_LANE_MAX_READY,
                        .n_source = longest,
                        .n_beams = beams,
                        .max_length = batch->params.max_length,
                        .n_rows = batch->max_tokens};
  shape.n_kv = USUAL_POSITIONS * max(max(batch->max_tokens, beams), longest);
  shape.n_logits = min(batch->max_running * beams, LOGIT_ROWS);
  lane->searches = mt_alloc(batch->max_running, sizeof(void *));
  lane->running = mt_alloc(batch->max_running, sizeof(void *));
  lane->ready = mt_alloc(MT_LANE_MAX_READY, sizeof(void *));
  lane->free = mt_alloc(shape.n_sentences, sizeof(void *));
  if (!lane->searches || !lane->running || !lane->ready || !lane->free)
    return mt_fail_no_memory(error);
  if (!mt_run_reserve(&lane->run, session->model, &session->ops, &shape, error))
    return false;
  for (size_t i = 0; i < shape.n_sentences; i++)
    lane->free[lane->n_free++] = &lane->run.sentences[i];
  mt_search_rules rules = mt_session_rules(session->model, &batch->params);
  for (size_t i = 0; i < batch->max_running; i++) {
    mt_search *search = mt_search_new(&rules, error);
    if (!search)
      return false;
    lane->searches[lane->n_searches++] = search;
  }
  return true;
}

void
mt_lane_clear(mt_lane *lane)
{
  for (size_t i = 0; i < lane->n_running; i++)
    mt_search_free(lane->running[i]->search);
  for (size_t i = 0; i < lane->n_searches; i++)
    mt_search_free(lane->searches[i]);
  mt_free(lane->searches);
  mt_free(lane->running);
  mt_free(lane->ready);
  mt_free(lane->free);
  mt_run_clear(&lane->run);
}
