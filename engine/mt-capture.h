/* mt-capture.h — the inside of a capture. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CAPTURE_H
#define MT_CAPTURE_H

#include "mt.h"

/* One kind of attention: where its tensors start in the block. */
typedef struct {
  size_t n_layers, n_heads; /* n_layers 0: absent */
  size_t rows, cols;
  float *weights; /* [L][H][rows][cols] */
  float *scores;  /* likewise, or NULL */
  float *row_lse; /* [L][H][rows] log-sum-exp of each row of scores */
} mt_capture_kind;

struct mt_capture {
  _Atomic(int) ref_count;
  char *model_name;
  mt_tokens *source, *decoder_input, *output;
  mt_capture_kind kinds[MT_N_KINDS];
  mt_position_kind position_kind;
  size_t d_model;
  float *positions[MT_N_STACKS]; /* [S][d], [T][d]; NULL if d_model is 0 */
  float *logprobs;               /* [T] */
  float *block;                  /* the one allocation all of the above point into */
  size_t block_bytes;
};

#endif
