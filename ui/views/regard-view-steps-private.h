/* regard-view-steps-private.h — the page Steps, for its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-effects.h"
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
  gboolean area_built;

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

  /* regard-view-steps-path.c */
  RegardSteps *path_of; /* whose hypothesis is pointed at; NULL: none is */
  int path_node;
  RegardWork *attending;
  GtkWidget *path_check, *path_box, *path_caption, *path_map;

  /* regard-view-steps-word.c */
  GtkWidget *word, *pieces;
  RegardWork *scoring;
  int scored_step; /* that the word is scored at */

  /* regard-view-steps-heads.c */
  RegardEffects *effects; /* NULL: not known yet */
  gpointer question;      /* that they answer, or will */
  RegardWork *weighing;   /* busy: they are another question's */
  int32_t against;        /* what somebody pointed at, at that step; -1: nothing */
  int against_step;
  GtkWidget *heads_note, *contrast, *grids;

  GtkWidget *place, *note, *model_way, *bar, *stack, *message, *status;
  GtkWidget *curve, *looked, *candidates, *pages, *show_rows, *show_heads;
  guint bars; /* beside the curve; 0: there is no room, and they stand below the candidates */
  guint room_idle;
  GtkWidget *heatmaps, *heatmap[2], *caption[2], *training;
};

/* The pass that steps are of, for analyses. Caller unrefs. */
RegardPass *regard_view_steps_pass_of(const RegardSteps *steps);
/* Where the slider stands; -1: nothing is shown. */
int regard_view_steps_get_step(RegardViewSteps *self);

/* regard-view-steps-choose.c: the translation goes on from the step that is looked at. */
/* With these tokens at that step and behind it. */
void regard_view_steps_go_on(RegardViewSteps *self, const int32_t *ids, gsize n);
/* Without this one at that step. */
void regard_view_steps_forbid(RegardViewSteps *self, int32_t id);
/* As the model alone would have it. */
void regard_view_steps_let_go(RegardViewSteps *self);
/* Whether anything is forced or forbidden in what is shown. */
gboolean regard_view_steps_is_constrained(RegardViewSteps *self);
/* Constraints of the tokens before the step, and these behind them; what is forbidden later stays.
 * Caller unrefs; NULL: there is nothing to go on from. */
mt_constraints *regard_view_steps_new_constraints(RegardViewSteps *self, const int32_t *ids,
                                                  gsize n, int32_t forbidden);
/* The same constraints with the terms that the search has that is shown; takes and gives a
 * reference. NULL stays NULL. */
mt_constraints *regard_view_steps_with_terms(RegardViewSteps *self, mt_constraints *constraints);
/* A menu for what is pointed at in the list of candidates. */
void regard_view_steps_add_menu(RegardViewSteps *self);

/* regard-view-steps-word.c: a place to type a word of one's own. */
GtkWidget *regard_view_steps_build_word(RegardViewSteps *self);
/* Another step is looked at. */
void regard_view_steps_score_word(RegardViewSteps *self);

/* regard-view-steps-tree.c: all hypotheses. */
GtkWidget *regard_view_steps_build_tree(RegardViewSteps *self);
void regard_view_steps_show_tree(RegardViewSteps *self);
/* Search once more, if that is wanted, and show both. */
void regard_view_steps_compare(RegardViewSteps *self);
RegardFigure *regard_view_steps_new_tree(RegardViewSteps *self, const RegardFigureStyle *style);

/* regard-view-steps-path.c: the hypothesis that is pointed at. */
GtkWidget *regard_view_steps_build_path(RegardViewSteps *self);
GtkWidget *regard_view_steps_build_path_check(RegardViewSteps *self);
/* Up to a node of a search; NULL: nothing is pointed at. */
void regard_view_steps_follow_path(RegardViewSteps *self, RegardSteps *steps, int node);
/* Another step, another head, other colours. */
void regard_view_steps_show_path(RegardViewSteps *self);
void regard_view_steps_forget_path(RegardViewSteps *self);

/* regard-view-steps-heads.c: which head chose it. */
GtkWidget *regard_view_steps_build_heads(RegardViewSteps *self);
void regard_view_steps_show_heads(RegardViewSteps *self);
/* Nothing is shown any more. */
void regard_view_steps_forget_heads(RegardViewSteps *self);
/* Set what was chosen at this step against that token. */
void regard_view_steps_set_against(RegardViewSteps *self, int32_t id);
/* Whether it is there to be exported. */
gboolean regard_view_steps_has_heads(RegardViewSteps *self);
RegardFigure *regard_view_steps_new_contrast(RegardViewSteps *self, const RegardFigureStyle *style);
RegardFigure *regard_view_steps_new_effects(RegardViewSteps *self);

/* What there was before one chose otherwise. */
void regard_view_steps_show_before(RegardViewSteps *self);
/* One line: what is pointed at. */
void regard_view_steps_show_status(RegardViewSteps *self);

/* regard-view-steps-rows.c: the matrix of the decoder, row by row. */
GtkWidget *regard_view_steps_build_rows(RegardViewSteps *self);
void regard_view_steps_show_rows(RegardViewSteps *self);

G_END_DECLS
