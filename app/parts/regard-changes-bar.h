/* regard-changes-bar.h — "3 changes · Reset · Keep as Reference", and behind the number the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-change-presets.h"
#include "parts/regard-change-rows.h"
#include "parts/regard-window-slider.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CHANGES_BAR (regard_changes_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardChangesBar, regard_changes_bar, REGARD, CHANGES_BAR, GtkWidget)

void regard_changes_bar_set_document(RegardChangesBar *self, RegardDocument *document,
                                     GSettings *settings);
/* Its popover, with the keyboard in it. */
void regard_changes_bar_open(RegardChangesBar *self);
/* For tests: the parts of the popover, and what it says last. */
RegardChangeRows *regard_changes_bar_get_rows(RegardChangesBar *self);
RegardChangePresets *regard_changes_bar_get_presets(RegardChangesBar *self);
RegardWindowSlider *regard_changes_bar_get_slider(RegardChangesBar *self);
const char *regard_changes_bar_get_message(RegardChangesBar *self);
const char *regard_changes_bar_get_label(RegardChangesBar *self);

G_END_DECLS
