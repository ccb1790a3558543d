/* regard-controls.h — the controls under the large matrix: colour bar, scale, colours, pieces,
 * labels, special tokens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CONTROLS (regard_controls_get_type())
G_DECLARE_FINAL_TYPE(RegardControls, regard_controls, REGARD, CONTROLS, GtkWidget)

GtkWidget *regard_controls_new(void);
void regard_controls_set_selection(RegardControls *self, RegardSelection *selection);

/* What the colour bar is of, where that is not the selection's matrix: NULL, and with is_weights
 * its own again. What only weights can be (merged, hidden, labelled otherwise) cannot be chosen
 * then. */
void regard_controls_set_matrix(RegardControls *self, RegardMatrix *matrix, gboolean is_weights);

G_END_DECLS
