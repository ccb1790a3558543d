/* regard-memory.c — how much memory there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-memory.h"

#include <string.h>

gsize
regard_memory_to_spare(void)
{
  g_autofree char *text = NULL;
  const char *line = g_file_get_contents("/proc/meminfo", &text, NULL, NULL)
                         ? strstr(text, "\nMemAvailable:")
                         : NULL;
  const guint64 kilobytes = line ? g_ascii_strtoull(line + strlen("\nMemAvailable:"), NULL, 10) : 0;
  return kilobytes > 0 ? (gsize) (kilobytes * 1024 / 2) : 0;
}
