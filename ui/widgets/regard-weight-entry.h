/* regard-weight-entry.h — a weight that is typed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WEIGHT_ENTRY (regard_weight_entry_get_type())
G_DECLARE_FINAL_TYPE(RegardWeightEntry, regard_weight_entry, REGARD, WEIGHT_ENTRY, GtkPopover)

/* At a cell of a widget, with the keyboard in it. "entered" (double value, gboolean rescales) when
 * Enter is pressed; Escape closes it. */
RegardWeightEntry *regard_weight_entry_open(GtkWidget *widget, const graphene_rect_t *cell,
                                            const char *title, double value, gboolean rescales);

G_END_DECLS
