/* regard-view-steps-private.h — the page Steps, for its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-steps.h"
#include "runner/regard-analysis.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-figure-area.h"
#include "widgets/regard-step-bar.h"

G_BEGIN_DECLS

#define REGARD_TYPE_VIEW_STEPS (regard_view_steps_get_type())
G_DECLARE_FINAL_TYPE(RegardViewSteps, regard_view_steps, REGARD, VIEW_STEPS, RegardView)

struct _RegardViewSteps {
  RegardView parent_instance;

  RegardSteps *steps;  /* what is shown; NULL: nothing */
  RegardSteps *before; /* of the same sentence, before it was made to go on otherwise; NULL: none */

  /* regard-view-steps-tree.c */
  RegardSteps *other; /* of another search; NULL: none */
  RegardWork *comparing;
  gpointer shown[2][5]; /* what the trees are of */
  double shown_font;
  gpointer followed[2]; /* whose step was brought into sight */
  int followed_step, n_ticks;
  GtkWidget *trees[2]; /* of the translation, and of another search */
  GtkWidget *beside;   /* where the second one is */
  GtkWidget *fold, *held_only, *compare, *beams, *penalty, *difference;

  /* the hypothesis that is pointed at */
  RegardSteps *path_of; /* whose hypothesis is pointed at; NULL: none is */
  int path_node;
  RegardWork *attending;
  GtkWidget *path_check, *path_box, *path_caption, *path_map;

  /* a word of one's own */
  GtkWidget *word, *pieces;
  RegardWork *scoring;
  int scored_step; /* that the word is scored at */

  GtkWidget *place, *note, *model_way, *bar;
  GtkWidget *curve, *looked, *candidates, *pages, *show_tree, *show_rows, *show_heads, *heads;
  guint bars; /* beside the curve; 0: there is no room, and they stand below the candidates */
  guint room_idle;
  GtkWidget *heatmaps, *heatmap[2], *caption[2], *training;
};

/* The pass that steps are of, for analyses. Caller unrefs. */
RegardPass *regard_view_steps_pass_of(const RegardSteps *steps);
/* Where the slider stands; -1: nothing is shown. */
int regard_view_steps_get_step(RegardViewSteps *self);

/* What is beside the title, and all of it for the pointer. */
void regard_view_steps_set_note(RegardViewSteps *self, const char *markup, const char *tooltip);
/* What there was before one chose otherwise. */
void regard_view_steps_show_before(RegardViewSteps *self);
/* The same constraints with the terms that the search has that is shown; takes and gives a
 * reference. NULL stays NULL. */
mt_constraints *regard_view_steps_with_terms(RegardViewSteps *self, mt_constraints *constraints);

/* regard-view-steps-tree.c: all hypotheses, and the one that is pointed at. */
GtkWidget *regard_view_steps_build_tree(RegardViewSteps *self);
void regard_view_steps_show_tree(RegardViewSteps *self);
/* Search once more, if that is wanted, and show both. */
void regard_view_steps_compare(RegardViewSteps *self);
RegardFigure *regard_view_steps_new_tree(RegardViewSteps *self, const RegardFigureStyle *style);
RegardFrames *regard_view_steps_new_growing_tree(RegardViewSteps *self,
                                                 const RegardFigureStyle *style);
void regard_view_steps_forget_path(RegardViewSteps *self);

G_END_DECLS
