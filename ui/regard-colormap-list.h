/* regard-colormap-list.h — every colour map, for regard-colormap.c and the files of the maps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "regard-colormap.h"

extern const RegardColormap regard_colormap_viridis;
extern const RegardColormap regard_colormap_magma;
extern const RegardColormap regard_colormap_cividis;
extern const RegardColormap regard_colormap_paper_blue;
extern const RegardColormap regard_colormap_grey;
extern const RegardColormap regard_colormap_blue_orange;
