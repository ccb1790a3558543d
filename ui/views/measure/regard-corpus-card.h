/* regard-corpus-card.h — one head over a text: sentences for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-corpus.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What is looked at, owned by the pane. */
typedef struct {
  RegardCorpus *corpus; /* NULL: none is open, and there are no rows */
  mt_corpus_measure measure;
  int selected; /* a head's number; -1: none */
} CorpusOptions;

#define REGARD_TYPE_CORPUS_CARD (regard_corpus_card_get_type())
G_DECLARE_FINAL_TYPE(RegardCorpusCard, regard_corpus_card, REGARD, CORPUS_CARD, GtkWidget)
/* Sentences for one head: the strongest, by quantile, found. A sentence that is activated is the
 * action win.show-text. */
GtkWidget *regard_corpus_card_new(void);
/* Borrowed for as long as the look's corpus stays; selected -1: nothing is shown. */
void regard_corpus_card_set_look(RegardCorpusCard *self, const CorpusOptions *look);

G_END_DECLS
