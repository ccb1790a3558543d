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
  const char *name;    /* these three are translatable: _(info->name) */
  const char *caption; /* in captions: "logarithmic (floor 1e-4)" */
  const char *axis;    /* beside a colour bar, behind what is shown: "logarithmic scale" */
} RegardScaleInfo;
const RegardScaleInfo *regard_scale_info(RegardScale scale);
gboolean regard_scale_from_id(const char *id, RegardScale *scale);

/* Place in 0..1 of value within lo..hi; row_max is the row's largest absolute value (for
 * REGARD_SCALE_ROW). Signed ranges (lo = -hi) map 0 to 0.5. NaN maps to 0 (0.5 if signed). */
double regard_scale_apply(RegardScale scale, double value, double lo, double hi, double row_max);

/* ---- Numbers of a colour bar and of cells, in the window as on paper --------------------------
 */

#define REGARD_MAX_SCALE_MARKS 16

/* A number under the bar. */
typedef struct {
  char text[32]; /* "0.25", "≤ 0.0001", "−1", "50 %" */
  double x;      /* its place on the bar, 0..width */
  double middle; /* of the text, which stays within the bar and the room beside it */
  double width;  /* of the text */
} RegardScaleMark;

/* How wide a text is where it will be written, in the unit of the bar. */
typedef double (*RegardTextWidth)(gpointer user, const char *text);

/* The numbers for a bar of this width: the most telling first, each only where it leaves the others
 * room (gap between two, overhang beside the bar's ends); of a signed range both signs or none.
 * Returns how many. */
guint regard_scale_marks(RegardScale scale, double lo, double hi, double width, double gap,
                         double overhang, RegardTextWidth text_width, gpointer user,
                         RegardScaleMark marks[REGARD_MAX_SCALE_MARKS]);

/* A value as it stands in a cell: ".98", "1.0", "−.31", "12"; "" for what rounds to nothing. range:
 * the largest of the picture, which says how many digits all of them have. */
#define REGARD_CELL_TEXT 16
void regard_cell_text(char text[REGARD_CELL_TEXT], double value, double range);

G_END_DECLS
