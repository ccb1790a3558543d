/* regard-head-effects.h — what each head does for the translation on the screen, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one object that all who show effects observe; it belongs to a selection
 * (regard_selection_get_head_effects). While it is on, the effects of the selection's capture are
 * computed in a thread, a moment after nothing has changed any more; numbers of what was there
 * before are dropped at once. Signal "changed": other effects, another error, or it was switched.
 */
#pragma once

#include "runner/regard-work.h"
#include "widgets/regard-selection.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_HEAD_EFFECTS (regard_head_effects_get_type())
G_DECLARE_FINAL_TYPE(RegardHeadEffects, regard_head_effects, REGARD, HEAD_EFFECTS, GObject)

/* The selection is not kept alive. */
RegardHeadEffects *regard_head_effects_new(RegardSelection *selection);

/* How heads are taken out: an mt_effect_kind; -1: nothing is computed. */
void regard_head_effects_set_with(RegardHeadEffects *self, int with);
int regard_head_effects_get_with(RegardHeadEffects *self);
/* For MT_EFFECT_MEAN: those of the model, or why there are none. A reference is taken. */
void regard_head_effects_set_means(RegardHeadEffects *self, mt_means *means, const char *why_not);
/* Between an output token, from 0, and the piece with the id in its place, too: the numbers are
 * what each head adds to the difference of their logits. token -1: none. It holds for the capture
 * that is there. */
void regard_head_effects_set_contrast(RegardHeadEffects *self, int token, gint32 against);

/* Of the present capture; NULL: there are none, or not yet. Borrowed. */
RegardEffects *regard_head_effects_get(RegardHeadEffects *self);
/* How far the computation is. Borrowed. */
RegardWork *regard_head_effects_get_work(RegardHeadEffects *self);
/* Why there are none; NULL: no error. Borrowed. */
const char *regard_head_effects_get_error(RegardHeadEffects *self);

/* ---- The switch of the heads' effects, how far they are, and what they say -------------- */

#define REGARD_TYPE_EFFECTS_BAR (regard_effects_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardEffectsBar, regard_effects_bar, REGARD, EFFECTS_BAR, GtkWidget)

GtkWidget *regard_effects_bar_new(void);
void regard_effects_bar_set_selection(RegardEffectsBar *self, RegardSelection *selection);

G_END_DECLS
