/* mt-relative.h — relative positions, as T5 has them. Private to the engine.
 *
 * Nothing is added to embeddings. In self-attention a number is added to each score that depends on
 * the head and on how far the key stands behind the query (Raffel et al. 2020, section 2.1):
 *
 *     s_qj = q·k / divisor + B[bucket(j - q)][head]
 *
 * B is in the file, by buckets of distances. Here it stands once more, unrolled by distance, so
 * that what the keys of a query get is one run of numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_RELATIVE_H
#define MT_RELATIVE_H

#include "model/mt-model.h"

/* Sets by_distance and by_head of every layer from what `relative` points to. *block: what they
 * point into, for mt_free; NULL in models without relative positions. False: no memory. */
bool mt_relative_unroll(mt_model *model, float **block, mt_error *error);

/* scores [n] += what keys 0 … n - 1 get, of a query at a position, in a head of a layer. */
void mt_relative_add(const mt_model *model, mt_stack stack, const mt_layer_weights *layer,
                     size_t head, size_t query, size_t n, float *scores);

/* What one key gets at any distance. */
float mt_relative_at(const mt_model *model, mt_stack stack, const mt_layer_weights *layer,
                     size_t head, long distance);

/* scores [n_keys][n_heads] += the same for heads side by side from `first` on, of the query that
 * sees n_keys keys, the last of which is its own. */
void mt_relative_add_block(const mt_model *model, mt_stack stack, const mt_layer_weights *layer,
                           size_t first, size_t n_heads, size_t n_keys, float *scores);

#endif
