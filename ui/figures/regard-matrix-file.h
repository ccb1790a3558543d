/* regard-matrix-file.h — a matrix on its own: without what it was made from, and in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effects of heads, attributions, positions are numbers that no capture holds. Where they are to be
 * drawn again, on another scale and in cells of another size, a matrix is kept as it is: values,
 * labels, badges. What it says about its text is in the caption that was made with it.
 */
#pragma once

#include "figures/regard-matrix.h"

#include <json.h>

G_BEGIN_DECLS

/* What a file may hold. */
#define REGARD_MATRIX_MOST_CELLS (1 << 20)
#define REGARD_MATRIX_MOST_SIDE  65535
#define REGARD_MATRIX_MOST_TEXT  4096 /* bytes of a label, a title, a badge */
#define REGARD_MATRIX_MOST_WORDS 64   /* badges */

/* The same numbers and words with nothing behind them; its range may be set by who made it, before
 * anybody else sees it. NULL: it is too large for a file, or cells are hidden in it in a way that
 * only its origin knows. */
RegardMatrix *regard_matrix_new_frozen(const RegardMatrix *matrix);

/* Caller puts it. */
json_object *regard_matrix_write(const RegardMatrix *matrix);
/* NULL and what was expected, static: it is none. */
RegardMatrix *regard_matrix_read(json_object *object, const char **expected);

G_END_DECLS
