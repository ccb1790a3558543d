/* regard-steps.h — how a translation was found, step by step, for whoever draws it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A translation whose search was traced, the model that has the pieces, and, if it is there, the
 * capture that has the attention of the hypothesis that is looked at. Made on
 * any thread.
 */
#pragma once

#include "figures/regard-subject.h"

#include <mt.h>

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  mt_model *model; /* references */
  mt_translation *translation;
  mt_capture *capture;   /* of that hypothesis; NULL: none */
  const mt_steps *steps; /* the translation's */
  guint hypothesis;      /* which one is looked at */
  guint n;               /* its tokens, which are the steps that can be looked at */
  int *nodes;            /* [n] its node in each step */
  int *rows;             /* [n] the row in which each of them was chosen */
} RegardSteps;

/* NULL: the translation was not searched for, or without mt_search_params.trace. capture may be
 * NULL. References are taken. */
RegardSteps *regard_steps_new(mt_model *model, mt_translation *translation, guint hypothesis,
                              mt_capture *capture);
REGARD_DECLARE_SUBJECT(RegardSteps, regard_steps)

/* A piece as labels show it: "▁über", "⏎" for </s>. Caller frees. */
char *regard_steps_dup_piece(const RegardSteps *steps, int32_t id);
/* The words of a hypothesis up to a node, detokenised; -1: "". Caller frees. */
char *regard_steps_dup_words(const RegardSteps *steps, int node);
/* The rank of an id in a row by probability, from 1; 0: it is not among those that were kept. */
guint regard_steps_rank(const RegardSteps *steps, const mt_step_row *row, int32_t id);

/* ---- Where the hypotheses of a search stand when they are drawn as a tree --------------- */

/* Columns are steps, rows are branches. The first continuation of a hypothesis, which is the one
 * that is looked at or else the best, stands in its row; the others below, as high as there is room
 * in all the columns that they need, so that edges never cross. */

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
