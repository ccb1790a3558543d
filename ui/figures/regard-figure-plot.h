/* regard-figure-plot.h — a matrix with its labels, as part of a figure: alone, or beside others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-private.h"

typedef struct {
  /* Given. */
  const RegardFigureStyle *style;
  double stretch;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardMatrix
      *m; /* what is laid out can be drawn with another one that has the same labels */
  double font;
  gboolean is_image; /* cells are one image, however few they are */
  /* Found. */
  double row_size, col_size; /* font of labels */
  guint row_step, col_step;  /* every how many a label; 0 never happens */
  double angle;              /* of column labels: 0, -45, -90 */
  double row_width, col_height, overhang;
  RegardRect plot; /* of the cells */
} RegardPlot;

/* From x, no wider than width, in the middle of it; top is that of the column title. */
void regard_plot_lay_out(RegardPlot *plot, double x, double width, double top);
void regard_plot_move(RegardPlot *plot, double dx, double dy);
void regard_plot_draw(const RegardPlot *plot);
/* Of all that is drawn. */
double regard_plot_bottom(const RegardPlot *plot);
/* Whether every label is there, and whether numbers have room in the cells. */
gboolean regard_plot_names_all(const RegardPlot *plot);
gboolean regard_plot_fits_numbers(const RegardPlot *plot);
