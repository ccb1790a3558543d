/* regard-head-ablation.h — what each head does for the translation on the screen, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one object that all who show effects observe; it belongs to a selection
 * (regard_selection_get_head_ablation). While it is on, the effects of the selection's capture are
 * computed in a thread, a moment after nothing has changed any more; numbers of what was there
 * before are dropped at once. Signal "changed": other effects, another error, or it was switched.
 */
#pragma once

#include "runner/regard-work.h"
#include "widgets/regard-selection.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_HEAD_ABLATION (regard_head_ablation_get_type())
G_DECLARE_FINAL_TYPE(RegardHeadAblation, regard_head_ablation, REGARD, HEAD_ABLATION, GObject)

/* The selection is not kept alive. */
RegardHeadAblation *regard_head_ablation_new(RegardSelection *selection);

/* How heads are taken out: an mt_ablation_kind; -1: nothing is computed. */
void regard_head_ablation_set_with(RegardHeadAblation *self, int with);
int regard_head_ablation_get_with(RegardHeadAblation *self);
/* For MT_ABLATION_MEAN: those of the model, or why there are none. A reference is taken. */
void regard_head_ablation_set_means(RegardHeadAblation *self, mt_means *means, const char *why_not);

/* Of the present capture; NULL: there are none, or not yet. Borrowed. */
RegardAblation *regard_head_ablation_get(RegardHeadAblation *self);
/* How far the computation is. Borrowed. */
RegardWork *regard_head_ablation_get_work(RegardHeadAblation *self);
/* Why there are none; NULL: no error. Borrowed. */
const char *regard_head_ablation_get_error(RegardHeadAblation *self);

/* ---- The switch of the heads' effects, how far they are, and what they say -------------- */

#define REGARD_TYPE_ABLATION_BAR (regard_ablation_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardAblationBar, regard_ablation_bar, REGARD, ABLATION_BAR, GtkWidget)

GtkWidget *regard_ablation_bar_new(void);
void regard_ablation_bar_set_selection(RegardAblationBar *self, RegardSelection *selection);

G_END_DECLS
