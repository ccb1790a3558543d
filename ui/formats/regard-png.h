/* regard-png.h — pixels as a PNG file in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* What is said about a picture inside its file: a keyword of the PNG specification ("Title"), and
 * UTF-8. */
typedef struct {
  const char *key, *text;
} RegardPngText;

/* The pixels of an image surface (RGB24), which must be flushed, at so many dots per inch. The same
 * input makes the same bytes. Nothing is copied but row by row. NULL and an error if there is no
 * memory left or libpng refuses something. */
GBytes *regard_png_encode(cairo_surface_t *surface, double dpi, const RegardPngText *texts,
                          guint n_texts, GError **error);

G_END_DECLS
