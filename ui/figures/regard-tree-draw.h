/* regard-tree-draw.h — what the parts of the picture of a beam tree share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-beam-tree.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-figure-tree.h"

#define TREE_MOST 2

/* One search, laid out for letters of one size. */
typedef struct {
  RegardSteps *steps;
  RegardBeamTree *tree;
  gboolean *is_on_path; /* [items] of the node that stands out */
  char **labels;        /* [items] */
  double *widths;       /* [items] of the labels */
  double *columns;      /* [columns + 1] where each begins, from 0 */
  double width;         /* with the scores behind the last one */
} TreeLayout;

typedef struct {
  RegardFigure parent;
  RegardTreeLook look;
  guint n;
  TreeLayout layouts[TREE_MOST];
  double font; /* that they are for; 0: there are none yet */
  char *family;
} TreeFigure;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const TreeFigure *figure;
  const TreeLayout *layout;
  guint search; /* which one */
  double x, y, font;
  double scale; /* of the layout to what is drawn */
} TreeDraw;

#define TREE_ROW    1.55 /* height of a row, in letters */
#define TREE_GUTTER 2.2  /* before a column, where edges go up and down */

/* ---- Drawing (regard-tree-draw.c) ---- */

/* Branches and labels. Returns the height. */
double tree_draw(const TreeDraw *d);

/* ---- Words (regard-tree-words.c) ---- */

/* Of a node, one after the other in lines. Caller frees. */
char *tree_describe(const RegardSteps *steps, int node);
/* "−3.68 / 18^1 = −0.204": how a score comes of a sum. Caller frees. */
char *tree_dup_score(const RegardSteps *steps, const mt_step_node *node);
/* "beam 4, length penalty 1". Caller frees. */
char *tree_dup_settings(const RegardSteps *steps);
/* "−2.20", in text of 32 bytes. */
const char *tree_number(char *text, double value, int decimals);

/* ---- Files (regard-tree-files.c) ---- */

guint tree_n_matrices(const TreeFigure *figure);
RegardMatrix *tree_matrix(const TreeFigure *figure, guint i);
char *tree_to_json(RegardFigure *figure);
char *tree_to_dot(RegardFigure *figure);
