/* regard-talk-texture.c — the picture of a slide on the screen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-talk-texture.h"

/* On white, which is its paper, and as small as it is wanted. */
static cairo_surface_t *
scale(cairo_surface_t *picture, int most_width, int most_height)
{
  const double w = cairo_image_surface_get_width(picture);
  const double h = cairo_image_surface_get_height(picture);
  const double by = MIN(1, MIN(most_width / w, most_height / h));
  const int width = MAX(1, (int) (w * by)), height = MAX(1, (int) (h * by));
  cairo_surface_t *scaled = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create(scaled);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_scale(cr, by, by);
  cairo_set_source_surface(cr, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_BEST);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_flush(scaled);
  return scaled;
}

GdkTexture *
regard_talk_create_texture(const RegardTalk *talk, guint slide, int width, int height)
{
  cairo_surface_t *picture = regard_talk_create_picture(talk, slide);
  if (!picture)
    return NULL;
  cairo_surface_t *scaled = scale(picture, width, height);
  const gsize stride = (gsize) cairo_image_surface_get_stride(scaled);
  const int rows = cairo_image_surface_get_height(scaled);
  g_autoptr(GBytes) bytes =
      g_bytes_new(cairo_image_surface_get_data(scaled), stride * (gsize) rows);
  GdkTexture *texture = gdk_memory_texture_new(cairo_image_surface_get_width(scaled), rows,
                                               GDK_MEMORY_DEFAULT, bytes, stride);
  cairo_surface_destroy(scaled);
  cairo_surface_destroy(picture);
  return texture;
}
