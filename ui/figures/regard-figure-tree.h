/* regard-figure-tree.h — all hypotheses of a search as a tree, or those of two searches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-steps.h"

G_BEGIN_DECLS

typedef struct {
  gboolean fold;        /* stretches without branches are one node */
  gboolean held_only;   /* without what was considered only */
  int node;             /* whose path stands out, of the first search; -1: that of the hypothesis */
  int step;             /* what comes later is dimmed; -1: nothing */
  RegardSteps *ghost;   /* the branch before; NULL: none; a reference is taken */
  gboolean no_signs;    /* what signs mean is said elsewhere (regard_tree_signs) */
  gboolean hides_later; /* what comes later is not there yet, and nothing is known of it: which
                           hypothesis will be pruned, or be the result; nothing moves */
} RegardTreeOptions;
#define REGARD_TREE_OPTIONS_INIT             \
  {                                          \
    FALSE, FALSE, -1, -1, NULL, FALSE, FALSE \
  }

/* Two searches at most. What does not fit the width is drawn smaller, text too; it has room for
 * text of full size from regard_figure_tree_width on. Its matrices, by their names in files, for
 * the second search with a 2 behind: `nodes` [nodes][step, parent, id, held, forced, end, rank,
 * logprob, sum, score, fate, end_step, margin, result], `rows` [rows][step, node, entropy],
 * `options` [options][row, id, rule, logprob, after]. Steps count from 1, all else from 0, -1 is
 * none; fates are mt_fate, rules mt_rule, entropy is in nats. As JSON it is a document of its own,
 * see regard-figure-tree.c. */
RegardFigure *regard_figure_new_tree(RegardSteps *const *steps, guint n,
                                     const RegardTreeOptions *look, const RegardFigureStyle *style);
/* Another node stands out, or another step is the last, as in its look; nothing moves. FALSE: it is
 * so already. */
gboolean regard_figure_tree_look(RegardFigure *figure, int node, int step);
/* The width that it takes, with letters of this size and family. */
double regard_figure_tree_width(RegardFigure *figure, double font_pt, const char *family);

/* What the signs in it mean. */
const char *regard_tree_signs(void);

/* What its spots are: row is the search, col the node; of the branch before the step. */
typedef enum {
  REGARD_TREE_SPOT_NODE,
  REGARD_TREE_SPOT_GHOST,
} RegardTreeSpot;

G_END_DECLS
