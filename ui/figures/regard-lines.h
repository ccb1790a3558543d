/* regard-lines.h — the weights of a matrix as lines between two lists of labels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whatever a RegardMatrix is made from (regard-matrix.h) can be drawn as lines: a line joins the
 * label of a row with that of a column, and is the more opaque the larger the value. Upright, rows
 * are the list at the left and columns that at the right; level, columns stand above and rows
 * below.
 *
 * All lines together are a cobweb, so of each row the fewest keys that hold a share of it are drawn
 * strong (70 % unless asked otherwise) and the others faintly: nothing is left out, and how much
 * is faint is said. Where so many cross that all would be one colour, all are fainter alike.
 * Several matrices of one shape (heads) have a colour each.
 *
 *   RegardLines        what is drawn: matrices and the sets of keys; immutable, counted
 *   RegardLinesMarks   what of it is looked at: tokens that are isolated, a line that is pointed at
 *   RegardLinesLayout  where labels and lines are, and which is under the pointer
 *   RegardLinesStyle   colours and scale
 *
 * regard_figure_new_lines puts them into a figure, with title, legend and colour bar. The widget is
 * widgets/regard-lines-area.h. No GTK here; what is immutable may be drawn on any thread.
 */
#pragma once

#include "figures/regard-canvas.h"
#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* The two forms of a picture of a matrix, by these names in settings and sessions, and NULL. */
typedef enum { REGARD_FORM_MATRIX, REGARD_FORM_LINES } RegardForm;
#define REGARD_N_FORMS 2
extern const char *const regard_form_ids[REGARD_N_FORMS + 1];

/* Share of a row that its strong lines hold, unless asked otherwise. */
#define REGARD_LINES_SHARE 0.7
/* Opacity of lines while others are isolated. */
#define REGARD_LINES_REST 0.14
/* Matrices at a time: as many colours as anybody can tell apart. */
#define REGARD_MOST_LINES 6

typedef enum {
  REGARD_LINES_UPRIGHT, /* rows at the left, columns at the right */
  REGARD_LINES_LEVEL,   /* columns above, rows below */
} RegardLinesOrientation;

/* The two lists of labels. */
typedef enum { REGARD_LINES_ROWS, REGARD_LINES_COLS } RegardLinesSide;

/* ---- What is drawn --------------------------------------------------------------------------- */

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  guint n;                 /* matrices, 1 to REGARD_MOST_LINES */
  RegardMatrix **matrices; /* [n] of one shape; labels are those of the first */
  char **names;            /* [n] in the legend: "cross 4.1"; NULL where n is 1 */
  float lo, hi;            /* range of the scale: of all matrices */
  double share;            /* that the strong lines of a row hold, 0 to 1 */
  guint8 **kept;           /* [n] of [rows][cols]: drawn strong */
  gsize n_lines;           /* cells that have a value other than 0 */
  gsize n_kept;
  double dimmed; /* share of all absolute values that is drawn faintly, 0 to 1 */
} RegardLines;

/* Matrices of another shape than the first, and more than REGARD_MOST_LINES, are left out. names
 * may be NULL if n is 1. References are taken; share is clamped to 0..1. */
RegardLines *regard_lines_new(RegardMatrix *const *matrices, const char *const *names, guint n,
                              double share);
REGARD_DECLARE_SUBJECT(RegardLines, regard_lines)

/* The fewest of n values whose absolute values sum to at least share of all of them: kept [n] is 1
 * for these, else 0. Of equal ones the first. share 0 keeps none, 1 all that are not 0; what is no
 * number is 0. Returns how many. */
guint regard_lines_smallest_set(const float *values, guint n, double share, guint8 *kept);

/* A token of a side, or a line, as a sentence: "row es: animal 0.41, street 0.20; 2 of 15 columns
 * hold 0.72 of 1.00, 0.28 is dimmed". Caller frees. */
char *regard_lines_describe_token(const RegardLines *lines, RegardLinesSide side, guint i);
char *regard_lines_describe_line(const RegardLines *lines, guint matrix, guint row, guint col);
/* What is dimmed, of all lines: "lines of the fewest keys that hold 70 % of a row; the other 31 %
 * of the weight is dimmed". Caller frees. */
char *regard_lines_describe(const RegardLines *lines);

/* ---- What of it is looked at ------------------------------------------------------------------
 */

/* Isolated tokens: only lines of these are drawn strong or faint, all others as a breath of
 * themselves. Arrays are borrowed; NULL: none of that side. */
typedef struct {
  const guint8 *rows, *cols; /* [rows], [cols] of the matrix; 1: isolated, else 0 */
  int row, col;              /* a line that is marked; -1, -1: none */
  int matrix;                /* whose; -1: of each */
} RegardLinesMarks;
#define REGARD_LINES_MARKS_INIT \
  {                             \
    NULL, NULL, -1, -1, -1      \
  }

/* Whether anything is isolated, and whether a line belongs to it (TRUE if nothing is). */
gboolean regard_lines_is_isolated(const RegardLines *lines, const RegardLinesMarks *marks);
static inline gboolean
regard_lines_touches(const RegardLinesMarks *marks, guint row, guint col)
{
  return (marks->rows && marks->rows[row]) || (marks->cols && marks->cols[col]);
}

/* ---- Where it is ------------------------------------------------------------------------------
 */

/* One list of labels. */
typedef struct {
  guint n;
  double *at;       /* [n] middle of each, along the list: y upright, x level */
  double pitch;     /* from one to the next; level lists of words: the least */
  gboolean is_even; /* all stand that far apart */
  double size;      /* font of the labels */
  guint step;       /* every how many is drawn */
  double angle;     /* of the labels, degrees: 0; level: 0 or -90 */
  double extent;    /* of the longest, away from the lines */
} RegardLinesList;

