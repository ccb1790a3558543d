/* regard-window-handlers.h — signal handlers that the window's template names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "window/regard-window.h"

G_BEGIN_DECLS

void regard_window_on_example(RegardWindow *self, const char *text);

G_END_DECLS
