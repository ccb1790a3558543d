/* regard-source-pane.h — the text that is typed, its pieces, and what is to be said of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is typed goes into the document; while a capture from a file is shown its source tokens
 * stand there instead, and the pane is hidden if it has none.
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-text-card.h"
#include "widgets/regard-token-strip.h"

G_BEGIN_DECLS

#define REGARD_TYPE_SOURCE_PANE (regard_source_pane_get_type())
G_DECLARE_FINAL_TYPE(RegardSourcePane, regard_source_pane, REGARD, SOURCE_PANE, GtkWidget)

/* Once, before it is shown. Both are kept alive. */
void regard_source_pane_set_document(RegardSourcePane *self, RegardDocument *document,
                                     GSettings *settings);
/* Its card; the text on it, which takes the keyboard; the pieces below. Borrowed. */
RegardTextCard *regard_source_pane_get_card(RegardSourcePane *self);
GtkWidget *regard_source_pane_get_view(RegardSourcePane *self);
RegardTokenStrip *regard_source_pane_get_strip(RegardSourcePane *self);

G_END_DECLS
