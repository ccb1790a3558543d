/* regard-matrix-positions.h — matrices of positional encodings (the paper, section 3.5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of a table only the first n rows are shown, or all if there are fewer. tokens (may be NULL) label
 * the positions that they stand at. NULL if there is no table.
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* Position by dimension. */
RegardMatrix *regard_matrix_new_positions(mt_matrix table, guint n, mt_position_kind kind,
                                          const mt_tokens *tokens, const char *model_name);
/* PE · PE^T, position by position. */
RegardMatrix *regard_matrix_new_similarity(mt_matrix table, guint n, const mt_tokens *tokens,
                                           const char *model_name);
/* The linear map PE(p) → PE(p + k), dimension by dimension; NULL for learned positions. */
RegardMatrix *regard_matrix_new_shift(guint d_model, int k, mt_position_kind kind,
                                      const char *model_name);

/* The two dimensions of a pair, the sine's first: neighbours, or half the table apart. */
void regard_positions_pair(mt_position_kind kind, guint d_model, guint pair, guint dims[2]);
/* Radians per position of a pair; 0 for a learned table. */
double regard_positions_omega(mt_position_kind kind, guint d_model, guint pair);
/* "dimension 3 (sine)"; side: 0 or 1 of dims. Caller frees. */
char *regard_positions_pair_name(mt_position_kind kind, const guint dims[2], guint side);

/* ---- Pictures ------------------------------------------------------------------------------- */

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
/* The pair as its page shows it, with the tokens; pointed: position, or -1. */
RegardFigure *regard_positions_new_waves(const RegardPositions *positions, int pointed,
                                         const RegardFigureStyle *style);

G_END_DECLS
