/* mt-activations.h — what one run of a sentence computed, as a value. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ACTIVATIONS_H
#define MT_ACTIVATIONS_H

#include "model/mt-model.h"

struct mt_activations {
  int ref_count;
  size_t d_model, n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];
  size_t inner[MT_N_KINDS]; /* columns of all heads */
  size_t n_tokens[MT_N_STACKS];
  float *streams[MT_N_STACKS];  /* [n_layers + 1][n_tokens][d] before each layer, and the last */
  float *residuals[MT_N_KINDS]; /* [n_layers][n_tokens][d] behind the attention sub-layer */
  float *contexts[MT_N_KINDS];  /* [n_layers][n_tokens][inner], heads side by side */
  uint64_t hash;                /* of the numbers; set by mt_activations_seal */
};

/* With the shape of a model, all zero. */
mt_activations *mt_activations_alloc(const mt_model *model, size_t n_source, size_t n_target,
                                     mt_error *error);
/* The numbers are final. */
void mt_activations_seal(mt_activations *states);
/* Whether a model has as many layers and heads of the same width. */
bool mt_activations_fit(const mt_activations *states, const mt_config *config);

/* Rows [n_tokens][d] of the stream before a layer, from 0, or behind the last. */
static inline float *
mt_activations_stream(const mt_activations *states, mt_stack stack, size_t layer)
{
  return states->streams[stack] + layer * states->n_tokens[stack] * states->d_model;
}

#endif
