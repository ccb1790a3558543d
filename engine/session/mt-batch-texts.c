/* mt-batch-texts.c — the texts of a batch: read ahead, taken by length, handed out in order.
 *
 * Sentences need not be of one length to go through the model together. The longest of a window are
 * first, so that at the end of all texts none of them is left alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-batch.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

bool
mt_batch_texts_init(mt_batch_texts *texts, const mt_texts *from, const mt_session *session,
                    int language, size_t max_again, mt_error *error)
{
  *texts = (mt_batch_texts){.texts = from, .session = session, .language = language};
  texts->waiting = mt_alloc(MT_BATCH_MAX_WAITING, sizeof *texts->waiting);
  texts->order = mt_alloc(MT_BATCH_WINDOW, sizeof *texts->order);
  texts->again = mt_alloc(max_again, sizeof *texts->again);
  return (texts->waiting && texts->order && texts->again) || mt_fail_no_memory(error);
}

mt_batch_text *
mt_batch_texts_get(const mt_batch_texts *texts, size_t i)
{
  return &texts->waiting[i % MT_BATCH_MAX_WAITING];
}

static void
forget(mt_batch_text *text)
{
  mt_tokens_unref(text->source);
  mt_translation_unref(text->translation);
  text->source = NULL;
  text->translation = NULL;
  text->error.code = MT_OK;
  text->is_done = false;
}

void
mt_batch_texts_clear(mt_batch_texts *texts)
{
  for (; texts->n_returned < texts->n_read; texts->n_returned++)
    forget(mt_batch_texts_get(texts, texts->n_returned));
  mt_free(texts->waiting);
  mt_free(texts->order);
  mt_free(texts->again);
}

/* Hand out what is done and has nothing unfinished before it. */
static void
return_results(mt_batch_texts *texts)
{
  while (texts->n_returned < texts->n_read) {
    mt_batch_text *text = mt_batch_texts_get(texts, texts->n_returned);
    if (!text->is_done)
      return;
    texts->texts->on_result(texts->texts->user, texts->n_returned, text->translation,
                            text->translation ? NULL : &text->error);
    forget(text);
    texts->n_returned++;
  }
}

void
mt_batch_texts_finish(mt_batch_texts *texts, size_t i, mt_translation *translation)
{
  mt_batch_text *text = mt_batch_texts_get(texts, i);
  text->is_done = true;
  text->translation = translation;
  return_results(texts);
}

/* Among equals, the first stays first. */
static void
insert_by_length(mt_batch_texts *texts, size_t i, size_t length)
{
  size_t at = texts->n_order++;
  for (; at > 0; at--) {
    const mt_batch_text *before = mt_batch_texts_get(texts, texts->order[at - 1]);
    if (mt_tokens_count(before->source) >= length)
      break;
    texts->order[at] = texts->order[at - 1];
  }
  texts->order[at] = i;
}

/* Read the next window, as far as there is room. */
static void
read_window(mt_batch_texts *texts)
{
  size_t n_tokens = 0;
  texts->n_order = texts->n_taken = 0;
  while (texts->n_order < MT_BATCH_WINDOW && n_tokens < MT_BATCH_WINDOW_TOKENS &&
         texts->n_read - texts->n_returned < MT_BATCH_MAX_WAITING) {
    const char *line = texts->texts->next(texts->texts->user);
    if (!line) {
      texts->is_at_end = true;
      return;
    }
    size_t i = texts->n_read++;
    mt_batch_text *text = mt_batch_texts_get(texts, i);
    if (mt_model_check_files(texts->session->model, &text->error))
      text->source = mt_session_tokenize(texts->session, line, texts->language, texts->texts->hooks,
                                         &text->error);
    if (!text->source) {
      mt_batch_texts_finish(texts, i, NULL);
      continue;
    }
    n_tokens += mt_tokens_count(text->source);
    insert_by_length(texts, i, mt_tokens_count(text->source));
  }
}

bool
mt_batch_texts_peek(mt_batch_texts *texts, size_t *i)
{
  if (texts->n_again > 0) {
    *i = texts->again[texts->n_again - 1];
    return true;
  }
  if (texts->n_taken == texts->n_order && !texts->is_at_end)
    read_window(texts);
  if (texts->n_taken == texts->n_order)
    return false;
  *i = texts->order[texts->n_taken];
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

void
mt_batch_texts_put_back(mt_batch_texts *texts, size_t i)
{
  texts->again[texts->n_again++] = i;
}
