/* regard-figure-positions.c — pictures of a positional encoding.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-positions.h"
#include <glib/gi18n.h>

const RegardPicture regard_positions_pictures[] = {
    [REGARD_POSITIONS_TABLE] = {"positions", N_("Position table")},
    [REGARD_POSITIONS_SIMILARITY] = {"similarity", N_("Similarity of positions")},
    [REGARD_POSITIONS_PAIR] = {"waves", N_("Pair of dimensions")},
    [REGARD_POSITIONS_SHIFT] = {"shift", N_("Map from PE(p) to PE(p + k)")},
};

RegardMatrix *
regard_positions_matrix(const RegardPositions *p, RegardPositionsPicture picture)
{
  switch (picture) {
  case REGARD_POSITIONS_TABLE:
    return regard_matrix_new_positions(p->table, p->n, p->kind, p->tokens, p->model_name);
  case REGARD_POSITIONS_SIMILARITY:
    return regard_matrix_new_similarity(p->table, p->n, p->tokens, p->model_name);
  case REGARD_POSITIONS_PAIR:
    return regard_matrix_new_pair(p->table, p->n, p->kind, p->pair, p->model_name);
  case REGARD_POSITIONS_SHIFT:
    return p->table.data
               ? regard_matrix_new_shift((guint) p->table.cols, p->k, p->kind, p->model_name)
               : NULL;
  default:
    return NULL;
  }
}

RegardFigure *
regard_positions_figure(const RegardPositions *p, RegardPositionsPicture picture,
                        const RegardFigureStyle *style)
{
  g_autoptr(RegardMatrix) matrix = regard_positions_matrix(p, picture);
  if (!matrix)
    return NULL;
  if (picture != REGARD_POSITIONS_PAIR)
    return regard_figure_new_matrix(matrix, style);
  double omega = regard_positions_omega(p->kind, (guint) p->table.cols, p->pair);
  return regard_figure_new_curves(matrix, omega, style);
}
