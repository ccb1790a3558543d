/* regard-raster.h — a matrix as pixels: one pixel a cell, or pooled to a size.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heatmaps are painted from these, scaled with CAIRO_FILTER_NEAREST, so that painting costs the
 * same for 5 and for 512 tokens. Surfaces are CAIRO_FORMAT_ARGB32. Masked cells get masked_argb
 * (0xAARRGGBB, not premultiplied; 0 leaves them transparent so that a hatch drawn below or above
 * shows), never the colour of zero. No GTK here; everything is safe on any thread.
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-matrix.h"
#include "figures/regard-scale.h"
#include <cairo.h>

G_BEGIN_DECLS

/* One pixel a cell: [rows] x [cols]. colormap NULL: the default for the matrix. Caller owns. */
cairo_surface_t *regard_raster_new(const RegardMatrix *matrix, const RegardColormap *colormap,
                                   RegardScale scale, guint32 masked_argb);

/* At most max_width x max_height pixels: where several cells fall on one pixel it shows the one
 * of largest absolute value; never an average, for then sparse peaks would vanish. A pixel is
 * masked only if all its cells are. Both limits at least 1; never larger than one pixel a cell. */
cairo_surface_t *regard_raster_new_pooled(const RegardMatrix *matrix,
                                          const RegardColormap *colormap, RegardScale scale,
                                          guint32 masked_argb, guint max_width, guint max_height);

/* The same straight from a capture's weights, without a RegardMatrix, for thumbnails: values in
 * lo..hi (0..1 for attention). */
cairo_surface_t *regard_raster_new_thumbnail(mt_matrix values, mt_attention_mask mask, double lo,
                                             double hi, const RegardColormap *colormap,
                                             RegardScale scale, guint32 masked_argb,
                                             guint max_width, guint max_height);

/* Colour of a value as one of the matrix has it. */
guint32 regard_raster_value_color(const RegardMatrix *matrix, const RegardColormap *colormap,
                                  RegardScale scale, double value, double row_max);
/* Colour of one cell, for drawing single cells; row_max as from regard_matrix_row_max. The mask is
 * not looked at. */
guint32 regard_raster_cell_color(const RegardMatrix *matrix, const RegardColormap *colormap,
                                 RegardScale scale, guint row, guint col, double row_max);

G_END_DECLS
