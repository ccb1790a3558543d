/* regard-search-popover.h — how the translation is searched for: beams, length penalty, length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows the values in force; what is not set by hand is the model's own.
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SEARCH_POPOVER (regard_search_popover_get_type())
G_DECLARE_FINAL_TYPE(RegardSearchPopover, regard_search_popover, REGARD, SEARCH_POPOVER, GtkPopover)

GtkWidget *regard_search_popover_new(GSettings *settings);
void regard_search_popover_set_model(RegardSearchPopover *self, mt_model *model);
/* "beam 4" or "greedy". Caller frees. */
char *regard_search_popover_summary(RegardSearchPopover *self);

G_END_DECLS