typedef struct {
  RegardLinesOrientation orientation;
  double font;
  RegardRect plot;         /* where the lines are, between the lists */
  RegardLinesList list[2]; /* by RegardLinesSide */
  double spread;           /* from a line of a matrix to the same of the next */
  guint n;                 /* matrices */
  double mass;             /* room for bars of hidden mass at the rows; 0: nothing is hidden */
  RegardRect whole;        /* all of it, titles of the axes and numbers of a token included */
} RegardLinesLayout;

/* Room for upright lists: x, y and width are given, height follows from pitch, which is the
 * distance of two tokens; 0: as on paper. Room for level ones: from x to x + width, and the lines
 * are height high; 0: as on paper. Measured on canvas. Clear before it is laid out again. */
void regard_lines_lay_out(RegardLinesLayout *layout, RegardCanvas *canvas, const RegardLines *lines,
                          RegardLinesOrientation orientation, RegardRect room, double pitch,
                          double font);
void regard_lines_layout_clear(RegardLinesLayout *layout);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardLinesLayout, regard_lines_layout_clear)

/* Where a line is at u, 0 (at its first list: left or above) to 1: the coordinate along the lists.
 * It is a + (b - a)(3u² - 2u³), which is a Bézier curve. */
double regard_lines_position(const RegardLinesLayout *layout, guint matrix, guint row, guint col,
                             double u);

typedef struct {
  enum { REGARD_LINES_NOTHING, REGARD_LINES_TOKEN, REGARD_LINES_LINE } what;
  RegardLinesSide side;   /* of a token */
  guint i;                /* a token */
  guint matrix, row, col; /* a line */
} RegardLinesHit;
/* What is at a point: a label, or the largest weight among the lines that pass within reach of it,
 * strong ones first; of isolated tokens only, if there are any. */
RegardLinesHit regard_lines_hit(const RegardLinesLayout *layout, const RegardLines *lines,
                                const RegardLinesMarks *marks, double x, double y, double reach);
/* The token of a side next to a point, wherever that is; for dragging along a list. */
guint regard_lines_nearest(const RegardLinesLayout *layout, RegardLinesSide side, double x,
                           double y);

/* ---- How it is drawn --------------------------------------------------------------------------
 */

typedef struct {
  RegardScale scale;
  const RegardColormap *colormap; /* its colour that is best seen; signed: its two ends */
  guint32 text, dim, background;  /* labels; titles and numbers; what is behind */
  guint32 accent;                 /* of isolated tokens' labels and the marked line */
  guint32 bar, bar_background;    /* hidden mass */
} RegardLinesStyle;
/* As a figure has it. */
void regard_lines_style_init(RegardLinesStyle *style, const RegardFigureStyle *figure,
                             gboolean diverging);

/* Colour of the lines of a matrix, opaque. is_negative counts where there is one matrix. */
guint32 regard_lines_ink(const RegardLines *lines, const RegardLinesStyle *style, guint matrix,
                         gboolean is_negative);
/* The same of one of several, on light or dark ground. */
guint32 regard_lines_head_ink(guint i, gboolean is_dark);
/* 0 to 1: of a value by its scale, strong or faint; row_max as in regard_scale_apply. */
double regard_lines_opacity(const RegardLines *lines, const RegardLinesStyle *style, double value,
                            double row_max, gboolean is_kept);
/* The colours of strong lines by value, as a map for colour bars; several matrices: of text. */
typedef struct {
  RegardColormap map;
  guint8 rgb[256][3];
} RegardLinesColormap;
void regard_lines_colormap_init(RegardLinesColormap *map, const RegardLines *lines,
                                const RegardLinesStyle *style);

typedef enum {
  REGARD_LINES_ALL,     /* whatever is isolated */
  REGARD_LINES_TOUCHED, /* lines of isolated tokens */
} RegardLinesWhich;
/* The lines. opacity multiplies theirs. Above most of them (0: as many as a file can hold) they are
 * an image, composed of all of them all the same. */
void regard_lines_draw(const RegardLines *lines, const RegardLinesLayout *layout,
                       const RegardLinesStyle *style, const RegardLinesMarks *marks,
                       RegardLinesWhich which, double opacity, gsize most, RegardCanvas *canvas);
/* The marked line with its value, if one is marked. */
void regard_lines_draw_marked(const RegardLines *lines, const RegardLinesLayout *layout,
                              const RegardLinesStyle *style, const RegardLinesMarks *marks,
                              RegardCanvas *canvas);
/* Titles of the axes, labels, hidden mass; and labels of isolated tokens, bold, with the numbers of
 * the one that is alone. */
void regard_lines_draw_labels(const RegardLines *lines, const RegardLinesLayout *layout,
                              const RegardLinesStyle *style, RegardCanvas *canvas);
void regard_lines_draw_isolated(const RegardLines *lines, const RegardLinesLayout *layout,
                                const RegardLinesStyle *style, const RegardLinesMarks *marks,
                                RegardCanvas *canvas);

/* ---- The figure -------------------------------------------------------------------------------
 */

/* Title of the first matrix, lines, legend where there are several, colour bar. marks are copied;
 * NULL: none. Files of numbers have the matrices, as those of a heatmap. Its spots are the tokens:
 * part is the RegardLinesSide; row (or col) the token, col (or row) -1. */
RegardFigure *regard_figure_new_lines(RegardLines *lines, RegardLinesOrientation orientation,
                                      const RegardLinesMarks *marks,
                                      const RegardFigureStyle *style);

G_END_DECLS
