/* regard-animation-apng.c — an animated PNG: every pixel as it is drawn.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A PNG file with chunks acTL (how many frames), fcTL before each frame (where it lies, how long it
 * is seen), and the frames behind the first one in fdAT in place of IDAT: what a PNG of the changed
 * rectangle has there. Programs that know no animation show the first frame.
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
#include "formats/regard-animation-private.h"

#include <string.h>
#include <zlib.h>

struct _RegardApng {
  RegardAnimationFile file;
  guint32 sequence; /* number of the next fcTL or fdAT */
};

RegardApng *
regard_apng_begin(const RegardAnimationSize *size, GError **error)
{
  RegardApng *self = g_new0(RegardApng, 1);
  if (regard_animation_file_init(&self->file, size, error))
    return self;
  g_free(self);
  return NULL;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void
put32(GByteArray *out, guint32 value)
{
  const guint32 bytes = GUINT32_TO_BE(value);
  g_byte_array_append(out, (const guint8 *) &bytes, sizeof bytes);
}

static void
put16(GByteArray *out, guint16 value)
{
  const guint16 bytes = GUINT16_TO_BE(value);
  g_byte_array_append(out, (const guint8 *) &bytes, sizeof bytes);
}

static guint32
get32(const guint8 *bytes)
{
  guint32 value;
  memcpy(&value, bytes, sizeof value);
  return GUINT32_FROM_BE(value);
}

/* Returns where it begins, for its end. */
static guint
begin_chunk(GByteArray *out, const char *type)
{
  const guint start = out->len;
  put32(out, 0); /* the length, which its end knows */
  g_byte_array_append(out, (const guint8 *) type, 4);
  return start;
}

static void
end_chunk(GByteArray *out, guint start)
{
  const guint length = out->len - start - 8;
  const guint32 bytes = GUINT32_TO_BE(length);
  memcpy(out->data + start, &bytes, sizeof bytes);
  put32(out, (guint32) crc32(0, out->data + start + 4, length + 4));
}

static void
put_animation(const RegardApng *self)
{
  const guint chunk = begin_chunk(self->file.out, "acTL");
  put32(self->file.out, self->file.size.n);
  put32(self->file.out, 0); /* again and again */
  end_chunk(self->file.out, chunk);
}

static void
put_frame(RegardApng *self, const cairo_rectangle_int_t *place, guint ms)
{
  static const guint8 stays_and_replaces[] = {0, 0};
  GByteArray *out = self->file.out;
  const guint chunk = begin_chunk(out, "fcTL");
  put32(out, self->sequence++);
  put32(out, (guint32) place->width);
  put32(out, (guint32) place->height);
  put32(out, (guint32) place->x);
  put32(out, (guint32) place->y);
  put16(out, (guint16) ms);
  put16(out, 1000);
  g_byte_array_append(out, stays_and_replaces, sizeof stays_and_replaces);
  end_chunk(out, chunk);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The first frame is the file of a PNG, of which all but the end is kept; of the others only the
 * pixels are, packed. */
static void
put_picture(RegardApng *self, GBytes *png, const cairo_rectangle_int_t *place, guint ms)
{
  const gboolean is_first = self->file.n == 0;
  GByteArray *out = self->file.out;
  gboolean has_pixels = FALSE;
  gsize size, at = 8;
  const guint8 *data = g_bytes_get_data(png, &size);
  if (is_first)
    g_byte_array_append(out, data, (guint) at);
  while (at + 12 <= size) {
    const guint32 length = get32(data + at);
    const gboolean is_pixels = memcmp(data + at + 4, "IDAT", 4) == 0;
    if (is_pixels && !has_pixels) {
      if (is_first)
        put_animation(self);
      put_frame(self, place, ms);
      has_pixels = TRUE;
    }
    if (is_first && memcmp(data + at + 4, "IEND", 4) != 0)
      g_byte_array_append(out, data + at, length + 12);
    else if (is_pixels) {
      const guint chunk = begin_chunk(out, "fdAT");
      put32(out, self->sequence++);
      g_byte_array_append(out, data + at + 8, length);
      end_chunk(out, chunk);
    }
    at += (gsize) length + 12;
  }
}

gboolean
regard_apng_add(RegardApng *self, cairo_surface_t *frame, guint ms, GError **error)
{
  const RegardAnimationSize *size = &self->file.size;
  cairo_rectangle_int_t place;
  if (!regard_animation_file_check_next(&self->file, frame, ms, error))
    return FALSE;
  regard_animation_file_changed(&self->file, frame, &place);
  const int stride = cairo_image_surface_get_stride(frame);
  guint8 *first =
      cairo_image_surface_get_data(frame) + (gsize) place.y * (gsize) stride + (gsize) place.x * 4;
  cairo_surface_t *part = cairo_image_surface_create_for_data(first, CAIRO_FORMAT_RGB24,
                                                              place.width, place.height, stride);
  const guint n_texts = self->file.n == 0 ? size->n_texts : 0;
  g_autoptr(GBytes) png = regard_png_encode(part, size->dpi, size->texts, n_texts, error);
  cairo_surface_destroy(part);
  if (!png)
    return FALSE;
  put_picture(self, png, &place, ms);
  return regard_animation_file_keep(&self->file, frame, error);
}

GBytes *
regard_apng_end(RegardApng *self, GError **error)
{
  if (self->file.n == self->file.size.n)
    end_chunk(self->file.out, begin_chunk(self->file.out, "IEND"));
  return regard_animation_file_end(&self->file, error);
}

void
regard_apng_free(RegardApng *self)
{
  if (!self)
    return;
  regard_animation_file_clear(&self->file);
  g_free(self);
}
