/* regard-view-heads-private.h — columns of the list of heads, for its page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-head-measures.h"
#include "widgets/regard-head-list.h"

G_BEGIN_DECLS

/* Of rows that are RegardHeadRow: one for each of regard_head_measures(), behind name and roles. */
void regard_heads_add_columns(RegardHeadList *list);
/* Columns of what was asked for are there while there are numbers in them. */
void regard_heads_show_columns(RegardHeadList *list, const RegardHeadRow *rows, guint n);

G_END_DECLS
