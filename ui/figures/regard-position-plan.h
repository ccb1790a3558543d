/* regard-position-plan.h — which position encoding each token of a stack gets: read from a list of
 * changes, edited, and written as one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

typedef struct {
  mt_stack stack;
  guint n;
  mt_position_change *tokens; /* [n] */
} RegardPositionPlan;

/* Of the first n tokens; what changes say of later ones is not in it. */
RegardPositionPlan *regard_position_plan_new(const mt_changes *changes, mt_stack stack, guint n);
void regard_position_plan_free(RegardPositionPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardPositionPlan, regard_position_plan_free)

/* ---- Looking -----------------------------------------------------------------------------------
 */

/* Whether the token has its own encoding, in the model's layout. */
gboolean regard_position_plan_is_own(const RegardPositionPlan *plan, guint token);
/* Whether the first n have none; whether all have the other layout. */
gboolean regard_position_plan_is_off(const RegardPositionPlan *plan, guint n);
gboolean regard_position_plan_interleaves(const RegardPositionPlan *plan);

/* ---- Editing; tokens that are not there are left aside -----------------------------------------
 */

void regard_position_plan_set_off(RegardPositionPlan *plan, guint token, gboolean off);
void regard_position_plan_set_all_off(RegardPositionPlan *plan, gboolean off);
/* The encoding of that position, from 0, or before the first. */
void regard_position_plan_set(RegardPositionPlan *plan, guint token, glong position);
void regard_position_plan_shift_all(RegardPositionPlan *plan, glong by);
void regard_position_plan_swap(RegardPositionPlan *plan, guint a, guint b);
void regard_position_plan_interleave(RegardPositionPlan *plan, gboolean interleaves);
/* Every token its own. */
void regard_position_plan_reset(RegardPositionPlan *plan);

/* ---- Writing -----------------------------------------------------------------------------------
 */

/* The list with this plan in place of what it said of the positions of this stack. A plan of all
 * positions that there are says "all" where all are shifted alike; one of some names those. NULL:
 * more changes than there may be, or no memory. */
mt_changes *regard_position_plan_apply(const RegardPositionPlan *plan, const mt_changes *changes,
                                       gboolean is_of_all, mt_error *error);

G_END_DECLS
