/* regard-settings.h — what is remembered between sessions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define REGARD_SCHEMA "io.github.regard.Regard"

/* The settings of the application; never NULL and never the end of the program. The schema is
 * looked for where it is installed, then in the build folder, then in the program itself. Without
 * a working desktop store they are kept in a key file in the user's configuration folder. Caller
 * owns the reference. */
GSettings *regard_settings_new(void);
/* The same for a program that can do without: NULL where the schema is not to be found. */
GSettings *regard_settings_new_if_there(void);

/* Settings of a further window: they begin as the application's are, and those that say where one
 * looks are the window's own from then on; all others stay the same in both. Caller owns the
 * reference. */
GSettings *regard_settings_new_beside(GSettings *settings);
/* The window's own become the application's. Nothing is done for settings of another kind. */
void regard_settings_keep(GSettings *beside);

/* Put `path` first in a string list, without repeats, at most `most` long. */
void regard_settings_push(GSettings *settings, const char *key, const char *path, guint most);
/* Take `path` out of a string list. */
void regard_settings_drop(GSettings *settings, const char *key, const char *path);

G_END_DECLS
