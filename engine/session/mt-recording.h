/* mt-recording.h — the attention of a search, kept while it runs, so that a capture of its result
 * need not be computed a second time. Private to the engine.
 *
 * Every row of attention that a step computes is kept for its position and beam; the hypotheses
 * know from which row of each step their tokens came (back pointers), so that the rows of any of
 * them can be put together afterwards. Only sentences of everyday length are recorded: for the
 * others a second, parallel pass is cheap beside the search and needs no other memory than the
 * capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_RECORDING_H
#define MT_RECORDING_H

#include "mt.h"
#include "paper/mt-sites.h"

/* Longest source and longest output, in tokens. */
#define MT_RECORDING_MAX 128
/* Most beams whose rows are kept. Nearly all rows of a wider search are of hypotheses that nobody
 * asks for, hundreds of megabytes, and a second pass is cheap beside it. */
#define MT_RECORDING_MAX_BEAMS 8

/* What is kept. A search with rounded weights, or with very many beams, keeps the encoder's
 * attention, since the encoder is neither rounded nor computed for each beam, and what the decoder
 * attends to is computed again with the weights themselves. */
typedef enum { MT_RECORD_NOTHING, MT_RECORD_ENCODER, MT_RECORD_ALL } mt_record_extent;

/* All memory belongs to the session's arena. */
typedef struct {
  mt_record_extent extent;
  uint64_t number; /* of the translation that is recorded, 0: none */
  size_t n_source, n_beams;
  size_t n_results; /* hypotheses with back pointers */
  size_t n_heads[MT_N_STACKS], n_layers[MT_N_STACKS];
  /* One row for each layer, head, position and beam; the encoder has positions only. */
  float *weights[MT_N_KINDS]; /* [L][H][positions * beams][keys], keys being n_source or
                                 MT_RECORDING_MAX */
  float *row_lse[MT_N_KINDS]; /* [L][H][positions * beams] */
  uint32_t *rows;             /* [n_beams][MT_RECORDING_MAX]: beam of each token of a result */
} mt_recording;

/* Who looks for it, into *taps, which must stay: taps whose sink is the recording. */
mt_observer mt_recording_observe(mt_recording *recording, mt_taps *taps);

/* Fill in weights and row_lse of one kind of attention of a capture from result i; its tokens are
 * those of the result. */
void mt_recording_play(const mt_recording *recording, mt_attention_kind kind, size_t i,
                       mt_capture *capture);

#endif
