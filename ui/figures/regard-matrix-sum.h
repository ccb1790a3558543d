/* regard-matrix-sum.h — chosen rows or columns of a matrix added up: how much several tokens get,
 * or give, together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-matrix.h"

G_BEGIN_DECLS

/* Which axis is added up. */
typedef enum {
  REGARD_SUM_QUERIES, /* rows: what each key gets from all of them */
  REGARD_SUM_KEYS,    /* columns: how much each query gives to all of them */
} RegardSumAxis;

guint regard_sum_axis_length(const RegardMatrix *matrix, RegardSumAxis axis);
const RegardLabel *regard_sum_axis_labels(const RegardMatrix *matrix, RegardSumAxis axis);

/* One row: the sum, in double, over the chosen rows, or columns, of each column, or row; chosen [n
 * of the axis] is 1 for these. What is masked counts 0. NULL: none is chosen. */
RegardMatrix *regard_matrix_new_sum(RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen);

/* The sum as one line: "▁Das 0.95, ▁Tier 0.12 …". Caller frees. */
char *regard_matrix_sum_text(const RegardMatrix *sum);

/* Chooses by what a person types, commas between: numbers from 1 and ranges of them (2-4), else all
 * tokens of that text, with the word mark or without. chosen [n of the axis] is filled. NULL, or
 * what none of them is; caller frees. */
char *regard_sum_parse(const RegardMatrix *of, RegardSumAxis axis, const char *typed,
                       guint8 *chosen);

G_END_DECLS
