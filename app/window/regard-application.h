/* regard-application.h — the process: command line, windows, what is common to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "window/regard-window.h"

G_BEGIN_DECLS

#define REGARD_TYPE_APPLICATION (regard_application_get_type())
G_DECLARE_FINAL_TYPE(RegardApplication, regard_application, REGARD, APPLICATION, AdwApplication)

RegardApplication *regard_application_new(void);
/* Begins to open the model that a start without --model opens. GTK need not be there yet: what
 * takes it a tenth of a second to begin takes about as long as a model. The first window takes
 * over. */
void regard_application_open_early(RegardApplication *self);
/* A window with the application's settings, and the model that they name. Borrowed. */
RegardWindow *regard_application_add_window(RegardApplication *self);
/* Borrowed; valid once the application has started. */
GSettings *regard_application_get_settings(RegardApplication *self);

G_END_DECLS
