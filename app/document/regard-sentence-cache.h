/* regard-sentence-cache.h — translations of sentences seen lately.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Belongs to the worker thread. It also remembers which alternative of a sentence was chosen, so
 * that the choice survives moving the caret away and back.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

typedef struct {
  mt_translation *translation;
  guint chosen;
  mt_copies *copies; /* words of the source in place of <unk>; NULL: there are none … */
  guint n_tried;     /* … in hypothesis n_tried - 1; 0: nobody asked yet */
  guint used;        /* serial of the last request that needed it */
} RegardCachedSentence;

typedef struct _RegardSentenceCache RegardSentenceCache;

RegardSentenceCache *regard_sentence_cache_new(void);
void regard_sentence_cache_free(RegardSentenceCache *cache);
/* key: the text, and whatever else its translation depends on but the model.
 * Borrowed until the next put, trim or clear; NULL if unknown. */
RegardCachedSentence *regard_sentence_cache_get(RegardSentenceCache *cache, const char *key,
                                                guint serial);
/* Takes a reference of its own. */
RegardCachedSentence *regard_sentence_cache_put(RegardSentenceCache *cache, const char *key,
                                                mt_translation *translation, guint serial);
/* Drop what request `serial` did not use, if there is more than a few pages' worth. */
void regard_sentence_cache_trim(RegardSentenceCache *cache, guint serial);
void regard_sentence_cache_clear(RegardSentenceCache *cache);

G_END_DECLS
