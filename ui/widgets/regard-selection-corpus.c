/* regard-selection-corpus.c — the corpus file that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

void
regard_selection_set_corpus(RegardSelection *self, RegardCorpus *corpus, const char *why_not)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));

  if (corpus)
    regard_corpus_ref(corpus);
  g_clear_pointer(&self->corpus, regard_corpus_unref);
  self->corpus = corpus;
  g_free(self->why_no_corpus);
  self->why_no_corpus = g_strdup(why_not);
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CORPUS_CHANGED], 0);
}

RegardCorpus *
regard_selection_get_corpus(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->corpus;
}

const char *
regard_selection_get_why_no_corpus(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->why_no_corpus;
}
