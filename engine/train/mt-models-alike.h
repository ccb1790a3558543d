/* mt-models-alike.h — whether numbers of two models mean the same. Private to regard-train.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODELS_ALIKE_H
#define MT_MODELS_ALIKE_H

#include "mt.h"

/* Whether both have the same shape and the same pieces with the same ids. Else MT_ERROR_INPUT:
 * names both, and in what they differ. */
bool mt_models_check_alike(const mt_model *first, const mt_model *other, mt_error *error);

#endif
