/* regard-interventions-bar.h — "3 changes · Reset · Compare with This", and behind the number the
 * list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

/* ==== Lists of changes that have names: some that come with Regard, and those that were saved = */

#define REGARD_TYPE_INTERVENTION_PRESETS (regard_intervention_presets_get_type())
G_DECLARE_FINAL_TYPE(RegardInterventionPresets, regard_intervention_presets, REGARD,
                     INTERVENTION_PRESETS, GtkWidget)

/* As by its entry and buttons. FALSE: it has no name, nothing is changed, or there is none. A name
 * that is there is replaced by save, and is no new name. */
gboolean regard_intervention_presets_save(RegardInterventionPresets *self, const char *name);
gboolean regard_intervention_presets_rename(RegardInterventionPresets *self, const char *name,
                                            const char *to);
gboolean regard_intervention_presets_delete(RegardInterventionPresets *self, const char *name);
gboolean regard_intervention_presets_apply(RegardInterventionPresets *self, const char *name);

/* ==== What is changed in the model, a row each: made or not for now, edited, removed =============
 *
 * A row that is switched off is kept here, in its place, and not made; the document does not know
 * of it. Undo and redo are the document's.
 */

#define REGARD_TYPE_INTERVENTION_ROWS (regard_intervention_rows_get_type())
G_DECLARE_FINAL_TYPE(RegardInterventionRows, regard_intervention_rows, REGARD, INTERVENTION_ROWS,
                     GtkWidget)

/* As by the widgets of a row, from 0. */
guint regard_intervention_rows_count(RegardInterventionRows *self);
const char *regard_intervention_rows_get(RegardInterventionRows *self, guint i, gboolean *is_made);
void regard_intervention_rows_set_made(RegardInterventionRows *self, guint i, gboolean is_made);
gboolean regard_intervention_rows_edit(RegardInterventionRows *self, guint i, const char *text);
void regard_intervention_rows_remove(RegardInterventionRows *self, guint i);
gboolean regard_intervention_rows_add(RegardInterventionRows *self, const char *text);

/* ==== Restricted self-attention by a slider, with what the paper says of it =================== */

#define REGARD_TYPE_WINDOW_SLIDER (regard_window_slider_get_type())
G_DECLARE_FINAL_TYPE(RegardWindowSlider, regard_window_slider, REGARD, WINDOW_SLIDER, GtkWidget)

/* The last place of the slider: every key is seen. */
#define REGARD_NO_WINDOW 25

/* ==== The bar ================================================================================= */

#define REGARD_TYPE_INTERVENTIONS_BAR (regard_interventions_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardInterventionsBar, regard_interventions_bar, REGARD, INTERVENTIONS_BAR,
                     GtkWidget)

void regard_interventions_bar_set_document(RegardInterventionsBar *self, RegardDocument *document,
                                           GSettings *settings);
/* Its popover, with the keyboard in it. */
void regard_interventions_bar_open(RegardInterventionsBar *self);

G_END_DECLS
