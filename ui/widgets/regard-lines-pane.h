/* regard-lines-pane.h — the large picture as lines, with what is said and chosen about them below:
 * colours, whose heads they are, what share of a row is strong, and how much is dimmed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scale, colours, share, cells and steps are the selection's; which matrix it is says the page.
 */
#pragma once

#include "widgets/regard-lines-area.h"
#include "widgets/regard-selection.h"

G_BEGIN_DECLS

#define REGARD_TYPE_LINES_PANE (regard_lines_pane_get_type())
G_DECLARE_FINAL_TYPE(RegardLinesPane, regard_lines_pane, REGARD, LINES_PANE, GtkWidget)

GtkWidget *regard_lines_pane_new(void);
void regard_lines_pane_set_selection(RegardLinesPane *self, RegardSelection *selection);
/* A reference is taken; NULL empties it. Lines are made of it when they are seen. */
void regard_lines_pane_set_matrix(RegardLinesPane *self, RegardMatrix *matrix);
/* The chosen heads of the matrix' kind in colours, instead of the matrix. */
void regard_lines_pane_set_each(RegardLinesPane *self, gboolean each);
gboolean regard_lines_pane_handle_key(RegardLinesPane *self, guint keyval, GdkModifierType state);
/* Where the labels of a row and a column are; -1: not of one. In the coordinates of the widget that
 * is returned and borrowed; NULL: they are not there. */
GtkWidget *regard_lines_pane_locate(RegardLinesPane *self, int row, int col, graphene_rect_t *rect);
/* As it is seen: with the tokens that are isolated. NULL while there is no matrix. */
RegardFigure *regard_lines_pane_create_figure(RegardLinesPane *self,
                                              const RegardFigureStyle *style);

G_END_DECLS
