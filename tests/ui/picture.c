/* picture.c — PNG pictures read back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "picture.h"

#include <string.h>

typedef struct {
  const guint8 *data;
  gsize left;
} Reader;

static cairo_status_t
read_some(void *user, unsigned char *to, unsigned int n)
{
  Reader *reader = user;
  if (n > reader->left)
    return CAIRO_STATUS_READ_ERROR;
  memcpy(to, reader->data, n);
  reader->data += n;
  reader->left -= n;
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *
picture_read(GBytes *png)
{
  Reader reader;
  reader.data = g_bytes_get_data(png, &reader.left);
  cairo_surface_t *picture = cairo_image_surface_create_from_png_stream(read_some, &reader);
  g_assert_cmpint(cairo_surface_status(picture), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpuint(reader.left, ==, 0);
  cairo_surface_t *opaque = cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture_width(picture),
                                                       picture_height(picture));
  cairo_t *cr = cairo_create(opaque);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_set_source_surface(cr, picture, 0, 0);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_destroy(picture);
  cairo_surface_flush(opaque);
  return opaque;
}

cairo_surface_t *
picture_read_file(const char *path)
{
  char *contents;
  gsize size;
  GError *error = NULL;
  g_file_get_contents(path, &contents, &size, &error);
  g_assert_no_error(error);
  g_autoptr(GBytes) png = g_bytes_new_take(contents, size);
  return picture_read(png);
}

int
picture_width(cairo_surface_t *picture)
{
  return cairo_image_surface_get_width(picture);
}

int
picture_height(cairo_surface_t *picture)
{
  return cairo_image_surface_get_height(picture);
}

guint32
picture_pixel(cairo_surface_t *picture, int x, int y)
{
  guint32 pixel;
  const guint8 *row = cairo_image_surface_get_data(picture) +
                      (gsize) y * (gsize) cairo_image_surface_get_stride(picture);
  memcpy(&pixel, row + 4 * (gsize) x, sizeof pixel);
  return 0xff000000 | pixel;
}

int
color_difference(guint32 a, guint32 b)
{
  int worst = 0;
  for (int shift = 0; shift < 24; shift += 8)
    worst = MAX(worst, ABS((int) (a >> shift & 0xff) - (int) (b >> shift & 0xff)));
  return worst;
}
