/* regard-compare-bar.h — a beside B: which of them is looked at, and how far they are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <glib.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_COMPARE_BAR (regard_compare_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardCompareBar, regard_compare_bar, REGARD, COMPARE_BAR, GtkWidget)

/* Once. It is seen while there is something to compare with. */
void regard_compare_bar_set_document(RegardCompareBar *self, RegardDocument *document);

/* ==== Two texts as one, with the words that only one of them has ============================== */

/* Pango markup: words of both plain, those of a alone struck out, those of b alone bold; as few of
 * them as possible. Texts of more than 500 words are not compared: it is b. Caller frees. */
char *regard_word_diff_markup(const char *a, const char *b);

G_END_DECLS
