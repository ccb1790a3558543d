/* regard-canvas.h — what figures are drawn on: a few primitives, by cairo, as SVG and as TikZ.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SVG has its own writer because cairo turns text into outlines there. Units are points, y grows
 * downwards, angles are degrees clockwise, colours 0xAARRGGBB (not premultiplied). All backends
 * measure text with the same unhinted Pango metrics, so a figure has one layout in every format.
 */
#pragma once

#include "figures/regard-figure.h"
#include <cairo.h>
#include <pango/pango.h>

G_BEGIN_DECLS

typedef struct {
  double x, y;
} RegardPoint;

/* How a polyline is drawn. */
typedef struct {
  double width;
  double dash, space; /* lengths along the line; dash 0: no dashes */
  guint32 argb;
} RegardPen;

/* A stretch of text in one style; a line is made of one or more. */
typedef struct {
  const char *text;
  guint32 argb;
  gboolean bold;
} RegardSpan;

typedef enum { REGARD_ANCHOR_START, REGARD_ANCHOR_MIDDLE, REGARD_ANCHOR_END } RegardAnchor;

typedef struct {
  void (*fill_rect)(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb);
  void (*stroke_rect)(RegardCanvas *canvas, RegardRect rect, double line_width, guint32 argb);
  void (*stroke_line)(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                      double line_width, guint32 argb);
  void (*polyline)(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen);
  /* A Bézier curve of degree 3 through points[0] and points[3]. */
  void (*curve)(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen);
  void (*fill_polygon)(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb);
  /* Until end_clip nothing is drawn outside rect. Not nested. */
  void (*begin_clip)(RegardCanvas *canvas, RegardRect rect);
  void (*end_clip)(RegardCanvas *canvas);
  /* Diagonal lines inside the union of rects, in phase across all of them. */
  void (*hatch)(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing,
                double line_width, guint32 argb);
  /* Every pixel of surface (ARGB32) as a sharp rectangle. */
  void (*image)(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect rect);
  void (*text)(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
               double size, RegardAnchor anchor, double angle);
  /* Named parts, for people who edit the picture; may be NULL. */
  void (*begin_group)(RegardCanvas *canvas, const char *name);
  void (*end_group)(RegardCanvas *canvas);
  /* A place that can be pointed at; may be NULL. */
  void (*spot)(RegardCanvas *canvas, const RegardSpot *spot);
  void (*free)(RegardCanvas *canvas);
} RegardCanvasClass;

/* Base of every backend. */
struct _RegardCanvas {
  const RegardCanvasClass *klass;
  PangoContext *context;
  double pixel;       /* points per device pixel; 0: vector, no grid to snap to */
  const char *family; /* of the font, borrowed; NULL: that of files */
  gboolean is_plain;  /* text says words for pieces (regard_plain_words) */
  RegardRect visible; /* what lies outside is not drawn; height 0: everything is */
  double lead;        /* room that the next title leaves at its left, for a letter */
  /* In high contrast the colour behind everything, from which all text and all opaque lines are
   * told; 0: colours are as they were asked for, and so they are in files. */
  guint32 ground;
};

/* On a cairo context whose unit is the point. pixel: size of a device pixel in points, 0 for a
 * vector surface. cr is referenced. */
RegardCanvas *regard_canvas_new_cairo(cairo_t *cr, double pixel);
/* SVG text; title and description become metadata (may be NULL), and so does the language of its
 * words, as BCP 47 has it; NULL: nothing is said of it. */
RegardCanvas *regard_canvas_new_svg(double width_pt, double height_pt, const char *title,
                                    const char *description, const char *language);
/* The finished SVG document; the canvas may only be freed afterwards. Only for SVG canvases. */
GBytes *regard_canvas_svg_finish(RegardCanvas *canvas);
/* A TikZ picture (regard-canvas-tikz.c). */
RegardCanvas *regard_canvas_new_tikz(double width_pt, double height_pt);
/* The finished file, with remarks at its beginning, which may be NULL; the canvas may only be freed
 * afterwards. NULL: it has an image that is too large for TeX. Only for TikZ canvases. */
GBytes *regard_canvas_tikz_finish(RegardCanvas *canvas, const char *title, const char *description);
/* Draws nothing, measures text: for layouts. */
RegardCanvas *regard_canvas_new_measure(void);
/* The same, and appends every spot to an array of RegardSpot, which is borrowed. */
RegardCanvas *regard_canvas_new_spots(GArray *spots);
void regard_canvas_free(RegardCanvas *canvas);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardCanvas, regard_canvas_free)

/* What text of this size is drawn with: on the screen none is smaller; files have what was asked.
 */
double regard_canvas_text_size(const RegardCanvas *canvas, double size);

/* For backends. */
void regard_canvas_init(RegardCanvas *canvas, const RegardCanvasClass *klass);
void regard_canvas_clear(RegardCanvas *canvas);
/* An image for a vector file: with sharp cells where rect, in points, shows them large enough.
 * Caller owns; the surface itself, counted, if it serves. */
cairo_surface_t *regard_canvas_enlarge(cairo_surface_t *surface, RegardRect rect);
/* With at most so many decimals, of which there is one at least, and a point whatever the locale:
 * 12.5, 12, and 0 for −0. */
void regard_canvas_append_number(GString *out, double value, int decimals);
/* A Pango layout of a line; its baseline is pango_layout_get_baseline. */
PangoLayout *regard_canvas_layout(RegardCanvas *canvas, const RegardSpan *spans, guint n,
                                  double size);

/* Nearest device pixel edge (vector: unchanged). */
double regard_canvas_snap(const RegardCanvas *canvas, double v);
void regard_canvas_fill_rect(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb);
void regard_canvas_stroke_rect(RegardCanvas *canvas, RegardRect rect, double line_width,
                               guint32 argb);
void regard_canvas_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                               double line_width, guint32 argb);
/* Round joins and ends; one point alone is a dot. */
void regard_canvas_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n,
                            const RegardPen *pen);
void regard_canvas_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen);
void regard_canvas_fill_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n,
                                guint32 argb);
void regard_canvas_begin_clip(RegardCanvas *canvas, RegardRect rect);
void regard_canvas_end_clip(RegardCanvas *canvas);
void regard_canvas_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing,
                         double line_width, guint32 argb);
void regard_canvas_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect rect);
void regard_canvas_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans,
                        guint n, double size, RegardAnchor anchor, double angle);
/* Says that a place can be pointed at; what it says then is the figure's to know. */
void regard_canvas_spot(RegardCanvas *canvas, RegardRect rect, int part, int row, int col);
/* FALSE if nothing between these heights will be seen, and so need not be drawn. Spots are wanted
 * all the same. */
gboolean regard_canvas_shows(const RegardCanvas *canvas, double top, double bottom);
void regard_canvas_begin_group(RegardCanvas *canvas, const char *name);
void regard_canvas_end_group(RegardCanvas *canvas);
double regard_canvas_text_width(RegardCanvas *canvas, const RegardSpan *spans, guint n,
                                double size);
/* text, or its beginning and "…" so that it is at most max wide. Caller frees. */
char *regard_canvas_ellipsize(RegardCanvas *canvas, const char *text, gboolean bold, double size,
                              double max);

G_END_DECLS
