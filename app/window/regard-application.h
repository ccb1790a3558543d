/* regard-application.h — the process: command line, windows, what is common to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_APPLICATION (regard_application_get_type())
G_DECLARE_FINAL_TYPE(RegardApplication, regard_application, REGARD, APPLICATION, AdwApplication)

RegardApplication *regard_application_new(void);
/* Borrowed; valid once the application has started. */
GSettings *regard_application_get_settings(RegardApplication *self);

G_END_DECLS
