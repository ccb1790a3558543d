/* steps-test.h — searches with a trace, for tests of what is drawn and written of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-steps.h"

typedef struct {
  mt_model *model;
  mt_session *session;
} StepsTest;

#define STEPS_TEST_DOGS "I have two dogs."
#define STEPS_TEST_LONG                                                                      \
  "The animal didn't cross the street because it was too tired, and I have two dogs and no " \
  "time."

/* Of tests/data: "frozen/en-de", "checkpoints/post-norm-relu". */
void steps_test_open(StepsTest *t, const char *folder);
/* A random model whose pieces are such as break files and pictures: quotes, backslashes, new lines,
 * tags, directions, many bytes. */
void steps_test_open_hostile(StepsTest *t);
void steps_test_close(StepsTest *t);

/* All hypotheses, 12 candidates of each step; else as the model has it. */
mt_search_params steps_test_params(const StepsTest *t, size_t beam);
RegardSteps *steps_test_search(const StepsTest *t, const char *text,
                               const mt_search_params *params);
/* Its translation begins with these words; caller unrefs. */
mt_constraints *steps_test_prefix(const StepsTest *t, const char *words);
