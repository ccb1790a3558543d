/* regard-weight-bar.h — weights of the large picture set by hand: a switch for it, the rule, and
 * what drags, keys and menu do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule is said and chosen here: the rest of the row is scaled so that it sums to 1, or stays.
 * The window makes the changes ("win.make-change", "win.restore-change", "win.drag-change") and
 * says what cannot be made ("win.say"): words that are merged, several heads as one, differences.
 */
#pragma once

#include "widgets/regard-heatmap.h"
#include "widgets/regard-selection.h"

G_BEGIN_DECLS

#define REGARD_TYPE_WEIGHT_BAR (regard_weight_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardWeightBar, regard_weight_bar, REGARD, WEIGHT_BAR, GtkWidget)

/* The heatmap outlives it, or goes with it. */
GtkWidget *regard_weight_bar_new(RegardHeatmap *heatmap);
/* The rule and what the pointer does, to be put below the switch; seen while it is on. Borrowed. */
GtkWidget *regard_weight_bar_get_line(RegardWeightBar *self);
void regard_weight_bar_set_selection(RegardWeightBar *self, RegardSelection *selection);
void regard_weight_bar_set_active(RegardWeightBar *self, gboolean active);
gboolean regard_weight_bar_get_active(RegardWeightBar *self);
void regard_weight_bar_set_rescales(RegardWeightBar *self, gboolean rescales);
/* E: the switch. Of the cell that is pinned: W types a weight, Delete hides its key from its query,
 * Shift+Delete from all, BackSpace restores; and while it is switched on plus and minus are a
 * twentieth more and less. */
gboolean regard_weight_bar_handle_key(RegardWeightBar *self, guint keyval, GdkModifierType state);

G_END_DECLS
