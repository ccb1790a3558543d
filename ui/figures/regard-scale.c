/* regard-scale.c — the four scales of the colour bar and their inverses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each is a monotone map f of 0..1 onto 0..1. Unsigned ranges use f((v - lo) / (hi - lo)); signed
 * ranges (lo = -hi) use 1/2 ± f(|v| / hi) / 2, so that 0 stays in the middle of a diverging map.
 */
#include "figures/regard-scale.h"
#include <math.h>
#include <string.h>

/* Decades shown by the logarithmic scale: 1e-4 of the range and less are the lowest colour. */
#define LOG_DECADES 4.0

static const RegardScaleInfo infos[REGARD_N_SCALES] = {
    [REGARD_SCALE_LINEAR] = {REGARD_SCALE_LINEAR, "linear", "Linear", "linear", "linear scale"},
    [REGARD_SCALE_SQRT] = {REGARD_SCALE_SQRT, "sqrt", "Square root", "square root",
                           "square root scale"},
    [REGARD_SCALE_LOG] = {REGARD_SCALE_LOG, "log", "Logarithmic", "logarithmic (floor 1e-4)",
                          "logarithmic scale"},
    [REGARD_SCALE_ROW] = {REGARD_SCALE_ROW, "row", "Per row", "linear, each row by its own maximum",
                          "share of each row’s maximum"},
};

const RegardScaleInfo *
regard_scale_info(RegardScale scale)
{
  g_return_val_if_fail((guint) scale < REGARD_N_SCALES, &infos[REGARD_SCALE_LINEAR]);
  return &infos[scale];
}

gboolean
regard_scale_from_id(const char *id, RegardScale *scale)
{
  for (guint i = 0; id && i < REGARD_N_SCALES; i++)
    if (strcmp(infos[i].id, id) == 0) {
      if (scale)
        *scale = infos[i].scale;
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_signed(double lo, double hi)
{
  return lo < 0 && lo == -hi;
}

/* share in 0..1 to place in 0..1. */
static double
forward(RegardScale scale, double share)
{
  share = share > 0 ? MIN(share, 1.0) : 0.0; /* NaN: 0 */
  switch (scale) {
  case REGARD_SCALE_SQRT:
    return sqrt(share);
  case REGARD_SCALE_LOG:
    return share > pow(10, -LOG_DECADES) ? 1 + log10(share) / LOG_DECADES : 0;
  default:
    return share;
  }
}

static double
backward(RegardScale scale, double place)
{
  place = place > 0 ? MIN(place, 1.0) : 0.0;
  switch (scale) {
  case REGARD_SCALE_SQRT:
    return place * place;
  case REGARD_SCALE_LOG:
    return pow(10, (place - 1) * LOG_DECADES);
  default:
    return place;
  }
}

double
regard_scale_apply(RegardScale scale, double value, double lo, double hi, double row_max)
{
  if (scale == REGARD_SCALE_ROW && row_max > 0) {
    lo = lo < 0 ? -row_max : 0;
    hi = row_max;
  }
  if (is_signed(lo, hi)) {
    double f = forward(scale, fabs(value) / hi);
    return value < 0 ? 0.5 - f / 2 : 0.5 + f / 2;
  }
  return hi > lo ? forward(scale, (value - lo) / (hi - lo)) : 0;
}

double
regard_scale_invert(RegardScale scale, double place, double lo, double hi)
{
  if (scale == REGARD_SCALE_ROW) {
    lo = lo < 0 ? -1 : 0;
    hi = 1;
  }
  if (is_signed(lo, hi)) {
    double f = backward(scale, fabs(place - 0.5) * 2) * hi;
    return place < 0.5 ? -f : f;
  }
  return lo + backward(scale, place) * (hi - lo);
}
