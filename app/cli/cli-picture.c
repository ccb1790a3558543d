/* cli-picture.c — a figure to a file, as the command line asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-picture.h"

#include <string.h>

const char *const cli_picture_scales[] = {"linear", "sqrt", "log", "row", NULL};

/* "png, svg, pdf": the endings that some format answers to. */
static char *
list_formats(void)
{
  g_autoptr(GString) list = g_string_new(NULL);
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(list, "%s%s", i ? ", " : "", formats[i]->id);
  return g_strdup(list->str);
}

static char *
list_colormaps(void)
{
  g_autoptr(GString) list = g_string_new(NULL);
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(list, "%s%s", i ? ", " : "", maps[i]->id);
  return g_strdup(list->str);
}

CliStatus
cli_picture_check(const CliCommand *command, CliPicture *picture)
{
  if (!picture->output)
    return cli_usage(command, "-o FILE is missing");
  /* An ending is wanted: "-o png" would otherwise make a file of that name. */
  picture->format =
      strrchr(picture->output, '.') ? regard_export_format_find(picture->output) : NULL;
  if (!picture->format) {
    g_autofree char *list = list_formats();
    return cli_usage(command, "-o wants a file name that ends with one of %s, found '%s'", list,
                     picture->output);
  }
  if (picture->colormap) {
    picture->style.colormap = regard_colormap_find(picture->colormap);
    if (!picture->style.colormap) {
      g_autofree char *list = list_colormaps();
      return cli_usage(command, "--colormap wants one of %s, found '%s'", list, picture->colormap);
    }
  }
  if (!regard_scale_from_id(cli_picture_scales[picture->scale], &picture->style.scale))
    return cli_usage(command, "unknown scale '%s'", cli_picture_scales[picture->scale]);
  picture->style.dark = picture->dark;
  return CLI_DONE;
}

CliStatus
cli_picture_write(const CliCommand *command, const CliPicture *picture, RegardFigure *figure)
{
  g_autoptr(RegardFigure) owned = figure;
  g_autoptr(GError) error = NULL;
  if (!regard_export_write(owned, picture->format, &picture->size, picture->output, &error)) {
    cli_complain(command, "%s", error->message);
    return CLI_FAILED;
  }
  if (!picture->caption)
    return CLI_DONE;
  g_autofree char *caption = regard_figure_caption(owned);
  g_autofree char *line = g_strconcat(caption, "\n", NULL);
  return cli_put(command, line, strlen(line)) ? CLI_DONE : CLI_FAILED;
}
