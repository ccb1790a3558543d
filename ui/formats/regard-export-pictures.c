/* regard-export-pictures.c — the formats of pictures: PNG, SVG and PDF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpng reports errors by longjmp. The jump lands in write_picture, which has no variables of its
 * own, and whatever must be freed belongs to its caller.
 */
#include "figures/regard-canvas.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "formats/regard-export-private.h"

#include <cairo-pdf.h>
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
      png_error(png, _("not enough memory"));
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

/* A tEXt chunk is Latin-1, an iTXt chunk UTF-8, and says its language. */
static void
set_text(png_structp png, png_infop info, const RegardPngText *text)
{
  png_text chunk = {
      .compression = g_str_is_ascii(text->text) && !text->language ? PNG_TEXT_COMPRESSION_NONE
                                                                   : PNG_ITXT_COMPRESSION_NONE,
      .key = (char *) text->key,
      .text = (char *) text->text,
      .lang = (char *) text->language,
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
  Output output = {0};
  gboolean ok = FALSE;
  g_strlcpy(output.reason, _("not enough memory"), sizeof output.reason);
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
              _("A PNG picture of %d × %d pixels could not be made: %s"),
              cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface),
              output.reason);
  return NULL;
}

/* ---- Figures as PNG at a resolution, with physical size and a caption inside ------------ */

/* The picture is opaque, so it is drawn on RGB24 and no alpha is ever divided out. */

/* cairo's limit of a side, and a bound of the memory: 4 bytes a pixel, and what the file takes,
 * which is at most 3 more and rarely a tenth of it. */
#define MAX_SIDE   32767
#define MAX_PIXELS 200e6

cairo_surface_t *
regard_export_paint(RegardFigure *figure, const RegardExportOptions *options, double width_pt,
                    double height_pt, const RegardPalette *page, GError **error)
{
  double width = ceil(width_pt * options->dpi / 72 - 0.01);
  double height = ceil(height_pt * options->dpi / 72 - 0.01);
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    g_set_error(
        error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        _("The picture would be %.0f × %.0f pixels; at most %d a side and %.0f million in all "
          "are written. Use fewer dpi, less width, or PDF"),
        width, height, MAX_SIDE, MAX_PIXELS / 1e6);
    return NULL;
  }
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) width, (int) height);
  cairo_t *cr = cairo_create(surface);
  if (cairo_status(cr) == CAIRO_STATUS_SUCCESS) {
    /* The last partial row and column of pixels get the page's colour, not black. */
    const guint32 ground = page ? page->background : 0xffffffff;
    cairo_set_source_rgb(cr, (ground >> 16 & 0xff) / 255.0, (ground >> 8 & 0xff) / 255.0,
                         (ground & 0xff) / 255.0);
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
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, _("The picture could not be drawn: %s"),
                cairo_status_to_string(status));
    cairo_surface_destroy(surface);
    return NULL;
  }
  return surface;
}

static cairo_surface_t *
draw(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  return regard_export_size(figure, options, &width_pt, &height_pt, error)
             ? regard_export_paint(figure, options, width_pt, height_pt, NULL, error)
             : NULL;
}

GBytes *
regard_export_encode(RegardFigure *figure, cairo_surface_t *surface, double dpi, GError **error)
{
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  g_autofree char *language = regard_language_dup_tag(figure->language);
  const RegardPngText texts[] = {{"Title", title, language},
                                 {"Description", caption, language},
                                 {"Software", "Regard " MT_VERSION, NULL}};
  return regard_png_encode(surface, dpi, texts, G_N_ELEMENTS(texts), error);
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  cairo_surface_t *surface = draw(figure, options, error);
  GBytes *png = surface ? regard_export_encode(figure, surface, options->dpi, error) : NULL;
  g_clear_pointer(&surface, cairo_surface_destroy);
  return png;
}

const RegardExportFormat regard_export_png = {
    .id = "png",
    .name = N_("PNG image"),
    .mime_type = "image/png",
    .is_picture = TRUE,
    .render = render,
};

/* ---- Figures as SVG with text that stays text ------------------------------------------- */

