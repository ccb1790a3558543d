/* regard-graph.h — who gave what to whom: tokens × points of both stacks, and the contributions
 * between them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-layers.h"

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  RegardLayers *layers;
  mt_contributions **points[MT_N_STACKS]; /* [n_points]; of the embedding NULL */
} RegardGraph;

/* Of layers whose trace has tokens (regard_layers_requests). should_stop is polled between
 * sub-layers; may be NULL. NULL and an error. */
RegardGraph *regard_graph_new(RegardLayers *layers, bool (*should_stop)(void *user), void *user,
                              mt_error *error);
REGARD_DECLARE_SUBJECT(RegardGraph, regard_graph)

/* Edges of at least threshold are drawn; the usual one, and between which it may be (Ferrando &
 * Voita 2024). */
#define REGARD_GRAPH_THRESHOLD 0.04
#define REGARD_GRAPH_LEAST     0.01
#define REGARD_GRAPH_MOST      0.10

/* A node that only its own edges are drawn of; token -1: none, all edges are. */
typedef struct {
  double threshold;
  mt_stack stack;
  int point, token;
} RegardGraphOptions;

/* Keeps a reference. Files hold the contributions of every sub-layer. Spots: part 0 and 1 are nodes
 * of encoder and decoder, row the token, col the point; part 2 are edges, row counts them. */
RegardFigure *regard_figure_new_graph(RegardGraph *graph, const RegardGraphOptions *look,
                                      const RegardFigureStyle *style);

G_END_DECLS
