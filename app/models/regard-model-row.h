/* regard-model-row.h — one model in the list to choose from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Title, then one line about it or what is wrong with it; a mark on the one that runs; while it is
 * being opened a bar and Cancel; and a button that takes it out of the recent ones.
 *
 * Signals: "cancelled", "forgotten".
 */
#pragma once

#include "models/regard-model-info.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_MODEL_ROW (regard_model_row_get_type())
G_DECLARE_FINAL_TYPE(RegardModelRow, regard_model_row, REGARD, MODEL_ROW, GtkListBoxRow)

/* info must live as long as the row. */
GtkWidget *regard_model_row_new(const RegardModelInfo *info);
const RegardModelInfo *regard_model_row_get_info(RegardModelRow *self);

void regard_model_row_set_running(RegardModelRow *self, gboolean is_running);
/* share 0..1; negative: it is not being opened. */
void regard_model_row_set_share(RegardModelRow *self, double share);
/* TRUE if the row holds each word of a search; words are case-folded. */
gboolean regard_model_row_matches(RegardModelRow *self, const char *const *words);

G_END_DECLS
