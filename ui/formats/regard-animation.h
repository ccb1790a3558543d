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
  gboolean is_numbered;
} RegardAnimationFormat;

const RegardAnimationFormat *const *regard_animation_formats(guint *n);
/* By the ending of a path, and by whether a number stands in it; NULL: there is none. */
const RegardAnimationFormat *regard_animation_format_find(const char *path);

/* Told before each frame how many of how many have been done, those that are looked at before they
 * are written included. FALSE: stop. */
typedef gboolean (*RegardAnimationProgress)(guint done, guint all, gpointer user);

/* Nothing is written before all frames were made, and then as regard_export_write_bytes does. Of
 * numbered files those that were not there before are taken away again if one of them cannot be
 * written. FALSE and an error, G_IO_ERROR_CANCELLED if it was told to stop. */
gboolean regard_animation_write(RegardFrames *frames, const RegardAnimationFormat *format,
                                const RegardExportOptions *options, const char *path,
                                RegardAnimationProgress progress, gpointer user, GError **error);

G_END_DECLS
