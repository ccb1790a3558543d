/* mt-parts.h — parts as maps see them. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_EXPLAIN_PARTS_H
#define MT_EXPLAIN_PARTS_H

#include "mt.h"

/* [n][map.rows]: each part through a map, the bias with the biases. NULL: no memory. */
double *mt_parts_project(const mt_parts *parts, mt_matrix map, const float *bias);

#endif
