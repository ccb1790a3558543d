/* picture.h — PNG pictures read back, for tests: by cairo, which is not what writes them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>
#include <glib.h>

/* Must be a whole PNG; as RGB24, on white paper. Owned: cairo_surface_destroy. */
cairo_surface_t *picture_read(GBytes *png);
cairo_surface_t *picture_read_file(const char *path);
int picture_width(cairo_surface_t *picture);
int picture_height(cairo_surface_t *picture);
/* 0xffRRGGBB of a picture in RGB24. */
guint32 picture_pixel(cairo_surface_t *picture, int x, int y);
/* The largest difference of a channel between two colours, 0..255. */
int color_difference(guint32 a, guint32 b);
