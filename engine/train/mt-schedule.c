/* mt-schedule.c — the learning rate of a step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/schedule.h"

#include <math.h>

static double
curve(const mt_schedule *s, size_t d_model, double step)
{
  double warmup = s->warmup > 0 ? (double) s->warmup : 1;
  switch (s->kind) {
  case MT_SCHEDULE_NOAM:
    return s->rate / sqrt((double) d_model) * fmin(1 / sqrt(step), step * pow(warmup, -1.5));
  case MT_SCHEDULE_INVERSE_SQRT:
    return s->rate * fmin(step / warmup, sqrt(warmup / step));
  case MT_SCHEDULE_CONSTANT:
    break;
  }
  return s->rate * fmin(step / warmup, 1);
}

double
mt_schedule_rate(const mt_schedule *s, size_t d_model, uint64_t step)
{
  double first = floor((double) s->steps * (1 - s->cooldown)); /* the last step before it */
  if (s->cooldown <= 0 || (double) step <= first)
    return curve(s, d_model, (double) step);
  double end = (double) s->steps + 1;
  double left = fmax(end - (double) step, 0) / (end - first);
  return curve(s, d_model, fmax(first, 1)) * left;
}
