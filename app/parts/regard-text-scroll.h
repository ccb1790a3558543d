/* regard-text-scroll.h — bring a range of a text into sight.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Scroll as little as makes characters [begin, end) visible; of a range that is too long for the
 * view its beginning, unless the caret is in it and has the keyboard: then the caret's line. The
 * first line in sight is whole where the text goes on below. Lines must have been measured. */
void regard_text_scroll_to_range(GtkTextView *view, int begin, int end);

G_END_DECLS
