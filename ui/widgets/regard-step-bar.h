/* regard-step-bar.h — up to which token of the translation one looks: a slider, and a button that
 * plays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It moves the selection's step. Without tokens it is empty, and cannot be moved.
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_STEP_BAR (regard_step_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardStepBar, regard_step_bar, REGARD, STEP_BAR, GtkWidget)

/* can_end: with a button that shows all of the translation again; such a bar is only to be seen
 * while not all of it is shown. */
GtkWidget *regard_step_bar_new(gboolean can_end);
/* Once. A reference is taken. */
void regard_step_bar_set_selection(RegardStepBar *self, RegardSelection *selection);
/* Where it stands, from 0; -1: there are no tokens. */
int regard_step_bar_get_step(RegardStepBar *self);
/* Left, Right, Home, End, Space. */
gboolean regard_step_bar_handle_key(RegardStepBar *self, guint keyval, GdkModifierType state);

G_END_DECLS
