/* mt-batch.c — many texts at a time: sentences come into the model, go through it together and
 * leave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <string.h>

/* A sentence comes in only if there is room in the pool for so many more positions of all. */
#define POSITIONS_AHEAD 8

static mt_pass
begin_pass(mt_batch *batch, mt_error *error)
{
  return (mt_pass){
      .model = batch->session->model,
      .ops = &batch->ops,
      .hooks = &batch->hooks,
      .buffers = &batch->buffers,
      .groups = &batch->groups,
      .error = error,
  };
}

/* The sentence is no longer in the model. */
static void
release(mt_batch *batch, mt_batch_sentence *sentence)
{
  mt_kv_pool_give_back(&batch->pool, &sentence->rows);
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
  size_t n_others = batch->n_running + batch->groups.n;
  size_t ahead = (n_others + 1) * mt_kv_pool_pages(POSITIONS_AHEAD * batch->params.beam_size);
  return n_others == 0 || mt_kv_pool_pages(n_source) + ahead <= batch->pool.n_free;
}

/* Take the next texts as far as they fit into one pass of the encoder, which returns how many rows
 * that are. They become batch->ready, so that the first of them is the last in the list. */
static size_t
take_texts(mt_batch *batch)
{
  size_t n_rows = 0, max_ready = batch->n_sentences - batch->max_running, i;
  mt_groups *groups = &batch->groups;
  groups->n = 0;
  while (groups->n < max_ready && mt_batch_texts_peek(&batch->texts, &i)) {
    mt_batch_text *text = mt_batch_texts_get(&batch->texts, i);
    size_t n = mt_tokens_count(text->source);
    if ((n_rows > 0 && n_rows + n > batch->max_tokens) || !has_room(batch, n))
      break;
    mt_batch_sentence *sentence = batch->free[--batch->n_free];
    sentence->text = i;
    sentence->n_source = n;
    mt_batch_texts_take(&batch->texts);
    text->begin = mt_session_clock();
    mt_kv_pool_take(&batch->pool, &sentence->rows, n, sentence->source);
    groups->groups[groups->n] =
        (mt_group){.first = n_rows, .n = n, .source = sentence->source, .n_source = n};
    batch->ready[groups->n++] = sentence;
    memcpy(batch->ids + n_rows, mt_tokens_ids(text->source), n * sizeof *batch->ids);
    for (size_t p = 0; p < n; p++)
      groups->positions[n_rows + p] = (uint32_t) p;
    n_rows += n;
  }
  batch->n_ready = groups->n;
  for (size_t a = 0, b = groups->n; a + 1 < b; a++) {
    mt_batch_sentence *first = batch->ready[a];
    batch->ready[a] = batch->ready[--b];
    batch->ready[b] = first;
  }
  return n_rows;
}

