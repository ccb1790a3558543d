/* regard-interventions-dialog.h — what is changed in the model, as a text that can be edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_INTERVENTIONS_DIALOG (regard_interventions_dialog_get_type())
G_DECLARE_FINAL_TYPE(RegardInterventionsDialog, regard_interventions_dialog, REGARD,
                     INTERVENTIONS_DIALOG, AdwWindow)

/* Changes are made as soon as they can be read; undo takes them back. */
RegardInterventionsDialog *regard_interventions_dialog_new(GtkWindow *parent,
                                                           RegardDocument *document);

G_END_DECLS
