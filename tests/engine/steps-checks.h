/* steps-checks.h — checks a trace of a search against itself.
 *
 * Sums are parents' sums plus what their tokens count, what is held has a parent that is, what was
 * pruned lay below what was kept, each option's rule is the one that its tokens so far give, and
 * the results are rebuilt from the nodes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STEPS_CHECKS_H
#define STEPS_CHECKS_H

#include "model/mt-config.h"
#include "mt.h"

#include <glib.h>

/* A trace, and the search that it is of. */
typedef struct {
  const mt_steps *steps;
  const mt_search_params *params;
  const mt_config *config;
  size_t vocab_size;
} steps_traced;

/* What all checks so far came across. */
typedef struct {
  size_t n_searches, n_fates[MT_FATE_STOPPED + 1], n_rules[MT_RULE_TERM + 1];
} steps_counts;
extern steps_counts steps_seen;

bool steps_same_bits(float a, float b);

/* NULL: before the first token. */
const mt_step_node *steps_node_at(const steps_traced *t, int32_t node);

/* Every row and every node. */
void steps_check(const steps_traced *t);

/* The nodes that finished, best first; to be unreferenced. */
GPtrArray *steps_finished(const steps_traced *t);

/* Hypothesis h, of n tokens ids [n] with logprobs [n], is the one that ends in node. */
void steps_check_result(const steps_traced *t, size_t h, const mt_step_node *node,
                        const int32_t *ids, const float *logprobs, size_t n, float score);

/* All of the above, and that the translations are the best that finished. */
void steps_check_translation(const mt_translation *translation, const mt_search_params *params,
                             mt_model *model);

#endif
