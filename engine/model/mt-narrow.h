/* mt-narrow.h — copies of a model's matrices in fewer bits. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NARROW_H
#define MT_NARROW_H

#include "files/mt-file.h"
#include "model/mt-model.h"

/* The form of a model's rounded matrices: MT_PRECISION_STORED, F16, BF16 or INT8. */
mt_precision mt_precision_form(mt_precision precision);

/* Whether the encoder, and the keys and values made of its output, are rounded too. */
bool mt_precision_rounds_source(mt_precision precision);

/* Give every linear map a copy in the precision that the options ask for, unless the checkpoint has
 * it in that precision. Sets model->precision. Errors: MT_ERROR_UNSUPPORTED for a number that F16
 * cannot hold, MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY. */
bool mt_narrow_model(mt_model *model, const mt_dir *dir, const mt_load_options *options,
                     mt_error *error);

#endif
