/* regard-visible.h — text that people and terminals can be shown, whoever wrote it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Text of a file, a vocabulary or a name, on one line and without what would command a terminal,
 * tear a label apart, turn the order of letters around or stop cairo:
 *   control characters and ends of lines become their pictures (U+2400 …);
 *   those of C1, and what overrides, embeds or isolates a direction, their numbers: "[U+202E]";
 *   bytes that are not UTF-8, and code points that are no characters (U+FFFE, U+FDD0 …), U+FFFD.
 * What is visible stays as it is: made visible once more, the result is the same. NULL is the empty
 * text. Caller frees. */
char *regard_visible(const char *text);
/* The same for an answer of several lines: ends of lines and tabs stay. */
char *regard_visible_lines(const char *text);

G_END_DECLS
