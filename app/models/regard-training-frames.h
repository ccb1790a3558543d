/* regard-training-frames.h — a head, or several as one, at all checkpoints of a training: the
 * frames of an animation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every checkpoint is given the same text and the same translation, so that rows and columns stay
 * where they are. Models are opened one after the other; no more than one is kept.
 */
#pragma once

#include "figures/regard-frames.h"
#include "figures/regard-matrix-attention.h"
#include "models/regard-training-steps.h"

G_BEGIN_DECLS

/* The attention of a place in checkpoint i, given the translation; NULL, and perhaps *error: it is
 * the end. */
typedef mt_capture *(*RegardTrainingCapture)(const RegardTrainingStep *step, guint i,
                                             const mt_capture_place *place, gpointer user,
                                             mt_error *error);

/* spec: its layer and its head are the model's, from 0. NULL: capture returned NULL. */
RegardFrames *regard_training_frames(const GArray *steps, const RegardMatrixSpec *spec,
                                     const RegardFigureStyle *style, RegardTrainingCapture capture,
                                     gpointer user, mt_error *error);

G_END_DECLS
