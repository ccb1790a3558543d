/* regard-target-pane.h — the translation, its pieces, how it was found, and what else there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click into another sentence goes to its source. While a capture from a file is shown its output
 * tokens stand there instead, and the pane is hidden if it has none.
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-text-card.h"
#include "widgets/regard-token-strip.h"

G_BEGIN_DECLS

#define REGARD_TYPE_TARGET_PANE (regard_target_pane_get_type())
G_DECLARE_FINAL_TYPE(RegardTargetPane, regard_target_pane, REGARD, TARGET_PANE, GtkWidget)

/* Once, before it is shown. Both are kept alive. */
void regard_target_pane_set_document(RegardTargetPane *self, RegardDocument *document,
                                     GSettings *settings);
/* Its card; the text on it, which takes the keyboard; the pieces below. Borrowed. */
RegardTextCard *regard_target_pane_get_card(RegardTargetPane *self);
GtkWidget *regard_target_pane_get_view(RegardTargetPane *self);
RegardTokenStrip *regard_target_pane_get_strip(RegardTargetPane *self);
/* Open the place to type a translation of one's own. */
void regard_target_pane_give_translation(RegardTargetPane *self);

G_END_DECLS
