/* regard-figure-private.h — the parts that figures are put together from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every part draws at a place and returns how high it is, so laying out is drawing on a measuring
 * canvas: the two cannot disagree.
 */
#pragma once

#include "figures/regard-canvas.h"

/* Around the whole figure, in font sizes. */
#define REGARD_FIGURE_MARGIN 0.6
/* Above so many cells in one figure they are images, not rectangles. */
#define REGARD_FIGURE_MAX_RECTANGLES 20000

/* Colours of everything that is not data. */
typedef struct {
  guint32 background, text, dim, frame, grid;
  guint32 masked, hatch; /* cells that the causal mask forbids */
  guint32 accent, halo;  /* outline of what is pinned, and the line under it */
  guint32 badge_fill, badge_text;
  guint32 bar, bar_background; /* hidden mass */
} RegardPalette;
const RegardPalette *regard_figure_palette(const RegardFigureStyle *style);

struct _RegardFigure {
  RegardFigureStyle style; /* colormap is set */
  RegardMatrix *matrix;    /* the one matrix; NULL for a grid */
  gboolean curves;         /* its columns as curves, of omega radians per row (0: unknown) */
  double omega;
  mt_capture *capture; /* grids only, as the rest */
  RegardScope scope;
  RegardMatrixSpec spec;
  RegardMatrix *made; /* the matrix that was asked for last, for regard_figure_matrix */
  guint made_index;
};

/* Draws and returns the height in points (regard-figure-matrix.c, -curves.c, -grid.c). */
double regard_figure_draw_matrix(RegardFigure *figure, RegardCanvas *canvas, double width,
                                 double font);
double regard_figure_draw_curves(RegardFigure *figure, RegardCanvas *canvas, double width,
                                 double font);
double regard_figure_draw_grid(RegardFigure *figure, RegardCanvas *canvas, double width,
                               double font);
/* Places of a grid in the order kind, layer, head. */
guint regard_figure_grid_n(RegardFigure *figure);
/* Cells of all matrices, before anything is merged or hidden in a grid. */
gsize regard_figure_n_cells(RegardFigure *figure);
void regard_figure_grid_place(RegardFigure *figure, guint i, RegardMatrixSpec *spec);

/* ---- parts (regard-figure-parts.c) ---- */

/* TRUE if anything will be seen: measuring canvases need no cells. */
gboolean regard_figure_draws(RegardCanvas *canvas);
void regard_figure_text(RegardCanvas *canvas, double x, double baseline, const char *text,
                        guint32 argb, gboolean bold, double size, RegardAnchor anchor,
                        double angle);
/* Title, bold up to its first " · ", and badges behind it or below. */
double regard_figure_header(RegardCanvas *canvas, const RegardPalette *palette, double x, double y,
                            double width, const char *title, char **badges, double font);
/* Colour bar with ticks and its scale named, and the model at the right. ranges: lo, hi and
 * value_name are read from matrix. */
double regard_figure_footer(RegardCanvas *canvas, const RegardPalette *palette,
                            const RegardFigureStyle *style, const RegardMatrix *matrix, double x,
                            double y, double width, const char *model_name, double font);
/* ".98", "1.0", "−.31", "12"; "" for what rounds to nothing. Static storage is not used: text must
 * hold 16 bytes. */
void regard_figure_format_value(char *text, double value, double range);
/* The step of 1, 2, 5, 10 … (binary: 1, 2, 4, 8 …) that is at least minimum. */
guint regard_figure_nice_step(double minimum, gboolean binary);

/* ---- cells (regard-figure-cells.c) ---- */

typedef struct {
  gboolean values; /* print them if they fit */
  gboolean grid;   /* lines between cells if these are large enough */
  gboolean image;  /* one image whatever the number of cells */
  double font;
} RegardCellOptions;
/* The cells of a matrix over plot: colours, mask, lines, values, frame, pins. */
void regard_figure_cells(RegardCanvas *canvas, const RegardPalette *palette,
                         const RegardFigureStyle *style, const RegardMatrix *matrix,
                         RegardRect plot, const RegardCellOptions *options);
