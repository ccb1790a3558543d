/* regard-figure-private.h — the parts that figures are put together from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every part draws at a place and returns how high it is, so laying out is drawing on a measuring
 * canvas: the two cannot disagree.
 */
#pragma once

#include "figures/regard-canvas.h"
#include "figures/regard-figure.h"
#include "figures/regard-matrix.h"
#include "figures/regard-sheet.h"

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

/* Matrices of one shape that follow each other in a figure and are one array in a file. */
typedef struct {
  guint n;
  const char *prefix; /* of the arrays' names, "encoder_"; borrowed; "" for a matrix alone */
  gsize shape[2];     /* n as layers × heads; {0, 0}: one matrix */
  gboolean is_list;   /* of any heads: a file says which */
  gboolean is_choice; /* … and has them cell by cell, however many they are */
} RegardFigureGroup;

/* How a sort of figure shows its subject: figure->subject, whose type the class knows, by the
 * options in figure->options. draw is always there.
 *
 * draw, least_width, new_matrix, append_what and describe_spot are called inside the scope of the
 * figure's language (regard-language.h): _() and printf are of that language there. What programs
 * read is written outside of one, or in English: copy_spot, to_json and to_dot. */
typedef struct {
  gsize options_size; /* of the options; 0: there are none */
  /* Draws and returns the height in points. */
  double (*draw)(RegardFigure *figure, RegardCanvas *canvas, double width, double font);
  /* In less its words cannot be read; NULL: words are not what it needs room for. */
  double (*least_width)(RegardFigure *figure, RegardCanvas *canvas, double font);
  /* How many matrices files have: n_matrices says it, or it is always n; both 0: 1. */
  guint (*n_matrices)(RegardFigure *figure);
  guint n;
  /* Caller owns; the figure keeps the last, figure->made. NULL: the subject is the matrix. */
  RegardMatrix *(*new_matrix)(RegardFigure *figure, guint i);
  /* Of all matrices, before anything is merged or hidden; NULL: of the matrices as they are. */
  gsize (*n_cells)(RegardFigure *figure);
  /* First sentences of the caption (regard-words.h); NULL: the title of the first matrix. */
  void (*append_what)(RegardFigure *figure, GString *caption);
  /* All of the caption, of a figure that is made of figures; NULL: it is put together. */
  char *(*caption)(RegardFigure *figure);
  /* The maps that it draws by their colours, all on one scale, linear, as matrices; the caller owns
   * each, NULL behind the last. NULL: it draws one matrix, or none by which it could be drawn. */
  RegardMatrix *(*new_map)(RegardFigure *figure, guint i);
  /* How it shows attention of a capture, all of which becomes the caller's; FALSE, or NULL: it
   * shows something else. */
  gboolean (*tell_attention)(RegardFigure *figure, RegardAttentionLook *look);
  /* The group that begins with matrix first; NULL: there is one matrix. */
  void (*group)(RegardFigure *figure, guint first, RegardFigureGroup *group);
  /* For a table with a line for each cell of many matrices: names of the columns that say which
   * matrix, e.g. "kind,layer,head", and their fields. NULL: there is one matrix. */
  const char *place_names;
  void (*append_place)(RegardFigure *figure, guint i, GString *line);
  /* The capture, if the figure shows all of it as it is; else, or if NULL, NULL. */
  const mt_capture *(*whole_capture)(RegardFigure *figure);
  gboolean has_no_scale; /* nothing in it is told by colour */
  /* Its matrices are different things: in files each is named by its id. Else they are alike, and
   * group and place_names say how they differ. */
  gboolean has_parts;
  /* What a spot of the canvas says, and what of it is copied; NULL: there are no spots. */
  char *(*describe_spot)(RegardFigure *figure, const RegardSpot *spot);
  char *(*copy_spot)(RegardFigure *figure, const RegardSpot *spot);
  /* What words and symbols of the picture mean, translatable: a spot of the part REGARD_SPOT_SIGN
   * has the place in this list for its row. NULL: no sign is explained. */
  const char *const *signs;
  /* A document of its own in place of matrices, as JSON, and a graph in the language of Graphviz;
   * NULL: there is none. Caller frees. */
  char *(*to_json)(RegardFigure *figure);
  char *(*to_dot)(RegardFigure *figure);
} RegardFigureClass;

