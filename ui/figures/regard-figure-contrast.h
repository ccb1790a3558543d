/* regard-figure-contrast.h — which heads chose a token and not another one: those that speak most
 * for each of the two, as bars.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-effects.h"
#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* Heads that are drawn, at most, of those that speak for a token. */
#define REGARD_CONTRAST_MOST 5

/* Of effects that have a contrast. Spots: part is the mt_attention_kind, row the layer, col the
 * head. CSV, JSON and NPZ hold what regard_effects_matrix has. */
RegardFigure *regard_figure_new_contrast(RegardEffects *effects, const RegardFigureStyle *style);

G_END_DECLS
