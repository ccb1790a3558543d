/* regard-compare-bar.h — A beside B: which of them is looked at, and how far they are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_COMPARE_BAR (regard_compare_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardCompareBar, regard_compare_bar, REGARD, COMPARE_BAR, GtkWidget)

/* Once. It is seen while there is something to compare with. */
void regard_compare_bar_set_document(RegardCompareBar *self, RegardDocument *document);

G_END_DECLS
