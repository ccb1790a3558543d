/* regard-made-up.h — queries and keys of random numbers, of as many dimensions as one likes: what
 * softmax makes of q·k with a divisor and without.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define REGARD_MADE_UP_QUERIES 32
#define REGARD_MADE_UP_KEYS    16
#define REGARD_MADE_UP_MOST    1024 /* d_k */
#define REGARD_MADE_UP_SEED    1

/* With q·k divided by 1, and by √d_k. */
typedef struct {
  guint d;
  double spread; /* standard deviation of q·k: near √d_k */
  struct {
    double weights[REGARD_MADE_UP_KEYS]; /* of the first query */
    double largest, slope;               /* means over all queries: of the largest weight, and of
                                            1 − Σ a², what the scores of a row can still learn */
  } with[2];
} RegardMadeUp;

/* d from 1 to REGARD_MADE_UP_MOST. All numbers are normal, of mean 0 and variance 1, from the seed,
 * and always the same: fewer dimensions are the first of more. */
void regard_made_up(guint d, RegardMadeUp *made);

G_END_DECLS
