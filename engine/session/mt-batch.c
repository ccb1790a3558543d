/* mt-batch.c — many texts at a time.
 *
 * A run of many sentences (mt-run.h): when one is done the next one takes its place at once, and
 * nothing is filled up to the length of the longest (see mt-kv.h). Where there are threads and
 * enough texts, each thread has such a run for itself: a worker. A step of a worker waits for
 * nobody, while threads that share a step meet some hundred times in it. What is left when the
 * first worker has nothing more to do goes on with all threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* Read at a time: so many texts, or fewer of so many tokens. */
#define MT_BATCH_WINDOW        256
#define MT_BATCH_WINDOW_TOKENS 32768

/* A text, from when it is read to when its result is handed out. In between it is a worker's, which
 * took it and will finish it. */
typedef struct {
  mt_tokens *source;
  double begin;        /* when it came into the model */
  atomic_bool is_done; /* with a translation, or else an error */
  mt_translation *translation;
  mt_error error;
} mt_batch_text;

typedef struct {
  const mt_texts *texts;
  const mt_session *session;
  const mt_search_params *params; /* with the languages and the task of all */
  /* The thread that called reads texts and hands out results; this is its own. */
  pthread_t caller;
  size_t n_read, n_returned; /* text i, n_returned <= i < n_read, is waiting[i % MAX_WAITING] */
  size_t *coming;            /* [n_coming] texts of the window that it reads, the longest first */
  size_t n_coming;
  mt_batch_text *waiting; /* [MT_BATCH_MAX_WAITING] */
  /* What all threads use, with the lock. */
  pthread_mutex_t lock;
  bool is_at_end;          /* all are read */
  size_t *order;           /* [n_order] texts in the order in which they are taken … */
  size_t n_order, n_taken; /* … as so many have been */
  size_t *again;           /* [n_again] texts that were put back; the last one is next */
  size_t n_again;
} mt_batch_texts;

typedef struct mt_batch mt_batch;

typedef struct {
  mt_batch *batch;
  mt_run run;
  mt_pass pass;
  mt_error error;       /* of the pass: it was cancelled */
  mt_search **searches; /* [n_searches] that no sentence has */
  size_t n_searches;
  mt_sentence **running; /* [n_running] the oldest first */
  mt_sentence **ready;   /* [n_ready] encoded, the next one last */
  mt_sentence **free;    /* [n_free] */
  size_t n_running, n_ready, n_free;
} mt_batch_worker;

/* Is there a sentence in it? */
static inline bool
batch_worker_is_busy(const mt_batch_worker *worker)
{
  return worker->n_running + worker->n_ready > 0;
}

struct mt_batch {
  mt_session *session;
  mt_search_params params;
  mt_batch_texts texts;
  size_t max_tokens;        /* of a pass of the encoder, if it is not one longer sentence */
  size_t max_running;       /* sentences of a worker */
  mt_batch_worker *workers; /* [n_workers] */
  size_t n_workers;
  atomic_bool is_stopped; /* somebody wants it to end */
  atomic_bool is_ending;  /* a worker has nothing more to do */
};

/* Sentences that are encoded together at most, whatever their length. */
#define MT_WORKER_MAX_READY 64

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The texts of a batch: read ahead, taken by length, handed out in order.
 *
 * Sentences need not be of one length to go through the model together. The longest of a window are
 * first, so that at the end of all texts none of them is left alone. The thread that called reads
 * and hands out; any thread takes and finishes. */

/* A window beside what still waits of the one before. */
#define MAX_ORDER (2 * MT_BATCH_WINDOW)

/* again: room for as many as will be put back at the same time. */
static bool
batch_texts_init(mt_batch_texts *texts, const mt_texts *from, const mt_session *session,
                 const mt_search_params *params, size_t max_again, mt_error *error)
{
  *texts = (mt_batch_texts){.texts = from,
                            .session = session,
                            .params = params,
                            .caller = pthread_self()};
  pthread_mutex_init(&texts->lock, NULL);
  texts->waiting = mt_alloc(MT_BATCH_MAX_WAITING, sizeof *texts->waiting);
  texts->coming = mt_alloc(MT_BATCH_WINDOW, sizeof *texts->coming);
  texts->order = mt_alloc(MAX_ORDER, sizeof *texts->order);
  texts->again = mt_alloc(max_again, sizeof *texts->again);
  return (texts->waiting && texts->coming && texts->order && texts->again) ||
         mt_fail_no_memory(error);
}

