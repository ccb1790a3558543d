/* regard-scale.h — how a value becomes a place on the colour bar.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  REGARD_SCALE_LINEAR,
  REGARD_SCALE_SQRT,
  REGARD_SCALE_LOG, /* log10 with a floor of 1e-4 */
  REGARD_SCALE_ROW, /* linear, each row by its own maximum */
} RegardScale;
#define REGARD_N_SCALES 4

typedef struct {
  RegardScale scale;
  const char *id;      /* "linear", for settings and the command line */
  const char *name;    /* translatable */
  const char *caption; /* in captions: "logarithmic (floor 1e-4)" */
  const char *axis;    /* beside a colour bar, behind what is shown: "logarithmic scale" */
} RegardScaleInfo;
const RegardScaleInfo *regard_scale_info(RegardScale scale);
gboolean regard_scale_from_id(const char *id, RegardScale *scale);

/* Place in 0..1 of value within lo..hi; row_max is the row's largest absolute value (for
 * REGARD_SCALE_ROW). Signed ranges (lo = -hi) map 0 to 0.5. NaN maps to 0 (0.5 if signed). */
double regard_scale_apply(RegardScale scale, double value, double lo, double hi, double row_max);
/* Value at a place on the bar: the inverse, for tick labels (ROW: share of the row's maximum). */
double regard_scale_invert(RegardScale scale, double place, double lo, double hi);

G_END_DECLS
