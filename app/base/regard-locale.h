/* regard-locale.h — the language of the window: where its translations come from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes the window's translations those that `_()` looks into. The first thing that a program with
 * a window does; one that does not (a command, a test) speaks English. Which language it is, the
 * application says when it sets the locale. */
void regard_locale_begin(void);

/* A text that is data (of a lesson, the glossary, an example) in the reader's language; itself
 * where there is no translation; NULL for NULL. Borrowed from gettext or the caller. On any thread.
 */
const char *regard_locale_text(const char *text);

G_END_DECLS
