/* regard-export-tikz.c — figures for LaTeX, which sets their text in the document's own type.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "figures/regard-language.h"
#include "formats/regard-export-private.h"

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_tikz(width_pt, height_pt);
  regard_figure_draw(figure, canvas, width_pt, options->font_pt);
  GBytes *file = regard_canvas_tikz_finish(canvas, title, caption);
  if (!file)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                _("This picture has more cells than LaTeX can read; save it as PDF instead"));
  return file;
}

const RegardExportFormat regard_export_tikz = {
    .id = "tikz",
    .name = N_("LaTeX drawing (TikZ)"),
    .mime_type = "text/x-tex",
    .is_picture = TRUE,
    .render = render,
};
