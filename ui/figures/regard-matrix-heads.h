/* regard-matrix-heads.h — heads and their numbers as a matrix: a row a head, a column a measure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-head-measures.h"

G_BEGIN_DECLS

/* rows [n] in the order in which they are to stand, computed from the capture; NAN where a measure
 * is not defined for a head. title: e.g. "All heads". */
RegardMatrix *regard_matrix_new_heads(const mt_capture *capture, const RegardHeadRow *const *rows,
                                      guint n, const char *title);

G_END_DECLS
