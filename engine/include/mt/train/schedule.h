/* schedule.h — how far a step goes: the learning rate, and Adam; the paper, section 5.3. Part of
 * mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_SCHEDULE_H
#define MT_PUBLIC_TRAIN_SCHEDULE_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* Of Adam (Kingma and Ba 2015). */
typedef struct {
  double beta1, beta2; /* 0.9 and 0.98 in the paper */
  double epsilon;      /* 1e-9 */
  double clip;         /* the gradient's norm is at most this; 0: as it is */
} mt_adam_options;

/* Step counts from 1. */
double mt_schedule_rate(const mt_schedule *schedule, size_t d_model, uint64_t step);

#ifdef __cplusplus
}
#endif
#endif
