/* regard-export.h — figures to files. A format is one file (regard-export-*.c) and one row of the
 * list in regard-export.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include <cairo.h>
#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct {
  double width_mm;  /* width of the figure; app/export/regard-venues.h has those of journals */
  double font_pt;   /* base font size; default 7 */
  double dpi;       /* PNG only; default 300 */
  double height_mm; /* 0: as the width gives; else see regard_figure_set_height */
  guint left_out;   /* RegardFigureElements */
} RegardExportOptions;
#define REGARD_EXPORT_OPTIONS_INIT \
  {                                \
    160, 7, 300, 0, 0              \
  }

typedef struct {
  const char *id;   /* "png", also the file extension */
  const char *name; /* translatable: "PNG image" */
  const char *mime_type;
  gboolean is_picture; /* width, font and dpi matter */
  /* Whether there is something of a figure that it can say; NULL: always. */
  gboolean (*fits)(const RegardFigure *figure);
  /* Whole file as bytes, so that writing it is one atomic replace. */
  GBytes *(*render)(RegardFigure *figure, const RegardExportOptions *options, GError **error);
} RegardExportFormat;

const RegardExportFormat *const *regard_export_formats(guint *n);
/* By id or by the extension of a path; NULL if unknown. */
const RegardExportFormat *regard_export_format_find(const char *id_or_path);

gboolean regard_export_format_fits(const RegardExportFormat *format, const RegardFigure *figure);

/* Write to a temporary beside path, then rename it: an earlier file survives failure, and nothing
 * else is left. A link is written through. The error names the path and the reason. */
gboolean regard_export_write_bytes(GBytes *bytes, const char *path, GError **error);

/* Render, and write like that. */
gboolean regard_export_write(RegardFigure *figure, const RegardExportFormat *format,
                             const RegardExportOptions *options, const char *path, GError **error);

/* The date in a PDF is that of now, or what reproducible-builds.org/specs/source-date-epoch says.
 */
void regard_export_set_pdf_date(cairo_surface_t *surface);

G_END_DECLS
