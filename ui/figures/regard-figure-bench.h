/* regard-figure-bench.h — one word, and what every method of attribution says of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-attribution.h"
#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* A row for each method over the same tokens, coloured by the largest of the row, with its deletion
 * curve and the area of it; below, rank correlations of each two methods. CSV, JSON and NPZ hold
 * the matrices of RegardBenchMatrix, values as the methods have them. Spots: part is one of these.
 */
RegardFigure *regard_figure_new_bench(const mt_attribution_bench *bench,
                                      const RegardAttributionText *text,
                                      const RegardFigureStyle *style);

G_END_DECLS
