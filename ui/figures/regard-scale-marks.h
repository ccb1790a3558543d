/* regard-scale-marks.h — the numbers of a colour bar and of cells, in the window as on paper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-scale.h"

G_BEGIN_DECLS

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