/* Fill the places that are free. False: cancelled. */
static bool
come_in(mt_batch *batch, mt_error *error)
{
  while (batch->n_running < batch->max_running) {
    if (batch->n_ready == 0) {
      size_t n_rows = take_texts(batch);
      mt_pass pass = begin_pass(batch, error);
      if (n_rows == 0)
        return true;
      batch->ops.is_step = batch->ops.may_round = false;
      if (!mt_encoder_run(&pass, batch->ids, n_rows) || !mt_decoder_begin_groups(&pass, n_rows))
        return false;
    }
    mt_batch_sentence *sentence = batch->ready[--batch->n_ready];
    sentence->length = 0;
    sentence->is_failed = false;
    mt_search_begin(sentence->search);
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
  mt_batch_sentence *last = batch->n_ready > 0 ? batch->ready[0] : NULL;
  if (last) {
    batch->n_ready--;
    memmove(batch->ready, batch->ready + 1, batch->n_ready * sizeof(void *));
  } else {
    last = batch->running[--batch->n_running];
  }
  mt_batch_texts_put_back(&batch->texts, last->text);
  release(batch, last);
}

/* The hypotheses of a sentence go on with a row each. */
static void
extend(mt_batch *batch, mt_batch_sentence *sentence, size_t first)
{
  const mt_search *search = sentence->search;
  size_t stride = batch->params.max_length, n = search->n_rows;
  uint32_t *past = sentence->former_past;
  for (size_t r = 0; r < n; r++) {
    memcpy(past + r * stride, sentence->past + search->parents[r] * stride,
           sentence->length * sizeof *past);
    past[r * stride + sentence->length] = batch->new_rows[first + r];
    batch->groups.positions[first + r] = (uint32_t) sentence->length;
    batch->ids[first + r] = search->ids[r];
  }
  sentence->former_past = sentence->past;
  sentence->past = past;
  sentence->length++;
}

/* Put the rows of all running sentences together; returns how many. */
static size_t
gather(mt_batch *batch)
{
  size_t n_rows = 0;
  batch->groups.n = 0;
  for (size_t i = 0; i < batch->n_running; i++) {
    mt_batch_sentence *sentence = batch->running[i];
    size_t n = sentence->search->n_rows;
    while (i < batch->n_running &&
           !mt_kv_pool_take(&batch->pool, &sentence->rows, n, batch->new_rows + n_rows))
      send_back(batch);
    if (i == batch->n_running)
      break;
    extend(batch, sentence, n_rows);
    batch->groups.groups[batch->groups.n++] = (mt_group){
        .first = n_rows,
        .n = n,
        .source = sentence->source,
        .n_source = sentence->n_source,
        .past = sentence->past,
        .past_stride = batch->params.max_length,
        .length = sentence->length,
    };
    n_rows += n;
  }
  return n_rows;
}

typedef struct {
  mt_batch *batch;
  size_t first, n; /* sentences */
} advance_work;

/* Some of the searches choose what comes next. */
static void
advance_part(void *user, size_t i, size_t n_parts)
{
  const advance_work *w = user;
  const mt_batch *batch = w->batch;
  const mt_group *groups = batch->groups.groups + w->first;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n, 1);
  for (size_t s = mt_ops_part_begin(i, n_parts, w->n, 1); s < end; s++) {
    mt_batch_sentence *sentence = batch->running[w->first + s];
    float *logits = batch->buffers.logits +
                    (groups[s].first - groups[0].first) * batch->session->model->output.n_out;
    sentence->is_failed = !mt_search_advance(sentence->search, logits, &sentence->error);
  }
}

/* Logits and searches, as many sentences at a time as there is room for logits. */
static void
advance(mt_batch *batch, const mt_pass *pass)
{
  const mt_groups *groups = &batch->groups;
  size_t n_threads = mt_pool_n_threads(batch->ops.pool);
  for (size_t first = 0, end; first < groups->n; first = end) {
    size_t n_rows = 0;
    for (end = first;
         end < groups->n && n_rows + groups->groups[end].n <= batch->buffers.logit_rows; end++)
      n_rows += groups->groups[end].n;
    mt_decoder_logits(pass, groups->groups[first].first, n_rows, batch->buffers.logits);
    advance_work work = {batch, first, end - first};
    size_t n_parts = work.n < 4 * n_threads ? work.n : 4 * n_threads;
    mt_pool_run(batch->ops.pool, n_parts, advance_part, &work);
  }
}

/* ---- Leaving ------------------------------------------------------------------------------------
 */

static void
leave(mt_batch *batch, mt_batch_sentence *sentence)
{
  mt_batch_text *text = mt_batch_texts_get(&batch->texts, sentence->text);
  mt_translation *translation = NULL;
  if (sentence->is_failed)
    text->error = sentence->error;
  else
    translation =
        mt_session_make_translation(batch->session, text->source, sentence->search, &text->error);
  translation = mt_session_if_intact(batch->session, translation, &text->error);
  if (translation) {
    mt_translation_set_model(translation, batch->session->model);
    mt_translation_set_milliseconds(translation, mt_session_clock() - text->begin);
  }
  size_t number = sentence->text;
  release(batch, sentence);
  mt_batch_texts_finish(&batch->texts, number, translation);
}

/* Those that are done leave, the others stay in order. */
static void
all_leave(mt_batch *batch)
{
  size_t n = 0;
  for (size_t i = 0; i < batch->n_running; i++) {
    mt_batch_sentence *sentence = batch->running[i];
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
  for (;;) {
    if (mt_hooks_stopped(&batch->hooks, error) || !come_in(batch, error))
      return false;
    if (batch->n_running == 0)
      return true;
    mt_pass pass = begin_pass(batch, error);
    batch->ops.is_step = batch->ops.may_round = true;
    if (!mt_decoder_step_groups(&pass, batch->ids, gather(batch)))
      return false;
    advance(batch, &pass);
    all_leave(batch);
  }
}

bool
mt_session_translate_many(mt_session *session, const mt_texts *texts,
                          const mt_search_params *params, mt_error *error)
{
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_search_check(&own, session->model->config.max_positions, error))
    return false;
  mt_batch batch;
  bool ok = mt_batch_init(&batch, session, texts, &own, error) && run(&batch, error);
  mt_batch_clear(&batch);
  return ok;
}
