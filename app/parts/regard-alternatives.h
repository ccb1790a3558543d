/* regard-alternatives.h — the n-best list of one sentence, in a popover.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal: "chosen" (guint): another hypothesis was picked.
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_ALTERNATIVES (regard_alternatives_get_type())
G_DECLARE_FINAL_TYPE(RegardAlternatives, regard_alternatives, REGARD, ALTERNATIVES, GtkPopover)

GtkWidget *regard_alternatives_new(void);
/* translation may be NULL. chosen: the one that is shown. */
void regard_alternatives_set(RegardAlternatives *self, mt_translation *translation, guint chosen);

G_END_DECLS
