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

/* The training that folder `path`, called step-NNN, is or was a checkpoint of: such folders beside
 * it, from first to last, each with a config.json (as `regard-train fit` writes them). Array of
 * RegardTrainingStep, which frees what is in it; NULL if path is not called so, or if there are not
 * two. Reads the disk. */
GArray *regard_training_steps(const char *path);

/* Whether `path` is one of them; both may be NULL. *at is its index, at may be NULL. */
gboolean regard_training_steps_find(const GArray *steps, const char *path, guint *at);

G_END_DECLS
