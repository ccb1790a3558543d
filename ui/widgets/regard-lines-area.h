/* regard-lines-area.h — weights as lines between two lists of tokens: pointer, keyboard, zoom.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Knows nothing of the RegardSelection: it shows any RegardLines (figures/regard-lines.h), and
 * whoever owns it decides what pointing and pinning mean. Cells are (row, column) of the matrix as
 * in a heatmap; a token alone is (row, -1) or (-1, column). Put it into a scrolled window.
 *
 * A click isolates a token, Shift adds one, a drag along a list takes a range; a second click, a
 * click beside everything, or Escape, lets go. The pin is the token isolated last, or a line.
 *
 * Signals, emitted for what the user does (never for the setters):
 *   "hover-changed" (int row, int col), "pin-changed" (int row, int col),
 *   "isolated-changed" (which tokens; also where the setters have that effect).
 */
#pragma once

#include "figures/regard-lines.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_LINES_AREA (regard_lines_area_get_type())
G_DECLARE_FINAL_TYPE(RegardLinesArea, regard_lines_area, REGARD, LINES_AREA, GtkWidget)

GtkWidget *regard_lines_area_new(RegardLinesOrientation orientation);

/* A reference is taken; NULL empties it. Isolated tokens stay where the same token stands there
 * still. */
void regard_lines_area_set_lines(RegardLinesArea *self, RegardLines *lines);
RegardLines *regard_lines_area_get_lines(RegardLinesArea *self);
/* colormap NULL: the default for the matrices. */
void regard_lines_area_set_colors(RegardLinesArea *self, RegardScale scale,
                                  const RegardColormap *colormap);
/* As it is drawn at present, for colour bars; FALSE while there are no lines. */
gboolean regard_lines_area_get_style(RegardLinesArea *self, RegardLinesStyle *style);
/* Drawn slightly dimmed: a newer picture is on its way. */
void regard_lines_area_set_dimmed(RegardLinesArea *self, gboolean dimmed);
/* Only the first n rows have lines so far; -1: all have. */
void regard_lines_area_set_computed(RegardLinesArea *self, int n);
void regard_lines_area_set_hover(RegardLinesArea *self, int row, int col);
/* A token that is not isolated becomes the only one that is; (-1, -1) lets go of all. */
void regard_lines_area_set_pin(RegardLinesArea *self, int row, int col);
/* What is isolated, and the line that is pinned, as a figure draws it: borrowed arrays, valid until
 * something changes. */
void regard_lines_area_get_marks(RegardLinesArea *self, RegardLinesMarks *marks);
guint regard_lines_area_count_isolated(RegardLinesArea *self);

/* 1 fits the view; larger scrolls. */
void regard_lines_area_set_zoom(RegardLinesArea *self, double zoom);
double regard_lines_area_get_zoom(RegardLinesArea *self);

/* Arrows, Home, End, Enter, Space (and all of them with Shift), Escape, Ctrl+plus/minus/0. */
gboolean regard_lines_area_handle_key(RegardLinesArea *self, guint keyval, GdkModifierType state);

/* Where a token's label is, in widget coordinates (may be scrolled out of sight). */
gboolean regard_lines_area_get_token_rect(RegardLinesArea *self, RegardLinesSide side, guint i,
                                          graphene_rect_t *rect);
const RegardLinesLayout *regard_lines_area_get_layout(RegardLinesArea *self);

G_END_DECLS