struct _RegardFigure {
  const RegardFigureClass *klass;
  gconstpointer subject;   /* a RegardSubject; the figure has a reference */
  gpointer options;        /* own copy of the options, [klass->options_size]; or NULL */
  RegardFigureStyle style; /* colormap is set */
  RegardLanguage language; /* in force wherever the class draws or says something */
  double stretch;          /* of the heights of what is neither text nor colour bar; usually 1 */
  RegardMatrix *made;      /* the last of new_matrix … */
  guint made_index;        /* … which is this one */
};

/* Whether a part is drawn. */
static inline gboolean
regard_figure_has(const RegardFigureStyle *style, RegardFigureElements part)
{
  return !(style->left_out & part);
}

/* Takes the reference of the subject, a struct that begins with a RegardSubject, and copies the
 * options. is_diverging: its colours tell values with a sign. */
RegardFigure *regard_figure_new(const RegardFigureClass *klass, gpointer subject,
                                gconstpointer options, gboolean is_diverging,
                                const RegardFigureStyle *style);

/* What files of numbers ask. */
gsize regard_figure_n_cells(RegardFigure *figure);
void regard_figure_group(RegardFigure *figure, guint first, RegardFigureGroup *group);
const mt_capture *regard_figure_whole_capture(RegardFigure *figure);

/* ---- numbers as matrices ---- */

/* Labels that count from `first`, each of one that is a noun. */
RegardAxis regard_axis_counted(guint n, guint first, const char *title, const char *noun);
/* What was changed, a line each, to be kept with numbers; NULL: nothing. Caller frees. */
char *regard_figure_dup_interventions(const mt_interventions *interventions);
/* The same as a badge: "changed: cross 4.1 zero", by this format, _("changed: %s"). NULL of NULL.
 * Caller frees. */
char *regard_figure_interventions_badge(const char *format, const char *interventions);

/* ---- parts ---- */

/* TRUE if anything will be seen: measuring canvases need no cells. */
gboolean regard_figure_draws(RegardCanvas *canvas);
void regard_figure_text(RegardCanvas *canvas, double x, double baseline, const char *text,
                        guint32 argb, gboolean bold, double size, RegardAnchor anchor,
                        double angle);
/* The same on a level line, or its beginning and "…" where it is wider than width; nothing where
 * nobody sees it. */
void regard_figure_text_within(RegardCanvas *canvas, double x, double baseline, double width,
                               const char *text, guint32 argb, gboolean bold, double size,
                               RegardAnchor anchor);
/* A number as text of 32 bytes: "−3.25", decimals fixed; "−∞"; "–" where there is none. */
const char *regard_figure_number(char *text, double value, int decimals);
/* Shortest text that reads back as the same float, with a point; "" if not finite. text holds
 * G_ASCII_DTOSTR_BUF_SIZE bytes. */
const char *regard_exact_number(char *text, float value);
/* The same of a number that is copied: shortest text that reads back as the same double, which for
 * one that is a float is that of the float, as files have it; NULL if not finite. Caller frees. */
char *regard_exact_copy(double value);
/* Matrices of one quantity beside each other, each with what its title has of its own; their range
 * is that of the first. Takes a reference of the list, which has one at least. */
RegardFigure *regard_figure_new_maps(GPtrArray *matrices, const RegardFigureStyle *style);
/* Whether it draws one matrix and nothing else. */
gboolean regard_figure_is_matrix(const RegardFigure *figure);
/* Signed numbers beside each other as colours, as an image: domain is the last colour. */
void regard_figure_strip(RegardCanvas *canvas, RegardRect place, const float *values, guint n,
                         double domain);
/* Title, bold up to its first " · ", and badges behind it or below; NULL: only the badges. What has
 * no room on one line stands on two. */
double regard_figure_header(RegardCanvas *canvas, const RegardPalette *palette, double x, double y,
                            double width, const char *title, char **badges, double font);
/* The title of a figure with this style: NULL if it is left out. */
static inline const char *
regard_figure_title(const RegardFigureStyle *style, const char *title)
{
  return regard_figure_has(style, REGARD_PART_TITLE) ? title : NULL;
}
/* Colour bar with ticks and its scale named, and the model at the right unless it is left out.
 * ranges: lo, hi and value_name are read from matrix. */
double regard_figure_footer(RegardCanvas *canvas, const RegardPalette *palette,
                            const RegardFigureStyle *style, const RegardMatrix *matrix, double x,
                            double y, double width, const char *model_name, double font);
/* The step of 1, 2, 5, 10 … (binary: 1, 2, 4, 8 …) that is at least minimum. */
guint regard_figure_nice_step(double minimum, gboolean binary);

/* The range of the colour bar of many matrices: symmetric about 0. The first number of the bar is
 * centred under its end. Returns the height. */
