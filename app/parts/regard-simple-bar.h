/* regard-simple-bar.h — what one does in a simple window: switch the head off that is shown, take
 * it back, and read what became of the translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SIMPLE_BAR (regard_simple_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardSimpleBar, regard_simple_bar, REGARD, SIMPLE_BAR, GtkWidget)

/* Once. */
void regard_simple_bar_set_document(RegardSimpleBar *self, RegardDocument *document);

G_END_DECLS
