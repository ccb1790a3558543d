/* regard-training-bar.h — drag through a training: a slider over its checkpoints, a button that
 * plays them, and a switch that keeps the translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slider counts checkpoints, not steps: trainings are saved densely where something happens.
 * The marks under it say the steps.
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TRAINING_BAR (regard_training_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardTrainingBar, regard_training_bar, REGARD, TRAINING_BAR, GtkWidget)

/* Shown while the document's model is a checkpoint and its own pictures are to be seen. */
void regard_training_bar_set_document(RegardTrainingBar *self, RegardDocument *document);
/* As if the person had moved there; out of range: nothing happens. */
void regard_training_bar_choose(RegardTrainingBar *self, int at);
guint regard_training_bar_get_at(RegardTrainingBar *self);

gboolean regard_training_bar_get_playing(RegardTrainingBar *self);
void regard_training_bar_set_playing(RegardTrainingBar *self, gboolean playing);

G_END_DECLS
