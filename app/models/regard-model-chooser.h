/* regard-model-chooser.h — the models of this machine, to choose from: bundled, recent, found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for models whenever it opens, in a thread, and while it is open whenever something is put
 * into the folder for models. Names a model by its path, the bundled one by "".
 *
 * Signals: "chosen" (path), "cancelled", "forgotten" (path), "show-file" (path of a folder or of a
 * page of documentation, for another program).
 */
#pragma once

#include "models/regard-model-info.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_MODEL_CHOOSER (regard_model_chooser_get_type())
G_DECLARE_FINAL_TYPE(RegardModelChooser, regard_model_chooser, REGARD, MODEL_CHOOSER, GtkPopover)

/* settings: where "recent-models" are; a reference is taken. */
GtkWidget *regard_model_chooser_new(GSettings *settings);
/* The model in use; NULL: none. */
void regard_model_chooser_set_running(RegardModelChooser *self, const char *path);
/* A model is being opened, and how much of it is done; NULL: none is. */
void regard_model_chooser_set_loading(RegardModelChooser *self, const char *path, double share);
/* TRUE while models are looked for; for tests. */
gboolean regard_model_chooser_is_busy(RegardModelChooser *self);

/* ==== One model in the list to choose from =======================================================
 *
 * Title, then one line about it or what is wrong with it; a mark on the one that runs; while it is
 * being opened a bar and Cancel; and a button that takes it out of the recent ones.
 */

#define REGARD_TYPE_MODEL_ROW (regard_model_row_get_type())
G_DECLARE_FINAL_TYPE(RegardModelRow, regard_model_row, REGARD, MODEL_ROW, GtkListBoxRow)

const RegardModelInfo *regard_model_row_get_info(RegardModelRow *self);

G_END_DECLS
