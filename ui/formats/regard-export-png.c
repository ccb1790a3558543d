/* regard-export-png.c — figures as PNG at a resolution, with physical size and a caption inside.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The picture is opaque, so it is drawn on RGB24 and no alpha is ever divided out.
 */
#include "figures/regard-canvas.h"
#include "formats/regard-export-private.h"
#include "formats/regard-png.h"
#include <math.h>

/* cairo's limit of a side, and a bound of the memory: 4 bytes a pixel, and what the file takes,
 * which is at most 3 more and rarely a tenth of it. */
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

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  cairo_surface_t *surface = draw(figure, options, error);
  if (!surface)
    return NULL;
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  const RegardPngText texts[] = {{"Title", title},
                                 {"Description", caption},
                                 {"Software", "Regard " MT_VERSION}};
  GBytes *png = regard_png_encode(surface, options->dpi, texts, G_N_ELEMENTS(texts), error);
  cairo_surface_destroy(surface);
  return png;
}

const RegardExportFormat regard_export_png = {
    .id = "png",
    .name = "PNG image",
    .mime_type = "image/png",
    .is_picture = TRUE,
    .render = render,
};