static mt_batch_text *
batch_texts_get(const mt_batch_texts *texts, size_t i)
{
  return &texts->waiting[i % MT_BATCH_MAX_WAITING];
}

/* Is this the thread that reads them? */
static bool
batch_texts_are_mine(const mt_batch_texts *texts)
{
  return pthread_equal(pthread_self(), texts->caller);
}

static void
forget(mt_batch_text *text)
{
  mt_tokens_unref(text->source);
  mt_translation_unref(text->translation);
  text->source = NULL;
  text->translation = NULL;
  text->error.code = MT_OK;
  atomic_store_explicit(&text->is_done, false, memory_order_relaxed);
}

static void
batch_texts_clear(mt_batch_texts *texts)
{
  for (; texts->n_returned < texts->n_read; texts->n_returned++)
    forget(batch_texts_get(texts, texts->n_returned));
  mt_free(texts->waiting);
  mt_free(texts->coming);
  mt_free(texts->order);
  mt_free(texts->again);
  pthread_mutex_destroy(&texts->lock);
}

/* ---- The thread that called ------------------------------------------------------------------ */

/* Hand out what is done and has nothing unfinished before it. */
static void
return_results(mt_batch_texts *texts)
{
  while (texts->n_returned < texts->n_read) {
    mt_batch_text *text = batch_texts_get(texts, texts->n_returned);
    if (!atomic_load_explicit(&text->is_done, memory_order_acquire))
      return;
    texts->texts->on_result(texts->texts->user, texts->n_returned, text->translation,
                            text->translation ? NULL : &text->error);
    forget(text);
    texts->n_returned++;
  }
}

/* Among equals, the first stays first. */
static void
insert_by_length(mt_batch_texts *texts, size_t i, size_t length)
{
  size_t at = texts->n_coming++;
  for (; at > 0; at--) {
    const mt_batch_text *before = batch_texts_get(texts, texts->coming[at - 1]);
    if (mt_tokens_count(before->source) >= length)
      break;
    texts->coming[at] = texts->coming[at - 1];
  }
  texts->coming[at] = i;
}

/* Tokens of the next text; 0: it has none, and is done. */
static size_t
read_text(mt_batch_texts *texts, const char *line)
{
  size_t i = texts->n_read++;
  mt_batch_text *text = batch_texts_get(texts, i);
  if (mt_model_check_files(texts->session->model, &text->error))
    text->source =
        mt_session_tokenize(texts->session, line, texts->params, texts->texts->hooks, &text->error);
  if (!text->source) {
    atomic_store_explicit(&text->is_done, true, memory_order_relaxed);
    return_results(texts);
    return 0;
  }
  insert_by_length(texts, i, mt_tokens_count(text->source));
  return mt_tokens_count(text->source);
}

/* What was read comes behind what still waits. */
static void
append_window(mt_batch_texts *texts, bool is_at_end)
{
  pthread_mutex_lock(&texts->lock);
  texts->n_order -= texts->n_taken;
  memmove(texts->order, texts->order + texts->n_taken, texts->n_order * sizeof *texts->order);
  texts->n_taken = 0;
  memcpy(texts->order + texts->n_order, texts->coming, texts->n_coming * sizeof *texts->order);
  texts->n_order += texts->n_coming;
  texts->n_coming = 0;
  texts->is_at_end = is_at_end;
  pthread_mutex_unlock(&texts->lock);
}

/* Read the next window, as far as there is room. */
static void
read_window(mt_batch_texts *texts)
{
  const char *line = "";
  for (size_t n_tokens = 0;
       texts->n_coming < MT_BATCH_WINDOW && n_tokens < MT_BATCH_WINDOW_TOKENS &&
       texts->n_read - texts->n_returned < MT_BATCH_MAX_WAITING;
       n_tokens += read_text(texts, line)) {
    line = texts->texts->next(texts->texts->user);
    if (!line)
      break;
  }
  append_window(texts, !line);
}

