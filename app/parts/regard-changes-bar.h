/* regard-changes-bar.h — "3 changes · Reset · Keep as Reference", and behind the number the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

/* ==== Lists of changes that have names: some that come with Regard, and those that were saved = */

#define REGARD_TYPE_CHANGE_PRESETS (regard_change_presets_get_type())
G_DECLARE_FINAL_TYPE(RegardChangePresets, regard_change_presets, REGARD, CHANGE_PRESETS, GtkWidget)

/* As by its entry and buttons. FALSE: it has no name, nothing is changed, or there is none. A name
 * that is there is replaced by save, and is no new name. */
gboolean regard_change_presets_save(RegardChangePresets *self, const char *name);
gboolean regard_change_presets_rename(RegardChangePresets *self, const char *name, const char *to);
gboolean regard_change_presets_delete(RegardChangePresets *self, const char *name);
gboolean regard_change_presets_apply(RegardChangePresets *self, const char *name);

/* ==== What is changed in the model, a row each: made or not for now, edited, removed =============
 *
 * A row that is switched off is kept here, in its place, and not made; the document does not know
 * of it. Undo and redo are the document's.
 */

#define REGARD_TYPE_CHANGE_ROWS (regard_change_rows_get_type())
G_DECLARE_FINAL_TYPE(RegardChangeRows, regard_change_rows, REGARD, CHANGE_ROWS, GtkWidget)

/* As by the widgets of a row, from 0. */
guint regard_change_rows_count(RegardChangeRows *self);
const char *regard_change_rows_get(RegardChangeRows *self, guint i, gboolean *is_made);
void regard_change_rows_set_made(RegardChangeRows *self, guint i, gboolean is_made);
gboolean regard_change_rows_edit(RegardChangeRows *self, guint i, const char *text);
void regard_change_rows_remove(RegardChangeRows *self, guint i);
gboolean regard_change_rows_add(RegardChangeRows *self, const char *text);

/* ==== Restricted self-attention by a slider, with what the paper says of it =================== */

#define REGARD_TYPE_WINDOW_SLIDER (regard_window_slider_get_type())
G_DECLARE_FINAL_TYPE(RegardWindowSlider, regard_window_slider, REGARD, WINDOW_SLIDER, GtkWidget)

/* The last place of the slider: every key is seen. */
#define REGARD_NO_WINDOW 25

/* ==== The bar ================================================================================= */

#define REGARD_TYPE_CHANGES_BAR (regard_changes_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardChangesBar, regard_changes_bar, REGARD, CHANGES_BAR, GtkWidget)

void regard_changes_bar_set_document(RegardChangesBar *self, RegardDocument *document,
                                     GSettings *settings);
/* Its popover, with the keyboard in it. */
void regard_changes_bar_open(RegardChangesBar *self);
/* For tests: what the popover says last, and what its button says. */
const char *regard_changes_bar_get_message(RegardChangesBar *self);
const char *regard_changes_bar_get_label(RegardChangesBar *self);

G_END_DECLS
