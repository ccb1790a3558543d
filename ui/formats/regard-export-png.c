/* regard-export-png.c — figures as PNG at a resolution, with physical size and a caption inside.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The picture is opaque, so it is drawn on RGB24 and no alpha is ever divided out.
 */
#include "figures/regard-canvas.h"
#include "formats/regard-export-private.h"
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <math.h>

/* cairo's limit of a side, and a bound of the memory: 7 bytes a pixel while writing. */
#define MAX_SIDE   32767
#define MAX_PIXELS 200e6

static cairo_surface_t *
draw(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  double width = ceil(width_pt * options->dpi / 72 - 0.01);
  double height = ceil(height_pt * options->dpi / 72 - 0.01);
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    g_set_error(
        error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "The picture would be %.0f × %.0f pixels; at most %d a side and %.0f million in all "
        "are written. Use fewer dpi, less width, or PDF",
        width, height, MAX_SIDE, MAX_PIXELS / 1e6);
    return NULL;
  }
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) width, (int) height);
  cairo_t *cr = cairo_create(surface);
  if (cairo_status(cr) == CAIRO_STATUS_SUCCESS) {
    /* The last partial row and column of pixels get the page's colour, not black. */
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_scale(cr, options->dpi / 72, options->dpi / 72);
    RegardCanvas *canvas = regard_canvas_new_cairo(cr, 72 / options->dpi);
    regard_figure_draw(figure, canvas, width_pt, options->font_pt);
    regard_canvas_free(canvas);
  }
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  if (status != CAIRO_STATUS_SUCCESS) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "The picture could not be drawn: %s",
                cairo_status_to_string(status));
    cairo_surface_destroy(surface);
    return NULL;
  }
  return surface;
}

static GdkPixbuf *
to_pixbuf(cairo_surface_t *surface, GError **error)
{
  int width = cairo_image_surface_get_width(surface);
  int height = cairo_image_surface_get_height(surface);
  GdkPixbuf *pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, width, height);
  if (!pixbuf) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "Not enough memory for %d × %d pixels", width,
                height);
    return NULL;
  }
  const guint8 *from = cairo_image_surface_get_data(surface);
  guint8 *to = gdk_pixbuf_get_pixels(pixbuf);
  for (int y = 0; y < height; y++) {
    const guint32 *in =
        (const guint32 *) (const void *) (from + (gsize) y * (gsize) cairo_image_surface_get_stride(
                                                                 surface));
    guint8 *out = to + (gsize) y * (gsize) gdk_pixbuf_get_rowstride(pixbuf);
    for (int x = 0; x < width; x++, out += 3) {
      out[0] = (guint8) (in[x] >> 16);
      out[1] = (guint8) (in[x] >> 8);
      out[2] = (guint8) in[x];
    }
  }
  return pixbuf;
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  cairo_surface_t *surface = draw(figure, options, error);
  if (!surface)
    return NULL;
  GdkPixbuf *pixbuf = to_pixbuf(surface, error);
  cairo_surface_destroy(surface);
  if (!pixbuf)
    return NULL;

  char dpi[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(dpi, sizeof dpi, "%.0f", options->dpi);
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  char *buffer = NULL;
  gsize size = 0;
  gboolean ok = gdk_pixbuf_save_to_buffer(pixbuf, &buffer, &size, "png", error, "x-dpi", dpi,
                                          "y-dpi", dpi, "tEXt::Title", title, "tEXt::Description",
                                          caption, "tEXt::Software", "Regard " MT_VERSION, NULL);
  g_object_unref(pixbuf);
  return ok ? g_bytes_new_take(buffer, size) : NULL;
}

const RegardExportFormat regard_export_png = {
    .id = "png",
    .name = "PNG image",
    .mime_type = "image/png",
    .is_picture = TRUE,
    .render = render,
};
