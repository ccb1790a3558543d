/* regard-pruning.h — heads taken out one after the other, and what is left of the quality: numbers
 * to be drawn, listed and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* One point of the curve. */
typedef struct {
  char *removed; /* the heads that were taken out before it, "cross 4.1 encoder 2.3"; "" at first */
  guint kept;    /* heads that are left */
  double logprob;    /* nats, mean over the sentences */
  double bleu, chrf; /* NaN: not scored */
} RegardPruningStep;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name, *interventions; /* changes NULL: none but the heads' own */
  mt_ablation_kind with;
  guint n_heads, n_sentences;
  gboolean is_scored;
  guint n_steps;
  RegardPruningStep *steps; /* [n_steps], fewer heads kept from each to the next */
} RegardPruning;

/* Takes the steps, [n_steps]. */
RegardPruning *regard_pruning_new(const mt_model *model, const mt_interventions *interventions,
                                  mt_ablation_kind with, guint n_heads, guint n_sentences,
                                  gboolean is_scored, RegardPruningStep *steps, guint n_steps);
REGARD_DECLARE_SUBJECT(RegardPruning, regard_pruning)

/* Quality against the number of heads kept (Michel et al. 2019, figure 3; Voita et al. 2019, figure
 * 7): log p and, below it, BLEU. Spots: part 0 or 1, row the step. Files of
 * numbers hold a row for each step, named by what was removed; columns kept, log p and, if scored,
 * BLEU and chrF2. */
RegardFigure *regard_figure_new_pruning(RegardPruning *pruning, const RegardFigureStyle *style);

G_END_DECLS
