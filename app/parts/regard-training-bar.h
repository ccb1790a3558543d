/* regard-training-bar.h — drag through a training: a slider over its checkpoints, a button that
 * plays them, and a switch that keeps the translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slider counts checkpoints, not steps: trainings are saved densely where something happens.
 * The marks under it say the steps.
 *
 * Signals:
 *   "chosen" (guint)                  the person moved to this checkpoint
 *   "play-toggled", "keep-toggled"    one of the two buttons has another state
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TRAINING_BAR (regard_training_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardTrainingBar, regard_training_bar, REGARD, TRAINING_BAR, GtkWidget)

/* Array of RegardTrainingStep, at least two, and which of them is shown. Emits nothing. */
void regard_training_bar_set(RegardTrainingBar *self, const GArray *steps, guint at);
/* As if the person had moved there; out of range: nothing happens. */
void regard_training_bar_choose(RegardTrainingBar *self, int at);
guint regard_training_bar_get_at(RegardTrainingBar *self);

gboolean regard_training_bar_get_playing(RegardTrainingBar *self);
void regard_training_bar_set_playing(RegardTrainingBar *self, gboolean playing);
gboolean regard_training_bar_get_keeps(RegardTrainingBar *self);
void regard_training_bar_set_keeps(RegardTrainingBar *self, gboolean keeps);
/* Without a translation there is nothing to keep. */
void regard_training_bar_set_can_keep(RegardTrainingBar *self, gboolean can_keep);

G_END_DECLS
