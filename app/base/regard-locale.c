/* regard-locale.c — the language of the window: where its translations come from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-locale.h"

#include "base/regard-paths.h"
#include "regard-config.h"

#include <libintl.h>

void
regard_locale_begin(void)
{
  g_autofree char *folder = regard_paths_catalogues();
  bindtextdomain(GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
}
