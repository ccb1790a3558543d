/* mt-batch.h — many texts at a time. Private to the engine.
 *
 * A run of many sentences (mt-run.h): when one is done the next one takes its place at once, and
 * nothing is filled up to the length of the longest (see mt-kv.h). Where there are threads and
 * enough texts, each thread has such a run for itself: a lane. A step of a lane waits for nobody,
 * while threads that share a step meet some hundred times in it. What is left when the first lane
 * has nothing more to do goes on with all threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BATCH_H
#define MT_BATCH_H

#include "session/mt-session.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- Texts: read ahead, taken by length, handed out in order ------------------------------------
 */

/* Read at a time: so many texts, or fewer of so many tokens. */
#define MT_BATCH_WINDOW        256
#define MT_BATCH_WINDOW_TOKENS 32768
/* Texts that wait for a result of one before them, and those that are read. */
#define MT_BATCH_MAX_WAITING (8 * MT_BATCH_WINDOW)

/* A text, from when it is read to when its result is handed out. In between it is a lane's, which
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
  int language;
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

/* again: room for as many as will be put back at the same time. */
bool mt_batch_texts_init(mt_batch_texts *texts, const mt_texts *from, const mt_session *session,
                         int language, size_t max_again, mt_error *error);
void mt_batch_texts_clear(mt_batch_texts *texts);

mt_batch_text *mt_batch_texts_get(const mt_batch_texts *texts, size_t i);

/* Is this the thread that reads them? */
bool mt_batch_texts_are_mine(const mt_batch_texts *texts);

/* For that thread: hand out what is done, and read a window if fewer than `ahead`, at most
 * MT_BATCH_WINDOW, wait to be taken. */
void mt_batch_texts_serve(mt_batch_texts *texts, size_t ahead);

/* With the lock: the text that is to be translated next; false: there is none, or none yet. */
bool mt_batch_texts_peek(const mt_batch_texts *texts, size_t *i);
/* With the lock: it is being translated now. */
void mt_batch_texts_take(mt_batch_texts *texts);
/* With the lock: there are none, and there will be none but what is put back. */
bool mt_batch_texts_are_out(const mt_batch_texts *texts);

/* What was taken comes back to be taken again. */
void mt_batch_texts_put_back(mt_batch_texts *texts, size_t i);
/* Text i is done; takes the translation. NULL: it has failed, for the reason in its error. */
void mt_batch_texts_finish(mt_batch_texts *texts, size_t i, mt_translation *translation);

/* ---- Lanes: sentences that go through the model together ----------------------------------------
 */

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
} mt_lane;

/* Memory for a lane that is all zeros. False: there is not enough; mt_lane_clear all the same. */
bool mt_lane_init(mt_lane *lane, mt_batch *batch, mt_error *error);
void mt_lane_clear(mt_lane *lane);

/* Fill the places that are free, and make a step for all that are in the model. False: cancelled.
 */
bool mt_lane_step(mt_lane *lane);

/* Is there a sentence in it? */
static inline bool
mt_lane_is_busy(const mt_lane *lane)
{
  return lane->n_running + lane->n_ready > 0;
}

/* ---- All of it ----------------------------------------------------------------------------------
 */

struct mt_batch {
  mt_session *session;
  mt_search_params params;
  mt_batch_texts texts;
  size_t max_tokens;  /* of a pass of the encoder, if it is not one longer sentence */
  size_t max_running; /* sentences of a lane */
  mt_lane *lanes;     /* [n_lanes] */
  size_t n_lanes;
  atomic_bool is_stopped; /* somebody wants it to end */
  atomic_bool is_ending;  /* a lane has nothing more to do */
};

/* Sentences that are encoded together at most, whatever their length. */
#define MT_LANE_MAX_READY 64

#endif
