/* mt-schedule.h — the learning rate of a step; the paper, section 5.3. Private to the trainer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SCHEDULE_H
#define MT_SCHEDULE_H

#include "mt.h"

typedef enum {
  /* Equation 3: rate · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5) */
  MT_SCHEDULE_NOAM,
  /* The same curve by its peak: rate · min(step / warmup, sqrt(warmup / step)) */
  MT_SCHEDULE_INVERSE_SQRT,
  /* rate, after a linear warm-up */
  MT_SCHEDULE_CONSTANT,
} mt_schedule_kind;

typedef struct {
  mt_schedule_kind kind;
  double rate;     /* above 0 */
  uint64_t warmup; /* steps in which it rises; 0: none */
  uint64_t steps;  /* of the whole run */
  /* The last part of the run, 0..1, in which the rate falls in a straight line, to 0 one step after
   * the last. */
  double cooldown;
} mt_schedule;

/* Step counts from 1. */
double mt_schedule_rate(const mt_schedule *schedule, size_t d_model, uint64_t step);

#endif
