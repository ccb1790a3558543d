/* mt-batch.c — many texts at a time: sentences come into the model, go through it together and
 * leave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <string.h>

/* A sentence comes in only if there is room in the pool for so many more positions of all. */
#define POSITIONS_AHEAD 8

/* The sentence is no longer in the model. */
static void
release(mt_batch *batch, mt_sentence *sentence)
{
  mt_run_end(&batch->run, sentence);
  batch->free[batch->n_free++] = sentence;
}

/* ---- Coming in ---------------------------------------------------------------------------------
 */

/* Could another sentence of n_source tokens come in and all go on for a while? One alone always
 * can.
 */
static bool
has_room(const mt_batch *batch, size_t n_source)
{
  size_t n_others = batch->n_running + batch->run.groups.n;
  size_t ahead = (n_others + 1) * mt_kv_pool_pages(POSITIONS_AHEAD * batch->params.beam_size);
  return n_others == 0 || mt_kv_pool_pages(n_source) + ahead <= batch->run.pool.n_free;
}

/* Take the next texts as far as they fit into one pass of the encoder; false: none. They become
 * batch->ready, so that the first of them is the last in the list. */
static bool
take_texts(mt_batch *batch)
{
  size_t max_ready = batch->run.n_sentences - batch->max_running, i;
  const mt_groups *groups = &batch->run.groups;
  mt_run_begin_rows(&batch->run);
  while (groups->n < max_ready && mt_batch_texts_peek(&batch->texts, &i)) {
    mt_batch_text *text = mt_batch_texts_get(&batch->texts, i);
    size_t n = mt_tokens_count(text->source);
    if ((groups->n > 0 && groups->n_rows + n > batch->max_tokens) || !has_room(batch, n))
      break;
    mt_sentence *sentence = batch->free[batch->n_free - 1];
    sentence->number = i;
    if (!mt_run_add_source(&batch->run, sentence, mt_tokens_ids(text->source), n))
      break;
    batch->n_free--;
    mt_batch_texts_take(&batch->texts);
    text->begin = mt_session_clock();
    batch->ready[groups->n - 1] = sentence;
  }
  batch->n_ready = groups->n;
  for (size_t a = 0, b = groups->n; a + 1 < b; a++) {
    mt_sentence *first = batch->ready[a];
    batch->ready[a] = batch->ready[--b];
    batch->ready[b] = first;
  }
  return groups->n > 0;
}

/* Fill the places that are free. False: cancelled. */
static bool
come_in(mt_batch *batch, const mt_pass *pass)
{
  while (batch->n_running < batch->max_running) {
    if (batch->n_ready == 0) {
      if (!take_texts(batch))
        return true;
      if (!mt_run_encode(&batch->run, pass))
        return false;
    }
    mt_sentence *sentence = batch->ready[--batch->n_ready];
    mt_run_begin_search(sentence, batch->searches[sentence - batch->run.sentences], NULL);
    batch->running[batch->n_running++] = sentence;
  }
  return true;
}

/* ---- A step ------------------------------------------------------------------------------------
 */

/* There is no room in the pool: the sentence that came last goes back, to begin anew. */
static void
send_back(mt_batch *batch)
{
  mt_sentence *last = batch->n_ready > 0 ? batch->ready[0] : NULL;
  if (last) {
    batch->n_ready--;
    memmove(batch->ready, batch->ready + 1, batch->n_ready * sizeof(void *));
  } else {
    last = batch->running[--batch->n_running];
  }
  mt_batch_texts_put_back(&batch->texts, last->number);
  release(batch, last);
}

/* Put the rows of all running sentences together. */
static void
gather(mt_batch *batch)
{
  mt_run_begin_rows(&batch->run);
  for (size_t i = 0; i < batch->n_running; i++)
    while (i < batch->n_running && !mt_run_add_step(&batch->run, batch->running[i]))
      send_back(batch);
}

/* ---- Leaving ------------------------------------------------------------------------------------
 */

static void
leave(mt_batch *batch, mt_sentence *sentence)
{
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
  release(batch, sentence);
  mt_batch_texts_finish(&batch->texts, number, translation);
}

/* Those that are done leave, the others stay in order. */
static void
all_leave(mt_batch *batch)
{
  size_t n = 0;
  for (size_t i = 0; i < batch->n_running; i++) {
    mt_sentence *sentence = batch->running[i];
    if (sentence->is_failed || sentence->search->n_rows == 0)
      leave(batch, sentence);
    else
      batch->running[n++] = sentence;
  }
  batch->n_running = n;
}

static bool
run(mt_batch *batch, mt_error *error)
{
  const mt_texts *texts = batch->texts.texts;
  mt_pass pass = mt_run_begin_pass(&batch->run, batch->session->changes, texts->hooks, error);
  if (texts->should_stop) {
    pass.should_stop = texts->should_stop;
    pass.stop_user = texts->user;
  }
  for (;;) {
    if (!come_in(batch, &pass))
      return false;
    if (batch->n_running == 0)
      return true;
    gather(batch);
    if (!mt_run_step(&batch->run, &pass))
      return false;
    all_leave(batch);
  }
}

bool
mt_session_translate_many(mt_session *session, const mt_texts *texts,
                          const mt_search_params *params, mt_error *error)
{
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_session_check_params(session, &own, error) ||
      !mt_session_check_hooks(session, texts->hooks, error))
    return false;
  mt_batch batch;
  bool ok = mt_batch_init(&batch, session, texts, &own, error) && run(&batch, error);
  mt_batch_clear(&batch);
  return ok;
}
