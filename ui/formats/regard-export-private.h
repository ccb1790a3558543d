/* regard-export-private.h — what the export formats share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-private.h"
#include "formats/regard-export.h"

#include <cairo.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* More cells than this make text files that nothing reads again; NPZ is for those. FALSE and an
 * error that says so. */
#define REGARD_EXPORT_MAX_TEXT_CELLS 5000000
gboolean regard_export_check_text_cells(RegardFigure *figure, GError **error);
/* Width and height in points of the figure with these options; FALSE and an error when the
 * options are not usable (width, font or dpi out of range). */
gboolean regard_export_size(RegardFigure *figure, const RegardExportOptions *options,
                            double *width_pt, double *height_pt, GError **error);
/* First line of metadata: the caption up to its first full stop. Caller frees. */
char *regard_export_title(RegardFigure *figure);

/* ---- Pixels as a PNG file in memory ----------------------------------------------------- */

/* What is said about a picture inside its file: a keyword of the PNG specification ("Title"), and
 * UTF-8. */
typedef struct {
  const char *key, *text;
  const char *language; /* of text, as BCP 47 has it; NULL: nothing is said of it */
} RegardPngText;

/* The pixels of an image surface (RGB24), which must be flushed, at so many dots per inch. The same
 * input makes the same bytes. Nothing is copied but row by row. NULL and an error if there is no
 * memory left or libpng refuses something. */
GBytes *regard_png_encode(cairo_surface_t *surface, double dpi, const RegardPngText *texts,
                          guint n_texts, GError **error);

/* ---- Figures on a page that may be higher than they are ---------------------------------
 *
 * regard_export_size has said the width and the height, or the largest of several. page: its ground
 * is that of the figures; NULL: the page is as high as the figure. */

/* RGB24, flushed, at the options' dots per inch. NULL and an error: too large. */
cairo_surface_t *regard_export_paint(RegardFigure *figure, const RegardExportOptions *options,
                                     double width_pt, double height_pt, const RegardPalette *page,
                                     GError **error);
/* These pixels as the file of the figure, with its title and its caption. */
GBytes *regard_export_encode(RegardFigure *figure, cairo_surface_t *surface, double dpi,
                             GError **error);
GBytes *regard_export_svg_page(RegardFigure *figure, double width_pt, double height_pt,
                               double font_pt, const RegardPalette *page);

/* A PDF, page by page; what is said of the file is said of the first figure. */
typedef struct _RegardPdf RegardPdf;
RegardPdf *regard_pdf_begin(RegardFigure *figure, double width_pt, double height_pt);
void regard_pdf_add(RegardPdf *self, RegardFigure *figure, double font_pt,
                    const RegardPalette *page);
/* So far, in bytes. */
gsize regard_pdf_size(const RegardPdf *self);
/* NULL and an error: a page could not be drawn. Does not free. */
GBytes *regard_pdf_end(RegardPdf *self, GError **error);
void regard_pdf_free(RegardPdf *self);

G_END_DECLS
