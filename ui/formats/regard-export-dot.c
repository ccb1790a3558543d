/* regard-export-dot.c — a tree as a graph in the language of Graphviz.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "formats/regard-export-private.h"

#include <string.h>

static gboolean
fits(const RegardFigure *figure)
{
  return figure->klass->to_dot != NULL;
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  char *text = figure->klass->to_dot ? figure->klass->to_dot(figure) : NULL;

  if (text)
    return g_bytes_new_take(text, strlen(text));
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
              "This picture is no graph; choose another format");
  return NULL;
}

const RegardExportFormat regard_export_dot = {
    .id = "dot",
    .name = "Graphviz graph",
    .mime_type = "text/vnd.graphviz",
    .is_picture = FALSE,
    .fits = fits,
    .render = render,
};
