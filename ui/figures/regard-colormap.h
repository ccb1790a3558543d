/* regard-colormap.h — colour maps. A map is one file in ui/colormaps and one row of the list in
 * regard-colormap.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *id;         /* "viridis", for settings and the command line */
  const char *name;       /* translatable */
  gboolean diverging;     /* made for signed values */
  const guint8 (*rgb)[3]; /* [256] sRGB */
} RegardColormap;

const RegardColormap *const *regard_colormaps(guint *n);
const RegardColormap *regard_colormap_find(const char *id); /* NULL if unknown */
const RegardColormap *regard_colormap_default(void);        /* sequential */
const RegardColormap *regard_colormap_default_diverging(void);

/* 0xAARRGGBB, opaque, for a place in 0..1 (clamped). */
guint32 regard_colormap_lookup(const RegardColormap *map, double place);
/* TRUE if black text reads better than white on this colour (WCAG relative luminance). */
gboolean regard_color_wants_black_text(guint32 argb);
/* Of two opaque colours, 1 to 21, as in WCAG 2.2. */
double regard_color_contrast(guint32 a, guint32 b);
/* from + share (to - from), opaque; a share above 1 goes beyond. */
guint32 regard_color_blend(guint32 from, guint32 to, double share);
/* The colour, or where its contrast with the ground is less, a stronger one, and where that is not
 * enough a darker or lighter one, that has it. Opaque. */
guint32 regard_color_told_from(guint32 argb, guint32 ground, double contrast);

G_END_DECLS
