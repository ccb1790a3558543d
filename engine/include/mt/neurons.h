/* neurons.h — what the neurons of feed-forward networks do, and say. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_NEURONS_H
#define MT_PUBLIC_NEURONS_H

#include <mt/error.h>
#include <mt/stream.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Feed-forward networks, the paper, 3.3. The trace has MT_SITE_HIDDEN of the layer. */
typedef struct {
  size_t neuron;
  float activation;
} mt_neuron;
/* Share of the neurons with an activation other than 0 (more than 1e-6 in amount), over one token.
 */
double mt_neurons_active(const mt_trace *trace, mt_stack stack, size_t layer, size_t token);
/* The n with the largest amount of activation, largest first. Returns how many there are. */
size_t mt_neurons_strongest(const mt_trace *trace, mt_stack stack, size_t layer, size_t token,
                            size_t n, mt_neuron *out);
/* What a neuron writes, through the output matrix (of an encoder: its embedding): the pieces whose
 * logits it raises most, and lowers most, for an activation of 1. */
typedef struct {
  int32_t piece;
  float logit;
} mt_neuron_piece;
size_t mt_neuron_says(const mt_model *model, mt_stack stack, size_t layer, size_t neuron, size_t n,
                      mt_neuron_piece *raised, mt_neuron_piece *lowered);

#ifdef __cplusplus
}
#endif
#endif
