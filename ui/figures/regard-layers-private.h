/* regard-layers-private.h — what the picture of the layers and its files share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-layers.h"
#include "figures/regard-figure-private.h"

/* The number that a cell is coloured by; NAN: it has none. */
double layers_value(const RegardLayers *layers, const RegardLayersLook *look, mt_stack stack,
                    guint point, guint token);
/* The range of the colours, and its name: "probability", "norm of the stream". */
void layers_range(const RegardLayers *layers, const RegardLayersLook *look, double *lo, double *hi);
const char *layers_value_name(const RegardLayersLook *look);

/* Matrices of the figure's files; the first is the one that is drawn. */
guint layers_n_matrices(const RegardLayers *layers, const RegardLayersLook *look);
RegardMatrix *layers_matrix(const RegardLayers *layers, const RegardLayersLook *look, guint i);
