/* regard-matrix-sentence.h — what a matrix shows, as a sentence for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Row “nicht”: looks at “didn't”, 56 %". Words are without the marks of pieces, and weights are
 * percent, since a row of attention is a whole that is shared out.
 */
#pragma once

#include "figures/regard-matrix.h"

G_BEGIN_DECLS

/* Of a cell, a whole row (col -1) or a whole column (row -1); neither: of the strongest cell that
 * is about two words, if there is one. NULL: there is nothing to say. Caller frees. */
char *regard_matrix_sentence(const RegardMatrix *matrix, int row, int col);

G_END_DECLS
