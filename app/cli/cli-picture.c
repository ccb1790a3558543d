/* cli-picture.c — a figure to a file, as the command line asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-picture.h"

#include <string.h>

/* The lists are made once and stay: they are as long-lived as the tables that they name. */
#define MAX_CHOICES 32

/* What does not fit every figure is for graphs. */
const char *const *
cli_picture_formats(gboolean has_graph)
{
  static const char *ids[2][MAX_CHOICES + 1];
  guint n, n_ids = 0;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_assert(n <= MAX_CHOICES);
  for (guint i = 0; i < n; i++)
    if (has_graph || !formats[i]->fits)
      ids[has_graph][n_ids++] = formats[i]->id;
  return ids[has_graph];
}

const char *const *
cli_picture_scales(void)
{
  static const char *ids[REGARD_N_SCALES + 1];
  for (guint i = 0; i < REGARD_N_SCALES; i++)
    ids[i] = regard_scale_info((RegardScale) i)->id;
  return ids;
}

const char *const *
cli_picture_colormaps(void)
{
  static const char *ids[MAX_CHOICES + 1];
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  g_assert(n <= MAX_CHOICES);
  for (guint i = 0; i < n; i++)
    ids[i] = maps[i]->id;
  return ids;
}

CliStatus
cli_picture_check(const CliCommand *command, CliPicture *picture)
{
  if (!picture->output)
    return cli_usage(command, "-o FILE is missing");
  /* An ending is wanted: "-o png" would otherwise make a file of that name. */
  picture->format =
      strrchr(picture->output, '.') ? regard_export_format_find(picture->output) : NULL;
  const char *const *formats = cli_picture_formats(picture->has_graph);
  if (!picture->format || !g_strv_contains(formats, picture->format->id)) {
    g_autofree char *list = g_strjoinv(", ", (char **) formats);
    return cli_usage(command, "-o wants a file name that ends with one of %s, found '%s'", list,
                     picture->output);
  }
  if (picture->colormap != CLI_NO_CHOICE)
    picture->style.colormap = regard_colormaps(NULL)[picture->colormap];
  picture->style.scale = (RegardScale) picture->scale;
  picture->style.dark = picture->dark;
  picture->size.left_out = (picture->no_title ? REGARD_PART_TITLE : 0) |
                           (picture->no_numbers ? REGARD_PART_NUMBERS : 0) |
                           (picture->no_model ? REGARD_PART_MODEL : 0);
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
