/* regard-form-switch.h — whether the large picture is a matrix or lines: two buttons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_FORM_SWITCH (regard_form_switch_get_type())
G_DECLARE_FINAL_TYPE(RegardFormSwitch, regard_form_switch, REGARD, FORM_SWITCH, GtkWidget)

GtkWidget *regard_form_switch_new(void);
void regard_form_switch_set_selection(RegardFormSwitch *self, RegardSelection *selection);
/* L: the other form. */
gboolean regard_form_switch_handle_key(RegardFormSwitch *self, guint keyval, GdkModifierType state);

G_END_DECLS
