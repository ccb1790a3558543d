/* mt-decoder.h — the decoder stack, step by step or all at once. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DECODER_H
#define MT_DECODER_H

#include "paper/mt-kv-cache.h"
#include "paper/mt-pass.h"

/* Keys and values of the encoder's output (in buffers->x [cache->n_source][d]) for every layer's
 * cross-attention; forgets former steps. False: cancelled. */
bool mt_decoder_begin(const mt_pass *pass, mt_kv_cache *cache);

/* One step: hypothesis b of n continues hypothesis parents[b] of the step before with token
 * ids[b]; logits [n][vocab] of what comes next. Or n_steps of them at once, if it is known
 * beforehand what they will be: parents and ids [n] and logits of one after the other, each with
 * all beams of the cache; bit for bit what they are one by one, as long as there are at most
 * MT_KERNELS_ROWS. False: cancelled. */
bool mt_decoder_step(const mt_pass *pass, mt_kv_cache *cache, const uint32_t *parents,
                     const int32_t *ids, size_t n, size_t n_steps, float *logits);

/* The same for all groups of a pass. Begin: keys and values of the encoder's output in buffers->x
 * [n][d] go to the rows of the pool that the groups have as their sources. Step: one row for each
 * hypothesis of each group, ids [n]; buffers->x [n][d] is then the decoder's output. Logits: of n
 * rows of it, from `first` on. False: cancelled. */
bool mt_decoder_begin_groups(const mt_pass *pass, size_t n);
bool mt_decoder_step_groups(const mt_pass *pass, const int32_t *ids, size_t n);
void mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits);

/* All positions in parallel, given the whole input ids [n] (teacher forcing): log-probabilities
 * [n] of targets [n]. False: cancelled. */
bool mt_decoder_score(const mt_pass *pass, const mt_kv_cache *cache, const int32_t *ids,
                      const int32_t *targets, size_t n, float *logprobs);

#endif
