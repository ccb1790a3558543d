/* regard-export-dialog.h — choose what leaves as which file, and see it first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal: "exported" (GFile): the file stands.
 */
#pragma once

#include "views/regard-view.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_EXPORT_DIALOG (regard_export_dialog_get_type())
G_DECLARE_FINAL_TYPE(RegardExportDialog, regard_export_dialog, REGARD, EXPORT_DIALOG, AdwWindow)

/* choice: id of the view's export choice to begin with; NULL: its first. */
RegardExportDialog *regard_export_dialog_new(GtkWindow *parent, GSettings *settings,
                                             RegardView *view, const char *choice);
/* Write to this file with the present choices; what the Save button does after the file chooser. */
void regard_export_dialog_save(RegardExportDialog *self, GFile *file);
/* What went wrong last, NULL if nothing; for tests. */
const char *regard_export_dialog_get_error(RegardExportDialog *self);

G_END_DECLS
