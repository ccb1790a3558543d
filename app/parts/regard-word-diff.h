/* regard-word-diff.h — two texts as one, with the words that only one of them has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Pango markup: words of both plain, those of a alone struck out, those of b alone bold; as few of
 * them as possible. Texts of more than 500 words are not compared: it is b. Caller frees. */
char *regard_word_diff_markup(const char *a, const char *b);

G_END_DECLS
