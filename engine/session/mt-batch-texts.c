/* mt-batch-texts.c — the texts of a batch: read ahead, taken by length, handed out in order.
 *
 * Sentences need not be of one length to go through the model together. The longest of a window are
 * first, so that at the end of all texts none of them is left alone. The thread that called reads
 * and hands out; any thread takes and finishes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

/* A window beside what still waits of the one before. */
#define MAX_ORDER (2 * MT_BATCH_WINDOW)

bool
mt_batch_texts_init(mt_batch_texts *texts, const mt_texts *from, const mt_session *session,
                    int language, size_t max_again, mt_error *error)
{
  *texts = (mt_batch_texts){.texts = from,
                            .session = session,
                            .language = language,
                            .caller = pthread_self()};
  pthread_mutex_init(&texts->lock, NULL);
  texts->waiting = mt_alloc(MT_BATCH_MAX_WAITING, sizeof *texts->waiting);
  texts->coming = mt_alloc(MT_BATCH_WINDOW, sizeof *texts->coming);
  texts->order = mt_alloc(MAX_ORDER, sizeof *texts->order);
  texts->again = mt_alloc(max_again, sizeof *texts->again);
  return (texts->waiting && texts->coming && texts->order && texts->again) ||
         mt_fail_no_memory(error);
}

mt_batch_text *
mt_batch_texts_get(const mt_batch_texts *texts, size_t i)
{
  return &texts->waiting[i % MT_BATCH_MAX_WAITING];
}

bool
mt_batch_texts_are_mine(const mt_batch_texts *texts)
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

void
mt_batch_texts_clear(mt_batch_texts *texts)
{
  for (; texts->n_returned < texts->n_read; texts->n_returned++)
    forget(mt_batch_texts_get(texts, texts->n_returned));
  mt_free(texts->waiting);
  mt_free(texts->coming);
  mt_free(texts->order);
  mt_free(texts->again);
  pthread_mutex_destroy(&texts->lock);
}

/* ---- The thread that called ---------------------------------------------------------------------
 */

/* Hand out what is done and has nothing unfinished before it. */
static void
return_results(mt_batch_texts *texts)
{
  while (texts->n_returned < texts->n_read) {
    mt_batch_text *text = mt_batch_texts_get(texts, texts->n_returned);
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
    const mt_batch_text *before = mt_batch_texts_get(texts, texts->coming[at - 1]);
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
  mt_batch_text *text = mt_batch_texts_get(texts, i);
  if (mt_model_check_files(texts->session->model, &text->error))
    text->source = mt_session_tokenize(texts->session, line, texts->language, texts->texts->hooks,
                                       &text->error);
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

void
mt_batch_texts_serve(mt_batch_texts *texts, size_t ahead)
{
  return_results(texts);
  pthread_mutex_lock(&texts->lock);
  bool is_short = !texts->is_at_end && texts->n_order - texts->n_taken < ahead;
  pthread_mutex_unlock(&texts->lock);
  if (is_short)
    read_window(texts);
}

/* ---- Any thread ---------------------------------------------------------------------------------
 */

bool
mt_batch_texts_peek(const mt_batch_texts *texts, size_t *i)
{
  if (texts->n_again > 0)
    *i = texts->again[texts->n_again - 1];
  else if (texts->n_taken < texts->n_order)
    *i = texts->order[texts->n_taken];
  else
    return false;
  return true;
}

void
mt_batch_texts_take(mt_batch_texts *texts)
{
  if (texts->n_again > 0)
    texts->n_again--;
  else
    texts->n_taken++;
}

bool
mt_batch_texts_are_out(const mt_batch_texts *texts)
{
  return texts->is_at_end && texts->n_again == 0 && texts->n_taken == texts->n_order;
}

void
mt_batch_texts_put_back(mt_batch_texts *texts, size_t i)
{
  pthread_mutex_lock(&texts->lock);
  texts->again[texts->n_again++] = i;
  pthread_mutex_unlock(&texts->lock);
}

void
mt_batch_texts_finish(mt_batch_texts *texts, size_t i, mt_translation *translation)
{
  mt_batch_text *text = mt_batch_texts_get(texts, i);
  text->translation = translation;
  atomic_store_explicit(&text->is_done, true, memory_order_release);
}
