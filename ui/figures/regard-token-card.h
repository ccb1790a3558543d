/* regard-token-card.h — one token at one sub-layer: its norm, with batch norm beside it, and the
 * neurons of its feed-forward network.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computed once (in a thread: what neurons say takes a while in a large vocabulary) and never
 * changed.
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-layers.h"

G_BEGIN_DECLS

#define REGARD_CARD_NEURONS 20 /* the strongest, at most */
#define REGARD_CARD_PIECES  15 /* that each raises, and lowers, at most */

typedef struct {
  mt_neuron neuron;
  float activated, gate; /* of a gated network, whose product is the activation; else NAN */
  guint n_pieces;
  mt_neuron_piece raised[REGARD_CARD_PIECES], lowered[REGARD_CARD_PIECES];
} RegardCardNeuron;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  RegardLayers *layers;
  mt_stack stack;
  guint point, token; /* the point is one with a norm */
  guint d;
  mt_stream_numbers numbers;                  /* of what the norm reads: mean, sigma */
  float *read, *gain, *bias, *by_layer;       /* [d]; bias NULL: the norm has none */
  guint n_batch;                              /* tokens of the batch; 0: there is none */
  float *batch_mean, *batch_sigma, *by_batch; /* [d]; NULL without a batch */
  double active; /* share of the neurons; NAN: the sub-layer is no network, or not traced */
  float *activated, *gate, *product; /* [d_ffn] of a gated network; else NULL */
  guint d_ffn, n_neurons;
  RegardCardNeuron neurons[REGARD_CARD_NEURONS];
} RegardTokenCard;

/* batch: traces that batch norm is over, mt_trace of this model; n_batch 0: none. NULL and an error
 * if the point has no norm (the embedding), or the trace lacks it. */
RegardTokenCard *regard_token_card_new(RegardLayers *layers, mt_stack stack, guint point,
                                       guint token, const mt_trace *const *batch, gsize n_batch,
                                       mt_error *error);
REGARD_DECLARE_SUBJECT(RegardTokenCard, regard_token_card)

/* Keeps a reference. */
RegardFigure *regard_figure_new_token_card(RegardTokenCard *card, const RegardFigureStyle *style);

G_END_DECLS