/* For that thread: hand out what is done, and read a window if fewer than `ahead`, at most
 * MT_BATCH_WINDOW, wait to be taken. */
static void
batch_texts_serve(mt_batch_texts *texts, size_t ahead)
{
  return_results(texts);
  pthread_mutex_lock(&texts->lock);
  bool is_short = !texts->is_at_end && texts->n_order - texts->n_taken < ahead;
  pthread_mutex_unlock(&texts->lock);
  if (is_short)
    read_window(texts);
}

/* ---- Any thread ------------------------------------------------------------------------------ */

/* With the lock: the text that is to be translated next; false: there is none, or none yet. */
static bool
batch_texts_peek(const mt_batch_texts *texts, size_t *i)
{
  if (texts->n_again > 0)
    *i = texts->again[texts->n_again - 1];
  else if (texts->n_taken < texts->n_order)
    *i = texts->order[texts->n_taken];
  else
    return false;
  return true;
}

/* With the lock: it is being translated now. */
static void
batch_texts_take(mt_batch_texts *texts)
{
  if (texts->n_again > 0)
    texts->n_again--;
  else
    texts->n_taken++;
}

/* With the lock: there are none, and there will be none but what is put back. */
static bool
batch_texts_are_out(const mt_batch_texts *texts)
{
  return texts->is_at_end && texts->n_again == 0 && texts->n_taken == texts->n_order;
}

/* What was taken comes back to be taken again. */
static void
batch_texts_put_back(mt_batch_texts *texts, size_t i)
{
  pthread_mutex_lock(&texts->lock);
  texts->again[texts->n_again++] = i;
  pthread_mutex_unlock(&texts->lock);
}

/* Text i is done; takes the translation. NULL: it has failed, for the reason in its error. */
static void
batch_texts_finish(mt_batch_texts *texts, size_t i, mt_translation *translation)
{
  mt_batch_text *text = batch_texts_get(texts, i);
  text->translation = translation;
  atomic_store_explicit(&text->is_done, true, memory_order_release);
}

/* ---- Memory of a worker ------------------------------------------------------------------------
 */

/* The memory of a worker: a run, and a search for each sentence that can be
 * running. */

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

/* Memory for a worker that is all zeros. False: there is not enough; batch_worker_clear all the
 * same. */
static bool
batch_worker_init(mt_batch_worker *worker, mt_batch *batch, mt_error *error)
{
  const mt_session *session = batch->session;
  size_t beams = batch->params.beam_size, longest = session->model->config.max_positions;
  worker->batch = batch;
  mt_run_shape shape = {.n_sentences = batch->max_running + MT_WORKER_MAX_READY,
                        .n_source = longest,
                        .n_beams = beams,
                        .max_length = batch->params.max_length,
                        .n_rows = batch->max_tokens};
  shape.n_kv = USUAL_POSITIONS * max(max(batch->max_tokens, beams), longest);
  shape.n_logits = min(batch->max_running * beams, LOGIT_ROWS);
  worker->searches = mt_alloc(batch->max_running, sizeof(void *));
  worker->running = mt_alloc(batch->max_running, sizeof(void *));
  worker->ready = mt_alloc(MT_WORKER_MAX_READY, sizeof(void *));
  worker->free = mt_alloc(shape.n_sentences, sizeof(void *));
  if (!worker->searches || !worker->running || !worker->ready || !worker->free)
    return mt_fail_no_memory(error);
  if (!mt_run_reserve(&worker->run, session->model, &session->ops, &shape, error))
    return false;
  for (size_t i = 0; i < shape.n_sentences; i++)
    worker->free[worker->n_free++] = &worker->run.sentences[i];
  mt_search_rules rules = mt_session_rules(session->model, &batch->params);
  for (size_t i = 0; i < batch->max_running; i++) {
    mt_search *search = mt_search_new(&rules, error);
    if (!search)
      return false;
    worker->searches[worker->n_searches++] = search;
  }
  return true;
}

static void
batch_worker_clear(mt_batch_worker *worker)
{
  for (size_t i = 0; i < worker->n_running; i++)
    mt_search_free(worker->running[i]->search);
  for (size_t i = 0; i < worker->n_searches; i++)
    mt_search_free(worker->searches[i]);
  mt_free(worker->searches);
  mt_free(worker->running);
  mt_free(worker->ready);
  mt_free(worker->free);
  mt_run_clear(&worker->run);
}

