/* regard-figure.h — a picture to be exported: one matrix with everything that explains it, curves,
 * or many small ones.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure is drawn from the data, never from the screen, onto a RegardCanvas (cairo for PNG and
 * PDF, our own writer for SVG because cairo turns text into outlines). Used by the window's export,
 * the clipboard and regard-cli alike. Sorts of figures are classes (regard-figure-private.h): a
 * matrix, curves, and the grid of heads of regard-figure-matrix.h. No GTK here.
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix.h"
#include "figures/regard-scale.h"

G_BEGIN_DECLS

typedef struct _RegardCanvas RegardCanvas;
typedef struct _RegardFigure RegardFigure;

/* No text on the screen is smaller, in pixels; files have the sizes that were asked for. */
#define REGARD_LEAST_TEXT 11.0

typedef struct {
  const RegardColormap *colormap; /* NULL: default (diverging for signed matrices) */
  RegardScale scale;
  int pinned_row, pinned_col; /* cell, row (col -1) or column (row -1); -1, -1: none */
  gboolean dark;              /* dark background, for slides */
  gboolean is_plain;          /* words for pieces, for who has not met those */
  guint left_out;             /* RegardFigureElements */
} RegardFigureStyle;
#define REGARD_FIGURE_STYLE_INIT                \
  {                                             \
    NULL, REGARD_SCALE_LINEAR, -1, -1, FALSE, 0 \
  }

/* What a figure can do without. Badges stay: what was changed, merged or hidden is always said. */
typedef enum {
  REGARD_PART_TITLE = 1 << 0,
  REGARD_PART_NUMBERS = 1 << 1, /* values in cells, which are there where they have room */
  REGARD_PART_MODEL = 1 << 2,   /* its name below */
  REGARD_PART_BAR = 1 << 3,     /* the colour bar, where another one says what colours are */
} RegardFigureElements;

typedef struct {
  double x, y, width, height;
} RegardRect;

/* A part that all figures may have: a word or symbol, explained. */
#define REGARD_SPOT_SIGN 1000

/* A place in a figure that can be pointed at. What part, row and col are is the figure's to say. */
typedef struct {
  RegardRect rect;
  int part, row, col;
} RegardSpot;

/* A figure that there is to choose, by name. */
typedef struct {
  const char *id;   /* "head" */
  const char *name; /* translatable: "This matrix" */
} RegardPicture;

/* One matrix with axes, labels, colour bar, title and badges. */
RegardFigure *regard_figure_new_matrix(RegardMatrix *matrix, const RegardFigureStyle *style);
typedef struct {
  double omega; /* radians per row, if the columns are sin(omega r) and cos(omega r), so that they
                   can be drawn between the rows too; 0: straight lines */
  gboolean is_page; /* with the words of the rows, and beside the curves the pair as a point of the
                       plane; each row is a spot */
  int pointed;      /* row whose point has a hand there; -1: none */
} RegardCurvesOptions;
/* The two columns of a matrix as curves over its rows: a pair of dimensions of a position table.
 * Files of values hold the matrix. */
RegardFigure *regard_figure_new_curves(RegardMatrix *matrix, const RegardCurvesOptions *options,
                                       const RegardFigureStyle *style);
/* The numbers of a matrix as a table, each with a bar as long as its share of the largest of its
 * column; nothing where a value is NAN. */
RegardFigure *regard_figure_new_table(RegardMatrix *matrix, const RegardFigureStyle *style);
/* All that a figure says, on paper and as text, is in the language that was in force when it was
 * made. The same figure in this one. */
RegardFigure *regard_figure_new_in_language(const RegardFigure *figure, RegardLanguage language);
void regard_figure_free(RegardFigure *figure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardFigure, regard_figure_free)

/* So many RegardFigureElements are not drawn, besides those that its style left out. */
void regard_figure_leave_out(RegardFigure *figure, guint parts);
/* Make what is drawn as high as that at this width: cells and curves grow or shrink, text does not.
 * FALSE, and nothing is done, if it has nothing to stretch or text alone needs more, at least
 * *least (may be NULL). Not the shape that data have by themselves: square cells need not be
 * square. */
gboolean regard_figure_set_height(RegardFigure *figure, double width_pt, double font_pt,
                                  double height_pt, double *least);
/* In less than this width words of it cannot be read, in a font of the screen; 0: in any they can.
 */
double regard_figure_least_width(RegardFigure *figure, double font_pt, const char *family);
/* Height in points for a width in points. */
double regard_figure_height(RegardFigure *figure, double width_pt, double font_pt);
/* The same in a font of the screen. */
double regard_figure_height_in(RegardFigure *figure, double width_pt, double font_pt,
                               const char *family);
/* Draw into (0,0)-(width, height). */
void regard_figure_draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt,
                        double font_pt);
/* The same on what is there already: no background. */
void regard_figure_paint(RegardFigure *figure, RegardCanvas *canvas, double width_pt,
                         double font_pt);
/* The places that can be pointed at, as it is drawn at that width: of RegardSpot, in the order of
 * reading. family: the font on the screen; NULL: that of files. Caller unrefs. */
GArray *regard_figure_spots(RegardFigure *figure, double width_pt, double font_pt,
                            const char *family);
/* Where a part of the figure is that is no spot, as a card with all that it holds; frame: the
 * figure's number of it, from 1. FALSE: it is not drawn. */
gboolean regard_figure_find_frame(RegardFigure *figure, double width_pt, double font_pt,
                                  const char *family, guint frame, RegardRect *rect);
/* What a place says, a sentence or more, and its number or text for the clipboard. Caller frees;
 * NULL: nothing. */
char *regard_figure_describe_spot(RegardFigure *figure, const RegardSpot *spot);
char *regard_figure_copy_spot(RegardFigure *figure, const RegardSpot *spot);
/* Text for a caption: model, kind, layer, head, sentence, scale, what was merged or hidden. */
char *regard_figure_caption(RegardFigure *figure);
/* Its beginning, which is read aloud: what is shown, and of which sentence. Caller frees. */
char *regard_figure_subject(RegardFigure *figure);
/* All of it sentence by sentence, of a figure that is no sheet. Caller frees. */
char **regard_figure_caption_sentences(RegardFigure *figure);
/* The matrices in it, for CSV, JSON and NPZ. Borrowed; of a grid they are made when asked for and
 * live until another is. */
guint regard_figure_n_matrices(RegardFigure *figure);
RegardMatrix *regard_figure_matrix(RegardFigure *figure, guint i);

G_END_DECLS
