/* regard-figure-effects.h — the heads of all layers as three grids, coloured by what each does for
 * a translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-effects.h"
#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* Layers × heads of encoder, cross and decoder attention, with one range for all three that is
 * symmetric about 0. Spots: part is the mt_attention_kind, row the layer, col the head. CSV, JSON
 * and NPZ hold what regard_effects_matrix has. */
RegardFigure *regard_figure_new_effects(RegardEffects *effects, const RegardFigureStyle *style);

G_END_DECLS
