/* regard-shortcuts.h — all keys in a window that fits any screen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A new window over its parent, as large as its parent at most; Escape closes it. Keys of actions
 * are those of the parent's application. */
GtkWindow *regard_shortcuts_new(GtkWindow *parent);

G_END_DECLS
