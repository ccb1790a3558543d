/* cli-picture.h — options about a picture and the file it goes to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-options.h"

#include "formats/regard-export.h"

G_BEGIN_DECLS

typedef struct {
  const char *output;
  guint colormap; /* index into cli_picture_colormaps(); CLI_NO_CHOICE: the matrix decides */
  guint scale;    /* a RegardScale */
  gboolean dark;
  gboolean has_graph; /* a tree or the like: formats for graphs can be written */
  gboolean caption;
  gboolean no_title, no_numbers, no_model;
  RegardExportOptions size;
  /* Filled in by cli_picture_check. */
  const RegardExportFormat *format;
  RegardFigureStyle style;
} CliPicture;
#define CLI_PICTURE_INIT                                           \
  {                                                                \
    .colormap = CLI_NO_CHOICE, .size = REGARD_EXPORT_OPTIONS_INIT, \
    .style = REGARD_FIGURE_STYLE_INIT                              \
  }

/* What there is to choose from, NULL-terminated, in the order of the lists in ui. Formats: those
 * that every figure can be written in, has_graph: and those that say no more than who comes from
 * whom. */
const char *const *cli_picture_formats(gboolean has_graph);
const char *const *cli_picture_scales(void);
const char *const *cli_picture_colormaps(void);

/* Rows for a command's table; p is a CliPicture. */
#define CLI_PICTURE_OPTION_OUTPUT(p)                                                               \
  {                                                                                                \
    CLI_OPTION_TEXT, "output", 'o', &(p).output, "FILE", "Where to write; its ending says how", 0, \
        0, cli_picture_formats((p).has_graph)                                                      \
  }
#define CLI_PICTURE_OPTION_SCALE(p)                                                        \
  {                                                                                        \
    CLI_OPTION_CHOICE, "scale", 0, &(p).scale, "SCALE", "How values become colours", 0, 0, \
        cli_picture_scales()                                                               \
  }
#define CLI_PICTURE_OPTION_COLORMAP(p)                                       \
  {                                                                          \
    CLI_OPTION_CHOICE, "colormap", 0, &(p).colormap, "MAP", "Colours", 0, 0, \
        cli_picture_colormaps()                                              \
  }
#define CLI_PICTURE_OPTION_DARK(p)                                             \
  {                                                                            \
    CLI_OPTION_FLAG, "dark", 0, &(p).dark, NULL, "Dark background, for slides" \
  }
#define CLI_PICTURE_OPTION_CAPTION(p)                                                    \
  {                                                                                      \
    CLI_OPTION_FLAG, "caption", 0, &(p).caption, NULL, "Print a caption for the picture" \
  }
#define CLI_PICTURE_OPTION_WIDTH(p)                                  \
  {                                                                  \
    CLI_OPTION_NUMBER, "width", 0, &(p).size.width_mm, "MM",         \
        "Width of the picture in millimetres; default 160", 10, 2000 \
  }
#define CLI_PICTURE_OPTION_FONT(p)                                                                 \
  {                                                                                                \
    CLI_OPTION_NUMBER, "font", 0, &(p).size.font_pt, "PT", "Font size in points; default 7", 2, 72 \
  }
#define CLI_PICTURE_OPTION_DPI(p)                                                               \
  {                                                                                             \
    CLI_OPTION_NUMBER, "dpi", 0, &(p).size.dpi, "N", "Dots per inch of a PNG; default 300", 10, \
        2400                                                                                    \
  }

/* What can be left out, and the height. */
#define CLI_PICTURE_OPTIONS_PARTS(p)                                                          \
  {CLI_OPTION_FLAG, "no-title", 0, &(p).no_title, NULL, "Without the title"},                 \
      {CLI_OPTION_FLAG, "no-numbers", 0, &(p).no_numbers, NULL, "Without numbers in cells"},  \
      {CLI_OPTION_FLAG, "no-model", 0, &(p).no_model, NULL, "Without the name of the model"}, \
  {                                                                                           \
    CLI_OPTION_NUMBER, "height", 0, &(p).size.height_mm, "MM",                                \
        "Height of the picture in millimetres; default: as the width gives", 10, 2000         \
  }

/* What every picture has. */
#define CLI_PICTURE_OPTIONS_LOOK(p)                                                    \
  CLI_PICTURE_OPTION_DARK(p), CLI_PICTURE_OPTION_WIDTH(p), CLI_PICTURE_OPTION_FONT(p), \
      CLI_PICTURE_OPTION_DPI(p), CLI_PICTURE_OPTIONS_PARTS(p), CLI_PICTURE_OPTION_CAPTION(p)

/* Find the format by the file's name, before any work is done. CLI_USAGE has been reported. */
CliStatus cli_picture_check(const CliCommand *command, CliPicture *picture);
/* Write the figure, and its caption to standard output if that was asked for. Takes the figure. */
CliStatus cli_picture_write(const CliCommand *command, const CliPicture *picture,
                            RegardFigure *figure);

G_END_DECLS
