/* regard-figure-matrix.h — pictures of a capture's attention: one head, a layer, a kind, all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-matrix-attention.h"

G_BEGIN_DECLS

/* What a figure may show of a capture. */
typedef enum {
  REGARD_SCOPE_HEAD,   /* the one matrix, large, labelled */
  REGARD_SCOPE_LAYER,  /* all heads of one layer, side by side */
  REGARD_SCOPE_KIND,   /* layers × heads of one kind */
  REGARD_SCOPE_ALL,    /* the three grids */
  REGARD_SCOPE_CHOSEN, /* the chosen heads of a kind, from any layer, side by side */
  REGARD_N_SCOPES,
} RegardScope;

/* In this order. */
extern const RegardPicture regard_scopes[REGARD_N_SCOPES];

/* spec gives kind, layer and how the matrices are made; in a grid every head is by itself, whatever
 * spec->combine says. NULL if the capture does not have this kind, or no head of it is chosen. */
RegardFigure *regard_figure_new_grid(const mt_capture *capture, RegardScope scope,
                                     const RegardMatrixSpec *spec, const RegardFigureStyle *style);
/* Heads of one kind or several, side by side, and in files of values cell by cell: of each kind
 * [layers * heads], 1 for those that are chosen; NULL: none of it. NULL: none at all. */
RegardFigure *regard_figure_new_heads(const mt_capture *capture,
                                      const guint8 *const chosen[MT_N_KINDS],
                                      const RegardMatrixSpec *spec, const RegardFigureStyle *style);

G_END_DECLS
