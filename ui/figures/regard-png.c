/* regard-png.c — PNG files in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-png.h"

#include <string.h>

/* The signature; length, type, 13 bytes and sum of the chunk IHDR. */
#define HEAD 33

static guint32
big_endian(const guint8 *at)
{
  return (guint32) at[0] << 24 | (guint32) at[1] << 16 | (guint32) at[2] << 8 | at[3];
}

gboolean
regard_png_get_size(const guint8 *data, gsize n, guint32 *width, guint32 *height)
{
  static const guint8 begin[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                 0,    0,   0,   13,  'I',  'H',  'D',  'R'};
  if (n < HEAD || memcmp(data, begin, sizeof begin) != 0)
    return FALSE;
  *width = big_endian(data + sizeof begin);
  *height = big_endian(data + sizeof begin + 4);
  return *width > 0 && *height > 0;
}

typedef struct {
  const guint8 *data;
  gsize size, at;
} Bytes;

static cairo_status_t
take_bytes(void *user, unsigned char *data, unsigned int n)
{
  Bytes *bytes = user;
  if (n > bytes->size - bytes->at)
    return CAIRO_STATUS_READ_ERROR;
  memcpy(data, bytes->data + bytes->at, n);
  bytes->at += n;
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *
regard_png_read(const guint8 *data, gsize n)
{
  Bytes bytes = {data, n, 0};
  cairo_surface_t *picture = cairo_image_surface_create_from_png_stream(take_bytes, &bytes);
  if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS)
    return picture;
  cairo_surface_destroy(picture);
  return NULL;
}

static cairo_status_t
append_bytes(void *user, const unsigned char *data, unsigned int n)
{
  g_byte_array_append(user, data, n);
  return CAIRO_STATUS_SUCCESS;
}

GByteArray *
regard_png_write(cairo_surface_t *picture)
{
  GByteArray *bytes = g_byte_array_new();
  if (cairo_surface_write_to_png_stream(picture, append_bytes, bytes) == CAIRO_STATUS_SUCCESS)
    return bytes;
  g_byte_array_unref(bytes);
  return NULL;
}
