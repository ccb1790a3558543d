/* regard-intervention-edit.h — lists of changes as they are edited by hand: what is done to a whole
 * head, a piece of the source or a cell is one thing at a time, that another replaces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of changes (mt/interventions.h) is a text whose rows are made one after the other.
 * Switches are less than that: a head is on, or it is zero, or uniform … Here a line of that text,
 * such as "cross 4.1 zero", says what is to become of its heads, tokens or cells; rows of the same
 * family that name some of them lose those and keep the others ("cross 4 zero" without 4.3 is
 * "cross 4.1-2 zero" and "cross 4.4-8 zero"). No GTK here.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* What is done to whole heads, by the names of the text form, in the order of menus; a number
 * behind it, or "". label: for people, static, to be translated. */
typedef struct {
  const char *how, *number;
  const char *label;
} RegardHeadIntervention;
const RegardHeadIntervention *regard_head_interventions(guint *n);

/* How many layers and heads there are, for rows that name all of them. */
typedef struct {
  gsize layers[MT_N_KINDS], heads[MT_N_KINDS];
} RegardInterventionExtent;
void regard_intervention_extent(RegardInterventionExtent *extent, const mt_config *config);

/* The text of the list with the line's change in the place of others of its family, without them,
 * or without them if they cover all that the line names, else with it (a switch). changes may be
 * NULL. Caller frees; NULL and an error: the line is none, or there are too many rows. */
typedef enum {
  REGARD_INTERVENTION_MAKE,
  REGARD_INTERVENTION_RESTORE,
  REGARD_INTERVENTION_TOGGLE
} RegardInterventionEdit;
char *regard_interventions_edit(const mt_interventions *interventions, const char *line,
                                RegardInterventionEdit edit, const RegardInterventionExtent *extent,
                                mt_error *error);

/* The last row of a family that names a head, a source token (row->numbers[0] of "piece" is its
 * id), or a cell: FALSE: none. */
gboolean regard_interventions_of_head(const mt_interventions *interventions, mt_attention_kind kind,
                                      guint layer, guint head, mt_intervention_row *row);
gboolean regard_interventions_of_source(const mt_interventions *interventions, guint token,
                                        mt_intervention_row *row);
gboolean regard_interventions_of_cell(const mt_interventions *interventions, mt_attention_kind kind,
                                      guint layer, guint head, guint query, guint key,
                                      mt_intervention_row *row);
/* Whether some cells of a head were changed one by one. */
gboolean regard_interventions_has_cells(const mt_interventions *interventions,
                                        mt_attention_kind kind, guint layer, guint head);
/* Width of the window of all heads of all layers of a kind; 0: none. */
guint regard_interventions_window(const mt_interventions *interventions, mt_attention_kind kind);

/* For people: "off", "uniform", "× 0.5", "hidden" … of a row. Caller frees. */
char *regard_change_describe(const mt_intervention_row *row);

/* ---- Which position encoding each token of a stack gets --------------------------------- */

/* Read from a list of changes, edited, and written as one. */

typedef struct {
  mt_stack stack;
  guint n;
  mt_position_change *tokens; /* [n] */
} RegardPositionPlan;

/* Of the first n tokens; what changes say of later ones is not in it. */
RegardPositionPlan *regard_position_plan_new(const mt_interventions *interventions, mt_stack stack,
                                             guint n);
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
mt_interventions *regard_position_plan_apply(const RegardPositionPlan *plan,
                                             const mt_interventions *interventions,
                                             gboolean is_of_all, mt_error *error);

G_END_DECLS
