/* regard-png.c — pixels as a PNG file in memory, by libpng.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpng reports errors by longjmp. The jump lands in write_picture, which has no variables of its
 * own, and whatever must be freed belongs to its caller.
 */
#include "formats/regard-png.h"
#include <math.h>
#include <png.h>
#include <string.h>

/* The file so far, and why it cannot go on. */
typedef struct {
  guint8 *data;
  gsize size, allocated;
  char reason[128];
} Output;

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  Output *output = png_get_error_ptr(png);
  g_strlcpy(output->reason, message, sizeof output->reason);
  png_longjmp(png, 1);
}

/* A warning is about something that libpng mended: nothing to tell. */
static void
on_warning(png_structp png, png_const_charp message)
{
}

/* GLib's arrays end the program when memory is out; an export just fails. */
static void
append(png_structp png, png_bytep data, png_size_t n)
{
  Output *output = png_get_io_ptr(png);
  if (n > output->allocated - output->size) {
    const gsize wanted = output->allocated + MAX(n, output->allocated / 2 + 4096);
    guint8 *larger = g_try_realloc(output->data, wanted);
    if (!larger)
      png_error(png, "not enough memory");
    output->data = larger;
    output->allocated = wanted;
  }
  memcpy(output->data + output->size, data, n);
  output->size += n;
}

static void
flush(png_structp png)
{
}

/* A tEXt chunk is Latin-1, an iTXt chunk UTF-8. */
static void
set_text(png_structp png, png_infop info, const RegardPngText *text)
{
  png_text chunk = {
      .compression =
          g_str_is_ascii(text->text) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
      .key = (char *) text->key,
      .text = (char *) text->text,
  };
  png_set_text(png, info, &chunk, 1);
}

static void
write_header(png_structp png, png_infop info, cairo_surface_t *surface, double dpi)
{
  const png_uint_32 per_metre = (png_uint_32) lround(dpi / 0.0254);
  png_set_IHDR(png, info, (png_uint_32) cairo_image_surface_get_width(surface),
               (png_uint_32) cairo_image_surface_get_height(surface), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
}

/* A pixel of cairo is a number of 32 bits, 0xXXRRGGBB, in the byte order of the machine. */
static void
write_pixels(png_structp png, cairo_surface_t *surface)
{
  const guint8 *row = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  png_set_bgr(png);
  png_set_filler(png, 0, PNG_FILLER_AFTER);
#else
  png_set_filler(png, 0, PNG_FILLER_BEFORE);
#endif
  for (int y = cairo_image_surface_get_height(surface); y > 0; y--, row += stride)
    png_write_row(png, row);
}

static void
write_all(png_structp png, png_infop info, cairo_surface_t *surface, double dpi,
          const RegardPngText *texts, guint n_texts)
{
  write_header(png, info, surface, dpi);
  for (guint i = 0; i < n_texts; i++)
    set_text(png, info, &texts[i]);
  png_write_info(png, info);
  write_pixels(png, surface);
  png_write_end(png, NULL);
}

static gboolean
write_picture(png_structp png, png_infop info, cairo_surface_t *surface, double dpi,
              const RegardPngText *texts, guint n_texts)
{
  if (setjmp(png_jmpbuf(png)))
    return FALSE;
  write_all(png, info, surface, dpi, texts, n_texts);
  return TRUE;
}

GBytes *
regard_png_encode(cairo_surface_t *surface, double dpi, const RegardPngText *texts, guint n_texts,
                  GError **error)
{
  Output output = {.reason = "not enough memory"};
  gboolean ok = FALSE;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_write_fn(png, &output, append, flush);
    ok = write_picture(png, info, surface, dpi, texts, n_texts);
  }
  png_destroy_write_struct(&png, &info);
  if (ok)
    return g_bytes_new_take(output.data, output.size);
  g_free(output.data);
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
              "A PNG picture of %d × %d pixels could not be made: %s",
              cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface),
              output.reason);
  return NULL;
}
