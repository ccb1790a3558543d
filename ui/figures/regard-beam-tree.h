/* regard-beam-tree.h — where the hypotheses of a search stand when they are drawn as a tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns are steps, rows are branches. The first continuation of a hypothesis, which is the one
 * that is looked at or else the best, stands in its row; the others below, as high as there is room
 * in all the columns that they need, so that edges never cross.
 */
#pragma once

#include "figures/regard-steps.h"

G_BEGIN_DECLS

typedef struct {
  int node;   /* its last node; -1: of the branch before */
  int first;  /* the node that it begins with: another one where a chain is folded */
  int parent; /* item; -1: the start */
  guint column, row;
  int ghost;        /* of the branch before: its step; else -1 */
  gboolean is_leaf; /* nothing goes on from it */
} RegardTreeItem;

typedef struct {
  gboolean fold;      /* a chain without branches is one item */
  gboolean held_only; /* without what was considered only */
  RegardSteps *ghost; /* borrowed: the branch before, whose own end is shown; NULL: none */
} RegardTreeShape;

typedef struct {
  RegardTreeItem *items; /* [n] parents before children */
  guint n, n_columns, n_rows;
  int *items_of; /* [nodes of the search] -1: not shown */
} RegardBeamTree;

RegardBeamTree *regard_beam_tree_new(const RegardSteps *steps, const RegardTreeShape *shape);
void regard_beam_tree_free(RegardBeamTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardBeamTree, regard_beam_tree_free)

G_END_DECLS
