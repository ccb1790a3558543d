/* regard-tex.h — text and colours for LaTeX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Any text as LaTeX reads it back: its own signs escaped, ▁ and ⏎ as \regardspace and \regardend.
 * foreign: becomes the first character that pdfLaTeX has no letter for, unless it is one already.
 */
void regard_tex_append_text(GString *out, const char *text, gunichar *foreign);
/* With at most two decimals, and a point: a hundredth of a point is finer than any printer. */
void regard_tex_append_number(GString *out, double value);
/* The beginning of a file: remarks, which may be NULL; packages that it needs; what defines the
 * signs of texts, in a group that the file has to end. */
void regard_tex_append_head(GString *out, const char *title, const char *description,
                            const char *packages, gunichar foreign);

G_END_DECLS
