/* regard-heatmap-menu.h — the context menu of the large picture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What it offers is done by actions of the window ("win.copy", "win.export" …); only the cell that
 * it was opened at is its own. It opens by the second button of the pointer, by the menu key and by
 * Shift+F10.
 */
#pragma once

#include "widgets/regard-heatmap.h"

G_BEGIN_DECLS

/* Once, after construction. */
void regard_heatmap_add_menu(RegardHeatmap *heatmap);

G_END_DECLS
