/* regard-figure-positions.h — pictures of a positional encoding.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-matrix-positions.h"

G_BEGIN_DECLS

typedef enum {
  REGARD_POSITIONS_TABLE,
  REGARD_POSITIONS_SIMILARITY,
  REGARD_POSITIONS_PAIR, /* two dimensions as curves */
  REGARD_POSITIONS_SHIFT,
  REGARD_N_POSITIONS,
} RegardPositionsPicture;

/* In this order. */
extern const RegardPicture regard_positions_pictures[REGARD_N_POSITIONS];

/* What they are made of; borrowed. */
typedef struct {
  mt_matrix table; /* data NULL: none */
  mt_position_kind kind;
  const mt_tokens *tokens; /* that stand at the positions, or NULL */
  const char *model_name;  /* or NULL */
  guint n;                 /* positions shown */
  guint pair;              /* of dimensions, below cols / 2 */
  int k;                   /* positions to shift by */
} RegardPositions;

/* NULL if there is no such picture: no table, or a shift of learned positions. Caller owns. */
RegardMatrix *regard_positions_matrix(const RegardPositions *positions,
                                      RegardPositionsPicture picture);
RegardFigure *regard_positions_figure(const RegardPositions *positions,
                                      RegardPositionsPicture picture,
                                      const RegardFigureStyle *style);

G_END_DECLS
