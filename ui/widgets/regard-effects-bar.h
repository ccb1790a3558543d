/* regard-effects-bar.h — the switch of the heads' effects, how far they are, and what they say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_EFFECTS_BAR (regard_effects_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardEffectsBar, regard_effects_bar, REGARD, EFFECTS_BAR, GtkWidget)

GtkWidget *regard_effects_bar_new(void);
void regard_effects_bar_set_selection(RegardEffectsBar *self, RegardSelection *selection);

G_END_DECLS
