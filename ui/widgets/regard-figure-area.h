/* regard-figure-area.h — a figure on the screen: drawn as it is exported, and pointed at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As high as the figure is at its width; put it into a scrolled window, of which only what is seen
 * is drawn. The figure's spots can be reached by pointer and arrow keys; what they say is a
 * tooltip, and read aloud. Ctrl+C and the context menu copy a spot's number.
 * Its context menu begins with what "menu-wanted" (const RegardSpot *) returns, a GMenuModel or
 * NULL. Signals: "spot-changed" (another spot is pointed at, or none), "spot-activated" (clicked,
 * or Enter on it), "look-changed" (the window became dark, or light: another figure is wanted).
 */
#pragma once

#include "figures/regard-figure.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_FIGURE_AREA (regard_figure_area_get_type())
G_DECLARE_FINAL_TYPE(RegardFigureArea, regard_figure_area, REGARD, FIGURE_AREA, GtkWidget)

/* least_width: of the figure with letters of the usual size; larger ones need more, and so may the
 * figure. In less room it is cut off, and can be scrolled. */
GtkWidget *regard_figure_area_new(int least_width);
/* Takes the figure; NULL: nothing is shown. The place that was pointed at stays, if it is there.
 * The figure's style is the caller's: dark if the window is (regard_figure_area_is_dark). */
void regard_figure_area_set_figure(RegardFigureArea *self, RegardFigure *figure);
/* The figure is drawn otherwise now, in the same places. */
void regard_figure_area_redraw(RegardFigureArea *self);
/* In pixels, of what is shown from now on with letters as they are. */
void regard_figure_area_set_least_width(RegardFigureArea *self, int least_width);
/* How large letters of figures are, and their family, which is borrowed. */
double regard_figure_area_get_font(RegardFigureArea *self, const char **family);
/* As if the keyboard had gone to a spot, and scroll it into sight; col -1: any. FALSE: there is no
 * such spot. */
gboolean regard_figure_area_point_at(RegardFigureArea *self, int part, int row, int col);
/* Scroll a spot into sight, and something of what is on both sides of it. */
void regard_figure_area_scroll_to(RegardFigureArea *self, int part, int row, int col);
/* The rectangle around all spots of a part [part, part_end) that have this row and column, -1 being
 * any, in the coordinates of the area. FALSE: there is none. */
gboolean regard_figure_area_find(RegardFigureArea *self, int part, int part_end, int row, int col,
                                 graphene_rect_t *rect);
/* The same of a frame of the figure. */
gboolean regard_figure_area_find_frame(RegardFigureArea *self, guint frame, graphene_rect_t *rect);
RegardFigure *regard_figure_area_get_figure(RegardFigureArea *self);
gboolean regard_figure_area_is_dark(RegardFigureArea *self);
/* Left, Right, Home and End are the page's: the area lets them be. */
void regard_figure_area_leave_sideways(RegardFigureArea *self);
/* What is pointed at, by pointer or keys; NULL: nothing. Borrowed. */
const RegardSpot *regard_figure_area_get_spot(RegardFigureArea *self);
/* Arrows, Home, End, Enter, Escape, Ctrl+C; also for a page that has the keys. */
gboolean regard_figure_area_handle_key(RegardFigureArea *self, guint keyval, GdkModifierType state);

G_END_DECLS
