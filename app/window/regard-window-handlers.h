/* regard-window-handlers.h — signal handlers that the window's template names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "window/regard-window.h"

G_BEGIN_DECLS

void regard_window_on_banner(RegardWindow *self, int subject);
void regard_window_on_source_changed(RegardWindow *self);
void regard_window_on_source_caret(RegardWindow *self, guint at);
void regard_window_on_source_hover(RegardWindow *self, int token);
void regard_window_on_target_caret(RegardWindow *self, guint at);
void regard_window_on_target_hover(RegardWindow *self, int token);
void regard_window_on_example(RegardWindow *self, const char *text);

G_END_DECLS
