/* regard-pane-alignment-private.h — the parts of the pane Alignment: links of the sentence, and
 * recipes on a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-alignment.h"
#include "runner/regard-analysis.h"
#include "views/measure/regard-measure-pane.h"
#include "widgets/regard-figure-area.h"
#include "widgets/regard-recipe-bar.h"
#include "widgets/regard-work-bar.h"

G_BEGIN_DECLS

#define REGARD_TYPE_PANE_ALIGNMENT (regard_pane_alignment_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneAlignment, regard_pane_alignment, REGARD, PANE_ALIGNMENT,
                     RegardMeasurePane)

struct _RegardPaneAlignment {
  RegardMeasurePane parent_instance;

  /* Links of what is shown. */
  mt_alignable *alignable; /* NULL: not there yet */
  RegardPass *pass;        /* that it is of */
  RegardAlignment *alignment;
  mt_capture *asked; /* that it is of, or will be; NULL: of none */
  RegardWork *aligning;
  GtkWidget *box, *bar, *form[2], *stack, *area, *message, *status;

  /* A gold file. */
  mt_gold *gold;
  char *gold_path, *texts_path; /* texts_path NULL: the gold file has them */
  RegardAlignmentScores *scores;
  RegardWork *scoring;
  GtkWidget *gold_button, *texts_button, *again, *gold_note, *scores_area;
};

/* The present recipe is another one, or the sentence: links, note and exports anew. */
void regard_pane_alignment_show(RegardPaneAlignment *self);
/* Choose a recipe as if by hand. */
void regard_pane_alignment_choose(RegardPaneAlignment *self, const mt_recipe *recipe);
/* What is pointed at in an area of figures. */
void regard_pane_alignment_show_status(RegardPaneAlignment *self, RegardFigureArea *area);

/* ---- The gold file (regard-pane-alignment-gold.c) -------------------------------------------- */

/* What it is made with. */
void regard_pane_alignment_init_gold(RegardPaneAlignment *self);
/* Buttons, progress and bars, into the pane's box. */
void regard_pane_alignment_build_gold(RegardPaneAlignment *self, GtkWidget *box);
void regard_pane_alignment_show_scores(RegardPaneAlignment *self);
/* Another recipe or model is there: scores are of the one before, and can be had anew. */
void regard_pane_alignment_update_gold(RegardPaneAlignment *self);
void regard_pane_alignment_open_gold(RegardPaneAlignment *self, const char *path);
void regard_pane_alignment_open_texts(RegardPaneAlignment *self, const char *path);
void regard_pane_alignment_clear_gold(RegardPaneAlignment *self);

G_END_DECLS
