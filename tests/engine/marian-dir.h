/* marian-dir.h — copies of the checkpoints of Marian that a test spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "model-dir.h"

#define MARIAN_DATA REGARD_SOURCE_ROOT "/tests/data/marian"

typedef struct {
  model_dir *dir; /* for model_dir_read, _write, _replace, …; of its weights' own there are none */
  char *weights;  /* name of the .npz */
  GPtrArray *names; /* of the arrays, without ".npy" */
  GPtrArray *files; /* GBytes: the .npy files */
} marian_dir;

/* A copy of one of the folders, e.g. "post-norm", under the temporary directory. */
marian_dir *marian_dir_new(const char *name);
void marian_dir_free(marian_dir *dir);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(marian_dir, marian_dir_free)

/* The numbers of an array, which must be there; they may be changed. */
float *marian_dir_floats(const marian_dir *dir, const char *name);
/* Replace, append or (npy NULL) remove an array. npy is taken. */
void marian_dir_set(marian_dir *dir, const char *name, GBytes *npy);
void marian_dir_rename(marian_dir *dir, const char *old, const char *new);
/* Change special:model.yml: replace the first `old`, which must be there, by `new`. */
void marian_dir_replace_yml(marian_dir *dir, const char *old, const char *new);
/* Write the .npz again. */
void marian_dir_write(const marian_dir *dir, gboolean deflated);
