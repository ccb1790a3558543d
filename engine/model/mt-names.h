/* mt-names.h — what the tensors of a checkpoint are called. Private to the engine.
 *
 * A set of names is one constant beside its layout or its family. mt-bind.c puts the names together
 * and binds them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NAMES_H
#define MT_NAMES_H

#include "mt.h"

/* The two tensors of a linear map (matrix, bias) or of a norm (gain, bias). */
typedef struct {
  const char *weight, *bias; /* bias NULL: it has none */
  /* Of a linear map; of > 1: the tensors hold so many maps of one size, one below the other, and
   * this is number `part` of them, counted from 0. */
  unsigned part, of;
} mt_pair_name;

/* In the order of the rows of mt-bind.c. */
typedef enum {
  MT_TENSOR_SELF_Q,
  MT_TENSOR_SELF_K,
  MT_TENSOR_SELF_V,
  MT_TENSOR_SELF_OUT,
  MT_TENSOR_SELF_NORM,
  MT_TENSOR_CROSS_Q,
  MT_TENSOR_CROSS_K,
  MT_TENSOR_CROSS_V,
  MT_TENSOR_CROSS_OUT,
  MT_TENSOR_CROSS_NORM,
  MT_TENSOR_FC1,
  MT_TENSOR_FC2,
  MT_TENSOR_FFN_NORM,
  MT_TENSOR_GATE,     /* where the feed-forward network is a gated one */
  MT_TENSOR_RELATIVE, /* [buckets][heads] where there are buckets: of the first layer, or of each */
  MT_N_TENSORS,
} mt_tensor_role;

typedef struct {
  /* A tensor of a layer: layers[stack], its number counted from first_layer, after_number, name. */
  const char *layers[MT_N_STACKS];
  size_t first_layer;
  const char *after_number;
  mt_pair_name places[MT_N_STACKS][MT_N_TENSORS];
  /* Of a stack: stacks[stack], name. */
  const char *stacks[MT_N_STACKS];
  mt_pair_name embedding_norm, final_norm;
  /* Of the model, whole names. A matrix that is tied to others is stored once, under any one of
   * their names. */
  const char *shared, *embeddings[MT_N_STACKS];
  const char *positions[MT_N_STACKS]; /* equal: one table for both stacks; NULL: there is none */
  const char *output;                 /* [vocab][d] */
  const char *output_in_out;          /* [d][vocab], used if `output` is missing; may be NULL */
  const char *output_bias;            /* optional in the file; NULL: there is none */
  /* Names that begin so may all lack it in a file ("model."); NULL: they are whole. */
  const char *optional_prefix;
  const char *shape_from;    /* where the configuration was, for messages */
  const char *ties, *no_tie; /* what it says where the output is tied, and where not */
  /* Where the output is not tied, `shared` may stand beside other embeddings, and is not read. */
  bool has_spare_shared;
  /* An output matrix in the file is taken, whatever the configuration says of ties. */
  bool output_wins;
  /* Sinusoids take the place of learned positions that the file does not have. */
  bool positions_may_lack;
  /* Learned positions in the file that are sinusoids are called so. */
  bool positions_may_be_sinusoids;
  bool in_out;      /* the matrices of the layers are [n_in][n_out] */
  bool row_vectors; /* vectors may be [1][n] */
  /* The target vocabulary has one id more than the file has rows, <pad>, the last one: its
   * embedding and its bias are 0. */
  bool without_pad;
} mt_names;

extern const mt_names mt_names_hugging_face; /* of Marian */
extern const mt_names mt_names_bart, mt_names_m2m, mt_names_pegasus;

#endif
