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

G_END_DECLS