/* ---- A worker ----------------------------------------------------------------------------------
 */

/* Sentences come into the model, go through it together and leave. */

/* A sentence comes in only if there is room in the pool for so many more positions of all. */
#define POSITIONS_AHEAD 8

/* The sentence is no longer in the model. */
static void
release(mt_batch_worker *worker, mt_sentence *sentence)
{
  mt_run_end(&worker->run, sentence);
  worker->free[worker->n_free++] = sentence;
}

/* Nor is it running. */
static void
stop_running(mt_batch_worker *worker, mt_sentence *sentence)
{
  worker->searches[worker->n_searches++] = sentence->search;
  release(worker, sentence);
}

/* ---- Coming in ------------------------------------------------------------------------------- */

/* Could another sentence of n_source tokens come in and all go on for a while? One alone always
 * can.
 */
static bool
has_room(const mt_batch_worker *worker, size_t n_source)
{
  size_t n_others = worker->n_running + worker->run.groups.n;
  size_t ahead =
      (n_others + 1) * mt_kv_pool_pages(POSITIONS_AHEAD * worker->batch->params.beam_size);
  return n_others == 0 || mt_kv_pool_pages(n_source) + ahead <= worker->run.pool.n_free;
}

/* Take the next text into the pass of the encoder that is being put together; false: there is none
 * that fits. */
static bool
take_text(mt_batch_worker *worker)
{
  mt_batch_texts *texts = &worker->batch->texts;
  const mt_groups *groups = &worker->run.groups;
  size_t i;
  if (groups->n == MT_WORKER_MAX_READY || !batch_texts_peek(texts, &i))
    return false;
  mt_batch_text *text = batch_texts_get(texts, i);
  size_t n = mt_tokens_count(text->source);
  if ((groups->n > 0 && groups->n_rows + n > worker->batch->max_tokens) || !has_room(worker, n))
    return false;
  mt_sentence *sentence = worker->free[worker->n_free - 1];
  sentence->number = i;
  if (!mt_run_add_source(&worker->run, sentence, mt_tokens_ids(text->source), n))
    return false;
  worker->n_free--;
  batch_texts_take(texts);
  text->begin = mt_session_clock();
  worker->ready[groups->n - 1] = sentence;
  return true;
}

/* Take the next texts as far as they fit into one pass of the encoder; false: none. They become
 * worker->ready, so that the first of them is the last in the list. */
static bool
take_texts(mt_batch_worker *worker)
{
  mt_run_begin_rows(&worker->run);
  pthread_mutex_lock(&worker->batch->texts.lock);
  while (take_text(worker))
    ;
  pthread_mutex_unlock(&worker->batch->texts.lock);
  size_t n = worker->n_ready = worker->run.groups.n;
  for (size_t a = 0, b = n; a + 1 < b; a++) {
    mt_sentence *first = worker->ready[a];
    worker->ready[a] = worker->ready[--b];
    worker->ready[b] = first;
  }
  return n > 0;
}

