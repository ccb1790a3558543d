/* regard-theme.h — the colours and fonts in which the widgets that draw themselves draw.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looked up by name in the widget's style, so light, dark and high contrast follow the desktop: the
 * names of libadwaita where they exist, those of plain GTK else. A style sheet may define
 * regard_dim_color, regard_mark_color, regard_grid_color and regard_hatch_color to say it better;
 * the one for high contrast defines regard_contrast_color.
 */
#pragma once

#include "figures/regard-figure.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct {
  GdkRGBA fg;     /* text */
  GdkRGBA dim;    /* text of less weight */
  GdkRGBA bg;     /* behind everything */
  GdkRGBA card;   /* raised surfaces, chips */
  GdkRGBA accent; /* focus, the current head, bars */
  GdkRGBA mark;   /* crosshair and pinned cell: seen on every colour map */
  GdkRGBA grid;   /* lines between cells, laid over their colours */
  GdkRGBA hatch;  /* strokes in masked cells */
  gboolean dark;
  gboolean contrast; /* high: nobody has to read or follow anything fainter than 4.5 : 1 */
} RegardTheme;

void regard_theme_get(GtkWidget *widget, RegardTheme *theme);

/* A colour as canvases have it. */
guint32 regard_theme_argb(const GdkRGBA *color);
/* What RegardCanvas.ground of a canvas on this screen is. */
guint32 regard_theme_ground(const RegardTheme *theme);

/* Of what the decoder has yet to write, and of what is of another question than the one that is
 * asked (widgets that draw nothing themselves have the style class regard-pale for that). */
#define REGARD_LATER_OPACITY 0.4
#define REGARD_STALE_OPACITY 0.62
/* The same, but in high contrast no more than leaves text readable. */
double regard_theme_opacity(const RegardTheme *theme, double usual);

/* Whether the window is shown to a room: then nothing may cover pictures. */
gboolean regard_theme_is_presented(GtkWidget *widget);

/* Size of the widget's font in pixels. */
double regard_theme_font_px(GtkWidget *widget);
/* How many times larger letters are than usual, at least 1: what holds letters grows with them. */
double regard_theme_large_text(GtkWidget *widget);

/* A picture that is painted once and then only copied: drawing coordinates are the widget's, pixels
 * are the device's. The renderer runs through all nodes for every small change, so what is not
 * rectangles must be cheap to run through. begin, draw on it, end; the node is the caller's. */
cairo_t *regard_node_begin(GtkWidget *widget, double x, double y, double width, double height);
GskRenderNode *regard_node_end(cairo_t *cr);

/* Appends a hollow rectangle with lines inside of it. */
void regard_snapshot_outline(GtkSnapshot *snapshot, double x, double y, double width, double height,
                             double line, double radius, const GdkRGBA *color);

G_END_DECLS
