/* regard-cell-panel.h — the numbers of what is pointed at: cards for the cell, its row, the head.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Observes the selection; shows its focus cell (hovered, else pinned) at once. Nothing is computed
 * that was not measured: the role badge of a head appears with the measured score only.
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CELL_PANEL (regard_cell_panel_get_type())
G_DECLARE_FINAL_TYPE(RegardCellPanel, regard_cell_panel, REGARD, CELL_PANEL, GtkWidget)

GtkWidget *regard_cell_panel_new(void);
void regard_cell_panel_set_selection(RegardCellPanel *self, RegardSelection *selection);
/* What the cards say, as plain text, one "name<tab>value" a line; free with g_free. is_exact:
 * numbers are as they are copied, with all their digits and a point, and units behind another tab;
 * else as they are shown. */
char *regard_cell_panel_get_text(RegardCellPanel *self, gboolean is_exact);

/* The sum of the tokens that are added up, a line for each other token; "" without; likewise.
 * Caller frees. */
char *regard_cell_panel_get_sum_text(RegardCellPanel *self, gboolean is_exact);

G_END_DECLS
