/* regard-animation.h — figures one after the other to a file: GIF, APNG, PDF with a page a figure,
 * or a numbered PNG or SVG of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All frames are as wide as the options say, as high as the highest needs, and drawn from the data;
 * nothing is made up between two of them.
 */
#pragma once

#include "figures/regard-frames.h"
#include "formats/regard-export.h"

G_BEGIN_DECLS

#define REGARD_ANIMATION_MOST_FRAMES 500
#define REGARD_ANIMATION_MOST_SIDE   4096              /* pixels */
#define REGARD_ANIMATION_MOST_BYTES  ((gsize) 1 << 28) /* of all files together */

/* 160 mm are 1260 pixels. */
#define REGARD_ANIMATION_OPTIONS_INIT \
  {                                   \
    160, 7, 200, 0, 0                 \
  }

/* What stands for the number of the frame in the name of numbered files: "head-{n}.png" becomes
 * head-001.png and so on. */
#define REGARD_ANIMATION_NUMBER "{n}"

typedef struct {
  const char *id;     /* "gif" */
  const char *ending; /* of its files: "gif" */
  const char *name;   /* translatable: "GIF animation" */
  gboolean is_numbered, is_timed;
  gboolean has_pixels; /* its resolution is to be said, and limited */
} RegardAnimationFormat;

const RegardAnimationFormat *const *regard_animation_formats(guint *n);
/* By the ending of a path, and by whether a number stands in it; NULL: there is none. */
const RegardAnimationFormat *regard_animation_format_find(const char *path);

/* Told before each frame how many of how many have been done, those that are looked at before they
 * are written included. FALSE: stop. */
typedef gboolean (*RegardAnimationProgress)(guint done, guint all, gpointer user);

/* What an animation will be, before it is made. */
typedef struct {
  guint n, ms;                /* frames, and how long all of them are seen */
  double width_pt, height_pt; /* of each */
  int width, height;          /* the same in pixels */
} RegardAnimationMeasure;

/* All frames are laid out, none is drawn. FALSE and an error: it cannot be written in this format.
 * Where only that has too many pixels, *measure is filled in all the same; else n is 0. */
gboolean regard_animation_measure(RegardFrames *frames, const RegardAnimationFormat *format,
                                  const RegardExportOptions *options,
                                  RegardAnimationMeasure *measure, RegardAnimationProgress progress,
                                  gpointer user, GError **error);
/* Millimetres in which letters of what draws itself smaller where it has no room, such as a tree,
 * are as large as the options say; at least 160, and at most what there are pixels for. 0: it does
 * not. */
double regard_animation_wanted_width(RegardFrames *frames, const RegardExportOptions *options);
/* A frame of what was measured as a PNG, at so many dots per inch. NULL and an error. */
GBytes *regard_animation_render_frame(RegardFrames *frames, const RegardAnimationMeasure *measure,
                                      const RegardExportOptions *options, guint i, double dpi,
                                      GError **error);

/* The path with the number of a frame, from 0, in the place of "{n}". Caller frees. */
char *regard_animation_number_path(const char *path, guint i);
/* What makes a film of numbered pictures whose name has no letters that a shell reads otherwise: a
 * line to be typed where they lie. Caller frees. */
char *regard_animation_dup_film_line(const char *name);

/* Nothing is written before all frames were made, and then as regard_export_write_bytes does. Of
 * numbered files those that were not there before are taken away again if one of them cannot be
 * written. FALSE and an error, G_IO_ERROR_CANCELLED if it was told to stop. */
gboolean regard_animation_write(RegardFrames *frames, const RegardAnimationFormat *format,
                                const RegardExportOptions *options, const char *path,
                                RegardAnimationProgress progress, gpointer user, GError **error);

G_END_DECLS
