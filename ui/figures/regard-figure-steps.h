/* regard-figure-steps.h — one step of a translation: which tokens there were to choose from, how
 * sure the model was of it and of all others, and what it looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-steps.h"

G_BEGIN_DECLS

typedef enum {
  REGARD_STEPS_CANDIDATES = 1 << 0, /* the likeliest tokens of the step */
  REGARD_STEPS_ENTROPY = 1 << 1,    /* a curve over all steps */
  REGARD_STEPS_ATTENTION = 1 << 2,  /* the row of one head, and the mean of its layer */
  REGARD_STEPS_ALL = (1 << 3) - 1,
} RegardStepsPart;

typedef struct {
  guint parts;            /* RegardStepsPart */
  guint step;             /* from 0; beyond the last: the last */
  guint top;              /* candidates that are drawn, at most; files hold all that there are */
  int selected;           /* index of a candidate among the options of the step; -1: none */
  mt_attention_kind kind; /* cross, or the decoder's self-attention */
  guint layer;            /* from 0 */
  int head;               /* from 0; -1: the mean of the layer alone */
  gboolean no_badges;     /* what was changed, forced and forbidden is said beside it */
  guint bars;             /* keys of a row of attention that have bars, at most; 0: eight */
  gboolean one_layout;    /* room for what any step needs: nothing moves from step to step */
} RegardStepsOptions;
#define REGARD_STEPS_OPTIONS_INIT                \
  {                                              \
    REGARD_STEPS_ALL, 0, 10, -1, MT_CROSS, 0, -1 \
  }

/* Keeps a reference of steps. Its matrices, by their names in files: `options` of the step [n][id,
 * logprob, after, rule, rank], `steps` [steps][id, logprob, rank, entropy_bits, is_forced],
 * `all_options`, the options of all steps [n][step, id, logprob, after, rule, rank], and, if there
 * is attention, `attention` [head, mean][keys]. Steps and ranks count from 1, a rank of 0 is not
 * known; rules are mt_rule. */
RegardFigure *regard_figure_new_steps(RegardSteps *steps, const RegardStepsOptions *look,
                                      const RegardFigureStyle *style);

/* A probability as it is written everywhere, in text of 32 bytes: "11.07 %", "<0.01 %". */
const char *regard_steps_percent(char *text, double probability);

/* What its spots are: part, and what row and col count. */
typedef enum {
  REGARD_STEPS_SPOT_CANDIDATE, /* row: index among the options of the step, col: id */
  REGARD_STEPS_SPOT_STEP,      /* col: step */
  REGARD_STEPS_SPOT_TOKEN,     /* col: key, -1: all that have no bar */
} RegardStepsSpot;

G_END_DECLS
