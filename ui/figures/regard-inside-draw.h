/* regard-inside-draw.h — what the parts of the picture of one head are drawn with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-inside.h"
#include "figures/regard-figure-private.h"

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardColormap *signed_map, *weight_map;
  const RegardFigureStyle *style;
  const RegardInside *in;
  const RegardInsideLook *look;
  double font;
  gboolean images; /* strips are images: there are too many numbers for rectangles */
} InsideDraw;

/* Numbers in colours beside each other. */
typedef struct {
  const float *values;
  guint n;
  double factor; /* of every value */
  double domain; /* colours reach from -domain to domain */
  int part, row; /* of its spots; part -1: it has none */
} InsideStrip;
void inside_strip(const InsideDraw *d, RegardRect place, const InsideStrip *strip);
/* A row of weights as cells, coloured from 0 to 1; hatched where a key is not allowed. */
void inside_weights(const InsideDraw *d, RegardRect place, const double *weights, int part,
                    int row);
/* Text at x of this width, ellipsized; dim: less telling. */
void inside_text(const InsideDraw *d, double x, double baseline, double width, const char *text,
                 gboolean dim, gboolean bold, RegardAnchor anchor);
/* A small line above a part: bold, and an explanation in grey. Returns its height. */
double inside_heading(const InsideDraw *d, double x, double y, double width, const char *title,
                      const char *note);

/* From this width on, in font sizes, what a head adds, and all heads, stand beside the row. */
#define INSIDE_WIDE 92.0
gboolean inside_is_wide(const InsideDraw *d, double width);

/* Each draws at a place and returns how high it is. */
double inside_draw_row(const InsideDraw *d, double x, double y, double width);
double inside_draw_all_rows(const InsideDraw *d, double x, double y, double width);
double inside_draw_output(const InsideDraw *d, double x, double y, double width);
double inside_draw_similarity(const InsideDraw *d, double x, double y, double width);
double inside_draw_root(const InsideDraw *d, double x, double y, double width);
double inside_draw_cell(const InsideDraw *d, double x, double y, double width);
double inside_draw_heads(const InsideDraw *d, double x, double y, double width);

/* Bars of why this cell: the largest pairs, then all that have a bias in them, then the rest. */
#define INSIDE_MOST_BARS 8
typedef struct {
  char *name;
  double score;
} InsideBar;
/* Returns how many; each name is to be freed. */
guint inside_bars(const RegardInside *in, InsideBar bars[INSIDE_MOST_BARS + 2]);

/* Divisors of why √d_k: 1, √d_k and the look's own. Returns how many. */
guint inside_divisors(const InsideDraw *d, double divisors[3]);

/* What spots say, and the matrices of files. */
char *inside_describe(const RegardInside *in, const RegardInsideLook *look, const RegardSpot *spot);
char *inside_copy(const RegardInside *in, const RegardInsideLook *look, const RegardSpot *spot);
guint inside_n_matrices(const RegardInside *in, const RegardInsideLook *look);
RegardMatrix *inside_matrix(const RegardInside *in, const RegardInsideLook *look, guint i);
