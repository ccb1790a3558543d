/* regard-row-bars.h — the largest weights of a row as bars, for the cell panel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-matrix.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_ROW_BARS (regard_row_bars_get_type())
G_DECLARE_FINAL_TYPE(RegardRowBars, regard_row_bars, REGARD, ROW_BARS, GtkWidget)

#define REGARD_N_ROW_BARS 6

GtkWidget *regard_row_bars_new(void);
/* row -1 or matrix NULL empties it; col (or -1) is shown in bold, and always among the bars. */
void regard_row_bars_set(RegardRowBars *self, const RegardMatrix *matrix, int row, int col);
/* "name<tab>value" lines; free with g_free. */
char *regard_row_bars_get_text(RegardRowBars *self);

G_END_DECLS
