/* regard-side-by-side.h — the chosen heads, each large, beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* More would be thumbnails, and those are there already. */
#define REGARD_MOST_SIDE_BY_SIDE 9

#define REGARD_TYPE_SIDE_BY_SIDE (regard_side_by_side_get_type())
G_DECLARE_FINAL_TYPE(RegardSideBySide, regard_side_by_side, REGARD, SIDE_BY_SIDE, GtkWidget)

/* Shows nothing, and costs nothing, before it is on screen. What is pointed at or pinned in one of
 * the pictures is so in all. Its keys are the first picture's. */
GtkWidget *regard_side_by_side_new(void);
/* Called once; a reference is taken. */
void regard_side_by_side_set_selection(RegardSideBySide *self, RegardSelection *selection);
gboolean regard_side_by_side_handle_key(RegardSideBySide *self, guint keyval,
                                        GdkModifierType state);

G_END_DECLS
