/* regard-corpus-maker.h — a corpus file is made: of which text, where, how far it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CORPUS_MAKER (regard_corpus_maker_get_type())
G_DECLARE_FINAL_TYPE(RegardCorpusMaker, regard_corpus_maker, REGARD, CORPUS_MAKER, GtkWidget)
/* Two files, a button that begins or goes on, and what comes of it. A corpus that is whole, and
 * what there is of one that was stopped, is shown by the action win.take-corpus. */
GtkWidget *regard_corpus_maker_new(void);
/* Keeps no reference; it must not go before this. NULL: nothing is there to measure. */
void regard_corpus_maker_set_selection(RegardCorpusMaker *self, RegardSelection *selection);
gboolean regard_corpus_maker_is_busy(RegardCorpusMaker *self);

G_END_DECLS
