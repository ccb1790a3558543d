/* regard-export-pdf.c — figures as a one-page PDF: embedded fonts, text that can be selected.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "formats/regard-export-private.h"
#include <cairo-pdf.h>

static cairo_status_t
append(void *user, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(user, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* The date in the file is that of now, or what reproducible-builds.org/specs/source-date-epoch
 * says. */
static void
set_date(cairo_surface_t *surface)
{
  gint64 seconds;
  const char *epoch = g_getenv("SOURCE_DATE_EPOCH");
  if (!epoch || !g_ascii_string_to_signed(epoch, 10, 0, G_MAXINT64, &seconds, NULL))
    return;
  g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(seconds);
  g_autofree char *text = date ? g_date_time_format(date, "%Y-%m-%dT%H:%M:%SZ") : NULL;
  if (text)
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, text);
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  GByteArray *out = g_byte_array_new();
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, out, width_pt, height_pt);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, caption);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Regard " MT_VERSION);
  set_date(surface);
  cairo_t *cr = cairo_create(surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 0);
  regard_figure_draw(figure, canvas, width_pt, options->font_pt);
  regard_canvas_free(canvas);
  cairo_show_page(cr);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "The page could not be drawn: %s",
                cairo_status_to_string(status));
    g_byte_array_unref(out);
    return NULL;
  }
  return g_byte_array_free_to_bytes(out);
}

const RegardExportFormat regard_export_pdf = {
    .id = "pdf",
    .name = "PDF document",
    .mime_type = "application/pdf",
    .is_picture = TRUE,
    .render = render,
};
