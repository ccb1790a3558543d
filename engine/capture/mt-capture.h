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
  bool is_part;                   /* of what the model has */
  bool lacks_heads;               /* layers need not have all heads of the model */
  size_t first_layer, first_head; /* of the model, from 0, that the first matrix is of */
  float *weights;                 /* [L][H][rows][cols] */
  float *scores;                  /* likewise, or NULL */
  float *row_lse;       /* [L][H][rows] log-sum-exp of each row of scores; NULL: not known */
  size_t n_bias_layers; /* 0: none */
  float *bias;          /* [n_bias_layers][H][2 cols - 1] by distance; NULL: none, or not known */
} mt_capture_kind;

struct mt_capture {
  int ref_count;
  char *model_name;
  char *file_name; /* of a capture that was read; NULL for all others */
  mt_naming naming;
  mt_precision precision, translation_precision;
  mt_request search; /* without language and changes */
  bool is_searched;
  mt_tokens *source;
  mt_tokens *decoder_input, *output; /* where only one is known, both are that one */
  bool has_decoder_input, has_output;
  bool is_recorded; /* weights are those of the search */
  bool is_causal;   /* decoder self-attention sees no later token */
  mt_capture_kind kinds[MT_N_KINDS];
  mt_position_kind position_kind;
  size_t d_model;
  size_t attention_window;         /* of self-attention; 0: none, or not known */
  mt_interventions *interventions; /* or NULL */
  const mt_interventions *hiding;  /* the same, if its weights are as they say; or NULL */
  float *positions[MT_N_STACKS];   /* [S][d], [T][d]; NULL: not known */
  float *logprobs;                 /* [T]; NULL: not known */
  mt_capture *a, *b;               /* that it is the difference of, b - a; or NULL */
  struct {
    unsigned char *source, *steps, *keys; /* [S], [T], [T] mt_side; NULL: on both */
  } sides;                                /* of an aligned difference */
  float most;                             /* of all its |weights|, then */
  float *block;                           /* the one allocation all of the above point into */
  size_t block_bytes;
};

/* A new capture of a part of what spec has, with nothing in it yet; place NULL: of all of it.
 * Errors: MT_ERROR_INPUT for a place that spec does not have, and as mt_capture_new. */
mt_capture *mt_capture_new_part(const mt_capture_spec *spec, const mt_capture_place *place,
                                mt_error *error);
/* What mt_capture_bytes says of it, for so many tokens instead of those of spec. SIZE_MAX: too
 * much; 0: there is no such place. */
size_t mt_capture_spec_bytes(const mt_capture_spec *spec, const mt_capture_place *place,
                             size_t n_source, size_t n_target);

#endif