/* The ground of a page that is higher than the figure. */
static void
fill_page(RegardCanvas *canvas, const RegardPalette *page, double width_pt, double height_pt)
{
  if (page)
    regard_canvas_fill_rect(canvas, (RegardRect){0, 0, width_pt, height_pt}, 0, page->background);
}

GBytes *
regard_export_svg_page(RegardFigure *figure, double width_pt, double height_pt, double font_pt,
                       const RegardPalette *page)
{
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  g_autofree char *language = regard_language_dup_tag(figure->language);
  g_autoptr(RegardCanvas) canvas =
      regard_canvas_new_svg(width_pt, height_pt, title, caption, language);
  fill_page(canvas, page, width_pt, height_pt);
  regard_figure_draw(figure, canvas, width_pt, font_pt);
  return regard_canvas_svg_finish(canvas);
}

static GBytes *
render_svg(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  return regard_export_size(figure, options, &width_pt, &height_pt, error)
             ? regard_export_svg_page(figure, width_pt, height_pt, options->font_pt, NULL)
             : NULL;
}

const RegardExportFormat regard_export_svg = {
    .id = "svg",
    .name = N_("SVG drawing"),
    .mime_type = "image/svg+xml",
    .is_picture = TRUE,
    .render = render_svg,
};

/* ---- Figures as pages of a PDF: embedded fonts, text that can be selected --------------- */

static cairo_status_t
append_pdf(void *user, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(user, data, length);
  return CAIRO_STATUS_SUCCESS;
}

void
regard_export_set_pdf_date(cairo_surface_t *surface)
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

/* cairo cannot write the entry /Lang of a catalogue. */
static void
set_language(cairo_surface_t *surface, RegardLanguage language)
{
  g_autofree char *tag = regard_language_dup_tag(language);
  g_autofree char *keyword = tag ? g_strconcat("language: ", tag, NULL) : NULL;
  if (keyword)
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, keyword);
}

struct _RegardPdf {
  cairo_surface_t *surface;
  GByteArray *out;
  double width_pt, height_pt;
};

RegardPdf *
regard_pdf_begin(RegardFigure *figure, double width_pt, double height_pt)
{
  RegardPdf *self = g_new0(RegardPdf, 1);
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  self->width_pt = width_pt;
  self->height_pt = height_pt;
  self->out = g_byte_array_new();
  self->surface = cairo_pdf_surface_create_for_stream(append_pdf, self->out, width_pt, height_pt);
  cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_SUBJECT, caption);
  cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_CREATOR, "Regard " MT_VERSION);
  set_language(self->surface, figure->language);
  regard_export_set_pdf_date(self->surface);
  return self;
}

/* An error shows at the end. */
void
regard_pdf_add(RegardPdf *self, RegardFigure *figure, double font_pt, const RegardPalette *page)
{
  cairo_t *cr = cairo_create(self->surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 0);
  fill_page(canvas, page, self->width_pt, self->height_pt);
  regard_figure_draw(figure, canvas, self->width_pt, font_pt);
  regard_canvas_free(canvas);
  cairo_show_page(cr);
  cairo_destroy(cr);
}

gsize
regard_pdf_size(const RegardPdf *self)
{
  return self->out->len;
}

GBytes *
regard_pdf_end(RegardPdf *self, GError **error)
{
  cairo_surface_finish(self->surface);
  const cairo_status_t status = cairo_surface_status(self->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes(g_steal_pointer(&self->out));
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, _("The page could not be drawn: %s"),
              cairo_status_to_string(status));
  return NULL;
}

void
regard_pdf_free(RegardPdf *self)
{
  if (!self)
    return;
  /* Its end is written into the array, too. */
  cairo_surface_finish(self->surface);
  cairo_surface_destroy(self->surface);
  g_clear_pointer(&self->out, g_byte_array_unref);
  g_free(self);
}

static GBytes *
render_pdf(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  RegardPdf *pdf = regard_pdf_begin(figure, width_pt, height_pt);
  regard_pdf_add(pdf, figure, options->font_pt, NULL);
  GBytes *bytes = regard_pdf_end(pdf, error);
  regard_pdf_free(pdf);
  return bytes;
}

const RegardExportFormat regard_export_pdf = {
    .id = "pdf",
    .name = N_("PDF document"),
    .mime_type = "application/pdf",
    .is_picture = TRUE,
    .render = render_pdf,
};
