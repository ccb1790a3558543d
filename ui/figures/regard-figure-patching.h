/* regard-figure-patching.h — where a word is decided: tokens × layers of both stacks, and layers ×
 * heads, coloured by what comes back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-patching.h"

G_BEGIN_DECLS

/* Five maps with one range that is symmetric about 0. Spots: part is the RegardPatched, row and col
 * those of its map. CSV, JSON and NPZ hold the maps. */
RegardFigure *regard_figure_new_patching(RegardPatching *patching, const RegardFigureStyle *style);

G_END_DECLS
