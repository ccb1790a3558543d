/* regard-complexity.h — a card that says what the layers of a model cost for one sentence:
 * the paper's table 1 with its numbers, the same over the length of the sentence, and the parts of
 * a pass with their multiply-adds and the time that they took.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* All that the card shows, plain numbers: computed on any thread, copied as it is. */
typedef struct {
  gsize n_source, n_target; /* tokens that go through encoder and decoder */
  gsize d_model, d_ffn[MT_N_STACKS], n_layers[MT_N_STACKS], vocab_size;
  gsize inner[MT_N_STACKS];     /* columns of all heads side by side; mostly d_model */
  gboolean is_pre_norm, is_rms; /* norms: where they are, and which */
  gboolean is_gated;            /* feed-forward networks: three maps instead of two */
  mt_layer_sizes sizes;         /* of table 1: n is n_source, d is d_model; r as it was asked for */
  mt_costs costs;               /* of one parallel pass */
  guint64 unmasked;             /* multiply-adds of its scores that no mask forbids */
  guint64 step_scores;          /* of the decoder's scores, one position after the other */
  mt_cost_times times;          /* n_passes 0: nothing was timed, and no time is shown */
} RegardComplexity;

/* A kernel and a neighbourhood that are usual; passes whose median is calm and soon there. */
#define REGARD_COMPLEXITY_KERNEL     3
#define REGARD_COMPLEXITY_RESTRICTED 16
#define REGARD_COMPLEXITY_PASSES     9

/* Everything but times, which are mt_session_time_costs's to fill in. Lengths, kernel (from 2) and
 * restricted (from 1) are not 0. */
RegardComplexity regard_complexity_count(const mt_config *config, gsize n_source, gsize n_target,
                                         gsize kernel, gsize restricted);

/* complexity is copied; model_name and badges (NULL-terminated, of what was changed) may be NULL.
 * Files of values have three tables: layer_types, over_n, parts. */
RegardFigure *regard_figure_new_complexity(const RegardComplexity *complexity,
                                           const char *model_name, const char *const *badges,
                                           const RegardFigureStyle *style);

G_END_DECLS
