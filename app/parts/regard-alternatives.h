/* regard-alternatives.h — the n-best list of one sentence, in a popover.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_ALTERNATIVES (regard_alternatives_get_type())
G_DECLARE_FINAL_TYPE(RegardAlternatives, regard_alternatives, REGARD, ALTERNATIVES, GtkPopover)

GtkWidget *regard_alternatives_new(void);
/* List those of the sentence that is looked at, and show the one that is picked. */
void regard_alternatives_set_document(RegardAlternatives *self, RegardDocument *document);
/* As if the person had picked it. */
void regard_alternatives_choose(RegardAlternatives *self, guint alternative);

G_END_DECLS
