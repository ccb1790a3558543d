/* mt-bind.h — from tensor names to places in a model. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BIND_H
#define MT_BIND_H

#include "model/mt-layout.h"
#include "model/mt-model.h"

/* Fill in model->stacks, model->output and model->n_parameters from model->storage->container, as
 * model->config demands, by the names of `naming`. Every tensor is checked for presence, shape,
 * type and finite values. On failure the model is left to be freed. Errors: MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY, MT_ERROR_CANCELLED. */
bool mt_bind_weights(mt_model *model, const mt_dir *dir, const mt_names *naming,
                     const mt_load_options *options, mt_error *error);

#endif