double regard_figure_signed_footer(RegardCanvas *canvas, const RegardPalette *palette,
                                   const RegardFigureStyle *style, const RegardMatrix *matrix,
                                   double range, double x, double y, double width, double font);
/* The name of the model, which ends at x, so much (gap) below y, if there is one and the style has
 * it. Returns the gap, or 0. */
double regard_figure_model(RegardCanvas *canvas, const RegardPalette *palette,
                           const RegardFigureStyle *style, const char *model_name, double x,
                           double y, double gap, double size);

/* ---- labels of an axis ---- */

#define REGARD_LABEL_LEAST 0.72 /* labels shrink to this share of the font before they thin out */
#define REGARD_LABEL_LINE  1.16 /* their line height */

/* A label as it is drawn. Text without the grey parts is what must be seen; the grey ones are given
 * what is left. */
typedef struct {
  char *prefix, *text, *suffix;
  gboolean is_grey; /* the text, too */
} RegardShownLabel;
RegardShownLabel regard_label_shorten(RegardCanvas *canvas, const RegardLabel *label, gboolean bold,
                                      double size, double max);
void regard_label_clear(RegardShownLabel *shown);
/* In at most three spans; how many. Texts are borrowed. */
guint regard_label_spans(const RegardShownLabel *shown, const RegardPalette *palette, gboolean bold,
                         RegardSpan spans[3]);
double regard_label_width(RegardCanvas *canvas, const RegardShownLabel *shown, gboolean bold,
                          double size);
/* Size and step (every how many one is drawn) of labels that stand pitch apart. */
void regard_label_fit(const RegardCanvas *canvas, double pitch, double font, RegardTicks ticks,
                      double *size, guint *step);

/* ---- a matrix with its labels, alone or beside others (regard-figure-matrix.c) ---- */

typedef struct {
  /* Given. */
  const RegardFigureStyle *style;
  double stretch;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardMatrix
      *m; /* what is laid out can be drawn with another one that has the same labels */
  double font;
  gboolean is_image;               /* cells are one image, however few they are */
  gboolean hides_rows, hides_cols; /* labels that the picture beside it, or above it, has */
  double cell, cell_height;        /* in points; 0: as alone */
  double label_room;               /* labels of rows have their share of it; 0: of the width */
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
/* What it takes beside its cells, left and right of them. */
double regard_plot_width_beside(const RegardPlot *plot);

/* ---- very many lines (regard-lines.c) ---- */

/* Most colours of an image of lines: heads, or the two signs. */
#define REGARD_LINES_INKS 6
/* One line from u = 0 to 1: at from, then at to, along the lists, in pixels of the image. */
typedef struct {
  float from, to, width; /* pixels */
  float depth;           /* −ln(1 − opacity), so that those of lines that cross add up */
  guint ink;             /* index of its colour */
} RegardStroke;
/* Fewer strokes that look the same: cells of a plane, depths and widths [rows][cols], beside each
 * other become one broad stroke where that changes no pixel by more than can be seen, and where
 * there are more than `most` of them, by somewhat more. Positions of rows and columns, each evenly
 * spaced. Appends to strokes, of RegardStroke. */
typedef struct {
  guint rows, cols;
  const float *depths, *widths;
  const double *row_at, *col_at;
  gboolean rows_first; /* lines come from rows */
  guint ink;
} RegardStrokePlane;
void regard_lines_merge(const RegardStrokePlane *plane, gsize most, GArray *strokes);
/* All strokes as an image of so many pixels from list to list and along them, composed as if each
 * were painted over the one before, but without rounding to 256 levels in between: thousands of
 * lines too faint to be seen alone are seen together. is_level: lists are above and below each
 * other. ARGB32; caller owns. */
cairo_surface_t *regard_lines_raster(const RegardStroke *strokes, gsize n, const guint32 *inks,
                                     guint n_inks, guint across, guint along, gboolean is_level);

/* ---- cells ---- */

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
/* One cell of those that a figure lays out itself: its colour at a place of the map, 0 to 1, with
 * round corners of this radius; its number where the style has numbers and the cell is wider than
 * `least`. */
void regard_figure_cell(RegardCanvas *canvas, const RegardFigureStyle *style, RegardRect box,
                        double radius, double place, const char *number, double baseline,
                        double size, double least);
/* Whether values have room in the cells of such a plot. */
gboolean regard_figure_cells_fit_numbers(RegardCanvas *canvas, const RegardMatrix *matrix,
                                         RegardRect plot, double font);
