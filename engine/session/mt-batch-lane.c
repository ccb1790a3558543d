/* mt-batch-lane.c — sentences come into the model, go through it together and leave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "text/mt-tokens.h"

#include <string.h>

/* A sentence comes in only if there is room in the pool for so many more positions of all. */
#define POSITIONS_AHEAD 8

/* The sentence is no longer in the model. */
static void
release(mt_lane *lane, mt_sentence *sentence)
{
  mt_run_end(&lane->run, sentence);
  lane->free[lane->n_free++] = sentence;
}

/* Nor is it running. */
static void
stop_running(mt_lane *lane, mt_sentence *sentence)
{
  lane->searches[lane->n_searches++] = sentence->search;
  release(lane, sentence);
}

/* ---- Coming in ---------------------------------------------------------------------------------
 */

/* Could another sentence of n_source tokens come in and all go on for a while? One alone always
 * can.
 */
static bool
has_room(const mt_lane *lane, size_t n_source)
{
  size_t n_others = lane->n_running + lane->run.groups.n;
  size_t ahead = (n_others + 1) * mt_kv_pool_pages(POSITIONS_AHEAD * lane->batch->params.beam_size);
  return n_others == 0 || mt_kv_pool_pages(n_source) + ahead <= lane->run.pool.n_free;
}

/* Take the next text into the pass of the encoder that is being put together; false: there is none
 * that fits. */
static bool
take_text(mt_lane *lane)
{
  mt_batch_texts *texts = &lane->batch->texts;
  const mt_groups *groups = &lane->run.groups;
  size_t i;
  if (groups->n == MT_LANE_MAX_READY || !mt_batch_texts_peek(texts, &i))
    return false;
  mt_batch_text *text = mt_batch_texts_get(texts, i);
  size_t n = mt_tokens_count(text->source);
  if ((groups->n > 0 && groups->n_rows + n > lane->batch->max_tokens) || !has_room(lane, n))
    return false;
  mt_sentence *sentence = lane->free[lane->n_free - 1];
  sentence->number = i;
  if (!mt_run_add_source(&lane->run, sentence, mt_tokens_ids(text->source), n))
    return false;
  lane->n_free--;
  mt_batch_texts_take(texts);
  text->begin = mt_session_clock();
  lane->ready[groups->n - 1] = sentence;
  return true;
}

/* Take the next texts as far as they fit into one pass of the encoder; false: none. They become
 * lane->ready, so that the first of them is the last in the list. */
static bool
take_texts(mt_lane *lane)
{
  mt_run_begin_rows(&lane->run);
  pthread_mutex_lock(&lane->batch->texts.lock);
  while (take_text(lane))
    ;
  pthread_mutex_unlock(&lane->batch->texts.lock);
  size_t n = lane->n_ready = lane->run.groups.n;
  for (size_t a = 0, b = n; a + 1 < b; a++) {
    mt_sentence *first = lane->ready[a];
    lane->ready[a] = lane->ready[--b];
    lane->ready[b] = first;
  }
  return n > 0;
}

/* Fill the places that are free. False: cancelled. */
static bool
come_in(mt_lane *lane)
{
  while (lane->n_running < lane->batch->max_running) {
    if (lane->n_ready == 0) {
      if (!take_texts(lane))
        return true;
      if (!mt_run_encode_for_search(&lane->run, &lane->pass))
        return false;
    }
    mt_sentence *sentence = lane->ready[--lane->n_ready];
    mt_run_begin_search(sentence, lane->searches[--lane->n_searches], NULL);
    lane->running[lane->n_running++] = sentence;
  }
  return true;
}

/* ---- A step ------------------------------------------------------------------------------------
 */

/* There is no room in the pool: the sentence that came last goes back, to begin anew. */
static void
send_back(mt_lane *lane)
{
  mt_sentence *last = lane->n_ready > 0 ? lane->ready[0] : NULL;
  size_t number;
  if (last) {
    lane->n_ready--;
    memmove(lane->ready, lane->ready + 1, lane->n_ready * sizeof(void *));
    number = last->number;
    release(lane, last);
  } else {
    last = lane->running[--lane->n_running];
    number = last->number;
    stop_running(lane, last);
  }
  mt_batch_texts_put_back(&lane->batch->texts, number);
}

/* Put the rows of all running sentences together. */
static void
gather(mt_lane *lane)
{
  mt_run_begin_rows(&lane->run);
  for (size_t i = 0; i < lane->n_running; i++)
    while (i < lane->n_running && !mt_run_add_step(&lane->run, lane->running[i]))
      send_back(lane);
}

/* ---- Leaving ------------------------------------------------------------------------------------
 */

static void
leave(mt_lane *lane, mt_sentence *sentence)
{
  mt_batch *batch = lane->batch;
  mt_batch_text *text = mt_batch_texts_get(&batch->texts, sentence->number);
  mt_translation *translation = NULL;
  if (sentence->is_failed)
    text->error = sentence->error;
  else
    translation =
        mt_session_make_translation(batch->session, text->source, sentence->search, &text->error);
  translation = mt_session_if_intact(batch->session, translation, &text->error);
  if (translation) {
    mt_session_sign(batch->session, translation, batch->texts.texts->hooks);
    mt_translation_set_milliseconds(translation, mt_session_clock() - text->begin);
  }
  size_t number = sentence->number;
  stop_running(lane, sentence);
  mt_batch_texts_finish(&batch->texts, number, translation);
}

/* Those that are done leave, the others stay in order. */
static void
all_leave(mt_lane *lane)
{
  size_t n = 0;
  for (size_t i = 0; i < lane->n_running; i++) {
    mt_sentence *sentence = lane->running[i];
    if (sentence->is_failed || sentence->search->n_rows == 0)
      leave(lane, sentence);
    else
      lane->running[n++] = sentence;
  }
  lane->n_running = n;
}

bool
mt_lane_step(mt_lane *lane)
{
  if (!come_in(lane))
    return false;
  if (lane->n_running == 0)
    return true;
  gather(lane);
  if (!mt_run_step(&lane->run, &lane->pass))
    return false;
  all_leave(lane);
  return true;
}