/* Fill the places that are free. False: cancelled. */
static bool
come_in(mt_batch_worker *worker)
{
  while (worker->n_running < worker->batch->max_running) {
    if (worker->n_ready == 0) {
      if (!take_texts(worker))
        return true;
      if (!mt_run_encode_for_search(&worker->run, &worker->pass))
        return false;
    }
    mt_sentence *sentence = worker->ready[--worker->n_ready];
    mt_run_begin_search(sentence, worker->searches[--worker->n_searches], NULL);
    worker->running[worker->n_running++] = sentence;
  }
  return true;
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* There is no room in the pool: the sentence that came last goes back, to begin anew. */
static void
send_back(mt_batch_worker *worker)
{
  mt_sentence *last = worker->n_ready > 0 ? worker->ready[0] : NULL;
  size_t number;
  if (last) {
    worker->n_ready--;
    memmove(worker->ready, worker->ready + 1, worker->n_ready * sizeof(void *));
    number = last->number;
    release(worker, last);
  } else {
    last = worker->running[--worker->n_running];
    number = last->number;
    stop_running(worker, last);
  }
  batch_texts_put_back(&worker->batch->texts, number);
}

/* Put the rows of all running sentences together. */
static void
gather(mt_batch_worker *worker)
{
  mt_run_begin_rows(&worker->run);
  for (size_t i = 0; i < worker->n_running; i++)
    while (i < worker->n_running && !mt_run_add_step(&worker->run, worker->running[i]))
      send_back(worker);
}

/* ---- Leaving --------------------------------------------------------------------------------- */

static void
leave(mt_batch_worker *worker, mt_sentence *sentence)
{
  mt_batch *batch = worker->batch;
  mt_batch_text *text = batch_texts_get(&batch->texts, sentence->number);
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
  stop_running(worker, sentence);
  batch_texts_finish(&batch->texts, number, translation);
}

/* Those that are done leave, the others stay in order. */
static void
all_leave(mt_batch_worker *worker)
{
  size_t n = 0;
  for (size_t i = 0; i < worker->n_running; i++) {
    mt_sentence *sentence = worker->running[i];
    if (sentence->is_failed || sentence->search->n_rows == 0)
      leave(worker, sentence);
    else
      worker->running[n++] = sentence;
  }
  worker->n_running = n;
}

/* Fill the places that are free, and make a step for all that are in the model. False: cancelled.
 */
static bool
batch_worker_step(mt_batch_worker *worker)
{
  if (!come_in(worker))
    return false;
  if (worker->n_running == 0)
    return true;
  gather(worker);
  if (!mt_run_step(&worker->run, &worker->pass))
    return false;
  all_leave(worker);
  return true;
}

/* ---- All workers -------------------------------------------------------------------------------
 */

/* Tokens of a pass if nothing is said, and of each of several workers. With more of them the
 * weights are read less often. */
#define USUAL_TOKENS 128
/* The same for one worker of several where weights are rounded, and read two to four times as fast:
 * keys and values then stay in a cache better. */
#define NARROW_TOKENS 64
/* Rows of a step for which a worker is better than threads that share the step. */
#define LEAST_ROWS 8
/* How long a worker without sentences waits before it looks again. */
#define WAIT_NANOSECONDS 200000

/* ---- One worker of several ---------------------------------------------------------------------
 */

/* Callbacks run on the thread that called, and the others learn of it. */
static bool
should_stop(void *user)
{
  const mt_batch_worker *worker = user;
  mt_batch *batch = worker->batch;
  const mt_texts *texts = batch->texts.texts;
  if (!batch_texts_are_mine(&batch->texts))
    return atomic_load_explicit(&batch->is_stopped, memory_order_relaxed);
  bool stops = texts->should_stop ? texts->should_stop(texts->user)
               : texts->hooks && texts->hooks->should_stop
                   ? texts->hooks->should_stop(texts->hooks->user)
                   : false;
  if (stops)
    atomic_store_explicit(&batch->is_stopped, true, memory_order_relaxed);
  return stops;
}

/* How many texts should wait, so that no worker has to. */
static size_t
count_ahead(const mt_batch *batch)
{
  return min(batch->n_workers * batch->max_running, MT_BATCH_WINDOW);
}

static bool
are_texts_out(mt_batch_texts *texts)
{
  pthread_mutex_lock(&texts->lock);
  bool are_out = batch_texts_are_out(texts);
  pthread_mutex_unlock(&texts->lock);
  return are_out;
}

/* For a moment: texts are being read, or all there is room for wait for another worker's. */
static void
wait(void)
{
  nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
}

/* One worker, until one of them has nothing more to do, or is stopped. */
static void
run_worker(void *user, size_t i, size_t n_parts)
{
  mt_batch *batch = user;
  mt_batch_worker *worker = &batch->workers[i];
  bool is_caller = batch_texts_are_mine(&batch->texts);
  (void) n_parts;
  while (!atomic_load_explicit(&batch->is_ending, memory_order_relaxed)) {
    if (is_caller)
      batch_texts_serve(&batch->texts, count_ahead(batch));
    bool goes_on = batch_worker_step(worker);
    if (goes_on && batch_worker_is_busy(worker))
      continue;
    if (!goes_on || should_stop(worker) || are_texts_out(&batch->texts))
      atomic_store_explicit(&batch->is_ending, true, memory_order_relaxed);
    else
      wait();
  }
}

/* The workers take turns, each with all threads, until there is nothing more to do. False:
 * cancelled.
 */
static bool
run_in_turns(mt_batch *batch)
{
  for (bool is_busy = true; is_busy;) {
    is_busy = false;
    for (size_t i = 0; i < batch->n_workers; i++) {
      batch_texts_serve(&batch->texts, count_ahead(batch));
      if (!batch_worker_step(&batch->workers[i]))
        return false;
      is_busy = is_busy || batch_worker_is_busy(&batch->workers[i]);
    }
    is_busy = is_busy || !are_texts_out(&batch->texts);
  }
  batch_texts_serve(&batch->texts, 0);
  return true;
}

/* Callbacks that see every step run on the thread that called. */
static bool
is_watched(const mt_hooks *hooks)
{
  return hooks && (hooks->on_token || (hooks->on_probe && hooks->hook_points) ||
                   (hooks->requests && hooks->requests->n > 0 && hooks->callback.on_view));
}

/* As many workers as there are threads, if there are texts enough for each. They share the tokens
 * that are wanted. */
static size_t
choose_workers(mt_batch *batch)
{
  size_t n_threads = mt_pool_n_threads(batch->session->ops.pool);
  size_t given = batch->texts.texts->max_tokens;
  bool is_narrow = batch->session->model->precision != MT_PRECISION_STORED;
  size_t usual = is_narrow ? NARROW_TOKENS : USUAL_TOKENS;
  size_t tokens = given ? given / n_threads : usual;
  size_t rows = min(batch->texts.n_order / n_threads * batch->params.beam_size, tokens);
  bool is_alone = rows < LEAST_ROWS || is_watched(batch->texts.texts->hooks);
  batch->max_tokens = !is_alone ? tokens : given ? given : USUAL_TOKENS;
  batch->max_running = max(batch->max_tokens / batch->params.beam_size, 1);
  return is_alone ? 1 : n_threads;
}

/* If there is memory for some of them only, they are enough. */
static bool
init_workers(mt_batch *batch, mt_error *error)
{
  size_t n = choose_workers(batch);
  batch->workers = mt_alloc(n, sizeof *batch->workers);
  if (!batch->workers)
    return mt_fail_no_memory(error);
  for (; batch->n_workers < n; batch->n_workers++)
    if (!batch_worker_init(&batch->workers[batch->n_workers], batch,
                           batch->n_workers == 0 ? error : NULL)) {
      batch_worker_clear(&batch->workers[batch->n_workers]);
      break;
    }
  return batch->n_workers > 0;
}

static void
clear(mt_batch *batch)
{
  for (size_t i = 0; i < batch->n_workers; i++)
    batch_worker_clear(&batch->workers[i]);
  mt_free(batch->workers);
  batch_texts_clear(&batch->texts);
}

static bool
run(mt_batch *batch, mt_error *error)
{
  const mt_texts *texts = batch->texts.texts;
  mt_pool *pool = batch->session->ops.pool;
  for (size_t i = 0; i < batch->n_workers; i++) {
    mt_batch_worker *worker = &batch->workers[i];
    worker->pass = mt_run_begin_pass(&worker->run, batch->session->interventions, texts->hooks,
                                     &worker->error);
    worker->pass.should_stop = should_stop;
    worker->pass.stop_user = worker;
    if (batch->n_workers > 1)
      worker->run.ops.pool = NULL;
  }
  if (batch->n_workers > 1) {
    mt_pool_run(pool, batch->n_workers, run_worker, batch);
    for (size_t i = 0; i < batch->n_workers; i++)
      batch->workers[i].run.ops.pool = pool;
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
  size_t most = max(texts->max_tokens, USUAL_TOKENS);
  size_t n_threads = mt_pool_n_threads(session->ops.pool);
  bool ok = batch_texts_init(&batch.texts, texts, session, &own,
                             n_threads * (most + MT_WORKER_MAX_READY), error);
  if (ok) {
    batch_texts_serve(&batch.texts, 1);
    ok = init_workers(&batch, error) && run(&batch, error);
  }
  clear(&batch);
  return ok;
}
