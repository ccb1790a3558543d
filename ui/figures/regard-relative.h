/* regard-relative.h — relative positions: what each head adds to a score by the distance of the key
 * from the query, as a matrix and as small curves beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* [heads][distances], from -(n - 1) to n - 1; in a decoder, which sees no later token, to 0. layer,
 * from 0, tells layers apart only where each has biases of its own. NULL: the model's positions are
 * not relative. */
RegardMatrix *regard_matrix_new_relative(const mt_model *model, mt_stack stack, guint layer,
                                         guint n);
/* The same as a capture has it, up to the distances of its tokens; NULL: it has none. */
RegardMatrix *regard_matrix_new_relative_of(const mt_capture *capture, mt_stack stack, guint layer);

/* Of such a matrix, a curve for each head; marks below a curve say where a bucket ends, which is
 * where any head goes on with another number. head: whose name is bold; -1: none. */
typedef struct {
  int head;
} RegardRelativeOptions;
RegardFigure *regard_figure_new_relative(RegardMatrix *matrix, const RegardRelativeOptions *options,
                                         const RegardFigureStyle *style);

G_END_DECLS
