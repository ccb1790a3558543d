/* regard-training-steps.h — the checkpoints of a training, which lie beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 step; /* updates before it was saved; 0: random numbers */
  char *path;   /* its folder */
} RegardTrainingStep;

/* The training that the model in folder `path` is a checkpoint of: folders called step-NNN beside
 * it, from first to last, each with a config.json (as `regard-train fit` writes them). *at is the
 * index of `path`. Array of RegardTrainingStep, which frees what is in it; NULL if path is no such
 * folder, or the only one. */
GArray *regard_training_steps(const char *path, guint *at);

G_END_DECLS
