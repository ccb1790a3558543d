/* mt-batch-state.c — the memory of a batch: a run, and a search for each sentence that can be in
 * the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

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

bool
mt_batch_init(mt_batch *batch, mt_session *session, const mt_texts *texts,
              const mt_search_params *params, mt_error *error)
{
  const mt_config *config = &session->model->config;
  size_t tokens = texts->max_tokens ? texts->max_tokens : USUAL_TOKENS;
  size_t beams = params->beam_size, longest = config->max_positions;
  *batch = (mt_batch){.session = session, .params = *params};
  batch->max_tokens = tokens;
  batch->max_running = max(tokens / beams, 1);
  mt_run_shape shape = {.n_sentences = batch->max_running + MAX_READY,
                        .n_source = longest,
                        .n_beams = beams,
                        .max_length = params->max_length,
                        .n_rows = tokens};
  shape.n_kv = USUAL_POSITIONS * max(max(tokens, beams), longest);
  shape.n_logits = min(batch->max_running * beams, LOGIT_ROWS);
  if (!mt_batch_texts_init(&batch->texts, texts, session, params->language, shape.n_sentences,
                           error))
    return false;
  batch->searches = mt_alloc(shape.n_sentences, sizeof(void *));
  batch->running = mt_alloc(batch->max_running, sizeof(void *));
  batch->ready = mt_alloc(MAX_READY, sizeof(void *));
  batch->free = mt_alloc(shape.n_sentences, sizeof(void *));
  if (!batch->searches || !batch->running || !batch->ready || !batch->free)
    return mt_fail_no_memory(error);
  if (!mt_run_reserve(&batch->run, session->model, &session->ops, &shape, error))
    return false;
  mt_search_rules rules = mt_session_rules(session, params);
  for (size_t i = 0; i < shape.n_sentences; i++) {
    batch->searches[i] = mt_search_new(&rules, error);
    if (!batch->searches[i])
      return false;
    batch->free[batch->n_free++] = &batch->run.sentences[i];
  }
  return true;
}

void
mt_batch_clear(mt_batch *batch)
{
  mt_batch_texts_clear(&batch->texts);
  for (size_t i = 0; batch->searches && i < batch->run.n_sentences; i++)
    mt_search_free(batch->searches[i]);
  mt_free(batch->searches);
  mt_free(batch->running);
  mt_free(batch->ready);
  mt_free(batch->free);
  mt_run_clear(&batch->run);
}
