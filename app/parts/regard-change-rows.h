/* regard-change-rows.h — what is changed in the model, a row each: made or not for now, edited,
 * removed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row that is switched off is kept here, in its place, and not made; the document does not know
 * of it. Undo and redo are the document's.
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CHANGE_ROWS (regard_change_rows_get_type())
G_DECLARE_FINAL_TYPE(RegardChangeRows, regard_change_rows, REGARD, CHANGE_ROWS, GtkWidget)

/* What cannot be made is said by "failed" (char *message; "": it is mended). */
GtkWidget *regard_change_rows_new(RegardDocument *document);
/* As by the widgets of a row, from 0. */
guint regard_change_rows_count(RegardChangeRows *self);
const char *regard_change_rows_get(RegardChangeRows *self, guint i, gboolean *is_made);
void regard_change_rows_set_made(RegardChangeRows *self, guint i, gboolean is_made);
gboolean regard_change_rows_edit(RegardChangeRows *self, guint i, const char *text);
void regard_change_rows_remove(RegardChangeRows *self, guint i);
gboolean regard_change_rows_add(RegardChangeRows *self, const char *text);

G_END_DECLS
