/* regard-png.h — PNG files in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/* What a file says of its size, before anything of it is unpacked: its first chunk is IHDR
 * (https://www.w3.org/TR/png-3/#11IHDR). In pixels, at least 1 each. FALSE: it is no PNG file. */
gboolean regard_png_get_size(const guint8 *data, gsize n, guint32 *width, guint32 *height);
/* The picture of a whole file, which the caller destroys; NULL: it cannot be read. Ask for its size
 * first: a small file may unpack to a large picture. */
cairo_surface_t *regard_png_read(const guint8 *data, gsize n);
/* A file of the picture, which the caller frees; NULL: cairo could not make one. */
GByteArray *regard_png_write(cairo_surface_t *picture);

G_END_DECLS
