/* mt-batch.h — many texts at a time. Private to the engine.
 *
 * A run of many sentences (mt-run.h): when one is done the next one takes its place at once, and
 * nothing is filled up to the length of the longest (see mt-groups.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BATCH_H
#define MT_BATCH_H

#include "session/mt-session.h"

/* ---- Texts: read ahead, taken by length, handed out in order ------------------------------------
 */

/* Read at a time: so many texts, or fewer of so many tokens. */
#define MT_BATCH_WINDOW        256
#define MT_BATCH_WINDOW_TOKENS 32768
/* Texts that wait for a result of one before them, and those that are read. */
#define MT_BATCH_MAX_WAITING (8 * MT_BATCH_WINDOW)

/* A text, from when it is read to when its result is handed out. */
typedef struct {
  mt_tokens *source;
  double begin; /* when it came into the model */
  bool is_done; /* with a translation, or else an error */
  mt_translation *translation;
  mt_error error;
} mt_batch_text;

typedef struct {
  const mt_texts *texts;
  const mt_session *session;
  int language;
  bool is_at_end;            /* there are no more texts */
  size_t n_read, n_returned; /* text i, n_returned <= i < n_read, is waiting[i % MAX_WAITING] */
  mt_batch_text *waiting;    /* [MT_BATCH_MAX_WAITING] */
  size_t *order;             /* [n_order] texts of the window, the longest first … */
  size_t n_order, n_taken;   /* … of which so many have been taken */
  size_t *again;             /* [n_again] texts that were put back; the last one is next */
  size_t n_again;
} mt_batch_texts;

/* again: room for as many as will be put back at the same time. */
bool mt_batch_texts_init(mt_batch_texts *texts, const mt_texts *from, const mt_session *session,
                         int language, size_t max_again, mt_error *error);
void mt_batch_texts_clear(mt_batch_texts *texts);

mt_batch_text *mt_batch_texts_get(const mt_batch_texts *texts, size_t i);

/* The text that is to be translated next; false: there is none, or none yet. */
bool mt_batch_texts_peek(mt_batch_texts *texts, size_t *i);
/* It is being translated now; or put it back. */
void mt_batch_texts_take(mt_batch_texts *texts);
void mt_batch_texts_put_back(mt_batch_texts *texts, size_t i);

/* Text i is done; takes the translation. NULL: it has failed, for the reason in its error. */
void mt_batch_texts_finish(mt_batch_texts *texts, size_t i, mt_translation *translation);

/* ---- Sentences in the model ---------------------------------------------------------------------
 */

typedef struct {
  mt_session *session;
  mt_search_params params;
  mt_batch_texts texts;
  mt_run run;
  size_t max_tokens;     /* of a pass of the encoder, if it is not one longer sentence */
  size_t max_running;    /* sentences */
  mt_search **searches;  /* [run.n_sentences] of each sentence */
  mt_sentence **running; /* [n_running] the oldest first */
  mt_sentence **ready;   /* [n_ready] encoded, the next one last */
  mt_sentence **free;    /* [n_free] */
  size_t n_running, n_ready, n_free;
} mt_batch;

/* Memory for all that. */
bool mt_batch_init(mt_batch *batch, mt_session *session, const mt_texts *texts,
                   const mt_search_params *params, mt_error *error);
void mt_batch_clear(mt_batch *batch);

#endif
