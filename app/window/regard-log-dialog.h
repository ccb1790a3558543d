/* regard-log-dialog.h — the log of a window, to be read, copied and saved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "export/regard-log.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_LOG_DIALOG (regard_log_dialog_get_type())
G_DECLARE_FINAL_TYPE(RegardLogDialog, regard_log_dialog, REGARD, LOG_DIALOG, AdwWindow)

/* It follows the log. What it saves is asked for by the parent's action "win.save-log". */
RegardLogDialog *regard_log_dialog_new(GtkWindow *parent, RegardLog *log);

G_END_DECLS
