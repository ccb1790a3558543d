/* regard-show-bar.h — chooses what the large picture shows, weights or attributions, and ties their
 * cells to the selection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The menu is a widget of its own, so that it can stand beside the title; while attributions are
 * shown it has company: of what, of which part of the model, how far the computation is, and the
 * cell that is pointed at. The bar itself says what a number is. Signal "changed": another matrix
 * is to be shown, or the menu was used.
 */
#pragma once

#include "widgets/regard-heatmap.h"
#include "widgets/regard-shown.h"

G_BEGIN_DECLS

#define REGARD_TYPE_SHOW_BAR (regard_show_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardShowBar, regard_show_bar, REGARD, SHOW_BAR, GtkWidget)

/* The heatmap is where the matrix is shown; the bar does not set it. */
GtkWidget *regard_show_bar_new(RegardHeatmap *heatmap);
GtkWidget *regard_show_bar_get_menu(RegardShowBar *self);
/* Keeps a reference. */
void regard_show_bar_set_selection(RegardShowBar *self, RegardSelection *selection);
/* Attributions are shown, though there may be none yet. */
gboolean regard_show_bar_is_on(RegardShowBar *self);
/* What the picture is to show: attributions, or else the selection's matrix. Borrowed, NULL: none.
 */
RegardMatrix *regard_show_bar_get_matrix(RegardShowBar *self);
gboolean regard_show_bar_is_stale(RegardShowBar *self);
/* For a file: "alti", "norms-4.1-word-3". Caller frees. */
char *regard_show_bar_name(RegardShowBar *self);
/* M and Shift+M: next and previous method; N: the word of the pinned row, or all; B: of which part
 * of the model. */
gboolean regard_show_bar_handle_key(RegardShowBar *self, guint keyval, GdkModifierType state);

G_END_DECLS
