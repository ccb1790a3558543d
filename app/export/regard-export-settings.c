/* regard-export-settings.c — how figures leave, as it was set last.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-export-settings.h"

RegardExportOptions
regard_export_settings_read(GSettings *settings)
{
  static const struct {
    const char *key;
    RegardFigurePart part;
  } parts[] = {
      {"export-title", REGARD_PART_TITLE},
      {"export-numbers", REGARD_PART_NUMBERS},
      {"export-model", REGARD_PART_MODEL},
  };
  RegardExportOptions options = {
      .width_mm = g_settings_get_double(settings, "export-width"),
      .height_mm = g_settings_get_double(settings, "export-height"),
      .font_pt = g_settings_get_double(settings, "export-font"),
      .dpi = g_settings_get_double(settings, "export-dpi"),
  };
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    if (!g_settings_get_boolean(settings, parts[i].key))
      options.left_out |= parts[i].part;
  return options;
}
