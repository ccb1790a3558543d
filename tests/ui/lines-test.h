/* lines-test.h — what the tests of lines share: matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-lines.h"

/* Of one matrix. Caller owns. */
RegardLines *lines_of(RegardMatrix *matrix, double share);
/* ▁Das 0.6 0.3 0.1, ▁Haus 0.2 0 0.8, by ▁The ▁big ▁house. Caller owns. */
RegardMatrix *small_matrix(void);
/* Attention between n and n tokens. Caller owns. */
RegardMatrix *matrix_of_size(guint n, mt_attention_kind kind);
