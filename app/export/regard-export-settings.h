/* regard-export-settings.h — how figures leave, as it was set last.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "formats/regard-export.h"

G_BEGIN_DECLS

/* Width, height, font, resolution, and what is left out. */
RegardExportOptions regard_export_settings_read(GSettings *settings);

G_END_DECLS
