/* regard-drawing.h — what was drawn on a canvas, kept: to be drawn again, and to stand in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures are drawn from numbers that a model computed. Where these are in no file, as those of
 * Inside, a drawing keeps what was drawn: rectangles, lines, words, each where it was, to a
 * thousandth of a point. It is drawn again as it was, larger or smaller as a whole, on any canvas,
 * so that text stays text. A drawing is immutable and counted.
 */
#pragma once

#include "figures/regard-canvas.h"
#include "figures/regard-subject.h"

#include <json.h>

G_BEGIN_DECLS

/* What a file may hold. */
#define REGARD_DRAWING_MOST_STROKES 200000
#define REGARD_DRAWING_MOST_POINTS  65536     /* of one line or polygon */
#define REGARD_DRAWING_MOST_SIDE    4096      /* of an image, in pixels */
#define REGARD_DRAWING_MOST_PIXELS  (1 << 24) /* of all images */
#define REGARD_DRAWING_MOST_LENGTH  20000.0   /* of anything, in points */
#define REGARD_DRAWING_MOST_TEXT    4096      /* bytes of a word */

typedef struct _RegardDrawing RegardDrawing;
REGARD_DECLARE_SUBJECT(RegardDrawing, regard_drawing)

/* The figure as it is drawn at this width, without its ground. NULL: it is more than a file holds.
 */
RegardDrawing *regard_drawing_new(RegardFigure *figure, double width_pt, double font_pt);
double regard_drawing_width(const RegardDrawing *drawing);
double regard_drawing_height(const RegardDrawing *drawing);
/* At (0, 0) of the canvas, as large as it was. */
void regard_drawing_play(const RegardDrawing *drawing, RegardCanvas *canvas);
/* The smallest text of a drawing that is not empty, and what it says, borrowed; 0: it has none. */
double regard_drawing_least_text(const RegardDrawing *drawing, const char **text);

/* The colours of its lines that hide what is behind them, each once; how many, 0 where there are
 * more than most: then a colour is a number. */
guint regard_drawing_inks(const RegardDrawing *drawing, guint32 *inks, guint most);

/* Caller puts it. */
json_object *regard_drawing_write(const RegardDrawing *drawing);
/* NULL and what was expected, static: it is none. */
RegardDrawing *regard_drawing_read(json_object *object, const char **expected);

/* ---- A part of a canvas ----------------------------------------------------------------------
 */

/* Draws on another canvas, which is borrowed, at (x, y) and so many times as large; what can be
 * pointed at there is not told. */
RegardCanvas *regard_canvas_new_part(RegardCanvas *canvas, double x, double y, double scale);

G_END_DECLS
