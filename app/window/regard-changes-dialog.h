/* regard-changes-dialog.h — what is changed in the model, as a text that can be edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CHANGES_DIALOG (regard_changes_dialog_get_type())
G_DECLARE_FINAL_TYPE(RegardChangesDialog, regard_changes_dialog, REGARD, CHANGES_DIALOG, AdwWindow)

/* Changes are made as soon as they can be read; undo takes them back. */
RegardChangesDialog *regard_changes_dialog_new(GtkWindow *parent, RegardDocument *document);
/* For tests. */
GtkTextBuffer *regard_changes_dialog_get_buffer(RegardChangesDialog *self);
const char *regard_changes_dialog_get_message(RegardChangesDialog *self);

G_END_DECLS
