/* regard-export-svg.c — figures as SVG with text that stays text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "formats/regard-export-private.h"

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_svg(width_pt, height_pt, title, caption);
  regard_figure_draw(figure, canvas, width_pt, options->font_pt);
  return regard_canvas_svg_finish(canvas);
}

const RegardExportFormat regard_export_svg = {
    .id = "svg",
    .name = "SVG drawing",
    .mime_type = "image/svg+xml",
    .is_picture = TRUE,
    .render = render,
};
