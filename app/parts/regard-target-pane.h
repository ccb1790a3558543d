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
#include <gtk/gtk.h>

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

/* ==== The n-best list of one sentence, in a popover =========================================== */

#define REGARD_TYPE_ALTERNATIVES (regard_alternatives_get_type())
G_DECLARE_FINAL_TYPE(RegardAlternatives, regard_alternatives, REGARD, ALTERNATIVES, GtkPopover)

/* As if the person had picked it. */
void regard_alternatives_choose(RegardAlternatives *self, guint alternative);

/* ==== A popover to type a translation of one's own in ============================================
 *
 * What is typed is scored and its attention shown at once, as it stands. Enter keeps it, Escape
 * goes back to what was there before. It opens from its button, and by a double click into the text
 * that it follows; Escape in that text goes back to the model's own.
 */

#define REGARD_TYPE_OWN_TRANSLATION (regard_own_translation_get_type())
G_DECLARE_FINAL_TYPE(RegardOwnTranslation, regard_own_translation, REGARD, OWN_TRANSLATION,
                     GtkPopover)

/* ==== A label in several wordings: the longest that there is room for ========================= */

#define REGARD_TYPE_ADAPTIVE_LABEL (regard_adaptive_label_get_type())
G_DECLARE_FINAL_TYPE(RegardAdaptiveLabel, regard_adaptive_label, REGARD, ADAPTIVE_LABEL, GtkWidget)

#define REGARD_MOST_WORDINGS 3

/* texts: the longest first, up to NULL, at most REGARD_MOST_WORDINGS. The widget asks for room for
 * the last one, unless that may be cut off. */
void regard_adaptive_label_set(RegardAdaptiveLabel *self, const char *const *texts,
                               gboolean may_cut);

G_END_DECLS
