/* regard-heatmap.h — one matrix, large: cells, labels, pointer, keyboard, zoom.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Knows nothing of the RegardSelection: it shows any RegardMatrix, and whoever owns it decides what
 * hovering and pinning mean. Cells are (row, column); -1 stands for "no row" or "no column", so a
 * whole row is (r, -1). Thresholds of the cell size: regard-heatmap-draw.h.
 *
 * Signals, emitted for what the user does (never for the setters):
 *   "hover-changed" (int row, int col), "pin-changed" (int row, int col),
 *   "value-dragged" (int row, int col, double value, guint64 gesture): all of one drag have one
 *   gesture; "cell-double-clicked" (int row, int col); "sum-wanted" (int row, int col): a whole row
 *   or column is to be added up with others, or no longer.
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-matrix.h"
#include "figures/regard-scale.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_HEATMAP (regard_heatmap_get_type())
G_DECLARE_FINAL_TYPE(RegardHeatmap, regard_heatmap, REGARD, HEATMAP, GtkWidget)

GtkWidget *regard_heatmap_new(void);

/* A reference is taken; NULL empties it. Hover and pin are let go if they do not fit any more. */
void regard_heatmap_set_matrix(RegardHeatmap *self, RegardMatrix *matrix);
RegardMatrix *regard_heatmap_get_matrix(RegardHeatmap *self);
/* colormap NULL: the default for the matrix. */
void regard_heatmap_set_colors(RegardHeatmap *self, RegardScale scale,
                               const RegardColormap *colormap);
/* Drawn slightly dimmed: a newer picture is on its way. */
void regard_heatmap_set_dimmed(RegardHeatmap *self, gboolean dimmed);
void regard_heatmap_set_hover(RegardHeatmap *self, int row, int col);
void regard_heatmap_get_hover(RegardHeatmap *self, int *row, int *col);
void regard_heatmap_set_pin(RegardHeatmap *self, int row, int col);
void regard_heatmap_get_pin(RegardHeatmap *self, int *row, int *col);
/* The first n rows (and, if both, columns) get a mark beside them: "these are the sentence". */
void regard_heatmap_set_marked(RegardHeatmap *self, guint n, gboolean both);

/* Rows (or columns) that are added up get a mark beside them: chosen [n]; NULL: none. */
void regard_heatmap_set_summed(RegardHeatmap *self, RegardSumAxis axis, const guint8 *chosen,
                               guint n);

/* Only the first n rows are computed so far; the others are veiled. -1: all are. */
void regard_heatmap_set_computed(RegardHeatmap *self, int n);

/* Whether values are dragged: never, with Shift, or at once. */
typedef enum {
  REGARD_HEATMAP_FIXED,
  REGARD_HEATMAP_EDITABLE,
  REGARD_HEATMAP_EDITED
} RegardHeatmapEditing;
void regard_heatmap_set_editing(RegardHeatmap *self, RegardHeatmapEditing editing);
RegardHeatmapEditing regard_heatmap_get_editing(RegardHeatmap *self);

/* 1 fits the widget; larger scrolls. Keeps the cell at (x, y) where it is; negative: the middle. */
void regard_heatmap_set_zoom(RegardHeatmap *self, double zoom, double x, double y);
double regard_heatmap_get_zoom(RegardHeatmap *self);
/* Where a zoomed one is scrolled to: cells, with fractions, that lie above and to the left of what
 * is seen. */
void regard_heatmap_get_corner(RegardHeatmap *self, double *row, double *col);
void regard_heatmap_set_corner(RegardHeatmap *self, double row, double col);
void regard_heatmap_scroll_by(RegardHeatmap *self, double dx, double dy);

/* Arrows, Home/End, Ctrl+Home/End, Enter/Space, Escape, Ctrl+plus/minus/0. */
gboolean regard_heatmap_handle_key(RegardHeatmap *self, guint keyval, GdkModifierType state);

/* What is under a point of the widget: FALSE outside of body and labels. */
gboolean regard_heatmap_cell_at(RegardHeatmap *self, double x, double y, int *row, int *col);
/* Where a cell is painted at present, in widget coordinates (may be scrolled out of sight). */
gboolean regard_heatmap_get_cell_rect(RegardHeatmap *self, int row, int col, graphene_rect_t *rect);

/* The same of what is seen of a cell, a whole row (col -1), a whole column (row -1), with its
 * label, or all of it (both). FALSE: nothing is. */
gboolean regard_heatmap_get_seen_rect(RegardHeatmap *self, int row, int col, graphene_rect_t *rect);
/* The strip below the cells, of what each column receives. FALSE: it is not shown. */
gboolean regard_heatmap_get_received_rect(RegardHeatmap *self, graphene_rect_t *rect);

/* ---- The context menu of the large picture ---------------------------------------------- */

/* What it offers is done by actions of the window ("win.copy", "win.export" …); only the cell that
 * it was opened at is its own. It opens by the second button of the pointer, by the menu key and by
 * Shift+F10. */

/* Once, after construction. */
void regard_heatmap_add_menu(RegardHeatmap *heatmap);

G_END_DECLS
