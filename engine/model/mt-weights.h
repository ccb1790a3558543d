/* mt-weights.h — the numbers of a checkpoint, put where the layers look for them. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_WEIGHTS_H
#define MT_WEIGHTS_H

#include "checkpoint/mt-container.h"
#include "model/mt-model.h"

/* A tensor whose shape was checked, and the place that will point to its numbers. */
typedef struct {
  size_t tensor; /* of the container */
  const float **place;
  mt_narrow *narrow; /* not NULL: also wanted as stored, if that is F16 or BF16 */
  /* The place wants [rows][cols], and the file has [cols][rows]. 0: as stored. */
  size_t rows, cols;
  size_t n_added; /* zeros that follow the last number */
} mt_binding;

/* Load what n bindings say: borrowed from the file where it can be used as it is, else copied to
 * model->storage->converted, giving the file's pages back on the way. Sets model->n_parameters.
 * Errors: MT_ERROR_FORMAT for numbers that are not finite and what the container says,
 * MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY. */
bool mt_weights_load(mt_model *model, const mt_dir *dir, const mt_binding *bindings, size_t n,
                     const mt_load_options *options, mt_error *error);

#endif
