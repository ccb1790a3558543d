/* regard-intervention-glyph.h — small signs for what was changed in the model: told apart by shape,
 * not by colour alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum {
  REGARD_GLYPH_NONE,
  REGARD_GLYPH_SWITCH,  /* empty: something can be switched here */
  REGARD_GLYPH_ZERO,    /* × */
  REGARD_GLYPH_UNIFORM, /* three equal bars */
  REGARD_GLYPH_MEAN,    /* a bar over a dot, as over an x */
  REGARD_GLYPH_DIAGONAL,
  REGARD_GLYPH_PREVIOUS, /* an arrow to the left … */
  REGARD_GLYPH_NEXT,     /* … and to the right */
  REGARD_GLYPH_SCALE,    /* an arrow up and down */
  REGARD_GLYPH_TEMPERATURE,
  REGARD_GLYPH_COPY,   /* two squares */
  REGARD_GLYPH_CELLS,  /* one cell of four */
  REGARD_GLYPH_WINDOW, /* a band */
  REGARD_GLYPH_OTHER,  /* a dot */
} RegardInterventionGlyph;

/* By the name of the change in its text form. */
RegardInterventionGlyph regard_intervention_glyph(const char *how);
/* On a disc that fills the rectangle. */
void regard_intervention_glyph_draw(GtkSnapshot *snapshot, RegardInterventionGlyph glyph,
                                    const graphene_rect_t *at, const GdkRGBA *disc,
                                    const GdkRGBA *background);

G_END_DECLS
