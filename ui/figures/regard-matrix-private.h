/* regard-matrix-private.h — for the files that make matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Until anyone else sees it, who made a matrix may fill in what follows from its values: badges,
 * removed_mass, rows_are_distributions.
 */
#pragma once

#include "figures/regard-matrix.h"

/* Labels of an axis of n, with one more at the end that has no text. Counted: regard_labels_ref. */
RegardLabel *regard_labels_new(const RegardAxis *axis);
RegardLabel *regard_labels_ref(RegardLabel *labels);
void regard_labels_unref(RegardLabel *labels);
