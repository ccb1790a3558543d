/* mt-batch.c — many texts at a time: lanes side by side, and together what they leave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <time.h>

/* Tokens of a pass if nothing is said. */
#define USUAL_TOKENS 128
/* The same for one lane of several, whose keys and values then stay in a cache better. */
#define LANE_TOKENS 64
/* Rows of a step for which a lane is better than threads that share the step. */
#define LEAST_ROWS 8
/* How long a lane without sentences waits before it looks again. */
#define WAIT_NANOSECONDS 200000

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

/* ---- One lane of several ------------------------------------------------------------------------
 */

/* Callbacks run on the thread that called, and the others learn of it. */
static bool
should_stop(void *user)
{
  const mt_lane *lane = user;
  mt_batch *batch = lane->batch;
  const mt_texts *texts = batch->texts.texts;
  if (!mt_batch_texts_are_mine(&batch->texts))
    return atomic_load_explicit(&batch->is_stopped, memory_order_relaxed);
  bool stops = texts->should_stop ? texts->should_stop(texts->user)
               : texts->hooks && texts->hooks->should_stop
                   ? texts->hooks->should_stop(texts->hooks->user)
                   : false;
  if (stops)
    atomic_store_explicit(&batch->is_stopped, true, memory_order_relaxed);
  return stops;
}

/* How many texts should wait, so that no lane has to. */
static size_t
count_ahead(const mt_batch *batch)
{
  return min(batch->n_lanes * batch->max_running, MT_BATCH_WINDOW);
}

static bool
are_texts_out(mt_batch_texts *texts)
{
  pthread_mutex_lock(&texts->lock);
  bool are_out = mt_batch_texts_are_out(texts);
  pthread_mutex_unlock(&texts->lock);
  return are_out;
}

/* For a moment: texts are being read, or all there is room for wait for another lane's. */
static void
wait(void)
{
  nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
}

/* One lane, until one of them has nothing more to do, or is stopped. */
static void
run_lane(void *user, size_t i, size_t n_parts)
{
  mt_batch *batch = user;
  mt_lane *lane = &batch->lanes[i];
  bool is_caller = mt_batch_texts_are_mine(&batch->texts);
  (void) n_parts;
  while (!atomic_load_explicit(&batch->is_ending, memory_order_relaxed)) {
    if (is_caller)
      mt_batch_texts_serve(&batch->texts, count_ahead(batch));
    bool goes_on = mt_lane_step(lane);
    if (goes_on && mt_lane_is_busy(lane))
      continue;
    if (!goes_on || should_stop(lane) || are_texts_out(&batch->texts))
      atomic_store_explicit(&batch->is_ending, true, memory_order_relaxed);
    else
      wait();
  }
}

/* ---- All of it ----------------------------------------------------------------------------------
 */

/* The lanes take turns, each with all threads, until there is nothing more to do. False: cancelled.
 */
static bool
run_in_turns(mt_batch *batch)
{
  for (bool is_busy = true; is_busy;) {
    is_busy = false;
    for (size_t i = 0; i < batch->n_lanes; i++) {
      mt_batch_texts_serve(&batch->texts, count_ahead(batch));
      if (!mt_lane_step(&batch->lanes[i]))
        return false;
      is_busy = is_busy || mt_lane_is_busy(&batch->lanes[i]);
    }
    is_busy = is_busy || !are_texts_out(&batch->texts);
  }
  mt_batch_texts_serve(&batch->texts, 0);
  return true;
}

/* Callbacks that see every step run on the thread that called. */
static bool
is_watched(const mt_hooks *hooks)
{
  return hooks && (hooks->on_token || (hooks->on_probe && hooks->sites) ||
                   (hooks->taps && hooks->taps->n > 0 && hooks->sink.on_view));
}

/* As many lanes as there are threads, if there are texts enough for each. They share the tokens
 * that are wanted. */
static size_t
choose_lanes(mt_batch *batch)
{
  size_t n_threads = mt_pool_n_threads(batch->session->ops.pool);
  size_t given = batch->texts.texts->max_tokens;
  size_t tokens = given ? given / n_threads : LANE_TOKENS;
  size_t rows = min(batch->texts.n_order / n_threads * batch->params.beam_size, tokens);
  bool is_alone = rows < LEAST_ROWS || is_watched(batch->texts.texts->hooks);
  batch->max_tokens = !is_alone ? tokens : given ? given : USUAL_TOKENS;
  batch->max_running = max(batch->max_tokens / batch->params.beam_size, 1);
  return is_alone ? 1 : n_threads;
}

/* If there is memory for some of them only, they are enough. */
static bool
init_lanes(mt_batch *batch, mt_error *error)
{
  size_t n = choose_lanes(batch);
  batch->lanes = mt_alloc(n, sizeof *batch->lanes);
  if (!batch->lanes)
    return mt_fail_no_memory(error);
  for (; batch->n_lanes < n; batch->n_lanes++)
    if (!mt_lane_init(&batch->lanes[batch->n_lanes], batch, batch->n_lanes == 0 ? error : NULL)) {
      mt_lane_clear(&batch->lanes[batch->n_lanes]);
      break;
    }
  return batch->n_lanes > 0;
}

static void
clear(mt_batch *batch)
{
  for (size_t i = 0; i < batch->n_lanes; i++)
    mt_lane_clear(&batch->lanes[i]);
  mt_free(batch->lanes);
  mt_batch_texts_clear(&batch->texts);
}

static bool
run(mt_batch *batch, mt_error *error)
{
  const mt_texts *texts = batch->texts.texts;
  mt_pool *pool = batch->session->ops.pool;
  for (size_t i = 0; i < batch->n_lanes; i++) {
    mt_lane *lane = &batch->lanes[i];
    lane->pass = mt_run_begin_pass(&lane->run, batch->session->changes, texts->hooks, &lane->error);
    lane->pass.should_stop = should_stop;
    lane->pass.stop_user = lane;
    if (batch->n_lanes > 1)
      lane->run.ops.pool = NULL;
  }
  if (batch->n_lanes > 1) {
    mt_pool_run(pool, batch->n_lanes, run_lane, batch);
    for (size_t i = 0; i < batch->n_lanes; i++)
      batch->lanes[i].run.ops.pool = pool;
  }
  bool ok = !atomic_load_explicit(&batch->is_stopped, memory_order_relaxed) && run_in_turns(batch);
  return ok || mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
}

bool
mt_session_translate_many(mt_session *session, const mt_texts *texts,
                          const mt_search_params *params, mt_error *error)
{
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_search_params_check(&own, session->model, error) ||
      !mt_session_check_hooks(session, texts->hooks, error))
    return false;
  mt_batch batch = {.session = session, .params = own};
  size_t most = max(max(texts->max_tokens, USUAL_TOKENS), LANE_TOKENS);
  size_t n_threads = mt_pool_n_threads(session->ops.pool);
  bool ok = mt_batch_texts_init(&batch.texts, texts, session, own.language,
                                n_threads * (most + MT_LANE_MAX_READY), error);
  if (ok) {
    mt_batch_texts_serve(&batch.texts, 1);
    ok = init_lanes(&batch, error) && run(&batch, error);
  }
  clear(&batch);
  return ok;
}
