/* regard-locale.c — the language of the window: where its translations come from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-locale.h"

#include "base/regard-paths.h"
#include "regard-config.h"

#include <libintl.h>

static void
bind_domain(const char *domain, const char *folder)
{
  bindtextdomain(domain, folder);
  bind_textdomain_codeset(domain, "UTF-8");
}

void
regard_locale_begin(void)
{
  g_autofree char *folder = regard_paths_catalogues();
  /* A build has those of the texts a folder deeper, as the sources are; installed they lie beside.
   */
  g_autofree char *deeper = g_build_filename(folder, "texts", NULL);
  bind_domain(GETTEXT_PACKAGE, folder);
  bind_domain(REGARD_TEXTS_PACKAGE, g_file_test(deeper, G_FILE_TEST_IS_DIR) ? deeper : folder);
  textdomain(GETTEXT_PACKAGE);
}

const char *
regard_locale_text(const char *text)
{
  /* Of the empty text gettext gives the head of the file. */
  return text && *text ? dgettext(REGARD_TEXTS_PACKAGE, text) : text;
}
