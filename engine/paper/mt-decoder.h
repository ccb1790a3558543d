/* mt-decoder.h — the decoder stack, step by step or all positions at once. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DECODER_H
#define MT_DECODER_H

#include "paper/mt-pass.h"

/* Keys and values of the encoder's output, in buffers->x [rows][d], for every layer's
 * cross-attention, in the rows of the pool that the groups have as their sources. False: cancelled.
 */
bool mt_decoder_begin(const mt_pass *pass);

/* buffers->x [rows][d] = what the layers make of ids [rows] of all groups: decoding steps, or whole
 * sequences in parallel (teacher forcing), as the groups say. A row is the same, bit for bit,
 * whatever is beside it; steps of one sequence whose tokens were guessed are, as long as there are
 * at most MT_KERNELS_ROWS. False: cancelled. */
bool mt_decoder_run(const mt_pass *pass, const int32_t *ids);

/* buffers->x [rows][d], the stream before layer `first`, through layers [first, end). False:
 * cancelled. */
bool mt_decoder_layers(const mt_pass *pass, size_t first, size_t end);

/* The last norm, before there can be logits. */
void mt_decoder_finish(const mt_pass *pass);

/* logits [n][vocab] of what comes after rows [first, first + n) of buffers->x: x W_out^T + b. A
 * word that has no probability has -INFINITY, but not where hooks look. */
void mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits);
/* The same with what the model says of such words, for searches, whose rules may know them. */
void mt_decoder_all_logits(const mt_pass *pass, size_t first, size_t n, float *logits);

/* Log-probabilities [rows] of targets [rows] after a parallel pass, for which there is room for
 * logits in blocks. False: cancelled. */
bool mt_decoder_score(const mt_pass *pass, const int32_t *targets, float *logprobs);

#endif
