/* regard-embedding.h — what goes into a stack: the scaled embedding of each token, its
 * position, their sum (the paper, 3.4 and 3.5); and the pieces that a piece is nearest to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-layers.h"

G_BEGIN_DECLS

#define REGARD_NEAREST 12

typedef struct {
  mt_stack stack;
  int32_t piece; /* whose neighbours are listed; -1: none */
} RegardEmbeddingOptions;

/* Keeps a reference. Files hold embedding, position, sum, their norms, and the neighbours. Spots:
 * part 0, 1, 2 are the numbers of embedding, position and sum (row: token, col: dimension), 3 a
 * token, 4 a neighbour. */
RegardFigure *regard_figure_new_embedding(RegardLayers *layers, const RegardEmbeddingOptions *look,
                                          const RegardFigureStyle *style);
enum { REGARD_EMBEDDING_SPOT_TOKEN = 3, REGARD_EMBEDDING_SPOT_NEIGHBOUR = 4 };
/* The piece of a token, or of a neighbour. */
int32_t regard_figure_embedding_piece(RegardFigure *figure, const RegardSpot *spot);

/* The piece of a vocabulary that a word is: as it is written, or with a mark before it; else the
 * first that begins so; -1: there is none. */
int32_t regard_embedding_find_piece(const mt_model *model, mt_stack stack, const char *word);

G_END_DECLS
