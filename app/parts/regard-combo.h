/* regard-combo.h — a combo row bound to a setting that is one of a list of ids.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* ids and names are NULL-terminated and copied; key is a string setting. */
void regard_combo_bind(AdwComboRow *row, GSettings *settings, const char *key,
                       const char *const *ids, const char *const *names);

G_END_DECLS
