/* regard-step-heads.h — which head chose it: what each head adds to the token of a step, and takes
 * from another one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-effects.h"
#include "figures/regard-steps.h"
#include "views/regard-view.h"

G_BEGIN_DECLS

#define REGARD_TYPE_STEP_HEADS (regard_step_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardStepHeads, regard_step_heads, REGARD, STEP_HEADS, GtkWidget)

/* A part of a page, which is borrowed and outlives it: its colours, status and choices follow what
 * is weighed. */
GtkWidget *regard_step_heads_new(RegardView *page);
/* Weigh heads for a step; before: what stood there until one chose otherwise, or NULL. Draws what
 * there is if the question is the same. */
void regard_step_heads_show(RegardStepHeads *self, RegardSteps *steps, RegardSteps *before,
                            int step);
/* Set what was chosen at this step against that token, when it is shown next. */
void regard_step_heads_set_against(RegardStepHeads *self, int step, int32_t id);
/* Nothing is shown any more. */
void regard_step_heads_forget(RegardStepHeads *self);
/* NULL: not known yet. Borrowed. */
RegardEffects *regard_step_heads_get_effects(RegardStepHeads *self);
/* What is pointed at, in one line; NULL: nothing. Caller frees. */
char *regard_step_heads_describe(RegardStepHeads *self);

G_END_DECLS
