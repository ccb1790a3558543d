/* regard-preferences.h — what is set once and left alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_PREFERENCES (regard_preferences_get_type())
G_DECLARE_FINAL_TYPE(RegardPreferences, regard_preferences, REGARD, PREFERENCES, AdwPreferencesPage)

/* A page, bound to the settings; regard_newer_show_preferences shows it. Floating. */
RegardPreferences *regard_preferences_new(GSettings *settings);

G_END_DECLS
