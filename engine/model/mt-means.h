/* mt-means.h — making mean contexts of the heads of a model. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MEANS_H
#define MT_MEANS_H

#include "model/mt-model.h"

/* With the shape of a model, all zero, to be filled in; strings are copied. */
mt_means *mt_means_new(const mt_model *model, const char *text, mt_error *error);
/* The numbers are final: their hash is set. */
void mt_means_seal(mt_means *means);

#endif
