/* regard-matrix-private.h — for the files that make matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-matrix.h"

/* A matrix with one reference, zero values and empty labels; the caller fills everything else in
 * before anyone else sees it. All strings in it are owned by it (g_free). */
RegardMatrix *regard_matrix_alloc(RegardMatrixSort sort, guint rows, guint cols);

/* Token i as people read it: its piece, but "⏎" for the end of a sentence, "‹…›" around text that
 * the vocabulary does not have (<unk>) and, with is_start, "start" for what the decoder is given
 * first. Caller frees. */
char *regard_token_display(const mt_tokens *tokens, gsize i, gboolean is_start);

/* Sets lo and hi, symmetric if diverging, from the largest finite absolute value. */
void regard_matrix_set_range_from_values(RegardMatrix *matrix);
